"""What both ways are given to read, and what they are asked."""

import json
from pathlib import Path

import pypdfium2
import pytest

from benchmarks.harness.corpus import CorpusFile, Question, gather, load_questions


@pytest.fixture
def source(tmp_path) -> Path:
    """A folder with a PDF of five blank pages and two text files of one name."""
    folder = tmp_path / "source"
    (folder / "deep").mkdir(parents=True)
    (folder / "a.md").write_text("one\n" * 51, encoding="utf-8")
    (folder / "deep" / "a.md").write_text("two", encoding="utf-8")
    (folder / "picture.png").write_bytes(b"\x89PNG")
    document = pypdfium2.PdfDocument.new()
    for _ in range(5):
        document.new_page(200, 300)
    document.save(folder / "five.pdf")
    return folder


def test_files_keep_their_place_and_are_counted_in_pages(source, tmp_path):
    """51 lines are two pages of 50; the PDF is cut to three; the picture is left out."""
    files = gather([source, source / "a.md"], tmp_path / "out", max_pages=3)

    counted = {file.path.relative_to(tmp_path / "out").as_posix(): file for file in files}
    assert {place: file.num_pages for place, file in counted.items()} == {
        "0/a.md": 2,
        "0/deep/a.md": 1,
        "0/five.pdf": 3,
        "1/a.md": 2,
    }
    assert counted["0/deep/a.md"].name == "deep/a.md"
    assert len(pypdfium2.PdfDocument(counted["0/five.pdf"].path)) == 3


def test_a_missing_source_is_named(tmp_path):
    with pytest.raises(SystemExit, match=r"absent does not exist.*--source"):
        gather([tmp_path / "absent"], tmp_path / "out", max_pages=3)


def test_only_what_can_be_answered_is_asked(tmp_path):
    row = {"id": "q", "question": "?", "document": "a.pdf", "unit": "page", "first": 3, "last": 3}
    rows = [row, row | {"first": 3, "last": 4}, row | {"document": "b.pdf"}]
    rows.append(row | {"document": "c.py", "unit": "line", "first": 900, "last": 901})
    path = tmp_path / "questions.jsonl"
    path.write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    files = [CorpusFile(Path("x"), "a.pdf", 3), CorpusFile(Path("y"), "c.py", 20)]

    asked = load_questions(path, files)

    assert asked == [Question("?", "a.pdf", 3, 3), Question("?", "c.py", 900, 901)]


@pytest.mark.parametrize(
    ("place", "answered"),
    [
        (("a", 1, 2), False),
        (("a", 1, 3), True),
        (("a", 4, 4), True),
        (("a", 5, 9), False),
        (("b", 3, 4), False),
    ],
)
def test_a_place_answers_if_it_touches_the_lines(place, answered):
    assert Question("?", "a", 3, 4).is_answered_by(*place) is answered
