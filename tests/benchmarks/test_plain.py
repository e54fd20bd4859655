"""The rival is a fair one: whole pages in, chunks that the model reads to the end."""

import pytest

pytest.importorskip("sentence_transformers", reason="extra bench")

from benchmarks.harness import plain
from benchmarks.harness.corpus import CorpusFile

pytestmark = pytest.mark.slow
LINES = [f"line {number} tells about lamp {number} in house {number}" for number in range(1, 101)]


@pytest.fixture(scope="module")
def way() -> plain.PlainWay:
    way = plain.load_plain_way()
    assert way is not None
    return way


@pytest.fixture
def file(tmp_path) -> CorpusFile:
    path = tmp_path / "lamps.txt"
    path.write_text("\n".join(LINES), encoding="utf-8")
    return CorpusFile(path, "lamps.txt", 2)


def test_no_chunk_is_cut_off_by_the_model(way, file):
    """Each chunk, with [CLS] and [SEP], fits the model's window, and most fill it."""
    lengths = [len(way.model.tokenizer(chunk.text).input_ids) for chunk in way.chunks(file)]
    assert max(lengths) <= way.model.max_seq_length == plain.MAX_SEQ_LENGTH
    assert min(lengths[:-1]) > plain.MAX_SEQ_LENGTH / 2


def test_chunks_tell_their_lines(way, file):
    chunks = list(way.chunks(file))
    assert [line for chunk in chunks for line in chunk.text.split("\n")] == LINES
    for chunk in chunks:
        assert chunk.text.split("\n") == LINES[chunk.first - 1 : chunk.last]


def test_the_nearest_chunk_comes_first(way, file, tmp_path):
    other = tmp_path / "bread.md"
    other.write_text("Bread is baked from flour, water, salt and yeast.", encoding="utf-8")
    files = [file, CorpusFile(other, "bread.md", 1)]

    report = way.index(files, tmp_path / "table")
    hits = way.search(plain.open_table(tmp_path / "table"), "how do I bake a loaf?", 2)

    assert report.chunks == len(list(way.chunks(file))) + 1
    assert report.tokens == 100 * 9 + 12  # words of the lines; of the recipe, with its marks
    assert [hit.document for hit in hits] == ["bread.md", "lamps.txt"]
