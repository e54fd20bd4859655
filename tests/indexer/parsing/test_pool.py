"""Worker processes: limits, replacement, order, and no process left behind (faults 6, 7, 55)."""

import io
import os
import pickle
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from indexer.documents import Document
from indexer.errors import NoText, ParseError
from indexer.parsing import ParserPool, parse, reading, worker
from indexer.parsing import pool as pool_module
from tests.indexer.parsing import jobs

MEBIBYTE = 1 << 20


def children() -> set[int]:
    """Processes that this one started and that still run."""
    entries = (entry for entry in Path("/proc").iterdir() if entry.name.isdecimal())
    mine = {int(entry.name) for entry in entries if parent_of(entry) == os.getpid()}
    return {pid for pid in mine if b"parsing.worker" in command_line(pid)}


def parent_of(entry: Path) -> int | None:
    try:
        # "pid (name) state ppid ...": the name may hold anything, parentheses included.
        return int((entry / "stat").read_text().rpartition(")")[2].split()[1])
    except OSError:  # it has ended meanwhile
        return None


def command_line(pid: int) -> bytes:
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes()
    except OSError:  # it has ended meanwhile
        return b""


@pytest.fixture(autouse=True)
def nothing_left_behind():
    """No test leaves a worker; those of other tests' caches may be there before."""
    before = children()
    yield
    assert children() <= before


@pytest.fixture
def files(tmp_path):
    """Twelve small files, the fourth of them empty."""
    paths = [tmp_path / f"{i:02}.txt" for i in range(12)]
    for i, path in enumerate(paths):
        path.write_text("" if i == 3 else f"words of {i}\n", encoding="utf-8")
    return paths


def test_map_gives_every_file_once_with_its_document_or_error(files):
    with ParserPool(2) as pool:
        results = dict(pool.map([*files, files[0].parent / "missing.txt"]))

    assert set(files) < set(results)
    assert isinstance(results.pop(files[3]), NoText)
    missing = results.pop(files[0].parent / "missing.txt")
    assert isinstance(missing, ParseError)
    assert str(missing).count("missing.txt") == 1
    assert results == {path: parse(path) for path in results}


def test_look_ahead_is_bounded(files):
    taken = []

    def paths():
        for path in files:
            taken.append(path)
            yield path

    with ParserPool(1) as pool:
        for yielded, _ in enumerate(pool.map(paths(), ahead=3), start=1):
            assert len(taken) - yielded < 3
            time.sleep(0.01)
    assert taken == files


def test_look_ahead_is_bounded_in_bytes(tmp_path, monkeypatch):
    """Of files larger than the limit, one is read at a time; none is left out."""
    monkeypatch.setattr(pool_module, "AHEAD_BYTES", 1)
    taken = []

    def paths():
        for number in range(5):
            path = tmp_path / f"{number}.txt"
            path.write_text("words\n")
            taken.append(path)
            yield path

    with ParserPool() as pool:
        for yielded, _ in enumerate(pool.map(paths()), start=1):
            assert len(taken) == yielded
    assert len(taken) == 5


def test_one_worker_keeps_the_order(files):
    with ParserPool(1) as pool:
        assert [path for path, _ in pool.map(files)] == files


def test_a_call_over_its_time_is_ended_and_the_worker_replaced():
    with ParserPool(1, timeout_s=0.7) as pool:
        started = time.monotonic()
        with pytest.raises(ParseError, match=r"stuck.pdf was given up: it took more than 0.7 s"):
            pool.call(jobs.sleep, Path("stuck.pdf"), 60)
        assert time.monotonic() - started < 10
        assert pool.call(jobs.double, 21) == 42


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux tells how long a process waited")
def test_time_in_which_others_have_the_processor_is_not_counted():
    cpu = min(os.sched_getaffinity(0))
    spin = f"import os\nos.sched_setaffinity(0, {{{cpu}}})\nwhile True: pass"
    others = [
        subprocess.Popen([sys.executable, "-c", spin], start_new_session=True) for _ in range(3)
    ]
    try:
        with ParserPool(1, timeout_s=2) as pool:
            pool.call(jobs.pin, cpu)
            started = time.monotonic()
            used_s = pool.call(jobs.spin, 0.9)
            assert time.monotonic() - started > 2
            assert used_s < 1.5
            with pytest.raises(ParseError, match=r"it took more than 2 s"):
                pool.call(jobs.spin, 60)
    finally:
        for other in others:
            other.kill()
            other.wait()


def test_memory_is_limited():
    with ParserPool(1, memory_bytes=512 * MEBIBYTE) as pool:
        with pytest.raises(
            ParseError, match=r"big.pdf was given up: .*more than 512 MiB of memory"
        ):
            pool.call(jobs.allocate, Path("big.pdf"), 1024 * MEBIBYTE)
        assert pool.call(jobs.allocate, Path("small.pdf"), MEBIBYTE) == MEBIBYTE


