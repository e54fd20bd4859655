"""Hidden sentences: where they are said to stand, once each, in documents of the asked length."""

import random
import subprocess
import sys

import pytest

from lmk_encoder.errors import ConfigError
from lmk_encoder.evaluation.needles import RULER_TASKS, TASKS, make_hidden_set
from lmk_encoder.evaluation.prose import generated, taken_from


def make(task, words=300, documents=5, seed=0, hay=generated):
    return make_hidden_set(task, words, documents=documents, seed=seed, hay=hay)


@pytest.mark.parametrize("task", TASKS)
def test_documents_have_the_length_and_the_answer_where_they_say(task):
    hidden = make(task)
    data = hidden.data
    assert data.name == f"{task}-300"
    for doc, text in data.documents.items():
        assert len(text.split()) == 300, doc
    for query, right in data.evidence.items():
        assert data.qrels[query] == {right.doc_id: 1}
        text = data.documents[right.doc_id]
        for start, end in right.ranges:
            sentence = text[start:end]
            assert sentence.endswith(".")
            assert text.count(sentence) == 1
        subject = data.queries[query].removesuffix("?").removesuffix("'s house").split()[-1]
        assert subject.split("'")[0] in text or task == "needle"


@pytest.mark.parametrize("task", ["needle", "number"])
def test_the_asked_sentence_stands_at_its_depth(task):
    hidden = make(task, words=1000, documents=11)
    assert sorted(hidden.data.depths.values()) == pytest.approx([i / 10 for i in range(11)])
    for query, depth in hidden.data.depths.items():
        right = hidden.data.evidence[query]
        text = hidden.data.documents[right.doc_id]
        words_before = len(text[: right.ranges[0][0]].split())
        assert words_before / 1000 == pytest.approx(depth, abs=0.03)
    ends = [q for q, depth in hidden.data.depths.items() if depth in (0.0, 1.0)]
    first, last = sorted(ends, key=hidden.data.depths.get)
    start, _ = hidden.data.evidence[first].ranges[0]
    _, end = hidden.data.evidence[last].ranges[0]
    assert start == 0
    assert end == len(hidden.data.documents[hidden.data.evidence[last].doc_id])


def test_counts_of_sentences_and_questions():
    assert len(make("multikey_16", documents=2).data.queries) == 2
    assert len(make("multiquery", documents=2).data.queries) == 16
    assert [len(e.ranges) for e in make("multivalue", documents=2).data.evidence.values()] == [4, 4]
    text = make("multikey_16", documents=2).data.documents["d0"]
    assert text.count("special magic number") == 16


@pytest.mark.parametrize("task", RULER_TASKS)
def test_ruler_ranks_among_documents_without_needles(task):
    hidden = make(task, documents=3)
    assert hidden.distractors == {"x0", "x1", "x2"}
    assert all("magic" not in hidden.data.documents[doc] for doc in hidden.distractors)
    run = {"q0.0": {"d0": 1.0, "d1": 2.0, "x0": 0.5}}
    assert hidden.fair(run) == {"q0.0": {"d0": 1.0, "x0": 0.5}}


def test_needles_compete_with_one_another():
    hidden = make("needle")
    assert hidden.distractors == frozenset()
    assert hidden.fair({"q": {"d1": 1.0}}) == {"q": {"d1": 1.0}}
    assert len(set(hidden.data.queries.values())) == 5


def test_a_set_is_the_same_in_every_process():
    """Seeds do not go through hash(), which differs from process to process."""
    code = (
        "from lmk_encoder.evaluation.needles import make_hidden_set as make\n"
        "from lmk_encoder.evaluation.prose import generated\n"
        "print(make('uuid', 80, documents=2, seed=1, hay=generated).data.documents)"
    )
    done = [
        subprocess.run(
            [sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd="."
        ).stdout
        for _ in range(2)
    ]
    assert done[0] == done[1]
    assert make("uuid", seed=1).data != make("uuid", seed=2).data


def test_sentences_that_do_not_fit_are_an_error():
    with pytest.raises(ConfigError, match="16 sentences do not fit a document of 100 words"):
        make("multikey_16", words=100)
    with pytest.raises(ConfigError, match="51 documents are out of range"):
        make("number", documents=51)
    with pytest.raises(ConfigError, match="Use: needle, passkey"):
        make("haystack")


def test_hay_of_a_text_runs_in_order_and_over_again():
    text = "One is here. Two is here.\n\nThree is\nhere.\n\n \n\nFour."
    paragraphs = taken_from(text, random.Random(0))
    found = [next(paragraphs) for _ in range(6)]
    assert found[:3] == found[3:]
    assert sorted(found[:3]) == [
        ["Four."],
        ["One is here.", "Two is here."],
        ["Three is here."],
    ]
    with pytest.raises(ValueError, match="blank"):
        next(taken_from(" \n\n ", random.Random(0)))


def test_generated_hay_varies():
    paragraphs = generated(random.Random(0))
    sentences = [sentence for _ in range(200) for sentence in next(paragraphs)]
    assert len(set(sentences)) > 0.9 * len(sentences)
    assert all(sentence[0].isupper() and sentence[-1] == "." for sentence in sentences)
