import pytest

pytest.importorskip("bm25s", reason="extra eval")

from lmk_encoder.evaluation.datasets import RetrievalSet, load_set
from lmk_encoder.evaluation.lexical import bm25_system, is_english, spaced_pairs

ENGLISH = "The pump was replaced in March, and this is the reason for which we are here."


def best(data):
    run = bm25_system(data).run
    return {query: max(found, key=found.get) for query, found in run.items()}


def test_english_words_are_stemmed(set_folder):
    data = load_set(set_folder)
    data.queries["q1"] = "replacing pumps"
    assert best(data) == {"q1": "pump", "q2": "roof", "q3": "tide"}


def test_a_query_of_unknown_words_finds_nothing(set_folder):
    data = load_set(set_folder)
    data.queries["q1"] = "zzz"
    assert set(bm25_system(data).run["q1"].values()) == {0.0}


def test_chinese_is_found_by_pairs():
    data = RetrievalSet(
        "zh",
        {"a": "泵在三月更换。", "b": "屋顶在图书馆上方漏水。"},
        {"q": "图书馆漏水"},
        {"q": {"b": 1}},
    )
    assert best(data) == {"q": "b"}
    assert spaced_pairs("用日本語で") == " 用日 日本 本語 語で "
    assert spaced_pairs("a 泵 b") == "a  泵  b"
    assert spaced_pairs("plain") == "plain"


def test_a_corpus_without_words_is_no_error():
    data = RetrievalSet("s", {"a": "!", "b": ""}, {"q": "word"}, {"q": {"a": 1}})
    assert set(bm25_system(data).run["q"].values()) == {0.0}


@pytest.mark.parametrize(
    ("text", "english"),
    [
        (ENGLISH, True),
        ("Die Pumpe wurde im März ersetzt, und das ist der Grund, in dem wir da sind.", False),
        ("La bomba fue reemplazada en marzo, y esta es la razón por la que estamos.", False),
        ('def is_open(self, path):\n    """Whether this is the file."""\n    return path', True),
        ("", False),
    ],
)
def test_english_is_told_by_its_small_words(text, english):
    assert is_english([text]) is english
