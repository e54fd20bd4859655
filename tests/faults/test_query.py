"""Faults of search that users of such products met, by their numbers in the list of faults."""

import json
import os
import subprocess
import sys
from collections.abc import Callable
from hashlib import sha256
from itertools import pairwise
from pathlib import Path

import pytest

from indexer import DocumentIndex, Filters
from indexer.config import Settings
from indexer.errors import IndexNotFound
from lmk_encoder.testing import KeywordEncoder

ROOT = Path(__file__).parents[2]
Make = Callable[[dict[str, str]], DocumentIndex]


@pytest.fixture
def make(tmp_path: Path) -> Make:
    """An index over files that are given by name and text."""
    opened: list[DocumentIndex] = []

    def index_of(texts: dict[str, str]) -> DocumentIndex:
        for name, text in texts.items():
            path = tmp_path / "files" / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
        settings = Settings(parse_workers=1)
        index = DocumentIndex(tmp_path / "i.lmk", settings=settings, encoder=KeywordEncoder())
        opened.append(index)
        report = index.add([tmp_path / "files"])
        assert report.failed == []
        return index

    yield index_of
    for index in opened:
        index.close()


def names(hits) -> list[str]:
    return [Path(hit.path).name for hit in hits]


def test_28_quotes_in_a_value_stay_a_value(make):
    odd = [
        "x' OR 1=1 --.txt",
        "O'Brien.txt",
        'say "hi".txt',
        "100%_.txt",
        "back\\slash.txt",
        "a\nb.txt",
    ]
    index = make({name: f"text number {i}\n" for i, name in enumerate([*odd, "other.txt"])})

    for name in odd:
        if "\n" not in name and "\\" not in name:
            assert names(index.search("text", filters=Filters(path=name))) == [name]
    folder = Path(index.search("text", k=1)[0].path).parent
    assert index.remove([folder / "x' OR 1=1 --.txt"]) == 1
    assert len(index.search("text", k=50)) == len(odd)


def test_29_a_folder_name_is_no_wildcard(make):
    index = make({f"{d}/f.txt": f"text in {d}\n" for d in ("dir_%1", "dirXX1", "a", "ab", "A")})

    def folders(value):
        return {Path(h.path).parent.name for h in index.search("text", filters=Filters(path=value))}

    assert folders("dir_%1/") == {"dir_%1"}
    assert folders("a") == {"a"}
    assert {Path(h.path).parent.name for h in index.search('text path:"dir_%1"')} == {"dir_%1"}
    folder = Path(index.search("path:dirXX1")[0].path).parent.parent
    assert index.remove([folder / "a"]) == 1  # as the filter: neither "ab" nor "A"


def test_39_filters_come_before_the_limit(make):
    """The matching files rank last without the filter."""
    texts = {f"high{i}.txt": "pump pump pump " * 5 + f"number{i}\n" for i in range(40)}
    texts |= {f"low/l{i}.md": f"# Roof\n\nA tile and number{i} and a pump\n" for i in range(3)}
    index = make(texts)

    assert not any(name.startswith("l") for name in names(index.search("pump", k=5)))
    for way in ("path:low", "type:md", "type:markdown", '"a tile and"', "tile OR slate", "/til./"):
        assert sorted(names(index.search(f"pump {way}", k=2)))[0].startswith("l")
        assert len(index.search(f"pump {way}", k=2)) == 2
        assert len(index.search(f"pump {way}", k=5)) == 3, way
    for signal in ("places", "document", "text_places", "text_document"):
        hits = index.search("pump", k=5, filters=Filters(path="low"), weights={signal: 1.0})
        assert len(hits) == 3


