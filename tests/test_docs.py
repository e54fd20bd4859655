"""What the documentation says is run: every Python block, every `lmk` command.

The blocks of one page run in order in one folder that holds `data/samples`, as a reader would.
"""

import os
import re
import shutil
import signal
import subprocess
import sys
import time
from dataclasses import fields
from pathlib import Path

import pytest

import indexer
import lmk_encoder
from indexer.config import Settings

ROOT = Path(__file__).parents[1]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md")), ROOT / "CONTRIBUTING.md"]
BLOCK = re.compile(r"^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
LMK = "import sys; sys.argv[0] = 'lmk'; from indexer.cli.main import main; main()"


def blocks(page: Path) -> list[tuple[str, str]]:
    return BLOCK.findall(page.read_text(encoding="utf-8"))


def pages_with(*languages: str) -> list[Path]:
    return [page for page in PAGES if any(name in languages for name, _ in blocks(page))]


def name_of(page: Path) -> str:
    return page.relative_to(ROOT).as_posix()


@pytest.fixture(scope="module")
def workplace(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder as a reader has it after cloning, with the smaller half of the samples."""
    folder = tmp_path_factory.mktemp("reader")
    ignored = shutil.ignore_patterns("kerrow*.pdf", "corbel*.pdf")
    shutil.copytree(ROOT / "data/samples", folder / "data/samples", ignore=ignored)
    shutil.copytree(ROOT / "data/sets", folder / "data/sets")
    shutil.copytree(ROOT / "recipes", folder / "recipes")
    return folder


def environment() -> dict[str, str]:
    return {**os.environ, "PYTHONPATH": str(ROOT)}


def commands(page: Path) -> list[str]:
    lines = [line for name, text in blocks(page) if name == "sh" for line in text.splitlines()]
    return [line.split("   #")[0].strip() for line in lines if line.strip()]


def run_lmk(command: str, folder: Path) -> subprocess.CompletedProcess[str]:
    line = re.sub(r"^lmk\b", f'"{sys.executable}" -c "{LMK}"', command)
    return subprocess.run(
        line, shell=True, cwd=folder, env=environment(), capture_output=True, text=True, check=False
    )


def serve(command: str, folder: Path) -> str:
    """Start `lmk ui` as written, on a free port, until it prints its address."""
    line = re.sub(r"--port \d+", "--port 8790", command) + (
        "" if "--port" in command else " --port 8790"
    )
    line = re.sub(r"^lmk\b", f'exec "{sys.executable}" -c "{LMK}"', line)
    process = subprocess.Popen(
        line, shell=True, cwd=folder, env=environment(), stdout=subprocess.PIPE, text=True
    )
    try:
        assert process.stdout is not None
        deadline = time.monotonic() + 90
        for printed in process.stdout:
            if "http://localhost:8790" in printed or time.monotonic() > deadline:
                return printed
        return ""
    finally:
        process.send_signal(signal.SIGINT)
        process.wait(30)


@pytest.mark.slow
@pytest.mark.parametrize("page", pages_with("sh"), ids=name_of)
def test_commands_run_as_they_are_written(page, workplace):
    targets = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(), re.MULTILINE))
    for command in commands(page):
        words = command.split()
        if words[0] == "make":
            assert words[1] in targets, command
        elif words[0] == "python":
            assert (ROOT / words[1]).is_file(), command
        elif words[:2] == ["lmk", "ui"]:
            assert "http://localhost:8790" in serve(command, workplace), command
        else:
            assert words[0] == "lmk", f"{name_of(page)}: no test runs {command!r}"
            done = run_lmk(command, workplace)
            assert done.returncode == 0, f"{command}\n{done.stdout}\n{done.stderr}"


@pytest.mark.slow
@pytest.mark.parametrize("page", pages_with("python"), ids=name_of)
def test_python_blocks_run_in_order(page, workplace):
    code = "\n".join(text for name, text in blocks(page) if name == "python")
    done = subprocess.run(
        [sys.executable, "-c", code],
        cwd=workplace,
        env=environment(),
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr


def test_every_setting_is_documented_with_its_default():
    text = (ROOT / "docs/cli.md").read_text(encoding="utf-8")
    for name, field in Settings.model_fields.items():
        row = next(line for line in text.splitlines() if line.startswith(f"| `{name}` "))
        assert f"`LMK_{name.upper()}`" in row
        if isinstance(field.default, bool | int | float):
            assert str(field.default).lower().removesuffix(".0") in row


def test_every_key_of_the_json_is_documented():
    from indexer.documents import Hit, Passage

    text = (ROOT / "docs/json.md").read_text(encoding="utf-8")
    for field in (*fields(Hit), *fields(Passage)):
        assert f"`{field.name}`" in text


@pytest.mark.parametrize("package", [indexer, lmk_encoder])
def test_public_names_can_be_imported(package):
    for name in package.__all__:
        assert getattr(package, name) is not None
    with pytest.raises(AttributeError, match="nonsense"):
        package.nonsense  # noqa: B018


def test_links_between_pages_lead_somewhere():
    for page in PAGES:
        for target in re.findall(r"\]\(([^)#:]+)\)", page.read_text(encoding="utf-8")):
            assert (page.parent / target).exists(), f"{name_of(page)}: {target}"
