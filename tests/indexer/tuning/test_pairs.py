from indexer.documents import Section
from indexer.tuning.pairs import SyntheticPair, document_pairs, unambiguous

BODY = "The pump lifts water from the lower basin. It runs at night, when power is cheap. " * 3


def queries(*arguments):
    return {pair.query: pair.positive for pair in document_pairs("d", *arguments)}


def test_titles_headings_and_first_sentences_of_prose():
    text = f"Handbook of the island\n\nHow the pump works\n{BODY}"
    section = Section("How the pump works", text.index("How the"), len(text), 1)

    found = queries("Handbook of the island", "markdown", text, [section])

    assert set(found) == {
        "Handbook of the island",
        "How the pump works",
        "The pump lifts water from the lower basin.",
    }
    assert found["How the pump works"] == BODY.strip()
    assert found["The pump lifts water from the lower basin."].startswith("It runs at night")
    assert not found["Handbook of the island"].startswith("Handbook")


def test_docstrings_and_comments_of_code():
    body = "".join(f"    total_{n} = first + second * {n}\n" for n in range(6))
    text = (
        f'def level(first, second):\n    """Return the height of the tide.\n\n    No.\n    """\n'
        f"{body}"
        f"\n// Sends one frame to the gauge. Slowly.\nfn send() {{\n{body}}}\n"
    )
    start = text.index("\n//") + 1

    found = queries(
        "", "code", text, [Section("level", 0, start - 1, 1), Section("send", start, len(text), 1)]
    )

    assert set(found) == {"Return the height of the tide.", "Sends one frame to the gauge."}
    assert "height of the tide" not in found["Return the height of the tide."]
    assert "def level(first, second):" in found["Return the height of the tide."]
    assert "Sends" not in found["Sends one frame to the gauge."]


def test_short_questions_and_answers_are_left_out():
    text = f"Pumps\n{BODY}"

    assert queries("Pumps", "text", text, [Section("Pumps", 0, len(text), 1)]).keys() == {
        "The pump lifts water from the lower basin."
    }
    assert (
        queries("A title of some words", "text", "A title of some words. And little more.", [])
        == {}
    )


def test_a_question_with_two_answers_is_none():
    pairs = [
        SyntheticPair("How it works", "a", "1"),
        SyntheticPair("how it works", "b", "2"),
        SyntheticPair("Where it stands", "c", "1"),
        SyntheticPair("Where it stands", "c", "1"),
    ]

    assert [pair.query for pair in unambiguous(pairs)] == ["Where it stands"]
