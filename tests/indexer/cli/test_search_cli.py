"""`lmk search`, `lmk similar` and `lmk grep` as a person calls them, without loading a model."""

import json
from pathlib import Path

import pytest
from typer.main import get_command
from typer.testing import CliRunner

from indexer import DocumentIndex
from indexer.api import DocumentIndex as Real
from indexer.cli.grep import _line
from indexer.cli.hits import snippet
from indexer.cli.main import app
from indexer.cli.options import shown
from indexer.config import Settings
from indexer.documents import Passage
from indexer.errors import SourceNotFound
from indexer.search.grep import GrepMatch
from lmk_encoder.testing import KeywordEncoder

TEXTS = {
    "docs/pump.md": "# Pumps\n\nThe cellar pump was replaced in March.\n\nIts seal had worn out.\n",
    "docs/roof.txt": "The roof leaks. A pump for-\nwards rain.\n",
    "code/tide.py": "def high_water(day):\n    return 2\n\n\ndef low_water(day):\n    return 3\n",
    "code/tide2.py": "def high_water_mark(day):\n    return day * 4\n",
}


@pytest.fixture
def lmk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """Run a command on an index of four files; gives (exit code, standard output, error)."""
    for name, text in TEXTS.items():
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(text, encoding="utf-8")
    encoder = KeywordEncoder()
    with DocumentIndex(
        tmp_path / "i.lmk", settings=Settings(parse_workers=1), encoder=encoder
    ) as index:
        index.add([tmp_path / "docs", tmp_path / "code"])
    monkeypatch.setattr(
        DocumentIndex, "open", lambda path, **_: Real(path, settings=Settings(), encoder=encoder)
    )
    monkeypatch.chdir(tmp_path)

    def run(*arguments: str):
        result = CliRunner().invoke(app, [*arguments, "--index", str(tmp_path / "i.lmk")])
        if result.exception and not isinstance(result.exception, SystemExit):
            raise result.exception
        return result.exit_code, result.stdout, result.stderr

    return run


def paths(output: str) -> list[str]:
    return [Path(hit["path"]).name for hit in json.loads(output)["hits"]]


def test_filters_leave_documents_out(lmk):
    assert paths(lmk("search", "pump", "--json", "--type", "md")[1]) == ["pump.md"]
    assert set(paths(lmk("search", "water", "--json", "--path", "code")[1])) == {
        "tide.py",
        "tide2.py",
    }
    assert paths(lmk("search", "water", "--json", "--lang", "python", "--title", "tide2")[1]) == [
        "tide2.py"
    ]
    assert paths(lmk("search", "pump", "--json", "--before", "2000")[1]) == []
    assert len(paths(lmk("search", "", "--json", "--after", "2000")[1])) == 4


def test_pages_continue_one_another(lmk):
    whole = paths(lmk("search", "pump water", "--json")[1])
    pages = [
        paths(lmk("search", "pump water", "--json", "-k", "1", "--offset", str(n))[1])
        for n in range(5)
    ]

    assert [name for page in pages for name in page] == whole
    assert json.loads(lmk("search", "pump", "--json", "--offset", "2")[1])["hits"][0]["rank"] == 3


def test_explanation_and_facets_are_read(lmk):
    _, output, _ = lmk("search", "cellar pump", "--explain", "--facets", "-k", "1")

    assert "× text_document" in output
    assert "places with its words: cellar 1, pump 1" in output
    assert "type: code 2, markdown 1, text 1" in output
    assert "folder: code 2, docs 2" in output
    assert "3 results more: --offset 1" in output


def test_explanation_and_facets_as_json(lmk):
    answer = json.loads(lmk("search", "pump", "--explain", "--facets", "--json")[1])

    python = {"value": "python", "count": 2, "condition": "lang:python"}
    assert python in answer["facets"]["language"]
    signals = answer["hits"][0]["explanation"]["signals"]
    assert sum(s["contribution"] for s in signals) == pytest.approx(answer["hits"][0]["score"])
    assert answer["total"] == 4


def test_words_are_shown_mended_and_notes_are_told(lmk):
    code, output, error = lmk("search", '"forwards rain', "--path", "roof.txt")
    assert code == 0
    assert "for-" in output  # a text of lines is shown as it stands
    assert "no partner" in error


def test_what_resembles_a_document_and_a_place(lmk):
    assert paths(lmk("similar", "code/tide.py", "--json", "-k", "1")[1]) == ["tide2.py"]
    assert paths(lmk("similar", "docs/pump.md:3", "--json", "-k", "1")[1]) == ["roof.txt"]
    for wrong, message in (
        ("code/none.py", "no document of the file"),
        ("docs/pump.md:99", "has no line 99"),
        ("docs/pump.md:5-3", "has no line 5-3"),
    ):
        with pytest.raises(Exception, match=message):
            lmk("similar", wrong)


def test_grep_names_file_and_line(lmk):
    code, output, _ = lmk("grep", r"def \w+_water\b", "--type", "py")

    assert code == 0
    assert output.splitlines() == [
        "code/tide.py:1: def high_water(day):",
        "code/tide.py:5: def low_water(day):",
    ]
    assert lmk("grep", "HIGH", "--ignore-case", "-l")[1].splitlines() == [
        "code/tide.py: 1",
        "code/tide2.py: 1",
    ]
    assert lmk("grep", "nothing like it")[1] == ""


