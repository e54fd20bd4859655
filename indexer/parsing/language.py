"""The language of prose: by script where the script tells, else by the commonest words (pure).

Good enough to choose a stemmer; "" when unsure, which is never wrong, only less helpful.
"""

import re
from collections import Counter

_SAMPLE_CHARS = 20_000  # taken from the middle too: manuals open with notices in English
_MIN_WORDS = 20
_MIN_SHARE = 0.10  # of words that are stop words; running prose has 0.25 to 0.5
_MIN_LEAD = 1.15  # best language over the second
_MIN_SCRIPT_SHARE = 0.2  # of letters; a manual is full of Latin names and commands

_SCRIPTS = (
    ("kana", "\u3041-\u30ff"),
    ("han", "\u3400-\u4dbf\u4e00-\u9fff"),
    ("ko", "\uac00-\ud7a3\u1100-\u11ff"),
    ("cyrillic", "\u0400-\u04ff"),
    ("arabic", "\u0620-\u06d3"),
    ("el", "\u0370-\u03ff\u1f00-\u1fff"),
    ("he", "\u05d0-\u05ea"),
    ("th", "\u0e01-\u0e3a\u0e40-\u0e4e"),
    ("hi", "\u0900-\u097f"),
    ("latin", "A-Za-z\u00c0-\u024f"),
)
_SCRIPT = {name: re.compile(f"[{chars}]") for name, chars in _SCRIPTS}
_PERSIAN = re.compile("[\u067e\u0686\u0698\u06a9\u06af\u06cc]")  # letters Arabic does not have
_WORD = {  # of one script only, so that Latin names in a Russian text do not count
    "latin": re.compile("[A-Za-z\u00c0-\u024f\u1e00-\u1eff]+"),
    "cyrillic": re.compile("[\u0400-\u04ff]+"),
}

_STOP_WORDS = {
    "en": "the of and to in is that for it with as was on are be this by not or from at which",
    "de": "der die und das ist nicht ein eine zu den von mit für auf dem sich des werden auch im",
    "fr": "le la les de des et est un une du pour dans que qui sur pas par avec vous ce au sont",
    "es": "el la los las de y en que es un una por con para no se del al su como más está",
    "it": "il di e la che un una per non è con sono del della in le gli si da come nel questo",
    "pt": "o a os as de e que do da em um uma para não com por se na no dos é ao mais são",
    "nl": "de het een en van is dat op te in voor met niet zijn aan er ook bij worden wordt als",
    "sv": "och att det som en är på för med av den till inte ett om har i kan från eller",
    "da": "og at det som en er på for med af den til ikke et om har i kan fra eller være blev",
    "no": "og at det som en er på for med av den til ikke et om har i kan fra eller være ble",
    "fi": "ja on ei se että oli hän mutta ovat kun niin kuin joka tai myös sen voi ole tämä",
    "pl": "i w nie na się że do z jest to o jak po przez od za dla są oraz lub jego może",
    "cs": "a se v na je že to s z do i pro jsou by jako které ale nebo není podle při může",
    "ro": "și în de la a nu pe cu este că un o din să care pentru sau mai sunt fi prin",
    "hu": "a az és hogy nem is egy van ez meg de ha csak mint vagy volt kell lehet már minden",
    "tr": "ve bir bu için ile da de olarak çok daha olan gibi ya ne kadar değil sonra her veya",
    "id": "yang dan di dengan untuk tidak ini dari dalam akan pada adalah itu oleh atau ke",
    "vi": "và của là có không được cho các trong một những với này khi đã để người từ",
    "ru": "и в не на что с по это как для из к при или от его но если может был также о",
    "uk": "і в не на що з та як для це до від за або але є його при був якщо також про",
    "bg": "и в не на че с по това като за от да се или но ако са е при също може",
}
_CYRILLIC = frozenset({"ru", "uk", "bg"})
_STOP_SETS = {language: frozenset(words.split()) for language, words in _STOP_WORDS.items()}


def detect_language(text: str) -> str:
    """ISO 639-1 code of the language that most of ``text`` is written in, or "" if unsure."""
    half = _SAMPLE_CHARS // 2
    middle = max(half, len(text) // 2)
    sample = text[:half] + " " + text[middle : middle + half]
    counts = {name: len(letters.findall(sample)) for name, letters in _SCRIPT.items()}
    script = _main_script(counts)
    if script == "arabic":
        return "fa" if len(_PERSIAN.findall(sample)) > 0.03 * counts["arabic"] else "ar"
    if script in ("latin", "cyrillic"):
        return _by_stop_words(_WORD[script].findall(sample.lower()), script)
    return script


def _main_script(counts: dict[str, int]) -> str:
    """The script with most letters; one that is not Latin wins from a fifth of them on."""
    total = sum(counts.values())
    if not total:
        return ""
    if counts["kana"] > 0.1 * (counts["kana"] + counts["han"]):
        counts = {**counts, "ja": counts["kana"] + counts["han"]}
    else:
        counts = {**counts, "zh": counts["han"]}
    others = {name: n for name, n in counts.items() if name not in ("latin", "kana", "han")}
    best = max(others, key=lambda name: others[name])
    return best if others[best] >= _MIN_SCRIPT_SHARE * total else "latin"


def _by_stop_words(words: list[str], script: str) -> str:
    if len(words) < _MIN_WORDS:
        return ""
    counts = Counter(words)
    shares = {
        language: sum(counts[word] for word in stop_words) / len(words)
        for language, stop_words in _STOP_SETS.items()
        if (language in _CYRILLIC) == (script == "cyrillic")
    }
    best, second = sorted(shares, key=lambda language: -shares[language])[:2]
    is_sure = shares[best] >= _MIN_SHARE and shares[best] >= _MIN_LEAD * shares[second]
    return best if is_sure else ""
