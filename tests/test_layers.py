"""Imports point downwards only. LAYERS is the architecture, written once and enforced here.

Whoever adds a file says where in the flow it stands; a file that fits nowhere is two files.
"""

import ast
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
LAYERS = [  # top to bottom; neighbours in one line do not import each other
    ["app.__main__", "app.main"],
    ["app.screens"],
    ["app.components"],
    ["app.services", "app.launch"],
    ["app.state", "app.formatting", "app.syntax"],
    ["app"],
    ["indexer.cli"],
    ["indexer.tuning"],
    ["indexer"],  # the facade: the public names
    ["indexer.api"],
    ["indexer.upkeep"],
    ["indexer.access"],
    ["indexer.ingest"],
    ["indexer.search"],
    ["indexer.parsing", "indexer.sources", "indexer.policy"],
    ["indexer.engines"],
    ["indexer.store"],
    ["indexer.query"],
    ["indexer.analysis"],
    ["indexer.documents", "indexer.config"],
    ["indexer.errors", "indexer.offsets"],
    ["lmk_encoder"],  # the facade
    ["lmk_encoder.training"],
    ["lmk_encoder.evaluation"],
    ["lmk_encoder.testing", "lmk_encoder.lazy"],
    ["lmk_encoder.sentence_transformers"],
    ["lmk_encoder.encoder", "lmk_encoder.queries"],
    ["lmk_encoder.formats", "lmk_encoder.latent"],
    ["lmk_encoder.dense"],
    ["lmk_encoder.preparation"],
    ["lmk_encoder.backbone", "lmk_encoder.checkpoint", "lmk_encoder.tokenization"],
    ["lmk_encoder.automodel", "lmk_encoder.postnorm", "lmk_encoder.postnorm_arrays"],
    ["lmk_encoder.postnorm_files"],
    ["lmk_encoder.affine", "lmk_encoder.attention", "lmk_encoder.workers"],
    ["lmk_encoder.crossencoder"],
    ["lmk_encoder.layout", "lmk_encoder.hub", "lmk_encoder.files"],
    ["lmk_encoder.pooling", "lmk_encoder.batching", "lmk_encoder.windows"],
    ["lmk_encoder.types", "lmk_encoder.config"],
    ["lmk_encoder.landmarks"],
    ["lmk_encoder.borders", "lmk_encoder.sentences"],
    ["lmk_encoder.process"],
    ["lmk_encoder.errors"],
]
LEVELS = {entry: level for level, layer in enumerate(LAYERS) for entry in layer}
PACKAGES = ("app", "indexer", "lmk_encoder")
FILES = [path for package in PACKAGES for path in sorted((ROOT / package).rglob("*.py"))]


def entry_of(dotted: str) -> str:
    """``indexer.store.lock`` -> ``indexer.store``; a name taken from a facade -> the facade."""
    two = ".".join(dotted.split(".")[:2])
    return two if two in LEVELS else dotted.split(".")[0]


def module_of(path: Path) -> str:
    """The dotted name of a file of the project; a package for its ``__init__.py``."""
    return ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__")


def is_listed(module: str) -> bool:
    return ".".join(module.split(".")[:2]) in LEVELS


def imported_names(source: str) -> set[str]:
    """``a`` of ``import a`` and ``a.b`` of ``from a import b``, wherever they stand."""
    names: set[str] = set()
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"line {node.lineno}: import absolutely, so the layer shows"
            names |= {f"{node.module}.{alias.name}" for alias in node.names}
    return names


def upward_imports(module: str, source: str) -> list[str]:
    """Names that ``source`` imports from its own level or above, its own entry aside.

    A facade re-exports what lies below it, and everything in its package is: so it may.
    """
    own = entry_of(module)
    used = {name: entry_of(name) for name in imported_names(source)}
    return sorted(
        name
        for name, entry in used.items()
        if entry in LEVELS and entry != own and LEVELS[entry] <= LEVELS[own]
    )


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.relative_to(ROOT).as_posix())
def test_imports_point_downwards(path):
    module = module_of(path)
    assert is_listed(module), f"say where {module} stands: add it to LAYERS"
    assert upward_imports(module, path.read_text(encoding="utf-8")) == []


def test_layers_name_nothing_that_is_gone():
    there = {".".join(module_of(path).split(".")[:2]) for path in FILES}
    assert sorted(set(LEVELS) - there) == []


@pytest.mark.parametrize(
    ("module", "source", "upward"),
    [
        ("indexer.store.lock", "from app.state import query", ["app.state.query"]),
        ("indexer.search.fusion", "import indexer.ingest", ["indexer.ingest"]),
        ("indexer.parsing.pdf", "def f():\n from indexer import policy", ["indexer.policy"]),
        ("indexer.store.lock", "from indexer import DocumentIndex", ["indexer.DocumentIndex"]),
        ("lmk_encoder.types", "import indexer", ["indexer"]),
        ("indexer.api", "from lmk_encoder import LandmarkEncoder", []),
        ("indexer.search.fusion", "from indexer.search import signals\nimport numpy", []),
    ],
)
def test_the_check_bites(module, source, upward):
    assert upward_imports(module, source) == upward


def test_a_module_without_a_place_is_found():
    assert not is_listed("indexer.utils")
    assert is_listed("indexer.store.utils")  # a folder is one place: its files stand together
