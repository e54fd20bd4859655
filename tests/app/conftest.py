"""One small index for all tests of the app, and screens that run on it without a browser."""

import json
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

import app
from app import services
from indexer import DocumentIndex
from indexer.config import Settings
from lmk_encoder.testing import KeywordEncoder
from tests.app.files import write_collection

MAIN = Path(app.__file__).with_name("main.py")
Screen = Callable[..., AppTest]


@pytest.fixture(scope="session")
def index(tmp_path_factory: pytest.TempPathFactory) -> Iterator[DocumentIndex]:
    """The collection of ``files``, indexed with an encoder that needs no model."""
    folder = tmp_path_factory.mktemp("app")
    write_collection(folder / "files")
    opened = DocumentIndex(
        folder / "index.lmk", settings=Settings(parse_workers=1), encoder=KeywordEncoder()
    )
    opened.add([folder / "files"])
    yield opened
    opened.close()


@pytest.fixture
def doc_id(index: DocumentIndex) -> Callable[[str], str]:
    """The document of the file with a given ending."""
    ids = {Path(file.path).name: file.doc_id for file in index.files()}
    return lambda name: next(found for path, found in ids.items() if path.endswith(name) and found)


@pytest.fixture
def show(index: DocumentIndex, monkeypatch: pytest.MonkeyPatch) -> Screen:
    """Run the app at an address on the shared index; on another folder with ``folder=``."""
    real = services._open

    def opened(path: str) -> DocumentIndex:
        return index if path == str(index.path) else real(path)

    monkeypatch.setattr(services, "_open", opened)

    def run(*, document: bool = False, library: bool = False, folder: Path | None = None, **params):
        monkeypatch.setattr(sys, "argv", ["main.py", "--index", str(folder or index.path)])
        if document:
            test = AppTest.from_function(_document, default_timeout=30)
        elif library:
            test = AppTest.from_function(_library, default_timeout=30)
        else:
            test = AppTest.from_file(str(MAIN), default_timeout=30)
        for name, value in params.items():
            test.query_params[name] = value
        test.run()
        assert not test.exception
        return test

    return run


def _document() -> None:
    from app.screens import document

    document.show()


def _library() -> None:
    from app.screens import library

    library.show()


def html_of(test: AppTest) -> str:
    """All our HTML on the screen, in order."""
    return "\n".join(json.loads(element.json)["html"] for element in test.get("bidi_component"))
