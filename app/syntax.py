"""Which words of a program are keywords, strings, comments. The only file that knows Pygments."""

from pygments.lexer import Lexer
from pygments.lexers import get_lexer_by_name, get_lexer_for_filename
from pygments.token import Comment, Keyword, Name, Number, String, _TokenType
from pygments.util import ClassNotFound

Token = tuple[int, int, str]  # [start, end) characters and the CSS class

MAX_CHARS = 500_000  # half a second of work; longer files are shown in one colour
CLASSES: tuple[tuple[_TokenType, str], ...] = (
    (Comment, "c"),
    (String, "s"),
    (Number, "m"),
    (Keyword, "k"),
    (Name.Function, "f"),
    (Name.Class, "f"),
    (Name.Decorator, "d"),
    (Name.Builtin, "b"),
)


def tokens(text: str, language: str, file_name: str) -> tuple[Token, ...]:
    """The coloured parts of ``text`` in order, none where no lexer knows the language."""
    lexer = _lexer(language, file_name)
    if lexer is None or len(text) > MAX_CHARS:
        return ()
    found = []
    # Unprocessed: the offsets stay those of the text.
    for start, kind, value in lexer.get_tokens_unprocessed(text):
        name = next((name for parent, name in CLASSES if kind in parent), "")
        if name and value.strip():
            found.append((start, start + len(value), name))
    return tuple(found)


def _lexer(language: str, file_name: str) -> Lexer | None:
    try:
        return get_lexer_by_name(language) if language else get_lexer_for_filename(file_name)
    except ClassNotFound:
        return None
