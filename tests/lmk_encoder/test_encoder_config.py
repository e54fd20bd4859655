"""Settings of a checkpoint: every wrong one is named, with its remedy."""

import json

import pytest

from lmk_encoder.config import EncoderConfig
from lmk_encoder.errors import ConfigError, ModelError


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"poling": "landmark"}, r"poling='landmark'.*mean pooling\?"),
        ({"zzz": 1}, r"zzz=1.*Known are: name, pooling"),
        ({"pooling": "max"}, r"pooling='max' is unknown.*landmark"),
        ({"granularity": 0}, r"granularity=0.*Use 1 to 500"),
        ({"granularity": 501}, r"granularity=501.*Use 1 to 500 \(with window_tokens=1000\)"),
        ({"granularity": True}, r"granularity=True.*int"),
        ({"granularity": "64"}, r"granularity='64'.*int"),
        ({"window_tokens": 7}, r"window_tokens=7.*at least 8"),
        ({"window_tokens": 200, "left_context_tokens": 0}, r"query_tokens=250.*Use 1 to 100"),
        ({"left_context_tokens": 251}, r"left_context_tokens=251.*Use 0 to 250"),
        ({"normalize_landmarks": 1}, r"normalize_landmarks=1.*bool"),
    ],
)
def test_a_wrong_setting_is_named_with_its_remedy(values, message):
    with pytest.raises(ConfigError, match=message):
        EncoderConfig.from_dict(values)


def test_settings_are_read_from_the_folder(tmp_path):
    values = {"window_tokens": 512, "landmark_token": "</s>", "start_token": "<s>"}
    (tmp_path / "lmk.json").write_text(json.dumps(values))

    assert EncoderConfig.load(tmp_path) == EncoderConfig(**values)


def test_a_folder_without_settings_is_no_landmark_checkpoint(tmp_path):
    with pytest.raises(ModelError, match=r"no lmk\.json.*write one"):
        EncoderConfig.load(tmp_path)


@pytest.mark.parametrize(
    ("content", "message"), [("{", "not valid JSON"), ("[]", "no JSON object")]
)
def test_a_damaged_file_is_named(tmp_path, content, message):
    (tmp_path / "lmk.json").write_text(content)

    with pytest.raises(ConfigError, match=rf"lmk\.json.*{message}"):
        EncoderConfig.load(tmp_path)
