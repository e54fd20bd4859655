"""A query as the engines take it."""

from indexer.query.parse import parse
from indexer.search.asked import QueryReader
from lmk_encoder.testing import KeywordEncoder


def test_single_characters_of_a_word_rank_and_are_not_marked():
    asked = QueryReader(KeywordEncoder).read(parse("水道 pump"))
    assert asked.terms == ("水", "水道", "道", "pump")
    assert asked.marked == {"水道", "pump"}
