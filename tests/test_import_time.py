"""What is imported before it is needed: nothing that takes seconds to load."""

import subprocess
import sys

import pytest

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


def test_help_loads_no_heavy_library():
    run = (
        "from indexer.cli.main import main\n"
        "sys.argv = ['lmk', '--help']\n"
        "try:\n    main()\nexcept SystemExit as end:\n    assert not end.code, end.code"
    )
    assert loaded_by(run) == set()


def test_the_encoder_knows_no_tables():
    assert loaded_by("from lmk_encoder import LandmarkEncoder") <= HEAVY - {"lancedb", "streamlit"}


def test_the_check_bites():
    assert loaded_by("import pyarrow") == {"pyarrow"}
