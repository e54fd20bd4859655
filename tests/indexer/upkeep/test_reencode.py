"""Going over to another model: beside the old rows, in one step, and on from where it stopped."""

import pytest

from indexer import DocumentIndex
from indexer.config import Settings
from indexer.errors import IndexMismatch
from lmk_encoder.testing import KeywordEncoder
from tests.indexer.conftest import write
from tests.indexer.invariants import check_whole


@pytest.fixture
def folder(tmp_path):
    for i in range(12):
        write(tmp_path / f"d/{i}.txt", f"Text number{i} tells of a thing. " * 3)
    return tmp_path / "d"


def with_model(index, name):
    settings = Settings(parse_workers=1, batch_chars=100)
    return DocumentIndex(index.path, settings=settings, encoder=KeywordEncoder(name=name))


def test_an_index_goes_over_to_another_model_and_can_be_stopped(index, folder):
    index.add([folder])
    other = with_model(index, "other")
    first = other.rebuild(should_stop=lambda: other.encoder.encoded_texts >= 4)
    assert first.interrupted
    assert 0 < len(first.added) < 12
    assert index.search("number3", k=1)[0].path.endswith("/3.txt")  # still the old rows

    write(folder / "late.txt", "It came between. ")
    assert len(index.add([folder]).added) == 1  # and they may still change
    assert index.doctor() == []

    second = other.rebuild()
    assert len(second.added) == 13 - len(first.added)
    assert len(second.unchanged) == len(first.added)
    assert check_whole(other) == 13
    assert other.search("number3", k=1)[0].path.endswith("/3.txt")
    with pytest.raises(IndexMismatch, match="Put that model back"):
        index.search("number3")


def test_what_was_begun_for_one_model_is_no_start_for_another(index, folder):
    index.add([folder])
    begun = with_model(index, "other")
    assert begun.rebuild(should_stop=lambda: begun.encoder.encoded_texts >= 4).interrupted
    assert len(with_model(index, "third").rebuild().added) == 12
    assert check_whole(with_model(index, "third")) == 12
