"""Training pairs out of plain texts: questions that stand as headings, sentences of a passage.

    python scripts/training_pairs.py TEXTS.jsonl[.xz] OUT.jsonl [--seed N]

TEXTS are rows of ``text``, ``source`` and ``kind`` (prose, tech, code). Two types of rows come out:

- ``question heading -> section``: a heading or a paragraph's first line that asks something, with
  the text up to the next question or heading. These are questions that people wrote.
- ``sentence -> surroundings``: a sentence of prose, two times in five only some of its words, with
  the text around it, from which it is taken out (the inverse cloze task of Lee, Chang and
  Toutanova, ACL 2019).
"""

import argparse
import json
import random
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from lmk_encoder.training.lines import JsonLines

Row = dict[str, Any]

QUESTION = re.compile(
    r"^(?:#+ |=+ ?|\d+(?:\.\d+)*[.:]? |[*-] |\*\*|Q[:.] )?(\W?[A-Z][^\n?]{14,160}\?)(?:\*\*| ?=+)?$"
)
PARAGRAPHS = re.compile(r"\n\s*\n")
SENTENCES = re.compile(r"(?<=[.!?])[\"”]?\s+(?=[A-Z\"“])")
SECTION_CHARS = 8000  # of a section; it ends with the paragraph that passes them
SHORTEST_SECTION_CHARS = 250
REPEATED = 2  # a question under more headings than that is part of a template
SENTENCES_OF = {"prose": 8, "tech": 3}  # of each document
SENTENCE_WORDS = range(8, 36)
CONTEXT_CHARS = (300, 4000)  # on either side of the paragraph
KEYWORDS = 0.4  # share of the queries that are words of a sentence, not all of it
KEPT_WORDS = 0.6


def main(argv: Sequence[str] | None = None) -> None:
    """Read the texts, write the pairs."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("texts", type=Path)
    parser.add_argument("out", type=Path)
    parser.add_argument("--seed", type=int, default=5)
    options = parser.parse_args(argv)
    lines = JsonLines(options.texts)
    rows = make_pairs([lines[row] for row in range(len(lines))], options.seed)
    with options.out.open("w", encoding="utf-8") as file:
        file.writelines(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)
    for kind, number in sorted(Counter(row["type"] for row in rows).items()):
        print(f"{number:7,} {kind}")


def make_pairs(documents: Sequence[Row], seed: int) -> list[Row]:
    """The rows of both types; the same seed draws the same sentences."""
    drawn = random.Random(seed)
    texts = [document for document in documents if document["kind"] in SENTENCES_OF]
    questions = [row for document in texts for row in question_sections(document)]
    asked = Counter(row["query"].lower() for row in questions)
    sentences = [row for document in texts for row in sentence_contexts(document, drawn)]
    drawn.shuffle(sentences)
    return [row for row in questions if asked[row["query"].lower()] <= REPEATED] + sentences


def question_sections(document: Row) -> Iterator[Row]:
    """Every heading that is a question of at least four words, with what follows it."""
    paragraphs = PARAGRAPHS.split(document["text"])
    asked = []
    for place, paragraph in enumerate(paragraphs):
        first, _, rest = paragraph.strip().partition("\n")
        if found := QUESTION.match(first.strip()):
            asked.append((place, found[1].strip(), rest.strip()))
    ends = [place for place, _, _ in asked] + [len(paragraphs)]
    for (place, question, rest), end in zip(asked, ends[1:], strict=True):
        body = [rest] if len(rest) > 40 else []
        for paragraph in paragraphs[place + 1 : end]:
            size = sum(map(len, body))
            if size >= SECTION_CHARS or (size > 400 and paragraph.lstrip().startswith("#")):
                break
            body.append(paragraph)
        text = "\n\n".join(body).replace(question, " ").strip()
        if len(text) >= SHORTEST_SECTION_CHARS and question.count(" ") >= 3:
            query = question.strip("*_`# ")
            yield _row(query, text, document, "question heading -> section")


def sentence_contexts(document: Row, drawn: random.Random) -> Iterator[Row]:
    """Sentences of some paragraphs of running text, each with what stands around it."""
    text = document["text"]
    paragraphs = [part for part in PARAGRAPHS.split(text) if _is_running_text(part)]
    if len(paragraphs) < 5:
        return
    count = min(SENTENCES_OF[document["kind"]], len(paragraphs))
    for paragraph in drawn.sample(paragraphs, count):
        sentences = [
            sentence
            for sentence in SENTENCES.split(paragraph)
            if len(sentence.split()) in SENTENCE_WORDS
        ]
        if not sentences:
            continue
        sentence = drawn.choice(sentences)
        begin = text.index(paragraph)
        first = max(0, begin - drawn.randint(*CONTEXT_CHARS))
        last = begin + len(paragraph) + drawn.randint(*CONTEXT_CHARS)
        words = sentence.split()
        if drawn.random() < KEYWORDS:
            kept = [word for word in words if drawn.random() < KEPT_WORDS]
            words = kept if len(kept) >= 5 else words
        context = text[first:last].replace(sentence, " ")
        yield _row(" ".join(words), context, document, "sentence -> surroundings")


def _is_running_text(paragraph: str) -> bool:
    letters = sum(letter.isalpha() or letter == " " for letter in paragraph)
    return len(paragraph) > 200 and letters > 0.85 * len(paragraph)


def _row(query: str, positive: str, document: Row, kind: str) -> Row:
    return {
        "query": query,
        "positive": positive,
        "source": document["source"],
        "kind": document["kind"],
        "type": kind,
    }


if __name__ == "__main__":
    main()