def test_40_a_score_is_told_apart_into_its_parts(make):
    index = make({"a.txt": "pump\n", "b.txt": "roof and pump\n", "c.txt": "tile\n"})
    hits = index.search("pump", explain=True)

    assert [hit.score for hit in hits] == sorted((hit.score for hit in hits), reverse=True)
    for hit in hits:
        parts = {signal.name: signal for signal in hit.explanation.signals}
        assert set(parts) == {"places", "document", "text_places", "text_document"}
        assert sum(p.contribution for p in parts.values()) == pytest.approx(hit.score)
        assert -1 <= parts["document"].value <= 1
        assert parts["text_document"].value >= 0
    assert hits[0].explanation.signals[0].rank == 1
    assert hits[-1].explanation.words[0].places == 0


def test_41_one_passage_fills_one_place(make):
    words = "The cellar pump was replaced in March.\n"
    index = make(
        {"a.txt": words, "b.txt": words + "\n", "c.txt": "A pump and a roof.\n", "d.txt": "x\n"}
    )
    hits = index.search("cellar pump replaced", k=2)

    assert len(hits) == 2
    assert sorted([Path(hits[0].path).name, *(Path(p).name for p in hits[0].duplicates)]) == [
        "a.txt",
        "b.txt",
    ]
    assert names(hits[1:]) == ["c.txt"]
    for hit in hits:
        places = sorted((p.start, p.end) for p in hit.passages)
        assert all(a[1] <= b[0] for a, b in pairwise(places))


@pytest.mark.parametrize("query", ["the", "to be or not to be", "The Who", '"to be or not to be"'])
def test_42_stop_words_alone_find_what_says_them(make, query):
    index = make(
        {
            "hamlet.txt": "He asks: to be or not to be.\n",
            "who.txt": "The Who play.\n",
            "z.txt": "Zinc.\n",
        }
    )
    found = names(index.search(query))

    assert found
    if "be" in query:
        assert found[0] == "hamlet.txt"
    if "Who" in query:
        assert found[0] == "who.txt"


def test_42_stop_words_do_not_decide(make):
    index = make({"to.txt": "to to to to to\n", "ship.txt": "ship it safely\n"})
    assert names(index.search("ship to prod safely"))[0] == "ship.txt"


SPACELESS = {
    "zh.txt": "图书馆的屋顶漏水，使用Python编程。\n",
    "ja.txt": "東京タワーのエレベーターを修理しました。\n",
    "ko.txt": "서울에서 펌프를 교체했습니다.\n",
    "th.txt": "ภาษาไทยไม่มีช่องว่างระหว่างคำ\n",
}


@pytest.mark.parametrize("name", SPACELESS)
def test_43_any_piece_of_a_text_without_spaces_finds_it(make, name):
    index = make(SPACELESS)
    text = SPACELESS[name].strip()
    for start in range(len(text) - 1):
        for length in (2, 3, 7):
            piece = text[start : start + length].strip(" 。，")
            if len(piece) < 2 or any(c.isascii() for c in piece):
                continue
            assert names(index.search(piece, weights={"text_places": 1}))[0] == name, piece
            assert names(index.search(f'"{piece}"')) == [name], piece
    assert names(index.search('"漏"')) == ["zh.txt"]
    assert names(index.search('"python"')) == ["zh.txt"]


def test_44_every_word_and_every_two_words_find_their_place_by_text_alone(make):
    words = [f"word{i % 97}x{i // 97}" for i in range(600)]
    texts = {f"{n}.txt": " ".join(words[n * 60 : n * 60 + 60]) + ".\n" for n in range(10)}
    texts["hash.txt"] = f"checksum {'ab12' * 20} of supercalifragilistic_{'x' * 60}\n"
    index = make(texts)
    only_text = {"text_places": 1.0, "text_document": 1.0}

    for n in range(10):
        own = words[n * 60 : n * 60 + 60]
        for one, two in zip(own[::13], own[1::13], strict=False):
            assert names(index.search(one, k=1, weights=only_text)) == [f"{n}.txt"]
            assert names(index.search(f'"{one} {two}"', weights=only_text)) == [f"{n}.txt"]
    assert names(index.search("ab12" * 20, k=1, weights=only_text)) == ["hash.txt"]
    assert names(index.search(f"supercalifragilistic_{'x' * 60}", k=1)) == ["hash.txt"]


