"""One file to one Document: look at the content, choose the parser, seal what it returns."""

from dataclasses import replace
from pathlib import Path
from typing import NoReturn

from indexer.documents import Document
from indexer.errors import Locked, NoText, ParseError, Unsupported
from indexer.parsing.decode import Decoded, clean_line, decode, without_pictures
from indexer.parsing.options import DEFAULT_OPTIONS, ParseOptions
from indexer.parsing.sniff import OLD_OFFICE, FileType, sniff

_NEW_OFFICE = frozenset(
    ".docx .docm .dotx .dotm .pptx .pptm .ppsx .ppsm .potx .potm .xlsx .xlsm .xltx .xltm".split()
)
_NO_TEXT = "Leave it out, or fill it."
_NO_DOCUMENT = "Convert it to PDF, HTML or text, or leave it out."
HEAD_BYTES = 64 << 10  # what sniffing looks at


def parse(path: Path, options: ParseOptions = DEFAULT_OPTIONS) -> Document:
    """The Document in the file at ``path``.

    For one thread of one process: pdfium is not thread-safe, and nothing here guards against
    hostile files. ``ParserPool`` does both.

    Raises:
        Locked: it needs a password.
        NoText: it was read, and holds no visible character (empty, or a scan).
        Unsupported: binary content.
        ParseError: it is damaged or cannot be read.
    """
    try:
        with path.open("rb") as file:
            head = file.read(HEAD_BYTES)
            file_type = sniff(path.name, head)
            # A film among the documents is named, not read.
            data = head if file_type.kind == "binary" else head + file.read()
    except OSError as error:
        what = f"{path} cannot be read: {error.strerror or error}."
        raise ParseError(what, fix="Check that the file is there and may be read.") from error
    if file_type.kind == "binary":
        _refuse(file_type, path)
    document = _sealed(_parse_as(file_type, path, data, options))
    if not document.text or document.text.isspace():  # stripped, it would be there twice
        raise NoText(f"{path} holds no text: {_why_none(document, data)}.", fix=_NO_TEXT)
    return document


def _why_none(document: Document, data: bytes) -> str:
    if damage := document.metadata.get("damaged"):
        return damage
    return "no text was found in it" if decode(data[:HEAD_BYTES]).text.strip() else "empty file"


def _parse_as(file_type: FileType, path: Path, data: bytes, options: ParseOptions) -> Document:
    """Call the parser of ``file_type``; each is imported only when a file needs it."""
    if file_type.kind == "pdf":
        from indexer.parsing.pdf import parse_pdf

        return parse_pdf(data, path, options)
    if file_type.kind == "zip":
        return _parse_package(path, data)
    if file_type.kind in ("mail", "mailbox"):
        from indexer.parsing.mail import parse_mail, parse_mailbox

        parse_it = parse_mail if file_type.kind == "mail" else parse_mailbox
        return parse_it(data, name=path.name)
    if file_type.kind == "html":
        from indexer.parsing.html import decode_html, parse_html

        decoded = decode_html(data)
        document = parse_html(decoded.text, name=path.name)
    else:
        decoded = decode(data)
        decoded = Decoded(without_pictures(decoded.text), decoded.encoding)
        document = _parse_text(file_type, decoded.text, path, options)
    metadata = {**document.metadata, "encoding": decoded.encoding}
    if replaced := document.text.count("\ufffd"):
        metadata["replaced"] = str(replaced)  # characters that could not be told
    return replace(document, metadata=metadata)


def _parse_text(file_type: FileType, text: str, path: Path, options: ParseOptions) -> Document:
    """Call the parser of a text that is read as it stands in the file."""
    name = path.name
    match file_type.kind:
        case "code":
            from indexer.parsing.code import parse_code

            if not options.all_code:
                _refuse_machine_made(text, path, file_type.language)
            return parse_code(text, name=name, language=file_type.language)
        case "notebook":
            from indexer.parsing.notebook import parse_notebook

            return parse_notebook(text, name=name)
        case "markdown":
            from indexer.parsing.markdown import parse_markdown

            return parse_markdown(text, name=name)
        case "restructuredtext":
            from indexer.parsing.restructuredtext import parse_restructuredtext

            return parse_restructuredtext(text, name=name)
        case "latex":
            from indexer.parsing.latex import parse_latex

            return parse_latex(text, name=name)
        case "asciidoc" | "org" | "man":
            from indexer.parsing.heading_rules import parse_ruled

            return parse_ruled(text, name=name, format_=file_type.kind)
        case "csv":
            from indexer.parsing.csv_rows import parse_csv

            return parse_csv(text, name=name)
        case _:
            from indexer.parsing.plain import parse_plain

            return parse_plain(text, name=name)


def _refuse_machine_made(text: str, path: Path, language: str) -> None:
    from indexer.parsing.machine_made import machine_made

    if rule := machine_made(text, path.name, language):
        raise Unsupported(f"{path} is {rule}.", fix="To read it, index with --all-code.")


def _parse_package(path: Path, data: bytes) -> Document:
    """Call the parser of what a zip file holds, whatever it is called."""
    from indexer.parsing.packages import no_archive, open_package, package_kind, transitional

    with open_package(data, path) as package:
        data = transitional(package, data, path)
        match package_kind(package):
            case "docx":
                from indexer.parsing.docx import parse_docx

                return parse_docx(data, path)
            case "pptx":
                from indexer.parsing.pptx import parse_pptx

                return parse_pptx(data, path)
            case "xlsx":
                from indexer.parsing.xlsx import parse_xlsx

                return parse_xlsx(data, path)
            case "epub":
                from indexer.parsing.epub import parse_epub

                return parse_epub(package, path)
        if found := no_archive(package):
            raise Unsupported(f"{path} is not a text or PDF: {found}.", fix=_NO_DOCUMENT)
    what = f"{path} is not a document: a zip archive."
    raise Unsupported(what, fix="To read what is in it, index with --archives.")


def _refuse(file_type: FileType, path: Path) -> NoReturn:
    """Say why a binary file is not read."""
    if file_type.reason == OLD_OFFICE and path.suffix.lower() in _NEW_OFFICE:
        what = f"{path} needs a password."  # an encrypted one is packed as an old one
        raise Locked(what, fix="Save a copy without password.")
    what = f"{path} is not a text or PDF: {file_type.reason}."
    raise Unsupported(what, fix=_NO_DOCUMENT)


def _sealed(document: Document) -> Document:
    """``document`` with every string beside the text cleaned, so that no parser can forget one."""
    sections = (replace(section, title=clean_line(section.title)) for section in document.sections)
    metadata = {name: clean_line(value) for name, value in document.metadata.items()}
    return replace(
        document,
        title=clean_line(document.title),
        unit_labels=tuple(clean_line(label) for label in document.unit_labels),
        sections=tuple(section for section in sections if section.title),
        metadata={name: value for name, value in metadata.items() if value},
    )
