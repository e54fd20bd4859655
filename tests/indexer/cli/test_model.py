"""``lmk model``: what is printed, written and refused; and indexing with the result."""

import json

import pytest
from typer.testing import CliRunner

from indexer.cli.main import app
from indexer.cli.model import parse_settings
from lmk_encoder.encoder import LandmarkEncoder
from lmk_encoder.errors import ConfigError
from lmk_encoder.testing import write_tiny_checkpoint


@pytest.fixture
def folder(tmp_path):
    write_tiny_checkpoint(tmp_path / "tiny", window_tokens=256)
    return tmp_path / "tiny"


def run(*arguments):
    result = CliRunner().invoke(app, list(map(str, arguments)))
    if result.exception and not isinstance(result.exception, SystemExit):
        raise result.exception
    return result


def test_info_says_what_a_model_is(folder):
    lines = run("model", "info", folder).stdout.splitlines()

    assert "architecture    jina_embeddings_v3" in lines
    assert "pooling         landmark" in lines
    assert "window tokens   256" in lines
    assert "dimension       32" in lines


def test_info_as_json(folder):
    facts = json.loads(run("model", "info", folder, "--json").stdout)

    assert facts["fingerprint"] == LandmarkEncoder(folder, device="cpu").fingerprint
    assert facts["notes"] == []


def test_a_model_is_converted_and_indexes(folder, tmp_path):
    made = tmp_path / "made"
    output = run("model", "convert", folder, made, "--set", "query_prompt=q: ").stdout
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "a.md").write_text("# Pumps\n\nThe pump runs dry.")
    index = tmp_path / "index"
    run("index", tmp_path / "docs", "--index", index, "--model", made, "--quiet")
    manifest = json.loads((index / "index.json").read_text())

    assert output.startswith(f"{made}: tiny, landmark, 32 dimensions")
    assert LandmarkEncoder(made, device="cpu").config.query_prompt == "q: "
    assert manifest["fingerprint"] == LandmarkEncoder(made, device="cpu").fingerprint
    assert "a.md" in run("search", "pump", "--index", index).stdout


def test_a_target_that_holds_something_is_refused(folder):
    with pytest.raises(ConfigError, match="not empty"):
        run("model", "convert", folder, folder)


def test_settings_have_the_types_of_their_keys():
    pairs = ["granularity=32", "query_prompt=q=a: ", "strip=TRUE", "zzz=1"]

    assert parse_settings(pairs) == {
        "granularity": 32,
        "query_prompt": "q=a: ",
        "strip": True,
        "zzz": "1",
    }


@pytest.mark.parametrize(
    ("pair", "message"),
    [
        ("granularity", "has no '='"),
        ("granularity=many", "granularity='many' is not a number"),
        ("strip=maybe", "strip='maybe' is not a truth value"),
    ],
)
def test_a_wrong_setting_is_named(pair, message):
    with pytest.raises(ConfigError, match=message):
        parse_settings([pair])
