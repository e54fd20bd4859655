"""FAISS: its copy beside the tables, and what is said where it cannot run."""

import builtins
import sys
from types import ModuleType

import pytest

from indexer import DocumentIndex
from indexer.engines.faiss import FOLDER, faiss_engine, import_faiss, save_faiss
from indexer.engines.vectors import VectorRows
from lmk_encoder.errors import ConfigError
from tests.indexer.engines.conftest import made_up


def test_without_the_library_the_extra_is_named(monkeypatch):
    real = builtins.__import__

    def refuse(name, *args, **kwargs):
        if name == "faiss":
            raise ImportError("no faiss here")
        return real(name, *args, **kwargs)

    monkeypatch.delitem(sys.modules, "faiss", raising=False)
    monkeypatch.setattr(builtins, "__import__", refuse)
    with pytest.raises(ConfigError, match=r"lmk\[faiss\]"):
        import_faiss()


def test_without_a_gpu_the_engine_says_so(monkeypatch):
    """A GPU build of FAISS loads without a GPU: only the number of GPUs tells."""
    library = ModuleType("faiss")
    library.get_num_gpus = lambda: 0
    monkeypatch.setitem(sys.modules, "faiss", library)
    with pytest.raises(ConfigError, match="needs an NVIDIA GPU"):
        import_faiss(gpu=True)


@pytest.mark.gpu
def test_the_gpu_finds_what_is_nearest(tmp_path):
    faiss = pytest.importorskip("faiss", reason="extra faiss-gpu")
    if not hasattr(faiss, "get_num_gpus") or faiss.get_num_gpus() == 0:
        pytest.skip("no GPU")
    rows = VectorRows.of(made_up(30_000))
    engine = faiss_engine(rows, tmp_path, "key", gpu=True)
    assert engine.search(rows[17], 1).rows[0] == 17


def test_the_copy_is_written_once_read_and_replaced(tmp_path):
    pytest.importorskip("faiss", reason="extra faiss")
    rows, more = VectorRows.of(made_up(300)), VectorRows.of(made_up(301))
    save_faiss(rows, tmp_path, "first")
    written = (tmp_path / FOLDER / "first.faiss").stat()
    save_faiss(rows, tmp_path, "first")
    assert (tmp_path / FOLDER / "first.faiss").stat().st_mtime_ns == written.st_mtime_ns
    assert faiss_engine(rows, tmp_path, "first").search(rows[5], 1).rows[0] == 5
    save_faiss(more, tmp_path, "second")
    assert [file.name for file in (tmp_path / FOLDER).iterdir()] == ["second.faiss"]


def test_a_damaged_copy_is_made_anew_in_memory(tmp_path):
    pytest.importorskip("faiss", reason="extra faiss")
    rows = VectorRows.of(made_up(300))
    (tmp_path / FOLDER).mkdir()
    (tmp_path / FOLDER / "key.faiss").write_bytes(b"not an index")
    assert faiss_engine(rows, tmp_path, "key").search(rows[5], 1).rows[0] == 5


def test_writing_keeps_the_copy_in_step_and_reading_writes_nothing(index, collection):
    pytest.importorskip("faiss", reason="extra faiss")
    settings = index.settings.model_copy(update={"engine": "faiss"})
    with DocumentIndex(index.path, settings=settings, encoder=index.encoder) as indexed:
        indexed.add([collection])
        (first,) = index.path.glob(f"tables-*/{FOLDER}/*")
        indexed.remove([collection / "page.html"])
        (second,) = index.path.glob(f"tables-*/{FOLDER}/*")
        assert first.name != second.name
        assert all("page.html" not in hit.path for hit in indexed.search("rye bread"))
    before = {path: path.stat().st_mtime_ns for path in index.path.rglob("*")}
    with DocumentIndex(index.path, settings=settings, encoder=index.encoder) as reader:
        assert reader.search("cellar pump")[0].path.endswith("pump.md")
    assert {path: path.stat().st_mtime_ns for path in index.path.rglob("*")} == before
