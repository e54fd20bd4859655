"""What is imported before it is needed: nothing that takes seconds to load."""

import subprocess
import sys

import pytest

from indexer import DocumentIndex

HEAVY = set("torch transformers lancedb pyarrow streamlit faiss pypdf tree_sitter".split())


def loaded_by(statements: str) -> set[str]:
    """The heavy libraries that a fresh interpreter has loaded after ``statements``."""
    code = f"import sys\n{statements}\nprint(*({HEAVY!r} & set(sys.modules)), file=sys.stderr)"
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=False, timeout=120
    )
    assert done.returncode == 0, done.stderr
    return set(done.stderr.splitlines()[-1].split())


@pytest.mark.parametrize(
    "module",
    ["indexer", "indexer.api", "indexer.cli.main", "lmk_encoder", "lmk_encoder.types", "app"],
)
def test_importing_loads_no_heavy_library(module):
    assert loaded_by(f"import {module}") == set()


def loaded_by_command(*arguments: str) -> set[str]:
    """The heavy libraries that ``lmk`` has loaded when it is done."""
    return loaded_by(
        "from indexer.cli.main import main\n"
        f"sys.argv = {['lmk', *arguments]!r}\n"
        "try:\n    main()\nexcept SystemExit as end:\n    assert not end.code, end.code"
    )


def test_help_loads_no_heavy_library():
    assert loaded_by_command("--help") == set()


def test_a_search_loads_no_torch(tmp_path):
    """A command that answers one question must not wait for what only indexing needs."""
    (tmp_path / "pumps.md").write_text("# Pumps\n\nThe pump in hall 3 failed in March.\n")
    folder = tmp_path / "index"
    with DocumentIndex.open(folder) as index:
        index.add([tmp_path / "pumps.md"])
    loaded = loaded_by_command("search", "Which pump failed?", "--index", str(folder))
    assert loaded == {"lancedb", "pyarrow"}


def test_the_encoder_knows_no_tables():
    assert loaded_by("from lmk_encoder import LandmarkEncoder") <= HEAVY - {"lancedb", "streamlit"}


def test_the_check_bites():
    assert loaded_by("import pyarrow") == {"pyarrow"}