def test_every_copy_is_listed(lmk, tmp_path):
    (tmp_path / "docs/copy.md").write_text(TEXTS["docs/pump.md"], encoding="utf-8")
    with DocumentIndex.open(tmp_path / "i.lmk") as index:
        index.add(tmp_path / "docs")
    assert lmk("grep", "seal", "-l")[1].splitlines() == ["docs/copy.md: 1", "docs/pump.md: 1"]


def test_grep_stops(lmk):
    code, output, error = lmk("grep", r"\w+", "--limit", "2")
    assert (code, len(output.splitlines())) == (0, 2)
    assert "stopped at 2 matches" in error
    code, output, error = lmk("grep", "p", "--timeout", "0")
    assert code == 1
    assert "stopped after 0 s" in error


def test_grep_as_json(lmk):
    answer = json.loads(lmk("grep", "seal", "--json")[1])
    (match,) = answer["matches"]

    assert (match["number"], match["line"]) == (5, "Its seal had worn out.")
    assert match["paths"] == [match["path"]]
    assert match["line"][match["start"] - match["line_start"] :].startswith("seal")
    with pytest.raises(Exception, match="no regular expression"):
        lmk("grep", "(")


@pytest.mark.parametrize("command", ["index", "remove", "watch"])
def test_an_empty_path_is_not_the_working_folder(lmk, command):
    with pytest.raises(SourceNotFound, match="names no file"):
        lmk(command, "")
    assert len(paths(lmk("search", "", "--json", "--after", "2000")[1])) == 4


def test_a_second_look_is_asked_for_by_name(lmk):
    plain = json.loads(lmk("search", "pump and water", "--json")[1])
    again = json.loads(
        lmk("search", "pump and water", "--json", "--explain", "--rerank", "landmarks")[1]
    )

    assert {hit["path"] for hit in plain["hits"]} == {hit["path"] for hit in again["hits"]}
    signals = again["hits"][0]["explanation"]["signals"]
    assert signals[-1]["name"] == "rerank"
    assert sum(s["contribution"] for s in signals) == pytest.approx(again["hits"][0]["score"])
    scores = [hit["score"] for hit in again["hits"]]
    assert scores == sorted(scores, reverse=True)
    for query in ("pump", "type:md", ""):
        with pytest.raises(Exception, match=r"(?s)nowhere.*(Name the folder|Install it)"):
            lmk("search", query, "--rerank", "nowhere/model")


def test_a_time_limit_that_is_none_is_refused(lmk):
    assert lmk("grep", "pump", "--timeout", "-1")[0] == 2


@pytest.mark.parametrize(
    ("text", "on_screen"),
    [
        ("a\tb", "a\tb"),
        ("1\xa0000\u3000水\u2009x", "1\xa0000\u3000水\u2009x"),
        ("\ue000 é", "\ue000 é"),
        ("\x1b[31m", r"\x1b[31m"),
        ("a\nb\rc\x85", r"a\nb\rc\x85"),
        ("\u202egpj.exe\u2028\ud800", r"\u202egpj.exe\u2028\ud800"),
    ],
)
def test_only_what_could_forge_lines_is_escaped(text, on_screen):
    assert shown(text) == on_screen


def test_a_line_of_grep_is_shown_as_it_stands():
    line = "\tif x:\u3000return\xa01\x07 \t"
    match = GrepMatch("d", "/a.py", "a.py", "line", 3, None, 4, 6, line, 0, ("/a.py",))
    assert _line(match, colour=False) == "/a.py:3: if x:\u3000return\xa01\\x07"


def test_no_command_has_a_flag_twice():
    """And ``-i`` is the index everywhere."""
    commands = {"": get_command(app)}
    while commands:
        name, command = commands.popitem()
        commands |= {f"{name} {n}": c for n, c in getattr(command, "commands", {}).items()}
        flags = [flag for p in command.params for flag in (*p.opts, *p.secondary_opts)]
        assert len(flags) == len(set(flags)), name
        owners = [p.name for p in command.params if "-i" in p.opts]
        assert owners in ([], ["index"]), name


def test_marks_stay_on_their_words_behind_control_characters():
    text = "a\x0cb\x0bc\x1b[31m\x85 pump"
    passage = Passage(0, len(text), text, "line", 1, 1, None, None, 0.5, ((12, 16),))
    shown_text = snippet(passage)

    assert shown_text.plain == "a b c [31m  pump"
    assert [shown_text.plain[s.start : s.end] for s in shown_text.spans] == ["pump"]


@pytest.mark.parametrize("unit", ["line", "page"])
def test_a_snippet_ends_with_a_whole_word_and_no_blank(unit):
    text = "words " * 100
    passage = Passage(0, len(text), text, unit, 1, 1, None, None, 0.5, ())
    assert str(snippet(passage)) == "words " * 59 + "words …"


def test_a_snippet_of_a_script_without_spaces_is_cut():
    passage = Passage(0, 500, "水" * 500, "line", 1, 1, None, None, 0.5, ())
    assert str(snippet(passage)) == "水" * 360 + " …"
