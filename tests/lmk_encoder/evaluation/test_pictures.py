from pathlib import Path

import pytest

pytest.importorskip("matplotlib", reason="extra eval")

from lmk_encoder.errors import ConfigError
from lmk_encoder.evaluation.pictures import Panel, check_picture, draw

LINES = {"document": ([512, 1024], [0.5, 0.25]), "landmark": ([512, 1024], [1.0, 1.0])}


@pytest.mark.parametrize(("name", "head"), [("a.svg", b"<?xml"), ("a.PNG", b"\x89PNG")])
def test_a_picture_is_of_the_format_its_name_tells(tmp_path, name, head):
    panel = Panel("needle", "words", "accuracy", LINES, is_log=True)
    draw([[panel, panel], [panel]], tmp_path / name)
    assert (tmp_path / name).read_bytes().startswith(head)


def test_equal_figures_give_equal_bytes(tmp_path):
    for name in ("a.svg", "b.svg"):
        draw([[Panel("t", "x", "y", LINES)]], tmp_path / name)
    assert (tmp_path / "a.svg").read_bytes() == (tmp_path / "b.svg").read_bytes()


def test_an_unknown_format_is_named():
    with pytest.raises(ConfigError, match=r"a\.jpeg .* Use: \.svg"):
        check_picture(Path("a.jpeg"))
