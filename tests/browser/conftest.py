"""The app in its own process, as ``lmk ui`` starts it, and a real Chromium to look at it."""

import shutil
import socket
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from indexer import DocumentIndex
from indexer.config import Settings
from tests.app.files import write_collection

ROOT = Path(__file__).parents[2]
BROWSERS = ("chromium", "chromium-browser", "google-chrome")
START_SECONDS = 60


@pytest.fixture(scope="session")
def address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Address of the app on a small index made with the built-in model."""
    folder = tmp_path_factory.mktemp("browser")
    write_collection(folder / "files")
    with DocumentIndex.open(folder / "i.lmk", settings=Settings(parse_workers=1)) as index:
        index.add([folder / "files"])
    with socket.create_server(("localhost", 0)) as free:
        port = free.getsockname()[1]
    command = [sys.executable, "-m", "app", "--index", str(folder / "i.lmk"), "--port", str(port)]
    server = subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True)
    try:
        line = server.stdout.readline()  # comes once the server answers
        assert f"http://localhost:{port}" in line
        yield f"http://localhost:{port}"
    finally:
        server.terminate()
        assert server.wait(timeout=30) == 0  # a stopped server is no failure
        server.stdout.close()


@pytest.fixture(scope="session")
def chromium() -> Iterator[object]:
    """A headless browser, or a skip that says what is missing."""
    playwright = pytest.importorskip("playwright.sync_api", reason="needs playwright")
    path = next(filter(None, map(shutil.which, BROWSERS)), None)
    if path is None:
        pytest.skip(f"needs one of {', '.join(BROWSERS)} on the PATH")
    with playwright.sync_playwright() as driver:
        options = ["--no-sandbox", "--disable-dev-shm-usage", "--disable-gpu"]
        browser = driver.chromium.launch(executable_path=path, args=options)
        yield browser
        browser.close()


@pytest.fixture
def open_page(address: str, chromium: object) -> Iterator[Callable[..., object]]:
    """Open a path of the app in a fresh tab; other hosts cannot be reached from it."""
    contexts = []

    def open_at(path: str, *, width: int = 1280, dark: bool = False) -> object:
        context = chromium.new_context(
            viewport={"width": width, "height": 850},
            color_scheme="dark" if dark else "light",
        )
        contexts.append(context)
        context.outside = []
        context.on("request", lambda request: note(context, request.url))
        page = context.new_page()
        page.set_default_timeout(30_000)
        page.goto(f"{address}/{path}")
        return page

    def note(context: object, url: str) -> None:
        if not url.startswith((address, "data:", "blob:", address.replace("http", "ws"))):
            context.outside.append(url)

    yield open_at
    for context in contexts:
        assert context.outside == [], "the page asked other hosts"
        context.close()
