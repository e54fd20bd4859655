"""Start the Streamlit server of the app in this process, quietly and on this machine only.

All of Streamlit's settings are given here as flags: a ``.streamlit`` folder would be looked
for in the working directory, which is the user's and not ours.
"""

import socket
import threading
import urllib.error
import urllib.request
import webbrowser
from collections.abc import Callable
from pathlib import Path
from time import monotonic, sleep

from lmk_encoder.errors import ConfigError

DEFAULT_PORT = 8501
ADDRESS = "localhost"
START_SECONDS = 60.0  # a cold disk reads a lot of Python on the first start
POLL_SECONDS = 0.1

SERVER_OPTIONS = {
    "server.address": ADDRESS,
    "server.headless": "true",
    "server.fileWatcherType": "none",
    "browser.gatherUsageStats": "false",
    "client.toolbarMode": "minimal",
    "client.showErrorDetails": "none",
    "logger.hideWelcomeMessage": "true",
    "logger.level": "error",
}
# Blue is what can be clicked, warm is what is relevant (components/lmk.css). Contrast of
# text and links on their backgrounds is at least 4.5 : 1 in both.
THEME_OPTIONS = {
    "theme.baseRadius": "8px",
    "theme.showWidgetBorder": "true",
    "theme.light.primaryColor": "#1f5fbf",
    "theme.light.linkColor": "#1f5fbf",
    "theme.light.backgroundColor": "#ffffff",
    "theme.light.secondaryBackgroundColor": "#f6f6f3",
    "theme.light.textColor": "#1d2126",
    "theme.light.borderColor": "#dfdfd9",
    "theme.dark.primaryColor": "#8ab8ff",
    "theme.dark.linkColor": "#8ab8ff",
    "theme.dark.backgroundColor": "#15171a",
    "theme.dark.secondaryBackgroundColor": "#1f2226",
    "theme.dark.textColor": "#e6e6e3",
    "theme.dark.borderColor": "#34383d",
}


def launch(
    index_path: Path,
    port: int = DEFAULT_PORT,
    *,
    open_browser: bool = False,
    on_ready: Callable[[str], None] = lambda url: None,
) -> int:
    """Serve the app until Ctrl-C or SIGTERM; the exit code.

    Args:
        index_path: the index to show. It may come to be later: the app says how.
        port: a free port of this machine.
        open_browser: open the address once the server answers.
        on_ready: called once with the address, from another thread.

    Raises ConfigError if the port is taken or is none.
    """
    check_port(port)
    # Imported late: it is the whole of Streamlit, and the port is checked without it.
    from streamlit.web import cli

    url = f"http://{ADDRESS}:{port}"

    def tell() -> None:
        if wait_until_ready(url):
            on_ready(url)
            if open_browser:
                webbrowser.open(url)

    threading.Thread(target=tell, daemon=True).start()
    result = cli.main(run_arguments(index_path, port), standalone_mode=False)
    return int(result or 0)


def run_arguments(index_path: Path, port: int) -> list[str]:
    """The command line after ``streamlit``."""
    options = {**SERVER_OPTIONS, **THEME_OPTIONS, "server.port": str(port)}
    flags = [part for name, value in options.items() for part in (f"--{name}", value)]
    script = Path(__file__).with_name("main.py")
    return ["run", str(script), *flags, "--", "--index", str(index_path.resolve())]


def check_port(port: int) -> None:
    """Raise ConfigError if nothing can listen on ``port``."""
    if not 1 <= port <= 65535:
        raise ConfigError(f"{port} is no port number.", fix="Use one from 1 to 65535.")
    for family, kind, protocol, _, address in socket.getaddrinfo(
        ADDRESS, port, type=socket.SOCK_STREAM
    ):
        with socket.socket(family, kind, protocol) as probe:
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            try:
                probe.bind(address)
            except PermissionError as error:
                what = f"This user may not listen on port {port}."
                raise ConfigError(what, fix="Choose a port above 1023: --port 8501.") from error
            except OSError as error:
                # The address family may be switched off (no IPv6 in a container): only a
                # port that somebody listens on is a fault.
                if _answers(address):
                    what = f"Port {port} is taken by another program."
                    fix = f"Stop it, or choose another: --port {port + 1}."
                    raise ConfigError(what, fix=fix) from error


def wait_until_ready(url: str, timeout_s: float = START_SECONDS) -> bool:
    """True once the server answers, False if it does not within the time."""
    deadline = monotonic() + timeout_s
    while monotonic() < deadline:
        try:
            with urllib.request.urlopen(f"{url}/_stcore/health", timeout=2) as answer:
                if answer.status == 200:
                    return True
        except (urllib.error.URLError, OSError):
            pass  # not listening yet: that is what we wait for
        sleep(POLL_SECONDS)
    return False


def _answers(address: tuple[object, ...]) -> bool:
    try:
        with socket.create_connection((str(address[0]), int(str(address[1]))), timeout=1):
            return True
    except OSError:
        return False
