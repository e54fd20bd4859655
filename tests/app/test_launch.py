"""Starting the server: arguments, ports, and what is said when it cannot start."""

import socket

import pytest

from app import launch
from app.__main__ import main
from lmk_encoder.errors import ConfigError


def test_server_is_quiet_and_local(tmp_path):
    arguments = launch.run_arguments(tmp_path, 8601)
    options = dict(zip(arguments[2:-3:2], arguments[3:-3:2], strict=True))

    assert arguments[-3:] == ["--", "--index", str(tmp_path)]
    assert options["--server.address"] == "localhost"
    assert options["--server.port"] == "8601"
    assert options["--server.fileWatcherType"] == "none"
    assert options["--browser.gatherUsageStats"] == "false"


@pytest.fixture
def taken_port():
    with socket.create_server(("localhost", 0)) as server:
        yield server.getsockname()[1]


def test_a_taken_port_is_named_with_the_way_out(taken_port):
    with pytest.raises(ConfigError, match=rf"{taken_port} is taken.*--port {taken_port + 1}"):
        launch.check_port(taken_port)


@pytest.mark.parametrize("port", [0, -1, 65536])
def test_no_port(port):
    with pytest.raises(ConfigError, match="1 to 65535"):
        launch.check_port(port)


def test_command_says_what_is_wrong(taken_port, tmp_path, capsys):
    code = main(["--index", str(tmp_path / "none"), "--port", str(taken_port)])

    out, err = capsys.readouterr()
    assert code == 1
    assert "no index" in out
    assert "lmk index PATH" in out
    assert err.startswith("lmk: ")
    assert "is taken" in err


def test_waiting_ends_where_nobody_answers(taken_port):
    assert launch.wait_until_ready(f"http://localhost:{taken_port}", timeout_s=0.3) is False
