"""Where sentences end (pure): one pass of a compiled pattern and a look at what stands around.

Made for bulk: megabytes of books and manuals a second, any script with sentence marks. A blank
line ends a sentence; a single line break does not, as text from a PDF breaks lines anywhere.
Thai and other scripts without sentence marks give no ends: landmarks then stand at word borders.
"""

import re

_CLOSERS = r"[)\]}\"'”’»›」』）】》〉]*"
_END = re.compile(
    # Western marks count only before space: "3.14", "e.g.", "file.txt" do not match inside.
    # The lookbehind keeps long runs of dots from being tried at every dot.
    rf"(?<![.!?…‽])[.!?…‽]++{_CLOSERS}(?=\s|\Z)"
    # Marks that need no space: CJK, Arabic, Urdu, Devanagari, Armenian, Ethiopic, Khmer,
    # Burmese, Tibetan.
    rf"|[。！？｡．؟۔।॥։።፧។៕။༎]+{_CLOSERS}"
    r"|\n\s*\n"
)
_LAST_WORD = re.compile(r"[\w.&]+\Z")
_NEXT_CHARACTER = re.compile(r"[\s(\[{\"'“‘«‹¿¡—–-]*(\w?)")

# Never the end of a sentence: something must follow. Titles, references, German, months, days.
_OPEN_ABBREVIATIONS = """
mr mrs ms mx dr prof rev hon st mt ft gen col maj capt lt sgt cmdr gov sen rep pres mlle mme
eg ie cf viz vs v ca c approx resp esp incl excl fig figs eq eqs eqn tab sec sect ch chap app
vol vols ed eds pp pg p par para ref refs ex nr op dept univ assn bros messrs
bzw vgl bspw sog ggf evtl usf
jan feb mar apr jun jul aug sep sept oct nov dec mon tue tues wed thu thur thurs fri
"""
# Not the end of a sentence before a number: "No. 5", but "He said no. Then".
_BEFORE_NUMBERS = "no nos art pt ver lib cap line lines sat sun"
_NEVER_LAST = frozenset(_OPEN_ABBREVIATIONS.split())
_NUMBERED = frozenset(_BEFORE_NUMBERS.split())


def sentence_ends(text: str) -> list[int]:
    """Offsets right after each sentence of ``text``, in rising order.

    An end lies behind closing quotes and brackets and before the space that follows. The last
    one is ``len(text)`` unless only space is left; a blank text has none.
    """
    ends: list[int] = []
    for found in _END.finditer(text):
        start, end = found.span()
        mark = text[start]
        if mark == "\n":
            end = start  # the blank line itself is space between two sentences
            if (ends and ends[-1] == end) or not text[ends[-1] if ends else 0 : end].strip():
                continue
        elif mark in ".!?…‽" and not _ends_sentence(text, start, end):
            continue
        ends.append(end)
    if text[ends[-1] if ends else 0 :].strip():
        ends.append(len(text))
    return ends


def _ends_sentence(text: str, start: int, end: int) -> bool:
    """Whether the western mark at ``[start, end)`` ends a sentence, judged by its neighbours."""
    following = _NEXT_CHARACTER.match(text, end)
    after = following[1] if following else ""
    if after.islower():
        return False  # "approx. five", '"What?" he said'
    if text[start] != "." or end - start > 1:
        return True
    before = _LAST_WORD.search(text, max(start - 24, 0), start)
    if before is None:
        return True
    word = before[0]
    if len(word) == 1 and word.isupper():
        return False  # an initial: "J. Smith"
    if word.isdigit():
        return not _stands_at_line_start(text, before.start())  # "1. Introduction"
    folded = word.casefold()
    if folded in _NUMBERED and after.isdigit():
        return False
    return folded not in _NEVER_LAST and not _is_dotted(word)


def _is_dotted(word: str) -> bool:
    """Whether ``word`` is letters with dots between, as in ``U.S`` or ``a.m``."""
    parts = word.split(".")
    return len(parts) > 1 and all(len(part) == 1 and part.isalpha() for part in parts)


def _stands_at_line_start(text: str, position: int) -> bool:
    line = text.rfind("\n", 0, position) + 1
    return not text[line:position].strip()
