"""Names instead of folders: installed packages, the hub's cache, and no network."""

import socket
import subprocess
import sys
import time

import pytest

from lmk_encoder.checkpoint import find_checkpoint
from lmk_encoder.errors import ModelError
from lmk_encoder.formats.reading import read_checkpoint


@pytest.fixture
def installed(transformer, tmp_path, monkeypatch):
    """A package ``some-model`` as pip would leave it, that carries a checkpoint."""
    files = sorted(path for path in transformer.rglob("*") if path.is_file())
    target = tmp_path / "some_model" / "weights"
    target.mkdir(parents=True)
    for file in files:
        (target / file.name).write_bytes(file.read_bytes())
    info = tmp_path / "some_model-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: some-model\nVersion: 1.0\n")
    record = [f"some_model/weights/{file.name},," for file in files]
    (info / "RECORD").write_text("\n".join(record))
    monkeypatch.syspath_prepend(tmp_path)
    return target


def test_an_installed_package_is_a_name(installed):
    assert find_checkpoint("some-model") == installed
    assert read_checkpoint("some_model").name == "some_model"


def test_a_package_without_a_model_is_none(monkeypatch):
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    with pytest.raises(ModelError, match=r"numpy is no folder here, no installed package"):
        find_checkpoint("numpy")


@pytest.mark.parametrize("name", ["./nothing/here", "/no/such/folder", "a/b/c", "..", "x y"])
def test_a_path_is_never_taken_for_a_name(name, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(ModelError, match=r"is no folder|has no weights"):
        find_checkpoint(name)


CODE = """
import sys
from lmk_encoder.checkpoint import find_checkpoint
from lmk_encoder.errors import ModelError
try:
    find_checkpoint("owner/name")
except ModelError as error:
    print(error)
"""


def ask(tmp_path, **variables):
    """Settings of the hub are read when its library is imported: hence a process."""
    environment = {"PATH": "", "HOME": str(tmp_path), "HF_HOME": str(tmp_path)} | variables
    begun = time.monotonic()
    done = subprocess.run(
        [sys.executable, "-c", CODE], capture_output=True, text=True, env=environment, check=True
    )
    return done.stdout, time.monotonic() - begun


def test_offline_means_no_request_at_all(tmp_path):
    message, _ = ask(tmp_path, HF_HUB_OFFLINE="1", HF_ENDPOINT="http://127.0.0.1:9")

    assert "HF_HUB_OFFLINE is set" in message
    assert "hf download owner/name" in message


def test_a_hub_that_refuses_is_told(tmp_path):
    message, _ = ask(tmp_path, HF_ENDPOINT="http://127.0.0.1:9")

    assert "the hub does not give it" in message
    assert "hf download owner/name" in message


@pytest.mark.slow
def test_a_hub_that_never_answers_is_not_waited_for(tmp_path):
    with socket.socket() as silent:
        silent.bind(("127.0.0.1", 0))
        silent.listen(8)
        port = silent.getsockname()[1]
        message, seconds = ask(tmp_path, HF_ENDPOINT=f"http://127.0.0.1:{port}")

    assert "the hub does not give it" in message
    assert seconds < 120


def test_a_snapshot_in_the_cache_needs_no_network(transformer, tmp_path):
    revision = "0" * 40
    repository = tmp_path / "hub" / "models--owner--name"
    snapshot = repository / "snapshots" / revision
    snapshot.mkdir(parents=True)
    (repository / "refs").mkdir()
    (repository / "refs" / "main").write_text(revision)
    for file in transformer.iterdir():
        (snapshot / file.name).write_bytes(file.read_bytes())
    code = (
        "from lmk_encoder.formats.reading import read_checkpoint as r; print(r('owner/name').name)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        env={
            "PATH": "",
            "HOME": str(tmp_path),
            "HF_HOME": str(tmp_path),
            "HF_ENDPOINT": "http://127.0.0.1:9",
        },
        check=True,
    )
    assert done.stdout.strip() == "owner/name"