def test_45_a_query_is_encoded_once_and_reads_no_more_for_more_documents(make, monkeypatch):
    index = make({f"{i}.txt": f"pump number{i}\n" for i in range(60)})
    index.search("warm up")
    before = index.encoder.calls
    searcher = index._reader.ask(lambda searcher: searcher)
    reads: list[str] = []
    for name in ("read", "take"):
        real = getattr(searcher.tables, name)
        monkeypatch.setattr(
            searcher.tables, name, lambda *a, n=name, real=real: reads.append(n) or real(*a)
        )
    index.search("pump number7 type:txt", k=10)

    assert index.encoder.calls - before == 1
    assert reads == ["take", "take"]  # the rows and the landmarks of what is shown


@pytest.mark.parametrize(
    "query",
    [
        "Message: {0}",
        '36"',
        'who is "waldo"?',
        "R&D",
        "fish days:",
        "a OR",
        "OR",
        "NOT AND OR",
        "C++",
        "a->b",
        "foo.bar()",
        "$1.5",
        "path:",
        "after:never",
        "/(/",
        '"',
        "-",
        "?!",
        "(((",
        "\0",
        "\ud800",
        "word " * 2000,
        "x" * 10_000,
        'File "a.py", line 3, in f\n    raise ValueError("x")\nValueError: -x OR "y',
    ],
)
def test_46_ordinary_punctuation_is_no_error(make, query):
    index = make({"a.txt": "R&D of C++ with foo.bar() and a->b costs $1.5\n"})
    page = index.search_page(query)

    assert page.total in (0, 1)
    if any(char.isalnum() for char in query) and "waldo" not in query and query != "after:never":
        assert page.total == 1


def test_47_content_is_no_address(make):
    first = "https://example.org/ is down\nC:\\docs\\a.pdf is a path\n"
    index = make({"note.txt": first, "[x].txt": "file:///a%20b\n", "z.txt": "zinc\n"})

    assert names(index.search("https://example.org/ is down"))[0] == "note.txt"
    assert names(index.search("C:\\docs\\a.pdf"))[0] == "note.txt"
    assert names(index.search('"https://example.org/ is down"')) == ["note.txt"]
    assert names(index.search("file:///a%20b path:[x].txt")) == ["[x].txt"]


def test_48_reading_changes_nothing_and_makes_nothing(make, tmp_path):
    index = make({"a.txt": "pump\n", "b.txt": "roof\n"})

    def state():
        files = sorted(path for path in index.path.rglob("*") if path.is_file())
        return [(path, sha256(path.read_bytes()).hexdigest()) for path in files]

    before = state()
    doc_id = index.search("pump -roof type:txt")[0].doc_id
    index.search_page('"pump" OR /ro+f/')
    index.document(doc_id)
    index.heat("pump", doc_id)
    assert state() == before
    missing = tmp_path / "nothing.lmk"
    with pytest.raises(IndexNotFound, match=r"nothing\.lmk"):
        DocumentIndex.open(missing).search("pump")
    assert not missing.exists()


@pytest.mark.slow
def test_49_standard_output_holds_the_answer_only(make, tmp_path):
    index = make({"a.txt": "pump\n"})
    index.close()
    code = "import sys; sys.argv[0] = 'lmk'; from indexer.cli.main import main; main()"

    def lmk(*arguments):
        command = [sys.executable, "-c", code, *arguments]
        environment = {**os.environ, "PYTHONPATH": str(ROOT)}
        return subprocess.run(command, env=environment, capture_output=True, text=True, check=False)

    failed = lmk("search", "pump", "--json", "--index", str(tmp_path / "none.lmk"))
    assert failed.returncode == 1
    assert failed.stdout == ""
    built_in = tmp_path / "real.lmk"
    assert lmk("index", str(tmp_path / "files"), "--index", str(built_in)).returncode == 0
    done = lmk("search", "pump", "--json", "--index", str(built_in))
    assert done.returncode == 0
    assert json.loads(done.stdout)["hits"][0]["title"] == "a.txt"
