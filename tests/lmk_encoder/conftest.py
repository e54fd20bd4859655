"""One tiny real encoder for the whole folder: random weights, whole path."""

import json

import pytest
import torch
from tokenizers import Tokenizer, processors
from transformers import AutoConfig, AutoModel

from lmk_encoder.testing import tiny_encoder, write_tiny_checkpoint


@pytest.fixture(scope="session")
def tiny(tmp_path_factory):
    """Windows of 64 ids, spans of 8 tokens; a word of n ASCII letters is n tokens."""
    return tiny_encoder(tmp_path_factory.mktemp("tiny"))


SPECIALS = {
    "tokenizer_class": "PreTrainedTokenizerFast",
    "cls_token": "[CLS]",
    "sep_token": "[SEP]",
    "pad_token": "[PAD]",
    "unk_token": "[UNK]",
}


@pytest.fixture(scope="session")
def write_transformer():
    """Writes a folder as transformers saves it: no word on pooling, ``[CLS] text [SEP]``."""

    def write(folder, config=None):
        write_tiny_checkpoint(folder)
        (folder / "lmk.json").unlink()
        (folder / "tokenizer_config.json").write_text(
            json.dumps(SPECIALS | {"model_max_length": 128})
        )
        tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
        tokenizer.post_processor = processors.TemplateProcessing(
            single="[CLS] $A [SEP]", special_tokens=[("[CLS]", 2), ("[SEP]", 3)]
        )
        tokenizer.save(str(folder / "tokenizer.json"))
        if config is not None:
            with torch.random.fork_rng():
                torch.manual_seed(0)
                model = AutoModel.from_config(config)
            model.save_pretrained(folder)
        return folder

    return write


@pytest.fixture(scope="session")
def transformer(write_transformer, tmp_path_factory):
    """One such folder. A word of n ASCII letters is n tokens; do not write into it."""
    return write_transformer(tmp_path_factory.mktemp("transformer"))


@pytest.fixture(scope="session")
def write_random():
    """Writes a random post-norm model of one kind (its ``model_type``) as transformers does."""

    def write(folder, kind):
        small = {
            "vocab_size": 40,
            "hidden_size": 24,
            "num_hidden_layers": 2,
            "num_attention_heads": 3,
            "intermediate_size": 48,
            "max_position_embeddings": 66,
            "pad_token_id": 1,
            "initializer_range": 0.5,
        }
        config = AutoConfig.for_model(kind, **small)
        with torch.random.fork_rng():
            torch.manual_seed(0)
            model = AutoModel.from_config(config)
            for name, weight in model.named_parameters():
                if name.endswith("bias"):
                    torch.nn.init.normal_(weight)
        model.save_pretrained(folder)
        return folder

    return write
