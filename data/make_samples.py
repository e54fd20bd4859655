"""Make the sample PDFs and their questions from the text in ``data/sources``.

    python data/make_samples.py                  # renew data/samples
    python data/make_samples.py --out FOLDER     # the same files elsewhere

The same sources give the same bytes on every run. Needs reportlab and pypdfium2.
"""

import argparse
from pathlib import Path

from locating import write_questions
from markup import read_source
from typesetting import set_pdf

DATA = Path(__file__).parent
DOCUMENTS = {  # folder of sources -> PDF
    "handbook": "ostrey-operations-handbook.pdf",
    "fieldreport": "kerrow-moss-field-report.pdf",
    "manual": "corbel-f2-manual.pdf",
}
QUESTIONS = ("questions", "questions-hard")  # file of sources -> JSON lines of the same name


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--out", type=Path, default=DATA / "samples", help="where to write")
    out = parser.parse_args().out
    out.mkdir(parents=True, exist_ok=True)
    for folder, name in DOCUMENTS.items():
        set_pdf(read_source(DATA / "sources" / folder), out / name)
        print(f"{out / name}: {(out / name).stat().st_size // 1024} KB")
    for name in QUESTIONS:
        number = write_questions(DATA / "sources" / f"{name}.toml", DATA / "samples", out)
        print(f"{out / name}.jsonl: {number} questions")


if __name__ == "__main__":
    main()
