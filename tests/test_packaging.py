"""What is installed: every dependency pinned, and a wheel that works by itself."""

import ast
import os
import re
import subprocess
import sys
import tomllib
import zipfile
from importlib.metadata import packages_distributions
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
PACKAGES = ("lmk_encoder", "indexer", "app")


def constraints() -> dict[str, str]:
    """Name -> version of constraints.txt."""
    lines = (ROOT / "constraints.txt").read_text(encoding="utf-8").splitlines()
    return dict(line.split("==") for line in lines if not line.startswith("#"))


def test_every_dependency_has_a_tested_version_that_is_allowed():
    extras = PROJECT["optional-dependencies"]
    lines = PROJECT["dependencies"] + extras["dev"] + extras["faiss"] + extras["bench"]
    pinned = constraints()
    for requirement in map(Requirement, lines):
        version = pinned[canonicalize_name(requirement.name)]
        assert requirement.specifier.contains(version, prereleases=True), requirement


def test_every_library_that_is_imported_is_declared():
    """Not left to come along with another one, which may drop it."""
    sources = [path for package in PACKAGES for path in (ROOT / package).rglob("*.py")]
    nodes = [node for path in sources for node in ast.walk(ast.parse(path.read_text("utf-8")))]
    names = {alias.name for node in nodes if isinstance(node, ast.Import) for alias in node.names}
    names |= {node.module or "" for node in nodes if isinstance(node, ast.ImportFrom)}
    libraries = {name.split(".")[0] for name in names} - sys.stdlib_module_names - {*PACKAGES}
    extras = PROJECT["optional-dependencies"]
    optional = [line for name, lines in extras.items() if name != "dev" for line in lines]
    declared = map(Requirement, PROJECT["dependencies"] + optional)
    distributions = {canonicalize_name(requirement.name) for requirement in declared}
    providers = packages_distributions()
    missing = [
        name
        for name in sorted(libraries)
        if not distributions & {canonicalize_name(found) for found in providers.get(name, [name])}
    ]
    assert missing == []


@pytest.fixture(scope="module")
def wheel(tmp_path_factory) -> Path:
    """The wheel, built from this checkout."""
    pytest.importorskip("hatchling", reason="hatchling builds the wheel: extra dev")
    folder = tmp_path_factory.mktemp("wheel")
    command = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(folder)]
    subprocess.run(command, cwd=ROOT, check=True, capture_output=True)
    return next(folder.glob("lmk-*.whl"))


def test_the_wheel_holds_every_file_of_the_packages(wheel):
    """Modules, typing markers, the built-in model and the app's static files."""
    names = set(zipfile.ZipFile(wheel).namelist())
    files = [path for package in PACKAGES for path in (ROOT / package).rglob("*")]
    expected = {
        path.relative_to(ROOT).as_posix()
        for path in files
        if path.is_file() and "__pycache__" not in path.parts
    }
    assert sorted(expected - names) == []
    assert {"lmk_encoder/builtin/model.safetensors", "lmk_encoder/builtin/NOTICE"} <= names
    assert {"lmk_encoder/py.typed", "indexer/py.typed"} <= names  # the app is no library


def test_the_wheel_holds_nothing_else(wheel):
    names = zipfile.ZipFile(wheel).namelist()
    metadata = f"lmk-{PROJECT['version']}.dist-info"
    assert {name.split("/")[0] for name in names} == {*PACKAGES, metadata}
    assert {f"{metadata}/licenses/LICENSE", f"{metadata}/licenses/NOTICE"} <= set(names)
    assert not [
        name for name in names if re.search(r"\.lmk/|\.pyc$|(^|/)(tests|test_|conftest)", name)
    ]


def test_the_unpacked_wheel_works_away_from_the_checkout(wheel, tmp_path):
    """The command line starts and the built-in model encodes, from the wheel's own files."""
    site = tmp_path / "site"
    zipfile.ZipFile(wheel).extractall(site)
    code = (
        f"import sys; sys.path.insert(0, {str(site)!r})\n"
        "import indexer, lmk_encoder\n"
        f"assert lmk_encoder.__file__.startswith({str(site)!r}), lmk_encoder.__file__\n"
        "from lmk_encoder import LandmarkEncoder\n"
        "print(LandmarkEncoder().encode_query(['a pump']).shape)\n"
        "from indexer.cli.main import main\n"
        "sys.argv = ['lmk', '--help']\n"
        "main()\n"
    )
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    done = subprocess.run(
        [sys.executable, "-c", code],
        cwd=tmp_path,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert "(1, 384)" in done.stdout
    assert "index" in done.stdout


def make(*arguments: str, cwd: Path = ROOT) -> subprocess.CompletedProcess[str]:
    """Run make with nothing of an outer make in its environment."""
    environment = {name: value for name, value in os.environ.items() if "MAKE" not in name}
    return subprocess.run(
        ["make", *arguments], cwd=cwd, env=environment, capture_output=True, text=True, check=False
    )


def test_the_makefile_explains_itself():
    done = make("help")
    assert done.returncode == 0, done.stderr
    assert {"demo", "test", "lint", "bench", "clean", "samples", "test-all"} <= {
        line.split()[1] for line in done.stdout.splitlines()
    }


@pytest.mark.parametrize("python", ["no-such-python", "false"])
def test_a_missing_python_is_told_with_the_remedy(python, tmp_path):
    done = make("demo", f"VENV={tmp_path / 'venv'}", f"PYTHON={python}")
    assert done.returncode != 0
    assert "Python 3.11 or newer is needed" in done.stderr
    assert "PYTHON=python3.12" in done.stderr
    assert not (tmp_path / "venv").exists()


def test_a_ready_environment_is_not_touched(tmp_path):
    """The stamp is newer than its inputs: make has nothing to run."""
    (tmp_path / ".ready").touch()
    done = make("--dry-run", f"{tmp_path}/.ready", f"VENV={tmp_path}", f"PYTHON={sys.executable}")
    assert "setup_env.py" not in done.stdout
    done = make("--dry-run", f"{tmp_path}/.ready-dev", f"VENV={tmp_path}")
    assert "setup_env.py" in done.stdout


def test_continuous_integration_runs_the_command_of_the_readme():
    script = (ROOT / ".ci" / "run").read_text(encoding="utf-8")
    assert re.search(r"^exec make test$", script, re.MULTILINE)
    assert "make test" in (ROOT / "README.md").read_text(encoding="utf-8")
