"""The command `lmk` as a user runs it: exit codes, streams, the JSON contract."""

import json
import os
import shlex
import signal
import subprocess
import sys
import time
import zipfile
from pathlib import Path

import pytest

from indexer.cli.index import print_summary
from indexer.ingest.report import IngestReport
from tests.indexer.conftest import write
from tests.indexer.parsing.pdfs import bend, draw

ROOT = Path(__file__).parents[3]
LMK = [sys.executable, "-c", "from indexer.cli.main import main; main()"]
PASSAGE_KEYS = {"start", "end", "text", "unit", "first", "last", "label", "section"} | {
    "score",
    "highlights",
    "best",
    "best_units",
}
HIT_KEYS = {"rank", "doc_id", "path", "paths", "title", "kind", "score", "passages"}


def lmk(*arguments, cwd=None, env=None):
    return subprocess.run(
        [*LMK, *map(str, arguments)],
        capture_output=True,
        text=True,
        cwd=cwd or ROOT,
        env={**os.environ, "PYTHONPATH": str(ROOT), **(env or {})},
        check=False,
        stdin=subprocess.DEVNULL,
    )


@pytest.fixture(scope="module")
def built(tmp_path_factory):
    """A small index made by the real command with the built-in model."""
    folder = tmp_path_factory.mktemp("cli")
    write(folder / "docs/pump.md", "# Pumps\n\nThe cellar pump was replaced in March.\n")
    write(folder / "docs/tide.py", "def high_water(day):\n    return day * 2\n")
    done = lmk("index", folder / "docs", "--index", folder / "i")
    assert done.returncode == 0, done.stderr
    assert "2 added" in done.stdout
    return folder


def test_json_is_the_contract_and_nothing_else_is_on_stdout(built):
    done = lmk("search", "when was the pump replaced", "--index", built / "i", "--json")
    answer = json.loads(done.stdout)
    assert answer.keys() >= {"query", "took_ms", "hits"}
    assert answer["query"] == "when was the pump replaced"
    hit = answer["hits"][0]
    assert hit.keys() >= HIT_KEYS
    assert hit["path"] == str(built / "docs/pump.md")
    assert (hit["rank"], hit["kind"]) == (1, "markdown")
    passage = hit["passages"][0]
    assert passage.keys() >= PASSAGE_KEYS
    text = (built / "docs/pump.md").read_text()
    assert text[passage["start"] : passage["end"]] == passage["text"]
    assert {text[a:b] for a, b in passage["highlights"]} >= {"pump", "replaced"}
    assert (passage["unit"], passage["label"]) == ("line", None)


def test_people_get_text(built):
    done = lmk("search", "high_water", "--index", built / "i", "-k", "1")
    assert done.returncode == 0
    assert "tide.py" in done.stdout
    assert "line" in done.stdout


def test_a_folder_without_an_index_is_an_error_that_creates_nothing(tmp_path):
    for command in (["search", "x"], ["status"], ["remove", "x"], ["ui"]):
        done = lmk(*command, "--index", tmp_path / "none")
        assert done.returncode == 1
        assert done.stdout == ""
        assert f"no index in {tmp_path / 'none'}" in done.stderr
        assert "lmk index" in done.stderr
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    "arguments",
    [["nonsense"], ["search"], ["search", "x", "-k", "0"], ["index"], ["index", "--no"]],
)
def test_wrong_use_exits_2(arguments, tmp_path):
    done = lmk(*arguments, cwd=tmp_path)
    assert done.returncode == 2
    assert done.stdout == ""
    assert list(tmp_path.iterdir()) == []


def test_failures_exit_1_and_are_named_with_reasons(tmp_path):
    write(tmp_path / "d/good.txt", "A good text.\n")
    write(tmp_path / "d/bad.pdf", b"%PDF-1.7\nbroken")
    write(tmp_path / "d/empty.md", "")
    done = lmk("index", tmp_path / "d", tmp_path / "nowhere", "--index", tmp_path / "i")
    assert done.returncode == 1
    assert "1 added" in done.stdout
    assert "2 failed" in done.stdout
    assert "bad.pdf" in done.stdout
    assert "nowhere: does not exist" in done.stdout
    status = json.loads(lmk("status", "--json", "--files", "--index", tmp_path / "i").stdout)
    states = {Path(row["path"]).name: row["state"] for row in status["listed"]}
    assert states == {"good.txt": "indexed", "bad.pdf": "failed", "empty.md": "no text"}
    assert status["documents"] == 1


