"""Every script under benchmarks/ takes --quick and ends in one JSON object with its figures."""

import importlib.util
import json
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
SCRIPTS = sorted((ROOT / "benchmarks").glob("*.py"))
FIGURES = {
    "encode": {
        "ratio_default",
        "ratio_best",
        "gemm_share_512",
        "growth_128k",
        "tokenise_share",
        "query_ms",
        "load_s",
        "tokens_per_s",
        "device",
    },
    "ingest": {
        *("pages_per_s", "tokens_per_s", "share_parse", "share_encode", "share_write"),
        *("pdf_pages_per_s_core", "pdfium_pages_per_s_core", "encoder_busy", "bytes_per_token"),
        *("nochange_files", "nochange_s", "nochange_mb", "peak_mb_small", "peak_mb_large"),
        *("llamaindex_s", "llamaindex_lost", "langchain_s", "langchain_lost", "haiku_rag_s"),
    },
    "quality": {"tiny"},
    "samples": {"p50_ms", "p95_ms", "plain_p50_ms", "plain_p95_ms"},
    "search": {"exact", "lance", "p50_ms", "p95_ms", "plain_p50_ms", "plain_p95_ms"},
}
SMALL = ["--source", str(ROOT / "data" / "samples" / "code" / "collector")]


def run(script: Path, *arguments: str, expect: int = 0) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, str(script), *arguments]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == expect, done.stderr
    return done


def write_set(folder: Path) -> Path:
    """Two documents and two queries in BEIR layout."""
    folder.mkdir()
    texts = {"d1": "The pump was mended in March.", "d2": "Bread is baked on Fridays."}
    rows = [json.dumps({"_id": name, "title": "", "text": text}) for name, text in texts.items()]
    (folder / "corpus.jsonl").write_text("\n".join(rows) + "\n", encoding="utf-8")
    asked = {"q1": "When was the pump repaired?", "q2": "Which day is bread day?"}
    places = {"q1": {"answer": "March", "answer_start": 23}, "q2": {"spans": [[20, 27]]}}
    rows = [json.dumps({"_id": q, "text": text, **places[q]}) for q, text in asked.items()]
    (folder / "queries.jsonl").write_text("\n".join(rows) + "\n", encoding="utf-8")
    (folder / "qrels.tsv").write_text("query-id\tcorpus-id\tscore\nq1\td1\t1\nq2\td2\t1\n")
    return folder


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
    tiny = ["--rounds", "1", "--longest", "64", "--long", "600", "--megabytes", "0.02"]
    asked = {
        "encode": [*SMALL, *tiny],
        "ingest": SMALL,
        "samples": [*SMALL, "--data", str(questions)],
        "search": [*SMALL, "--landmarks", "300", "--engine", "exact", "lance", "--questions", "5"],
        "quality": ["--data", str(write_set(tmp_path / "tiny"))],
    }[script.stem]

    lines = run(script, "--quick", *asked).stdout.splitlines()

    last = json.loads(lines[-1])
    assert last["benchmark"] == script.stem
    figures = last["figures"]
    assert figures.keys() >= FIGURES[script.stem]
    if script.stem == "quality":
        check_quality(figures["tiny"])
        return
    if script.stem == "encode":
        check_encode(figures)
        return
    if script.stem == "search":
        check_speed(figures)
        return
    rates = ("pdf_pages_per_s_core", "pdfium_pages_per_s_core")  # there is no PDF here
    rivals = ("plain_", "llamaindex_", "langchain_", "haiku_rag_")  # where they are installed
    ours = [v for name, v in figures.items() if not name.startswith(rivals) and name not in rates]
    assert all(value is not None and value >= 0 for value in ours)
    if script.stem == "ingest":
        shares = (figures[f"share_{part}"] for part in ("parse", "encode", "write"))
        assert sum(shares) == pytest.approx(1, abs=0.01)


def check_encode(figures: dict) -> None:
    """Ours are there; the rival's where it is installed, on whole documents only if asked for."""
    rival = {name for name in figures if name.startswith("ratio_")}
    if importlib.util.find_spec("sentence_transformers") is not None:
        assert all(figures[name] > 0 for name in rival if "whole" not in name)
    assert all(figures[name] is not None for name in figures.keys() - rival - {"best"})
    assert figures["ratio_default_whole"] is None
    assert 0 < figures["tokenise_share"] < 1


def check_speed(all_figures: dict) -> None:
    """Every figure of every engine; the exact one finds everything. The plain way where it runs."""
    engines = {name: value for name, value in all_figures.items() if isinstance(value, dict)}
    assert 0 < all_figures["p50_ms"] <= all_figures["p95_ms"]
    if importlib.util.find_spec("sentence_transformers") is not None:
        assert 0 < all_figures["plain_p50_ms"] <= all_figures["plain_p95_ms"]
    for figures in engines.values():
        assert figures["landmarks"] == 300
        assert 0 < figures["p50_ms"] <= figures["p95_ms"]
        assert figures["qps_8"] > 0
        assert figures["reader_mb"] > 50
        assert "overhead_p50" in figures
    assert engines["exact"]["recall@10"] == 1


def check_quality(systems: dict) -> None:
    """Ours, the signals alone and the rivals that can run here; each with every figure."""
    assert systems.keys() >= {"ours", "signal_document", "signal_landmark", "signal_text"}
    ours = systems["ours"]
    assert (ours["ndcg@10"], ours["ci"], ours["recall@10"]) == (1, [1, 1], 1)
    assert (ours["passage@1"], ours["passage@3"]) == (1, 1)
    assert ours["bytes_per_doc"] > 0
    assert all(figures.keys() == ours.keys() for figures in systems.values())


def test_a_missing_source_is_named():
    script = ROOT / "benchmarks" / "ingest.py"
    done = run(script, "--quick", "--source", "absent", expect=1)
    assert "absent does not exist" in done.stderr
