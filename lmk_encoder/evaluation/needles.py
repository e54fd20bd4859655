"""Sets that ask for one sentence in a long document: needle, passkey and RULER's tasks (pure).

A document is a stretch of prose of a given number of words, with the asked sentence at a known
depth (0: at its start, 1: at its end; evenly spread over the documents of a set). Only a vector
that has kept one sentence of the whole finds the document again.

``needle`` and ``passkey``: every document hides another sentence of the same form, and they all
compete. The tasks after RULER (arXiv:2404.06654), as the paper scores them: each question ranks
its document among documents without needles.
"""

import random
import uuid
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from lmk_encoder.errors import ConfigError
from lmk_encoder.evaluation.datasets import CharRange, Evidence, RetrievalSet
from lmk_encoder.evaluation.metrics import RUN_DEPTH, Run
from lmk_encoder.evaluation.prose import Paragraph

_FIRST = (
    "Adele Amos Anton Astrid Basil Bruno Celia Clement Cosima Darius Dinah Edwin Elspeth Enzo "
    "Fergus Fiona Gideon Gwen Hanna Hubert Ines Jonas Judith Kaspar Leonie Linus Mara Mattis "
    "Noemi Oswald Pia Rupert Saskia Tobias Ulla Viktor Wilma Yara Zeno Zelda"
).split()
_LAST = (
    "Ackroyd Bellweather Castellan Dorrington Everly Farnsworth Goodall Hathersage Ibbotson "
    "Jessop Kestrel Lindqvist Mossman Nightingale Oldcastle Prendergast Quayle Ravenhill "
    "Silverton Tremayne Upjohn Vandermeer Whitcombe Yarwood Zeller Ashgrove Brandwood Coppinger "
    "Dunstable Elphick Fairweather Greenhalgh"
).split()
_FACTS = (  # sentence, question, and what the answer may be
    ("{name} keeps a {value} in the attic.", "What does {name} keep in the attic?",
     "telescope harp loom globe kayak printing-press barrel gramophone sledge birdcage"),
    ("The house of {name} has a {value} door.", "Which colour is the door of {name}'s house?",
     "vermilion turquoise ochre violet silver lilac orange black cream emerald"),
    ("{name} grew up on an island near {value}.", "Near which place did {name} grow up?",
     "Bergen Naples Cork Split Gdansk Porto Malmo Brest Rhodes Aarhus"),
    ("On Sundays {name} bakes {value}.", "What does {name} bake on Sundays?",
     "gingerbread pretzels baklava scones brioche waffles macaroons strudel flapjacks crumpets"),
    ("{name} is afraid of {value}.", "What is {name} afraid of?",
     "lightning spiders heights elevators geese mirrors tunnels balloons ladders moths"),
)  # fmt: skip
_THINGS = (
    "amber anvil arcade beacon bramble buckle candle canyon cedar cobalt copper cricket dagger "
    "ember falcon feather garnet glacier hammer harvest hazel island ivory jasmine kettle lagoon "
    "lantern ledger lichen magnet meadow nectar nutmeg orchid oyster paddle pebble pepper quartz "
    "quiver raven ribbon saddle saffron sparrow thimble thistle timber tulip turbine velvet "
    "walnut willow zephyr"
).split()
_NOUN = {"number": "number", "word": "word", "uuid": "uuid"}


class Hiding(NamedTuple):
    """What one document hides: sentences, and questions with the sentences that answer each."""

    sentences: Sequence[str]
    questions: Sequence[tuple[str, Sequence[int]]]


@dataclass(frozen=True, slots=True)
class HiddenSet:
    """A set with the depth of every answer, and which documents compete.

    ``distractors`` are documents without needles; if there are any, a question ranks its own
    document among these only.
    """

    data: RetrievalSet
    distractors: frozenset[str]

    def fair(self, run: Run) -> Run:
        """The run with only those documents left to each query that it is to be ranked among."""
        if not self.distractors:
            return run
        return {
            query: {
                doc: score
                for doc, score in row.items()
                if doc in self.distractors or doc in self.data.qrels[query]
            }
            for query, row in run.items()
        }


def make_hidden_set(
    task: str,
    words: int,
    *,
    documents: int,
    seed: int,
    hay: Callable[[random.Random], Iterator[Paragraph]],
) -> HiddenSet:
    """Documents of ``words`` words that hide the sentences of one task.

    Args:
        task: one of ``TASKS``.
        words: of every document, the hidden sentences included.
        documents: that hide something; under RULER's tasks as many again hide nothing, so at
            most half of what a run holds.
        seed: the same arguments give the same set, on any machine.
        hay: paragraphs without end; called with a generator for every document.

    Raises:
        ConfigError: the task is unknown, or its sentences do not fit so few words, or there are
            too many documents.
    """
    if task not in TASKS:
        raise ConfigError(f"The task {task!r} is unknown.", f"Use: {', '.join(TASKS)}.")
    most = RUN_DEPTH // 2 if task in RULER_TASKS else len(_FIRST) * len(_LAST)
    if not 2 <= documents <= most:
        raise ConfigError(f"{documents} documents are out of range.", f"Use 2 to {most}.")
    generator = random.Random(f"{task} {words} {documents} {seed}")  # by a digest, not hash()
    names = [f"{first} {last}" for first in _FIRST for last in _LAST]
    keys = [f"{one}-{other}" for one in _THINGS for other in _THINGS if one != other]
    generator.shuffle(names)
    generator.shuffle(keys)
    depths = [index / max(1, documents - 1) for index in range(documents)]
    generator.shuffle(depths)
    texts, queries, qrels, evidence, asked = {}, {}, {}, {}, {}
    for index, depth in enumerate(depths):
        hiding = _hiding(task, generator, names, keys)
        text, ranges, places = _fill(words, hiding, depth, generator, hay(generator))
        texts[f"d{index}"] = text
        for number, (question, answers) in enumerate(hiding.questions):
            query = f"q{index}.{number}"
            queries[query], qrels[query] = question, {f"d{index}": 1}
            evidence[query] = Evidence(f"d{index}", tuple(ranges[i] for i in answers))
            asked[query] = places[answers[0]]
    empty = {}
    if task in RULER_TASKS:
        for index in range(documents):
            text, _, _ = _fill(words, Hiding([], []), 0.0, generator, hay(generator))
            empty[f"x{index}"] = text
    data = RetrievalSet(f"{task}-{words}", texts | empty, queries, qrels, evidence, asked)
    return HiddenSet(data, frozenset(empty))


