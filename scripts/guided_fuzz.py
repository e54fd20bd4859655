"""Fuzzing guided by coverage: atheris looks for bytes that reach new lines of one parser.

    python scripts/fuzz.py --guided a.md a.html --seconds 300

For parsers in pure Python; those in C are spoilt at random by ``fuzz.py``. Each name is a format,
by its suffix. libFuzzer ends its process, so every name has one of its own. Needs atheris, which is
not among our requirements: ``pip install atheris`` (3.0.0 has wheels for Python 3.11).
"""

import importlib
import importlib.util
import pkgutil
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from indexer.documents import Document

INPUT_S = 10  # one small input may take so long before it counts as hanging
MEMORY_MB = 2048
LONGEST = 4096  # bytes of one input: what is wrong shows in short ones


def fuzz_all(names: Sequence[str], seconds: float, seed: int, keep: Path) -> list[str]:
    """Fuzz the parsers of ``names`` for ``seconds`` each; return those in which a fault was found.

    What caused it lies in ``keep``. Raises SystemExit without atheris.
    """
    if importlib.util.find_spec("atheris") is None:
        raise SystemExit("atheris is not installed. Install it with: pip install atheris")
    keep.mkdir(parents=True, exist_ok=True)
    script = str(Path(__file__).resolve())
    arguments = [str(seconds), str(seed), str(keep.resolve())]
    return [
        name
        for name in names
        if subprocess.run([sys.executable, script, name, *arguments], check=False).returncode
    ]


def fuzz(name: str, seconds: float, seed: int, keep: Path) -> None:
    """Fuzz one parser in this process, which ends with it: exit code 0 if all was well."""
    import atheris

    with atheris.instrument_imports(include=["indexer.parsing"]):
        # All at once: a parser that is imported when the first file needs it is not watched.
        for module in pkgutil.iter_modules([str(ROOT / "indexer" / "parsing")]):
            importlib.import_module(f"indexer.parsing.{module.name}")
        from indexer.parsing.dispatch import parse
    from lmk_encoder.errors import LmkError
    from scripts.fuzz import SEEDS

    folder = Path(tempfile.mkdtemp(prefix="lmk-fuzz-"))
    path, corpus = folder / name, folder / "corpus"
    corpus.mkdir()
    (corpus / name).write_bytes(SEEDS.get(name, b""))

    def one(data: bytes) -> None:
        path.write_bytes(data)
        try:
            document = parse(path)
        except LmkError:  # an error in words is an answer
            return
        check_places(document)

    limits = [f"-max_total_time={seconds:.0f}", f"-timeout={INPUT_S}", f"-seed={seed or 1}"]
    limits += [f"-rss_limit_mb={MEMORY_MB}", f"-max_len={LONGEST}", "-print_final_stats=1"]
    kept = f"-artifact_prefix={keep}/{name}-"
    atheris.Setup([sys.argv[0], *limits, kept, str(corpus)], one)
    atheris.Fuzz()


def check_places(document: Document) -> None:
    """Raise AssertionError if a place of the document does not lie in its text, or in order."""
    end, starts = len(document.text), document.unit_starts
    assert starts[0] == 0, starts
    assert list(starts) == sorted(set(starts)), starts
    assert starts[-1] <= end, (starts[-1], end)
    for section in document.sections:
        assert 0 <= section.start < section.end <= end, section
    for offset in (*document.breaks, *document.borders, *document.definitions):
        assert 0 < offset < end, offset


if __name__ == "__main__":
    fuzz(sys.argv[1], float(sys.argv[2]), int(sys.argv[3]), Path(sys.argv[4]))
