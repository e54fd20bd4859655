import pytest

from lmk_encoder.errors import MissingExtra
from lmk_encoder.evaluation.extras import need


def test_an_absent_package_is_named_with_its_extra():
    with pytest.raises(MissingExtra, match=r'package no_such_thing.*pip install "lmk\[mteb\]"'):
        need("no_such_thing", extra="mteb")


def test_an_error_inside_a_package_stays_what_it_is(tmp_path, monkeypatch):
    (tmp_path / "broken_thing.py").write_text("import another_absent_thing", encoding="utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    with pytest.raises(ModuleNotFoundError, match="another_absent_thing"):
        need("broken_thing")