@pytest.mark.parametrize(
    ("how", "told"), [(jobs.die_by_signal, "signal SIGSEGV"), (jobs.exit_at_once, "exit code 3")]
)
def test_a_crash_is_told_and_the_worker_replaced(how, told):
    with ParserPool(1) as pool:
        with pytest.raises(ParseError, match=rf"bad.pdf made the parser crash \({told}"):
            pool.call(how, Path("bad.pdf"))
        assert pool.call(jobs.double, 21) == 42


def test_a_crash_costs_one_file_of_a_batch(files, monkeypatch):
    monkeypatch.setattr(reading, "parse", jobs.parse_or_crash)
    files[5].write_text("crash", encoding="utf-8")

    with ParserPool(2) as pool:
        results = dict(pool.map(files))

    assert len(results) == len(files)
    assert "crash" in str(results[files[5]])
    assert sum(isinstance(result, Document) for result in results.values()) == len(files) - 2


def test_an_exception_nobody_expected_is_told_in_words():
    with ParserPool(1) as pool:
        with pytest.raises(ParseError, match=r"odd.pdf cannot be read: KeyError: 'gone'"):
            pool.call(jobs.raise_key_error, Path("odd.pdf"))
        with pytest.raises(ParseError, match="cannot be read: "):
            pool.call(jobs.unpicklable)


def test_a_document_arrives_as_it_was_parsed(tmp_path):
    path = tmp_path / "launch \U0001f680.txt"
    path.write_text("Début \U0001f680 \u4e2d\n\nEnde\n" * 1000, encoding="utf-8")
    with ParserPool() as pool:
        ((_, document),) = pool.map([path])
    assert document == parse(path)
    assert document.text.startswith("Début \U0001f680 \u4e2d\n")
    assert len(document.unit_starts) == 3000


@pytest.mark.parametrize("lost", [1, 5, 30])
def test_an_answer_that_ends_early_is_no_answer(files, lost):
    answer = b"".join(worker.answer_to(worker.Call(parse, (files[0],))))
    assert worker.read_answer(io.BytesIO(answer)).value == parse(files[0])
    with pytest.raises((EOFError, pickle.UnpicklingError)):
        worker.read_answer(io.BytesIO(answer[:-lost]))


def test_what_a_worker_prints_does_not_disturb_the_answers(capfd):
    with ParserPool(1) as pool:
        assert pool.call(jobs.print_and_double, 21) == 42
    assert "noise" not in capfd.readouterr().out


def test_workers_import_neither_torch_nor_lancedb(files):
    with ParserPool(1) as pool:
        list(pool.map(files[:1]))
        modules = pool.call(jobs.imported_modules)
    assert not modules & {"torch", "lancedb", "transformers", "pyarrow", "numpy", "streamlit"}


def test_closing_the_generator_early_leaves_the_pool_usable(files):
    with ParserPool(2) as pool:
        results = pool.map(files)
        next(results)
        results.close()
        assert pool.call(jobs.double, 1) == 2


def test_leaving_the_pool_ends_a_call_in_progress():
    raised = []

    def call(pool):
        try:
            pool.call(jobs.sleep, Path("long.pdf"), 60)
        except ParseError as error:
            raised.append(str(error))

    started = time.monotonic()
    with ParserPool(1) as pool:
        thread = threading.Thread(target=call, args=(pool,))
        thread.start()
        while not children() and time.monotonic() < started + 10:
            time.sleep(0.01)
    thread.join(10)
    assert time.monotonic() - started < 10
    assert raised == ["long.pdf was not read: stopped. Run it again."]


def test_an_error_in_the_callers_loop_leaves_nothing(files):
    def consume():
        with ParserPool(2) as pool:
            for _ in pool.map(files):
                raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        consume()


SCRIPT = """
import signal, sys, threading, time
from pathlib import Path
from indexer.parsing import ParserPool
from tests.indexer.parsing import jobs
# A process started in the background of a shell ignores SIGINT, and so do its children.
signal.signal(signal.SIGINT, signal.default_int_handler)
pool = ParserPool(1)
print(pool.call(jobs.own_process), flush=True)
with pool:
    pool.call(jobs.sleep, Path("x"), 60)
"""


def is_running(pid: int) -> bool:
    status = Path(f"/proc/{pid}/stat")
    return status.exists() and status.read_text().split()[2] != "Z"


@pytest.mark.skipif(not Path("/proc/self").exists(), reason="looks into /proc")
@pytest.mark.parametrize("ending", [signal.SIGKILL, signal.SIGINT])
def test_workers_end_with_their_parent(ending):
    """A plain script without a main guard works, and neither Ctrl-C nor a kill leaves a worker."""
    root = Path(__file__).parents[3]
    parent = subprocess.Popen(
        [sys.executable, "-c", SCRIPT],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        cwd=root,
        text=True,
    )
    worker = int(parent.stdout.readline())
    assert is_running(worker)
    time.sleep(0.2)

    parent.send_signal(ending)

    parent.wait(10)
    parent.stdout.close()
    deadline = time.monotonic() + 10
    while is_running(worker) and time.monotonic() < deadline:
        time.sleep(0.05)
    assert not is_running(worker)
