from pathlib import Path

import pytest

from lmk_encoder.errors import ConfigError
from lmk_encoder.training.config import load_config

MINIMAL = '[[data]]\npath = "pairs.jsonl"\n'


def load(tmp_path, text, **changes):
    path = tmp_path / "train.toml"
    path.write_text(text, encoding="utf-8")
    return load_config(path, **changes)


def test_a_source_is_all_that_is_needed(tmp_path):
    config = load(tmp_path, MINIMAL)

    assert config.data[0].path == Path("pairs.jsonl")
    assert [loss.kind for loss in config.loss] == ["infonce"]
    assert config.model.granularity == (32, 64, 128, 256)  # the paper's set


def test_arguments_replace_values_of_the_file(tmp_path):
    config = load(tmp_path, MINIMAL + "[train]\nsteps = 5\nseed = 1\n", steps=9, seed=None)

    assert (config.train.steps, config.train.seed) == (9, 1)


def test_granularity_is_a_number_or_a_set(tmp_path):
    for written, expected in (("64", 64), ("[32, 64]", (32, 64))):
        config = load(tmp_path, f"{MINIMAL}[model]\ngranularity = {written}\n")
        assert config.model.granularity == expected


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[train]\nlearnin_rate = 1\n", r"no setting train\.learnin_rate.*mean learning_rate\?"),
        ("[trian]\nsteps = 1\n", r"no setting trian.*mean train\?"),
        ('[[loss]]\nkind = "infonce"\ntemprature = 1\n', r"loss\.temprature.*mean temperature"),
        ("[train]\nsteps = 0\n", r"train\.steps = 0: Input should be greater"),
        ('[model]\npooling = "clss"\n', r"model\.pooling = 'clss'.*'landmark'"),
        ("[train]\ngradient_caching = true\n", "gradient_caching needs mini_batch_tokens"),
        ("[train]\nsteps = 5\nwarmup = 5\n", "warmup=5 leaves none of 5 steps"),
        ('[[loss]]\nkind = "landmark_distillation"\n', "teacher belongs to kind"),
        ('[[loss]]\nkind = "infonce"\nteacher = "self"\n', "teacher belongs to kind"),
        ('[[loss]]\nkind = "infonce"\ncontext = 0.5\n', "context is for the passages"),
        (
            '[[loss]]\nkind = "landmark_distillation"\nteacher = "self"\non = "texts"\n'
            "context = 0.5\n",
            "context is for the passages",
        ),
        ('[[loss]]\nkind = "infonce"\non = "queries"\n', "on='queries' is nothing for infonce"),
        # Trap T20: in the authors' code normalisation off resets the temperature to 1.
        ("[model]\nnormalize = false\n", r"no setting model\.normalize"),
        ("[[loss]]\nweight = 1\n", r"loss\.kind is missing"),
        ("steps 5", "not valid TOML"),
    ],
)
def test_what_is_wrong_is_named(tmp_path, text, message):
    with pytest.raises(ConfigError, match=message):
        load(tmp_path, MINIMAL + text)


def test_a_file_that_is_not_there(tmp_path):
    with pytest.raises(ConfigError, match=r"none\.toml cannot be read"):
        load_config(tmp_path / "none.toml")
