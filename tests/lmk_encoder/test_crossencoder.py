"""A tiny cross-encoder with random weights, through the library that users would install."""

import pytest

from lmk_encoder.crossencoder import CrossEncoder
from lmk_encoder.errors import ConfigError, ModelError


@pytest.mark.slow
def test_a_local_cross_encoder_scores_texts(tmp_path):
    pytest.importorskip("sentence_transformers")
    from transformers import BertConfig, BertForSequenceClassification, BertTokenizerFast

    words = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", "pump", "roof"]
    (tmp_path / "vocab.txt").write_text("\n".join(words))
    BertTokenizerFast(vocab_file=str(tmp_path / "vocab.txt")).save_pretrained(tmp_path)
    config = BertConfig(
        vocab_size=len(words),
        hidden_size=8,
        num_hidden_layers=1,
        num_attention_heads=2,
        intermediate_size=8,
        num_labels=1,
    )
    BertForSequenceClassification(config).save_pretrained(tmp_path)
    encoder = CrossEncoder(str(tmp_path))

    scores = encoder.score("pump", ["pump", "roof", "pump"])
    assert scores.shape == (3,)
    assert scores[0] == pytest.approx(scores[2])
    assert encoder.score("pump", []).shape == (0,)


@pytest.mark.parametrize("name", ["", " "])
def test_no_name_is_told(name):
    with pytest.raises(ModelError, match="needs a name"):
        CrossEncoder(name)


def test_no_such_model_names_it():
    """And does not speak of a network, which is never asked."""
    with pytest.raises((ModelError, ConfigError), match="nowhere/at-all") as told:
        CrossEncoder("nowhere/at-all")
    assert "connect" not in str(told.value)
