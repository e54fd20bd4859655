import json
import random

from scripts.training_pairs import main, make_pairs, question_sections, sentence_contexts

SECTION = "Every request is written to the log before it is answered, with its time. " * 4
PROSE = (
    "The old keeper climbed the stairs of the tower every evening before the sun went down. "
    "He carried the oil for the lamp in two cans of tin that his father had made for him. "
    "Nobody in the village below remembered a night on which the light had not been lit."
)


def document(text, kind="tech"):
    return {"text": text, "source": "made", "kind": kind}


def test_a_question_over_a_section_is_its_query():
    text = (
        "# Logging\n\nIntroduction.\n\n## Where do the requests go?\n\n"
        f"{SECTION}\n\n# Metrics\n\nOther things.\n\n**Why?**\n\n{SECTION}"
    )
    (row,) = question_sections(document(text))  # "Why?" is too short to ask anything

    assert row["query"] == "Where do the requests go?"
    assert row["positive"].startswith("Every request")
    assert "# Metrics" in row["positive"]  # the section was still short
    assert row["type"] == "question heading -> section"


def test_a_section_ends_at_the_next_question_or_heading():
    text = f"1.2 What is written down here?\n\n{SECTION * 2}\n\n# Next\n\nNo more of it.\n"

    (row,) = question_sections(document(text))

    assert "Next" not in row["positive"]


def test_questions_of_a_template_are_left_out():
    text = f"## How is the feature enabled?\n\n{SECTION}"
    other = f"## How is the cache emptied?\n\n{SECTION}"

    rows = make_pairs([document(text)] * 3 + [document(other)], seed=1)

    assert [row["query"] for row in rows] == ["How is the cache emptied?"]


def test_a_sentence_is_taken_out_of_its_surroundings():
    paragraphs = [PROSE.replace("village", f"village number {number}") for number in range(6)]
    text = "\n\n".join(paragraphs)

    rows = list(sentence_contexts(document(text, "prose"), random.Random(3)))

    assert len(rows) == 6
    whole = [row for row in rows if row["query"][-1] == "."]
    assert whole
    for row in rows:
        assert row["query"] not in row["positive"]
        assert set(row["query"].split()) <= set(text.split())
        assert len(row["positive"]) > 300


def test_code_and_short_texts_give_nothing(tmp_path):
    texts, out = tmp_path / "texts.jsonl", tmp_path / "out.jsonl"
    rows = [document(PROSE, "code"), document(PROSE, "prose")]
    texts.write_text("".join(json.dumps(row) + "\n" for row in rows))

    main([str(texts), str(out)])

    assert out.read_text() == ""
