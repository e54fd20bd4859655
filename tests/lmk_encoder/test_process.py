"""A process that was forked from one that computes is told so."""

import os
import subprocess
import sys

import pytest

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")

CODE = """if True:
    import os, signal
    from lmk_encoder import LandmarkEncoder
    from lmk_encoder.errors import LmkError

    def load():
        return LandmarkEncoder({folder!r}, device="cpu")

    {before}
    if child := os.fork():
        raise SystemExit(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
    signal.alarm(30)
    try:
        os._exit(7 if {encoder}.encode(["pump"] * 3).shape == (3, 32) else 1)
    except LmkError as error:
        os._exit(8 if "torch fails in it" in error.what and "spawn" in error.fix else 1)
    finally:
        os._exit(1)
"""


@pytest.mark.parametrize(
    ("before", "encoder", "code"),
    [("encoder = load()", "encoder", 8), ("load()", "load()", 8), ("pass", "load()", 7)],
)
def test_a_fork_of_a_process_with_an_encoder_is_told_and_another_encodes(
    tiny, before, encoder, code
):
    script = CODE.format(folder=str(tiny.folder), before=before, encoder=encoder)
    done = subprocess.run([sys.executable, "-W", "ignore", "-c", script], check=False, timeout=90)
    assert done.returncode == code
