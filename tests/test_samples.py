"""The sample documents are what the tests and the benchmark take them for."""

import importlib.metadata
import json
import re
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pypdfium2
import pytest

ROOT = Path(__file__).parents[1]
SAMPLES = ROOT / "data" / "samples"
PDFS = sorted(SAMPLES.glob("*.pdf"))
QUESTION_FILES = ("questions.jsonl", "questions-hard.jsonl")
SETS = {
    name: [json.loads(line) for line in (SAMPLES / name).read_text(encoding="utf-8").splitlines()]
    for name in QUESTION_FILES
}
QUESTIONS = [question for questions in SETS.values() for question in questions]
MADE_WITH = "5.1."  # release of reportlab that set the committed PDFs


def plain(text: str) -> str:
    """Text without hyphens (pdfium gives U+FFFE for one at a line end) and with single blanks."""
    without = re.sub(r"[-\u00ad\x02\ufffe]\s*\n\s*|[-\u00ad\x02\ufffe]", "", text)
    return " ".join(without.split())


@pytest.fixture(scope="module")
def pages() -> dict[str, list[str]]:
    texts = {}
    for path in PDFS:
        document = pypdfium2.PdfDocument(path)
        texts[path.name] = [page.get_textpage().get_text_range() for page in document]
        document.close()
    return texts


def test_there_are_three_long_pdfs(pages):
    assert len(pages) >= 3
    assert all(len(texts) >= 40 for texts in pages.values())
    assert all(plain(text) for texts in pages.values() for text in texts)


@pytest.mark.parametrize("path", PDFS, ids=lambda path: path.name)
def test_pdf_has_an_outline_and_labels_unlike_its_page_numbers(path):
    document = pypdfium2.PdfDocument(path)
    try:
        outline = [(item.level, item.get_title()) for item in document.get_toc()]
        labels = [document.get_page_label(page) for page in range(len(document))]
        metadata = document.get_metadata_dict()
    finally:
        document.close()
    assert {level for level, _ in outline} == {0, 1}
    assert labels[0] == "i"
    assert "1" in labels[2:]
    assert len(set(labels)) == len(labels)
    assert metadata["Title"]
    assert metadata["Author"]


@pytest.mark.parametrize("path", PDFS, ids=lambda path: path.name)
def test_pdf_breaks_words_at_line_ends(path, pages):
    broken = re.findall(r"[a-z]{3,}(?:-\r?\n|\ufffe|\x02)[a-z]{3,}", "\n".join(pages[path.name]))
    assert len(broken) >= 15


def test_contents_page_gives_the_labels_of_the_pages(pages):
    for name, texts in pages.items():
        document = pypdfium2.PdfDocument(SAMPLES / name)
        contents = " ".join(" ".join(texts[1:5]).split())
        for item in document.get_toc():
            label = document.get_page_label(item.get_dest().get_index())
            title = " ".join(item.get_title().split())
            assert f"{title} {label}" in contents, name
        document.close()


@pytest.mark.parametrize("name", QUESTION_FILES)
def test_questions_are_many_and_ask_about_every_kind_of_file(name):
    assert len(SETS[name]) >= 40
    documents = {question["document"] for question in SETS[name]}
    assert {path.name for path in PDFS} <= documents
    assert {".py", ".js", ".rs", ".md", ".html"} <= {Path(path).suffix for path in documents}


def test_ids_and_questions_are_unique_in_both_sets_together():
    assert len({question["id"] for question in QUESTIONS}) == len(QUESTIONS)
    assert len({question["question"] for question in QUESTIONS}) == len(QUESTIONS)


def test_questions_of_the_main_set_are_spread_evenly_and_as_long_as_people_type():
    subjects = Counter(question["document"].split("/")[0] for question in SETS["questions.jsonl"])
    assert set(subjects) == {*(path.name for path in PDFS), "code"}
    assert all(number >= 15 for number in subjects.values())
    lengths = [len(question["question"].split()) for question in SETS["questions.jsonl"]]
    assert all(5 <= length <= 16 for length in lengths)


def test_question_files_are_kept_out_of_the_index():
    ignored = (SAMPLES / ".lmkignore").read_text(encoding="utf-8").splitlines()
    assert set(QUESTION_FILES) <= set(ignored)


@pytest.mark.parametrize("question", QUESTIONS, ids=lambda question: question["id"])
def test_answer_stands_in_its_place(question, pages):
    first, last = question["first"], question["last"]
    assert 1 <= first <= last
    if question["unit"] == "page":
        units = pages[question["document"]]
        assert last <= first + 1
        holding = [n for n, text in enumerate(units, 1) if plain(question["answer"]) in plain(text)]
        assert holding == [first], "the answer stands on other pages too"
    else:
        units = (SAMPLES / question["document"]).read_text(encoding="utf-8").split("\n")
        assert last <= first + 9
    assert plain(question["answer"]) in plain("\n".join(units[first - 1 : last]))


def test_samples_stay_small():
    assert sum(path.stat().st_size for path in SAMPLES.rglob("*") if path.is_file()) < 3_000_000


@pytest.mark.slow
def test_every_run_gives_the_same_bytes(tmp_path):
    pytest.importorskip("reportlab", reason="the samples are set with reportlab")
    names = [*(path.name for path in PDFS), *QUESTION_FILES]

    def made(folder: Path) -> list[bytes]:
        command = [sys.executable, "-B", "data/make_samples.py", "--out", folder]
        subprocess.run(command, cwd=ROOT, check=True, capture_output=True)
        return [(folder / name).read_bytes() for name in names]

    # Another release of reportlab may break lines elsewhere: then two runs are compared.
    is_same_release = importlib.metadata.version("reportlab").startswith(MADE_WITH)
    earlier = (
        [(SAMPLES / n).read_bytes() for n in names] if is_same_release else made(tmp_path / "a")
    )
    differing = [
        name
        for name, one, two in zip(names, earlier, made(tmp_path / "b"), strict=True)
        if one != two
    ]
    assert not differing, "renew data/samples with: python data/make_samples.py"
