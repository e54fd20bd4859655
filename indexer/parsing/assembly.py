"""Lines, headings and units to a Document: for formats whose text has to be put together."""

from collections.abc import Mapping
from pathlib import PurePath

from indexer.documents import Coverage, Document, Kind, UnitType
from indexer.parsing.decode import clean, clean_line
from indexer.parsing.language import detect_language
from indexer.parsing.sections import Heading, distinct, nest

UNIT_END = "\n"  # an empty unit has an extent of its own, so that numbers stay right


class Assembly:
    """Collects a text line by line. Every string is cleaned here."""

    def __init__(self) -> None:
        self._parts: list[str] = []
        self._length = 0
        self._starts: list[int] = []
        self._labels: list[str] = []
        self._headings: list[Heading] = []
        self._lacking: dict[str, None] = {}  # an ordered set

    def line(self, text: str) -> None:
        """Add a line or several; white space at the end of lines goes, blank ones are kept."""
        text = "\n".join(line.rstrip() for line in clean(text).split("\n"))
        self._parts.append(text + "\n")
        self._length += len(text) + 1

    def row(self, cells: list[str]) -> None:
        """Add the cells of a table row, parted by tabs; an empty row adds nothing."""
        texts = [clean_line(cell) for cell in cells]
        while texts and not texts[-1]:
            texts.pop()
        if texts:
            self.line("\t".join(texts))

    def heading(self, level: int, title: str, *, shown: bool = True) -> None:
        """Begin a section; its title is a line of the text too, unless it stands there already."""
        title = clean_line(title)
        if title:
            self._headings.append(Heading(self._length, level, title))
            if shown:
                self.line(title)

    def unit(self, label: str = "") -> None:
        """Begin a unit: a slide, a sheet, a message."""
        if self._starts:
            self._parts.append(UNIT_END)
            self._length += len(UNIT_END)
        self._starts.append(self._length)
        self._labels.append(clean_line(label))

    def include(self, document: Document, *, deeper: int = 0) -> None:
        """Add the text and the sections of another document."""
        for section in document.sections:
            start = self._length + section.start
            self._headings.append(Heading(start, section.level + deeper, section.title))
        if damage := document.metadata.get("damaged"):
            self.lacks(damage)
        text = document.text if document.text.endswith("\n") else document.text + "\n"
        self._parts.append(text)
        self._length += len(text)

    def lacks(self, what: str) -> None:
        """Tell what of the file cannot be read: its document is listed as partly read."""
        self._lacking[what] = None

    def document(
        self,
        *,
        name: str,
        kind: Kind,
        unit: UnitType,
        title: str = "",
        metadata: Mapping[str, str] | None = None,
        language: str = "",
    ) -> Document:
        """The Document. Without ``unit()`` calls, units run from heading to heading.

        The title is ``title``, the first outermost heading, or the stem of the file's name.
        """
        text = "".join(self._parts)
        damage = {"damaged": "; ".join(self._lacking)} if self._lacking else {}
        headings = self._headings
        cuts = distinct((heading.start for heading in headings), len(text))
        starts = tuple(self._starts) or (0, *cuts)
        ends = (*starts[1:], len(text))
        filled = sum(1 for a, b in zip(starts, ends, strict=True) if text[a:b].strip())
        outer = min((heading.level for heading in headings), default=0)
        first = next((heading.title for heading in headings if heading.level == outer), "")
        return Document(
            text=text,
            kind=kind,
            title=clean_line(title) or first or PurePath(name).stem,
            unit=unit,
            unit_starts=starts,
            unit_labels=tuple(self._labels) if any(self._labels) else (),
            sections=nest(headings, len(text)),
            breaks=distinct([*starts, *cuts], len(text)),
            language=language or detect_language(text),
            metadata={**(metadata or {}), **damage},
            coverage=Coverage(units=len(starts), with_text=filled, blank=len(starts) - filled),
        )