def test_a_place_that_cannot_be_written_is_named_in_one_line(tmp_path):
    write(tmp_path / "file", "No folder.\n")
    done = lmk("model", "convert", "builtin", tmp_path / "file/inside")
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.startswith("lmk: ")
    assert str(tmp_path / "file") in done.stderr
    assert len(done.stderr.splitlines()) == 1


def test_nothing_to_index_creates_nothing(tmp_path):
    done = lmk("index", tmp_path / "nowhere", "--index", tmp_path / "i")
    assert done.returncode == 1
    assert "nowhere" in done.stderr
    assert list(tmp_path.iterdir()) == []


def test_remove(built, tmp_path):
    write(tmp_path / "d/a.txt", "A text.\n")
    lmk("index", tmp_path / "d", "--index", tmp_path / "i")
    assert "1 file removed" in lmk("remove", tmp_path / "d/a.txt", "--index", tmp_path / "i").stdout
    done = lmk("remove", tmp_path / "d/a.txt", "--index", tmp_path / "i")
    assert (done.returncode, done.stdout) == (1, "")


def test_the_index_may_be_named_by_the_environment(built):
    assert "documents  2" in lmk("status", env={"LMK_INDEX": str(built / "i")}).stdout


def test_a_wrong_setting_is_named_with_the_nearest_right_one(built, tmp_path):
    (built / "i/lmk.toml").write_text("prose_token = 32\n")
    done = lmk("status", "--index", built / "i")
    (built / "i/lmk.toml").unlink()
    assert done.returncode == 1
    assert "prose_token" in done.stderr
    assert "Did you mean prose_tokens?" in done.stderr


@pytest.mark.slow
def test_ctrl_c_stops_cleanly_and_the_next_run_goes_on(tmp_path):
    for i in range(60):
        write(tmp_path / f"d/{i:02d}.txt", f"Sentence number{i} tells a little. " * 200)
    command = [*LMK, "index", str(tmp_path / "d"), "--index", str(tmp_path / "i")]
    env = {**os.environ, "PYTHONPATH": str(ROOT), "LMK_BATCH_CHARS": "10000"}
    process = subprocess.Popen(
        command, env=env, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    deadline = time.monotonic() + 60
    while not (tmp_path / "i/index.json").exists() or (
        json.loads((tmp_path / "i/index.json").read_text())["generation"] < 1
    ):
        assert time.monotonic() < deadline
        time.sleep(0.05)
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=60)
    assert process.returncode == 130, err
    assert "Stopped" in out
    assert "Traceback" not in err
    done = lmk("index", tmp_path / "d", "--index", tmp_path / "i")
    assert done.returncode == 0
    status = json.loads(lmk("status", "--json", "--index", tmp_path / "i").stdout)
    assert status["documents"] == 60
    assert status["unindexed_rows"] == 0


def test_a_run_that_was_stopped_at_once_does_not_say_that_nothing_is_there(capsys):
    print_summary(IngestReport(interrupted=True), Path("i"))
    assert "No file was found" not in capsys.readouterr().out
    print_summary(IngestReport(), Path("i"))
    assert "No file was found" in capsys.readouterr().out


def test_names_cannot_paint_or_forge_lines(tmp_path):
    write(tmp_path / "d/red\x1b[31m\nindexed  /forged.txt", "A lynx passed.\n")
    assert lmk("index", tmp_path / "d", "--index", tmp_path / "i").returncode == 0
    for command in (["search", "lynx"], ["status", "--files"]):
        shown = lmk(*command, "--index", tmp_path / "i").stdout
        assert "\x1b" not in shown
        assert "red\\x1b[31m\\nindexed  /forged.txt" in shown


def test_reasons_cannot_paint_or_forge_lines(tmp_path):
    """A book names its missing chapter: what paints goes, what turns the line is escaped."""
    (tmp_path / "d").mkdir()
    with zipfile.ZipFile(tmp_path / "d/a.epub", "w") as package:
        package.writestr(
            "META-INF/container.xml",
            "<container xmlns='urn:oasis:names:tc:opendocument:xmlns:container'><rootfiles>"
            "<rootfile full-path='a.opf'/></rootfiles></container>",
        )
        package.writestr(
            "a.opf",
            "<package xmlns='http://www.idpf.org/2007/opf'><manifest><item id='a' "
            "href='x%1b[2K%0d%0a0 failed%E2%80%AE.xhtml' media-type='application/xhtml+xml'/>"
            "</manifest><spine><itemref idref='a'/></spine></package>",
        )
    index = "--index", tmp_path / "i"
    for done in (lmk("index", tmp_path / "d", *index), lmk("status", "--files", *index)):
        assert "x 0 failed\\u202e.xhtml" in done.stdout
        assert not set("\x1b\r\u202e") & set(done.stdout)