def _hiding(task: str, generator: random.Random, names: list[str], keys: list[str]) -> Hiding:
    kind, _, count = task.partition("_")
    match kind:
        case "needle":
            pattern, ask, values = generator.choice(_FACTS)
            name, value = names.pop(), generator.choice(values.split())
            return Hiding([pattern.format(name=name, value=value)], [(ask.format(name=name), [0])])
        case "passkey":
            name, value = names.pop(), str(generator.randrange(10_000, 100_000))
            sentence = f"The pass key of {name} is {value}; keep in mind that it is {value}."
            return Hiding([sentence], [(f"What is the pass key of {name}?", [0])])
        case "number" | "word" | "uuid":
            return _magic(generator, [keys.pop()], kind)
        case "multikey":
            own = [keys.pop() for _ in range(int(count))]
            hiding = _magic(generator, own, "number")
            return hiding._replace(questions=hiding.questions[:1])
        case "multivalue":
            key = keys.pop()
            return Hiding(
                [_sentence(key, _value(generator, "number"), "number") for _ in range(4)],
                [(f"What are all the special magic numbers for {key}?", [0, 1, 2, 3])],
            )
        case _:  # multiquery: every one of eight pairs is asked
            return _magic(generator, [keys.pop() for _ in range(8)], "number")


def _magic(generator: random.Random, keys: Sequence[str], kind: str) -> Hiding:
    sentences = [_sentence(key, _value(generator, kind), kind) for key in keys]
    questions = [
        (f"What is the special magic {_NOUN[kind]} for {key}?", [index])
        for index, key in enumerate(keys)
    ]
    return Hiding(sentences, questions)


def _sentence(key: str, value: str, kind: str) -> str:
    return f"One of the special magic {_NOUN[kind]}s for {key} is: {value}."


def _value(generator: random.Random, kind: str) -> str:
    if kind == "number":
        return str(generator.randrange(1_000_000, 10_000_000))
    if kind == "word":
        return "-".join(generator.sample(_THINGS, 2))
    return str(uuid.UUID(int=generator.getrandbits(128), version=4))


def _fill(
    words: int,
    hiding: Hiding,
    depth: float,
    generator: random.Random,
    paragraphs: Iterator[Paragraph],
) -> tuple[str, list[CharRange], list[float]]:
    """Text of ``words`` words; ranges and depths of the hidden sentences.

    The first stands at ``depth``, the others anywhere.
    """
    room = words - sum(len(sentence.split()) for sentence in hiding.sentences)
    if room < 1:
        what = f"{len(hiding.sentences)} sentences do not fit a document of {words} words."
        raise ConfigError(what, "Use longer documents.")
    hay = _stretch(paragraphs, room)
    depths = [depth, *(generator.random() for _ in hiding.sentences[1:])][: len(hiding.sentences)]
    # What stands deeper is put in first, so that places counted from the start stay right.
    flat = [(sentence, is_last) for part in hay for sentence, is_last in _marked(part)]
    before = [0]
    for sentence, _ in flat:
        before.append(before[-1] + len(sentence.split()))
    slots = [next(i for i, n in enumerate(before) if n >= d * room) for d in depths]
    order = sorted(range(len(slots)), key=lambda index: slots[index])
    pieces: list[str] = []
    ranges: list[CharRange] = [(0, 0)] * len(slots)
    size = 0

    def put(text: str, end: str) -> CharRange:
        nonlocal size
        start = size
        pieces.append(text + end)
        size += len(text) + len(end)
        return start, start + len(text)

    for index, (sentence, is_last) in enumerate([*flat, ("", True)]):
        for hidden in (i for i in order if slots[i] == index):
            ranges[hidden] = put(hiding.sentences[hidden], " ")
        if sentence:
            put(sentence, "\n\n" if is_last else " ")
    return "".join(pieces).rstrip(), ranges, depths


def _marked(paragraph: Paragraph) -> list[tuple[str, bool]]:
    return [(sentence, index == len(paragraph) - 1) for index, sentence in enumerate(paragraph)]


def _stretch(paragraphs: Iterator[Paragraph], words: int) -> list[Paragraph]:
    """Paragraphs of exactly so many words in all; the last sentence may be cut."""
    result: list[Paragraph] = []
    left = words
    while left > 0:
        kept: Paragraph = []
        for sentence in next(paragraphs):
            part = sentence.split()[:left]
            left -= len(part)
            if part:
                kept.append(" ".join(part))
        result.append(kept)
    return result


NEEDLE_TASKS = ("needle", "passkey")
RULER_TASKS = (
    *("number", "word", "uuid", "multikey_4", "multikey_8", "multikey_16"),
    *("multivalue", "multiquery"),
)
TASKS = (*NEEDLE_TASKS, *RULER_TASKS)
