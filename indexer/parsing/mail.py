"""Email: one message (.eml) or a mailbox of them (mbox), headers, text and names of attachments."""

import re
from collections.abc import Iterator
from email import policy
from email.errors import MessageError
from email.message import EmailMessage, MIMEPart
from email.parser import BytesParser
from pathlib import PurePath

from indexer.documents import Document
from indexer.parsing.assembly import Assembly
from indexer.parsing.decode import clean_line, decode
from indexer.parsing.html import parse_html

_SHOWN = ("From", "To", "Cc", "Date", "Subject")
_MAX_DEPTH = 8  # of messages in messages
_MESSAGE = re.compile(rb"^From [^\r\n]*\d{4}[^\r\n]*\r?\n(?=[!-9;-~]+:)", re.MULTILINE)


def parse_mail(data: bytes, *, name: str) -> Document:
    """Document of one message; its parts are sections."""
    message = _parsed(data)
    assembly = Assembly()
    _read(message, assembly, level=1)
    return assembly.document(
        name=name,
        kind="email",
        unit="section",
        title=_header(message, "Subject"),
        metadata=_metadata(message),
    )


def parse_mailbox(data: bytes, *, name: str) -> Document:
    """Document of an mbox file; unit ``i`` is the ``i``-th message, its subject a section."""
    assembly = Assembly()
    for message in _messages(data):
        assembly.unit()
        _read(message, assembly, level=1)
    return assembly.document(name=name, kind="email", unit="message", title=PurePath(name).stem)


def _messages(data: bytes) -> Iterator[EmailMessage]:
    starts = [found.span() for found in _MESSAGE.finditer(data)]
    ends = [start for start, _ in starts[1:]] + [len(data)]
    for (_, start), end in zip(starts, ends, strict=True):
        yield _parsed(data[start:end].replace(b"\n>From ", b"\nFrom "))


def _parsed(data: bytes) -> EmailMessage:
    message = BytesParser(policy=policy.default).parsebytes(data)
    assert isinstance(message, EmailMessage), "the default policy makes nothing else"
    return message


def _read(message: EmailMessage, assembly: Assembly, *, level: int) -> None:
    assembly.heading(level, _header(message, "Subject") or "(no subject)", shown=False)
    for header in _SHOWN:
        if value := _header(message, header):
            assembly.line(f"{header}: {value}")
    assembly.line("")
    body = message.get_body(("plain", "html"))
    if body is not None:
        text = _text(body)
        if body.get_content_subtype() == "html":
            text = parse_html(text, name="").text
        assembly.line(text.rstrip("\n"))
    names: list[str] = []
    for part in message.iter_attachments() if message.is_multipart() else ():
        if part.get_content_type() == "message/rfc822" and level < _MAX_DEPTH:
            for inner in part.get_payload():
                if isinstance(inner, EmailMessage):
                    assembly.line("")
                    _read(inner, assembly, level=level + 1)
        else:
            names.append(_file_name(part))
    if names := [name for name in names if name]:
        assembly.line(f"Attachments: {', '.join(names)}")


def _text(part: MIMEPart) -> str:
    """The text of a part; bytes that its own encoding does not explain are guessed at."""
    data = part.get_payload(decode=True)
    if not isinstance(data, bytes):
        return ""
    return decode(data, declared=part.get_content_charset()).text


def _header(message: EmailMessage, name: str) -> str:
    """A header in one line. Broken ones, which the library refuses, are taken as they stand."""
    try:
        return clean_line(str(message.get(name, "")))
    except (MessageError, ValueError, LookupError, IndexError, AttributeError):
        raw = dict(message.raw_items()).get(name, "")
        return clean_line(str(raw))


def _file_name(part: MIMEPart) -> str:
    try:
        return clean_line(part.get_filename() or "")
    except (MessageError, ValueError, LookupError, IndexError, AttributeError):
        return ""


def _metadata(message: EmailMessage) -> dict[str, str]:
    found = {"author": _header(message, "From"), "to": _header(message, "To")}
    try:
        date = message["Date"]
        if date is not None and date.datetime is not None:
            found["created"] = date.datetime.isoformat()
    except (MessageError, ValueError, LookupError, IndexError, AttributeError):
        pass  # a date that is none
    parts = message.iter_attachments() if message.is_multipart() else ()
    names = [name for part in parts if (name := _file_name(part))]
    return {**found, "attachments": ", ".join(names)}
