"""Settings: where they come from, and what is refused with a reason."""

import pytest

from indexer.config import Settings, load_settings
from lmk_encoder.errors import ConfigError


@pytest.mark.parametrize("name", ["MODEL", "PASSWORD", "PASSWORD_FILE", "ENGINE", "OCR_PAGES"])
def test_an_empty_variable_is_none(monkeypatch, name):
    monkeypatch.setenv(f"LMK_{name}", "")
    loaded = load_settings()
    assert getattr(loaded, name.lower()) == Settings.model_fields[name.lower()].default
    assert loaded.passwords() == ()


@pytest.mark.parametrize("name", ["parse_timeout_s", "max_file_mb"])
@pytest.mark.parametrize("value", ["inf", "-inf", "nan"])
def test_numbers_are_finite(monkeypatch, name, value):
    monkeypatch.setenv(f"LMK_{name.upper()}", value)
    with pytest.raises(ConfigError, match=rf"Setting {name} = .*{value}.* finite number"):
        load_settings()
    with pytest.raises(ConfigError, match=name):
        load_settings(**{name: float(value)})


def test_a_time_is_one_that_a_clock_can_wait_for():
    with pytest.raises(ConfigError, match="parse_timeout_s"):
        load_settings(parse_timeout_s=1e300)


def test_a_file_of_settings_that_cannot_be_read_is_named(tmp_path):
    file = tmp_path / "lmk.toml"
    file.write_bytes('engine = "exäct"'.encode("latin-1"))
    with pytest.raises(ConfigError, match=r"lmk\.toml is not UTF-8"):
        load_settings(tmp_path)
    file.write_bytes(b"engine =")
    with pytest.raises(ConfigError, match=r"lmk\.toml is not valid TOML"):
        load_settings(tmp_path)
    file.write_text("archives = true")
    assert load_settings(tmp_path).archives