def test_paths_stay_whole_in_a_pipe(tmp_path):
    folder = tmp_path / ("d" * 60) / ("e" * 60)
    write(folder / "long.txt", "A lynx passed.\n")
    lmk("index", folder, "--index", tmp_path / "i")
    shown = lmk("search", "lynx", "--index", tmp_path / "i").stdout
    assert str(folder / "long.txt") in shown


def test_a_wrong_password_is_a_failure_and_none_is_not(tmp_path):
    folder, where = tmp_path / "d", tmp_path / "x"
    locked = bend(draw([["secret tides"]]), lambda writer: writer.encrypt("fjord"))
    write(folder / "a.pdf", locked)

    without = lmk("index", folder, "--index", where, "-q")
    assert (without.returncode, "needs a password" in without.stdout) == (0, True)
    wrong = lmk("index", folder, "--index", where, "-q", "--password", "sound")
    assert (wrong.returncode, "locked: wrong password" in wrong.stdout) == (1, True)
    assert "1 locked" in wrong.stdout
    right = lmk("index", folder, "--index", where, "-q", "--password", "fjord")
    assert (right.returncode, "1 added" in right.stdout) == (0, True)


def test_an_empty_index_says_what_to_do(tmp_path):
    (tmp_path / "d").mkdir()
    where = tmp_path / "x"
    made = lmk("index", tmp_path / "d", "--index", where)
    assert made.returncode == 0
    assert "No file was found there" in made.stdout
    assert f"lmk index PATH --index {where}" in lmk("status", "--index", where).stdout
    searched = lmk("search", "pump", "--index", where)
    assert f"lmk index PATH --index {where}" in searched.stderr

    write(tmp_path / "d/a.bin", bytes(range(256)) * 9)
    lmk("index", tmp_path / "d", "--index", where)
    assert "none of 1 file was read" in lmk("status", "--index", where).stdout


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="a device that is always full")
def test_an_output_that_cannot_be_written_is_one_line():
    with Path("/dev/full").open("w") as full:
        done = subprocess.run(
            [*LMK, "--help"],
            stdout=full,
            stderr=subprocess.PIPE,
            text=True,
            env={**os.environ, "PYTHONPATH": str(ROOT)},
            check=False,
        )
    assert done.returncode == 1
    assert done.stderr == "lmk: The output cannot be written: No space left on device.\n"


SHELL = "lmk() { " + shlex.join(LMK) + ' "$@"; }; set -o pipefail; '


def shell(line, **env):
    """Run a line of bash in which lmk is a command."""
    return subprocess.run(
        ["bash", "-c", SHELL + line],
        capture_output=True,
        env={**os.environ, "PYTHONPATH": str(ROOT), **env},
        check=False,
    )


def test_a_reader_that_has_gone_is_no_failure(built):
    done = shell(f"lmk grep . --index {built / 'i'} | true")
    assert (done.returncode, done.stderr) == (0, b"")


def test_closed_streams_are_nobody_who_reads(built):
    for line in ("search pump", "grep pump", "status"):
        done = shell(f"lmk {line} --index {built / 'i'} >&-")
        assert (done.returncode, done.stderr) == (0, b""), line
    assert shell(f"lmk status --index {built / 'none'} 2>&-").returncode == 1


@pytest.mark.parametrize("encoding", ["ascii", "latin-1"])
def test_a_narrow_encoding_and_no_width_still_show_hits(tmp_path, encoding):
    write(tmp_path / "d.md", "# Tőke 水\n\nThe pump — replaced.\n")
    assert lmk("index", tmp_path / "d.md", "--index", tmp_path / "i").returncode == 0
    done = shell(
        f"lmk search pump --index {tmp_path / 'i'}", PYTHONIOENCODING=encoding, COLUMNS="0"
    )
    assert (done.returncode, done.stderr) == (0, b"")
    assert rb"T\u0151ke \u6c34" in done.stdout
    assert rb"pump \u2014 replaced." in done.stdout
