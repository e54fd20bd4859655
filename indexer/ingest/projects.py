"""What a file inherits from its project: the title and the first words of the nearest README.

A source file seldom says what the whole is about. Whoever asks for "the retries of the SSH
library" means a file that says neither word; its README says one of them and would be found in
its place. So code, and text that belongs to it, is encoded behind the README's first words
(docs/experiments.md). A README counts that is in the index, or is being added to it, in the folder
of the file or above; it needs none itself.
"""

import logging
import re
from collections.abc import Callable, Iterable
from pathlib import PurePosixPath
from typing import Self

from indexer.documents import FileRecord
from indexer.ingest.feed import document_id
from indexer.parsing.code_languages import is_code_name
from indexer.parsing.decode import decode
from indexer.sources.files import MEMBER_SEPARATOR, is_file, raw_to_path
from indexer.sources.walk import Found

logger = logging.getLogger(__name__)

README = re.compile(r"readme(\.(md|markdown|rst|txt|adoc|org))?", re.IGNORECASE)
# Other formats bear a title of their own (PDF, office, books, mail), or are rows and no text.
TEXT_SUFFIXES = frozenset({".md", ".markdown", ".rst", ".txt", ".adoc", ".org", ".html", ".htm"})
MOST_CHARS = 200
_HEAD_BYTES = 16_384
_LEAST_WORDS = 5  # a shorter paragraph is a slogan, a badge or a list of links


def _unless_open(by: str) -> Callable[[re.Match[str]], str]:
    """A replacement for matches whose group ``end`` is there. What is open until the end of the
    text is matched, too, and stays: each beginning in it would be followed there again."""
    return lambda found: found.expand(by) if found["end"] else found[0]


_MARKUP: tuple[tuple[re.Pattern[str], str | Callable[[re.Match[str]], str]], ...] = (
    (re.compile(r"<!--.*?(?:(?P<end>-->)|\Z)", re.DOTALL), _unless_open("")),
    (
        re.compile(r"<h\d[^>]*+>(.*?)(?:(?P<end></h\d>)|\Z)", re.DOTALL | re.IGNORECASE),
        _unless_open(r"\n# \1\n"),
    ),
    (re.compile(r"<[^>\n]*+(?P<end>>)?"), _unless_open("")),
    (re.compile(r"^\.\.(?:[ \t].*)?(?:\n[ \t]+.*)*", re.MULTILINE), ""),  # directives of reST
    # Images, also as links.
    (re.compile(r"\[?!\[[^\]]*+\]\([^)]*+\)(?:\]\([^)]*+\))?"), ""),
    (
        re.compile(r"\[([^\]]*+)(?:\](?P<end>\([^)]*+\)|\[[^\]]*+\])?)?"),
        _unless_open(r"\1"),
    ),
    (re.compile(r"`+([^`<]*+)(?:<[^>]*+>)?`+_{0,2}"), lambda found: found[1].rstrip()),
    (re.compile(r"\|[\w .-]++\|_{0,2}"), ""),  # substitutions of reST
    (re.compile(r"(\*\*|__|\*)(\S(?:.{0,1000}?\S)?)\1"), r"\2"),
)
_RULE = re.compile(r"([=~#*^_\-+])\1{2,}")


class Projects:
    """The context of each path, given the paths of all files that count."""

    @classmethod
    def of(cls, known: Iterable[FileRecord], found: Iterable[Found] = ()) -> Self:
        """Of the files of an index, and of those that a walk found."""
        there = {item.path: item.file.raw_path for item in found if item.file is not None}
        for record in known:
            was_read = record.size >= 0 and _is_readme(record.path)  # no rule leaves it out
            if was_read and is_file(raw_to_path(record.raw_path)):  # or it is just leaving
                there.setdefault(record.path, record.raw_path)
        return cls(there.items())

    def __init__(self, paths: Iterable[tuple[str, bytes]]) -> None:
        """``paths``: keys with the bytes of their names (``SourceFile.raw_path``)."""
        self._readmes: dict[str, list[bytes]] = {}
        for path, raw in paths:
            if _is_readme(path):
                self._readmes.setdefault(path.rpartition("/")[0], []).append(raw)
        self._summaries: dict[str, str] = {}

    def context(self, path: str) -> str:
        """What is read before the file, "" for nothing."""
        folder, _, name = path.rpartition("/")
        if not self._readmes or README.fullmatch(name) or not _takes_context(name):
            return ""
        while folder and folder not in self._readmes:
            folder = folder.rpartition("/")[0]
        if folder not in self._readmes:
            return ""
        if folder not in self._summaries:
            self._summaries[folder] = _read(min(self._readmes[folder]))
        return self._summaries[folder]

    def is_of_now(self, record: FileRecord) -> bool:
        """Whether an indexed file is the document that its bytes give in today's context."""
        if record.doc_id is None or record.content_hash is None:
            return True
        context = self.context(record.path)
        return any(
            record.doc_id == document_id(record.content_hash, record.path, context, again=again)
            for again in (False, True)
        )


def _is_readme(path: str) -> bool:
    name = path.rpartition("/")[2]
    return README.fullmatch(name) is not None and MEMBER_SEPARATOR not in path


def _takes_context(name: str) -> bool:
    return is_code_name(name) or PurePosixPath(name).suffix.lower() in TEXT_SUFFIXES


def _read(raw_path: bytes) -> str:
    path = raw_to_path(raw_path)
    try:
        with path.open("rb") as file:
            head = file.read(_HEAD_BYTES)
    except OSError as error:  # the run lists it as a file that cannot be read
        logger.info("no context from %s: %s", path, error)
        return ""
    said = summary(decode(head).text)
    return f"{said}\n" if said else ""


def summary(readme: str, most_chars: int = MOST_CHARS) -> str:
    """The title and the first paragraph of a README, without markup, on one line."""
    for pattern, by in _MARKUP:
        readme = pattern.sub(by, readme)
    title, paragraph = "", [""]
    lines = [line.strip() for line in readme.splitlines()]
    for before, line in zip(["", *lines], [*lines, ""], strict=True):
        is_rule = _RULE.fullmatch(line) is not None
        heading = line.strip("# ") if line.startswith("#") and not is_rule else ""
        if is_rule and before and not title:
            heading = before
        if heading and not title:
            title, paragraph = heading, []
        elif heading or is_rule or not line:
            if len(" ".join(paragraph).split()) >= _LEAST_WORDS:
                break
            paragraph = []
        else:
            paragraph.append(line)
    said = [title.rstrip(".!"), " ".join(paragraph)]
    text = " ".join(". ".join(part for part in said if part).split())
    if len(text) <= most_chars:
        return text
    return text[: most_chars + 1].rsplit(" ", 1)[0][:most_chars]
