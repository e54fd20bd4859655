"""Write the questions: find the page or lines of every answer, once and only once.

The sources name a passage, not a page: texts may grow and pages move, the questions stay right.
"""

import json
import re
import tomllib
from pathlib import Path

import pypdfium2

LINE_END_HYPHEN = re.compile(r"[-\u00ad\x02\ufffe]\s*\n\s*|[\x02\ufffe\u00ad-]")


def plain(text: str) -> str:
    """Text without hyphens and with single blanks: what stays equal however lines are broken."""
    return " ".join(LINE_END_HYPHEN.sub("", text).split())


def page_texts(path: Path) -> list[str]:
    """The text of every page as a PDF reader extracts it."""
    document = pypdfium2.PdfDocument(path)
    try:
        return [page.get_textpage().get_text_range() for page in document]
    finally:
        document.close()


def write_questions(source: Path, samples: Path, out: Path) -> int:
    """Locate the questions of ``source`` and write them to ``out`` under its name, as JSON lines.

    PDFs are read from ``out``, code and text from ``samples``. Returns the number of questions.
    """
    questions = tomllib.loads(source.read_text(encoding="utf-8"))["question"]
    pages = {p.name: page_texts(p) for p in sorted(out.glob("*.pdf"))}
    lines = [json.dumps(_located(q, pages, samples), ensure_ascii=False) for q in questions]
    (out / f"{source.stem}.jsonl").write_text("\n".join(lines) + "\n", encoding="utf-8")
    return len(lines)


def _located(question: dict, pages: dict[str, list[str]], samples: Path) -> dict:
    name, answer = question["document"], question["answer"]
    is_pdf = name.endswith(".pdf")
    units = pages[name] if is_pdf else (samples / name).read_text(encoding="utf-8").splitlines()
    where = plain(question.get("where", answer))
    found = [n for n, text in enumerate(units, 1) if where in plain(text)]
    if len(found) != 1:
        raise ValueError(f"Question {question['id']}: {where!r} is in {name} at {found}, not once.")
    first, last = found[0], found[0] + question.get("count", 1) - 1
    if plain(answer) not in plain("\n".join(units[first - 1 : last])):
        raise ValueError(f"Question {question['id']}: no {answer!r} in {name} {first}-{last}.")
    return {
        "id": question["id"],
        "question": question["question"],
        "document": name,
        "unit": "page" if is_pdf else "line",
        "first": first,
        "last": last,
        "answer": answer,
    }
