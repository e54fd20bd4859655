"""Every script under benchmarks/ takes --quick and ends in one JSON object with its figures."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
SCRIPTS = sorted((ROOT / "benchmarks").glob("*.py"))
FIGURES = {
    "ingest": {"pages_per_s", "tokens_per_s", "share_parse", "share_encode", "share_write"},
    "search": {"p50_ms", "p95_ms", "plain_p50_ms", "plain_p95_ms"},
}
SMALL = ["--source", str(ROOT / "data" / "samples" / "code" / "collector")]


def run(script: Path, *arguments: str, expect: int = 0) -> subprocess.CompletedProcess[str]:
    environment = os.environ | {"PYTHONPATH": str(ROOT)}
    command = [sys.executable, str(script), *arguments]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == expect, done.stderr
    return done


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda path: path.stem)
def test_help_names_the_options(script):
    shown = run(script, "--help").stdout
    assert "--quick" in shown
    assert "--source" in shown


@pytest.mark.slow
@pytest.mark.parametrize("script", SCRIPTS, ids=lambda path: path.stem)
def test_the_last_line_holds_the_figures(script, tmp_path):
    """On a few small files: what is printed, not how fast it is."""
    questions = tmp_path / "questions.jsonl"
    row = {"question": "where is the checksum verified?", "document": "frames.py"}
    row |= {"unit": "line", "first": 71, "last": 71}
    questions.write_text(json.dumps(row) + "\n", encoding="utf-8")
    asked = ["--data", str(questions)] if script.stem == "search" else []

    lines = run(script, "--quick", *SMALL, *asked).stdout.splitlines()

    last = json.loads(lines[-1])
    assert last["benchmark"] == script.stem
    figures = last["figures"]
    assert figures.keys() >= FIGURES[script.stem]
    ours = [value for name, value in figures.items() if not name.startswith("plain_")]
    assert all(value is not None and value >= 0 for value in ours)
    if script.stem == "ingest":
        shares = (figures[f"share_{part}"] for part in ("parse", "encode", "write"))
        assert sum(shares) == pytest.approx(1, abs=0.01)


def test_a_missing_source_is_named():
    script = ROOT / "benchmarks" / "ingest.py"
    done = run(script, "--quick", "--source", "absent", expect=1)
    assert "absent does not exist" in done.stderr
