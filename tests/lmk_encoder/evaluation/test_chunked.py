"""The base model on long texts: chunks tile, and every vector is the mean it says it is."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lmk_encoder.errors import MissingExtra, ModelError
from lmk_encoder.evaluation import base_model
from lmk_encoder.evaluation.base_model import BaseModel, PooledWindow, base_folder, whole
from lmk_encoder.evaluation.chunked import base_systems, chunk_borders, late_windows
from lmk_encoder.evaluation.datasets import Evidence, RetrievalSet
from lmk_encoder.types import no_progress


@pytest.fixture(scope="module")
def model(base_model_folder):
    return BaseModel(base_model_folder, device="cpu", dtype="float32")


@given(st.integers(1, 2000))
def test_chunks_tile_the_tokens(count):
    borders = chunk_borders(count)
    assert [a for a, _ in borders] == [0, *(b for _, b in borders[:-1])]
    assert borders[-1][1] == count
    assert all(b - a == 254 for a, b in borders[:-1])


@given(st.integers(0, 2000), st.sampled_from([254, 510, 1200]))
def test_late_windows_hold_every_token_once(count, room):
    ids = np.arange(count)
    windows = late_windows(ids, room)
    assert np.concatenate([window.ids for window in windows]).tolist() == ids.tolist()
    chunks = [
        window.ids[a - 1 : b - 1].tolist() for window in windows for a, b in window.ranges if count
    ]
    assert chunks == [ids[a:b].tolist() for a, b in chunk_borders(count) if count]
    assert all(len(window.ids) <= max(room, 254) for window in windows)


def test_a_mean_is_over_start_and_end_token_too(model):
    """Equal to the states of the same ids, averaged by hand."""
    ids, _ = model.tokenize("abc de")
    states = model._states([whole(ids)])[0]
    assert states.shape == (7, 32)
    mean = states.mean(axis=0)
    (found,) = model.means([whole(ids)])
    assert found[0] == pytest.approx(mean / np.linalg.norm(mean), abs=1e-6)


def test_vectors_do_not_depend_on_the_batch(model):
    windows = [whole(model.tokenize("ab " * n)[0]) for n in (3, 9, 3, 1)]
    together = model.means(windows)
    alone = [model.means([window])[0] for window in windows]
    assert np.concatenate(together) == pytest.approx(np.concatenate(alone), abs=1e-5)


def test_ranges_of_one_window_are_averaged_apart(model):
    ids, _ = model.tokenize("abcd")
    (both,) = model.means([PooledWindow(ids, [(1, 3), (3, 5)])])
    (first,) = model.means([PooledWindow(ids, [(1, 3)])])
    assert both.shape == (2, 32)
    assert both[0] == pytest.approx(first[0], abs=1e-6)


def test_the_four_systems(model):
    """A text of 600 tokens: three chunks, whose spans point to the answer."""
    data = RetrievalSet(
        "s",
        {"long": "abcdef " * 100, "short": "xyz", "empty": ""},
        {"q": "xyz"},
        {"q": {"short": 1}},
        {"q": Evidence("long", ((690, 699),))},
    )
    calls = []
    systems = base_systems(model, data, lambda *now: calls.append(now))
    assert list(systems) == ["first512", "chunks", "chunks_mean", "late_chunking"]
    assert [systems[name].num_vectors for name in systems] == [3, 5, 3, 5]
    assert [systems[name].effort.tokens for name in systems] == [513, 603, 603, 603]
    spans = systems["chunks"].places["q"].every
    assert spans.tolist() == systems["late_chunking"].places["q"].every.tolist()
    # 254 tokens are 42 words and two letters.
    assert spans.tolist() == [[0, 296], [296, 592], [592, 699]]
    assert systems["first512"].places == systems["chunks_mean"].places == {}
    assert calls[-1] == ("late_chunking", 703, 703)
    assert systems["chunks"].run["q"]["short"] == pytest.approx(1, abs=1e-5)


def test_a_query_is_cut_to_what_the_model_takes(model):
    (long, cut) = model.encode_query(["ab" * 400, "ab" * 255])
    assert model.max_content == 510
    assert long == pytest.approx(cut, abs=1e-5)


def test_a_tokenizer_that_names_no_special_tokens_is_an_error(base_model_folder, tmp_path):
    for path in base_model_folder.iterdir():
        if path.name != "tokenizer_config.json":
            (tmp_path / path.name).write_bytes(path.read_bytes())
    with pytest.raises(ModelError, match="names no cls_token and sep_token"):
        BaseModel(tmp_path)


def test_an_absent_base_model_is_named_with_the_remedy(monkeypatch):
    monkeypatch.setattr(base_model, "BASE_PACKAGE", "no_such_package")
    with pytest.raises(MissingExtra, match=r"lmk\[eval\]"):
        base_folder()


def test_no_progress_is_no_error(model):
    model.means([whole(model.tokenize("a")[0])], no_progress)
