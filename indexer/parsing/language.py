"""The language of prose: by script where the script tells, else by py3langid.

"" when unsure, which is never wrong, only less helpful. The only module that knows py3langid;
its model is loaded (in a second) when the first text needs it.
"""

import re
from collections import Counter
from functools import cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from py3langid.langid import LanguageIdentifier

_SAMPLE_CHARS = 8_000  # taken from the middle too: manuals open with notices in English
_MIN_SCRIPT_SHARE = 0.2  # of letters; a manual is full of Latin names and commands
_MIN_LETTERS = 24  # of a text in a script of many languages: shorter ones are names and numbers
_MIN_PROBABILITY = 0.8
_MIN_ENGLISH_SHARE = 0.1  # of words that are stop words; running prose has 0.25 to 0.5
_SURE_ENGLISH_SHARE = 0.25  # no other language comes near, and the model need not be loaded
_SURE_WORDS = 100
_SURE_STOP_WORDS = 5  # different ones: a log repeats one

_SCRIPTS = (
    ("kana", "\u3041-\u30ff"),
    ("han", "\u3400-\u4dbf\u4e00-\u9fff"),
    ("ko", "\uac00-\ud7a3\u1100-\u11ff"),
    ("cyrillic", "\u0400-\u052f"),
    ("arabic", "\u0620-\u06d3"),
    ("devanagari", "\u0900-\u097f"),
    ("latin", "A-Za-z\u00c0-\u024f\u1e00-\u1eff"),
    ("el", "\u0370-\u03ff\u1f00-\u1fff"),
    ("hy", "\u0531-\u0587"),
    ("he", "\u05d0-\u05ea"),
    ("bn", "\u0980-\u09ff"),
    ("pa", "\u0a00-\u0a7f"),
    ("gu", "\u0a80-\u0aff"),
    ("or", "\u0b00-\u0b7f"),
    ("ta", "\u0b80-\u0bff"),
    ("te", "\u0c00-\u0c7f"),
    ("kn", "\u0c80-\u0cff"),
    ("ml", "\u0d00-\u0d7f"),
    ("si", "\u0d80-\u0dff"),
    ("th", "\u0e01-\u0e3a\u0e40-\u0e4e"),
    ("lo", "\u0e81-\u0ede"),
    ("bo", "\u0f00-\u0fff"),
    ("my", "\u1000-\u109f"),
    ("ka", "\u10a0-\u10ff"),
    ("am", "\u1200-\u137f"),
    ("km", "\u1780-\u17ff"),
)
_ASCII = re.compile(r"[\x00-\x7f]+")
_NO_ASCII_LETTERS = bytes(code for code in range(128) if not chr(code).isalpha())
_SCRIPT = {name: re.compile(f"[{chars}]") for name, chars in _SCRIPTS}
# Of one script only, so that Latin names in a Russian text do not count.
_WORD = {
    name: re.compile(f"[{chars}]+")
    for name, chars in _SCRIPTS
    if name in ("latin", "cyrillic", "arabic", "devanagari")
}
# Of py3langid's 140 those that are written much; near relatives (Galician, Ligurian ...) of
# great ones take more from them than they give. "zxx" is what no language is.
_LANGUAGES = """
    en de fr es it pt nl sv da no nn fi et lv lt pl cs sk sl hr ro hu tr id vi ca eu gl sq is ga cy
    af eo la sw tl az ru uk bg mk sr be kk ar fa ur ps hi mr ne zxx
""".split()
# The words of code, logs and tables are English; of English prose, some are these as well.
_ENGLISH = frozenset(
    "a the of and to in is that for it with as was on are be this by not or from at you".split()
)


def detect_language(text: str) -> str:
    """ISO 639-1 code of the language that most of ``text`` is written in, or "" if unsure."""
    half = _SAMPLE_CHARS // 2
    middle = max(half, len(text) // 2)
    sample = text[:half] + " " + text[middle : middle + half]
    times = Counter(_ASCII.sub("", sample))  # a script is looked up once for each character
    different = "".join(times)
    counts = {
        name: sum(times[letter] for letter in letters.findall(different))
        for name, letters in _SCRIPT.items()
    }
    counts["latin"] += len(sample.encode("ascii", "ignore").translate(None, _NO_ASCII_LETTERS))
    script = _main_script(counts)
    if script not in _WORD:
        return script
    words = _WORD[script].findall(sample.lower())
    return _by_words(words) if counts[script] >= _MIN_LETTERS else ""


def _main_script(counts: dict[str, int]) -> str:
    """The script with most letters; one that is not Latin wins from a fifth of them on."""
    total = sum(counts.values())
    if not total:
        return ""
    han = "ja" if counts["kana"] > 0.1 * (counts["kana"] + counts["han"]) else "zh"
    others = {name: n for name, n in counts.items() if name not in ("latin", "kana", "han")}
    others[han] = counts["han"] + (counts["kana"] if han == "ja" else 0)
    best = max(others, key=lambda name: others[name])
    return best if others[best] >= _MIN_SCRIPT_SHARE * total else "latin"


def _by_words(words: list[str]) -> str:
    english = sum(map(_ENGLISH.__contains__, words)) / len(words)
    if (
        english >= _SURE_ENGLISH_SHARE
        and len(words) >= _SURE_WORDS
        and len(_ENGLISH.intersection(words)) >= _SURE_STOP_WORDS
    ):
        return "en"
    language, probability = _identifier().classify(" ".join(words))
    if language == "zxx" or probability < _MIN_PROBABILITY:
        return ""
    if language == "en" and english < _MIN_ENGLISH_SHARE:
        return ""
    return str(language)


@cache
def _identifier() -> "LanguageIdentifier":
    from py3langid.langid import MODEL_FILE, LanguageIdentifier

    identifier = LanguageIdentifier.from_model_file(MODEL_FILE, norm_probs=True)
    identifier.set_languages(_LANGUAGES)
    return identifier
