"""English prose without end, made of word lists (pure): hay that is free and in no training set.

Paragraphs keep to one subject, and no sentence holds a name or a number, so that nothing in the
hay competes with a needle.
"""

import random
from collections.abc import Iterator

Paragraph = list[str]  # its sentences

# A subject: who acts, what they did, to what, and where; phrases divided by slashes.
_SUBJECTS = (
    (
        "the old fisherman/his nephew/the crew of the trawler/a net maker/the harbour master/"
        "the woman from the fuel dock/two deckhands/the cook",
        "mended/hauled in/counted/washed down/tied up/painted/sold/dragged ashore",
        "the torn nets/a heavy basket/the long line/the tarred ropes/the wooden hull/"
        "a crate of mackerel/the anchor chain/the worn oars",
        "beside the breakwater/on the shingle/under the lamps of the quay/in the lee of the sheds/"
        "where the slipway ends/behind the ice house",
    ),
    (
        "the gardener/an apprentice/her neighbour/the boy with the barrow/the owner of the orchard/"
        "a visitor/the beekeeper/the night watchman",
        "pruned/watered/dug over/gathered/carried away/replanted/covered with straw/admired",
        "the pear trees/a row of beans/the rose beds/the fallen apples/the compost heap/"
        "the seedlings/a tangle of brambles/the lavender",
        "along the south wall/near the pond/in the cold frame/at the foot of the terrace/"
        "between the hedges/by the garden gate",
    ),
    (
        "the carpenter/a journeyman/the widow who owned the shop/the clock repairer/his partner/"
        "the master of the guild/a customer/the errand boy",
        "planed/measured/glued together/sanded/took apart/oiled/ordered/polished",
        "the oak planks/a broken drawer/the lid of the chest/the brass hinges/the legs of a table/"
        "the pendulum/the window frames/a set of chisels",
        "at the long bench/in the back room/under the skylight/next to the stove/"
        "on the trestles/in the cellar of the workshop",
    ),
    (
        "the climbers/their guide/a shepherd/the warden of the hut/the surveyor/"
        "an elderly botanist/the mule driver/the younger of the sisters",
        "crossed/sketched/described/followed/cleared/marked/avoided/pointed out",
        "the loose scree/a frozen stream/the narrow ledge/the cairns/the upper pasture/"
        "the rope bridge/a field of snow/the ruined chapel",
        "above the tree line/in thick mist/on the northern slope/below the pass/"
        "before the storm broke/at the edge of the glacier",
    ),
    (
        "the baker/the stallholders/a dealer in spices/the butcher's wife/the flower seller/"
        "the inspector/a crowd of pupils/the man with the scales",
        "unpacked/weighed/praised/wrapped/tasted/bargained for/stacked/gave away",
        "the round loaves/a sack of flour/the ripe cheeses/the copper pans/the last lemons/"
        "bundles of thyme/the pickled cabbage/a tray of buns",
        "in the covered market/in front of the town hall/at the corner stall/in the rain/"
        "under striped awnings/on the steps of the church",
    ),
    (
        "the librarian/a retired teacher/the typesetter/the student in a grey coat/the curator/"
        "the bookbinder/an impatient reader/the porter",
        "catalogued/copied out/misplaced/dusted/borrowed/corrected/rebound/read aloud from",
        "the faded letters/an atlas/the parish registers/the torn pages/a box of engravings/"
        "the thick ledger/the manuscript/a shelf of journals",
        "in the reading room/at the end of the gallery/by the light of a candle/"
        "on the upper floor/behind the card index/in the damp archive",
    ),
)
_TIMES = (
    "Early in the morning/Towards evening/After the rain had stopped/On the following day/"
    "Before anyone else was awake/Late in the autumn/As usual/Without a word/For the second time/"
    "When the bells had rung/To everyone's surprise/Little by little"
).split("/")
_PATTERNS = (
    "{time}, {who} {did} {what} {where}.",
    "{Who} {did} {what}, and {who2} {did2} {what2}.",
    "Because {who} {did} {what}, {who2} {did2} {what2} {where}.",
    "{Who} {did} {what} {where}, although it was getting dark.",
    "Nobody remembered why {who} {did} {what} {where}.",
    "While {who} {did} {what}, {who2} stood {where} and watched.",
    "It was said that {who} never {did} {what} twice.",
    "{time}, {who} {did} {what}; then {who2} {did2} {what2}.",
)
_SENTENCES = (3, 7)  # of a paragraph, fewest and most


def generated(generator: random.Random) -> Iterator[Paragraph]:
    """Paragraphs without end, the same for the same state of the generator."""
    tables = [[part.split("/") for part in subject] for subject in _SUBJECTS]
    while True:
        table = generator.choice(tables)
        yield [_sentence(generator, table) for _ in range(generator.randint(*_SENTENCES))]


def taken_from(text: str, generator: random.Random) -> Iterator[Paragraph]:
    """Paragraphs of a text in order, from a random one on, over and over again.

    Raises:
        ValueError: the text is blank.
    """
    from lmk_encoder.sentences import sentence_ends

    paragraphs = []
    for part in text.split("\n\n"):
        flat = " ".join(part.split())
        ends = sentence_ends(flat)
        sentences = [flat[a:b].strip() for a, b in zip([0, *ends], ends, strict=False)]
        if sentences:
            paragraphs.append(sentences)
    if not paragraphs:
        raise ValueError("a blank text gives no paragraphs")
    first = generator.randrange(len(paragraphs))
    while True:
        yield paragraphs[first % len(paragraphs)]
        first += 1


def _sentence(generator: random.Random, table: list[list[str]]) -> str:
    who, did, what, where = (generator.sample(part, 2) for part in table)
    return generator.choice(_PATTERNS).format(
        time=generator.choice(_TIMES),
        who=who[0],
        Who=who[0][0].upper() + who[0][1:],
        did=did[0],
        what=what[0],
        where=where[0],
        who2=who[1],
        did2=did[1],
        what2=what[1],
    )
