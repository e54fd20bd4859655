"""Email: one message (.eml) or a mailbox of them (mbox), headers, text and names of attachments."""

import binascii
import contextlib
from dataclasses import dataclass, field
from email import policy
from email.errors import MessageError
from email.header import decode_header
from email.message import EmailMessage, MIMEPart
from email.parser import BytesParser
from pathlib import PurePath

from indexer.documents import Document
from indexer.parsing.assembly import Assembly
from indexer.parsing.decode import clean_line, decode
from indexer.parsing.html import decode_html, parse_html
from indexer.parsing.mbox import messages

_SHOWN = ("From", "To", "Cc", "Date", "Subject")
_MAX_DEPTH = 8  # of messages in messages
_MESSAGES = ("message/rfc822", "message/global")
# What a broken header makes the library raise.
_BROKEN = (MessageError, ValueError, LookupError, IndexError, AttributeError)


def parse_mail(data: bytes, *, name: str) -> Document:
    """Document of one message; its parts are sections."""
    message = _parsed(data)
    assembly = Assembly()
    contents = _contents(message)
    _read(message, contents, assembly, level=1)
    return assembly.document(
        name=name,
        kind="email",
        unit="section",
        title=_header(message, "Subject"),
        metadata={**_metadata(message), "attachments": ", ".join(contents.names)},
    )


def parse_mailbox(data: bytes, *, name: str) -> Document:
    """Document of an mbox file; unit ``i`` is the ``i``-th message, its subject a section."""
    assembly = Assembly()
    for message in messages(data):
        assembly.unit()
        parsed = _parsed(message)
        _read(parsed, _contents(parsed), assembly, level=1)
    return assembly.document(name=name, kind="email", unit="message", title=PurePath(name).stem)


def _parsed(data: bytes) -> EmailMessage:
    message = BytesParser(policy=policy.default).parsebytes(data)
    assert isinstance(message, EmailMessage), "the default policy makes nothing else"
    return message


@dataclass
class _Contents:
    """What a message holds: its texts in order, messages within it, and names of other parts."""

    texts: list[str] = field(default_factory=list)
    messages: list[EmailMessage] = field(default_factory=list)
    names: list[str] = field(default_factory=list)


def _read(message: EmailMessage, contents: _Contents, assembly: Assembly, *, level: int) -> None:
    assembly.heading(level, _header(message, "Subject") or "(no subject)", shown=False)
    for header in _SHOWN:
        if value := _header(message, header):
            assembly.line(f"{header}: {value}")
    assembly.line("")
    for text in contents.texts:
        assembly.line(text)
    if contents.names:
        assembly.line(f"Attachments: {', '.join(contents.names)}")
    for inner in contents.messages if level < _MAX_DEPTH else ():
        assembly.line("")
        _read(inner, _contents(inner), assembly, level=level + 1)


def _contents(part: MIMEPart) -> _Contents:
    """What ``part`` holds, through all the parts within it."""
    if part.get_content_type() == "multipart/alternative" and part.is_multipart():
        return _best([(child.get_content_type(), _contents(child)) for child in _parts(part)])
    contents = _Contents()
    if part.get_content_type() in _MESSAGES:
        contents.messages += map(_unpacked, _messages(part))
    elif part.get_content_maintype() == "message" and part.is_multipart():
        contents.texts += map(_report, _messages(part))
    elif part.is_multipart():
        for child in _parts(part):
            found = _contents(child)
            contents.texts += found.texts
            contents.messages += found.messages
            contents.names += found.names
    else:
        name = _file_name(part)
        if _is_text(part, name) and (text := _text(part)).strip():
            contents.texts.append(text)
        if name:
            contents.names.append(name)
    return contents


def _best(choices: list[tuple[str, _Contents]]) -> _Contents:
    """Of several forms of one text the plain one, or where it is blank the next that is not:
    HTML, with its pictures or without, before a calendar. Messages and names are those of all."""
    order = sorted(
        choices,
        key=lambda choice: (choice[0] != "text/plain", choice[0].startswith("text/calendar")),
    )
    filled = (contents for _, contents in order if contents.texts)
    best = next(filled, _Contents())
    return _Contents(
        best.texts,
        [message for _, contents in choices for message in contents.messages],
        [name for _, contents in choices for name in contents.names],
    )


def _parts(part: MIMEPart) -> list[MIMEPart]:
    """The parts within ``part``; none of one whose contents were not understood."""
    payload = part.get_payload()
    return [p for p in payload if isinstance(p, MIMEPart)] if isinstance(payload, list) else []


def _messages(part: MIMEPart) -> list[EmailMessage]:
    return [inner for inner in _parts(part) if isinstance(inner, EmailMessage)]


def _unpacked(message: EmailMessage) -> EmailMessage:
    """A message within a message; without headers it is one in base64, which the library leaves."""
    packed = message.get_payload()
    if not message.keys() and isinstance(packed, str):
        with contextlib.suppress(ValueError):
            unpacked = _parsed(binascii.a2b_base64("".join(packed.split()), strict_mode=True))
            return unpacked if unpacked.keys() else message
    return message


def _report(fields: EmailMessage) -> str:
    """What a mail server or program says of a message, whom it did not reach and why: fields as
    those of a header, in several groups."""
    lines = [f"{name}: {clean_line(str(value))}" for name, value in fields.raw_items()]
    return "\n".join([*lines, *_contents(fields).texts])


def _is_text(part: MIMEPart, name: str) -> bool:
    """Whether ``part``, which has no parts, is to be read with the message.

    A file of its own is not, unless it is shown as text. What should have parts and names no
    border between them is text, too.
    """
    try:
        if part.is_attachment():
            return False
    except _BROKEN:
        return False
    if part.get_content_type() in ("text/plain", "text/html"):
        return True
    return part.get_content_maintype() in ("text", "multipart") and not name


def _text(part: MIMEPart) -> str:
    """The text of a part; bytes that its own encoding does not explain are guessed at."""
    data = part.get_payload(decode=True)
    if not isinstance(data, bytes):
        return ""
    charset = _charset(part)
    if part.get_content_type() != "text/html":
        return decode(data, declared=charset).text.rstrip("\n")
    decoded = decode(data, declared=charset) if charset else decode_html(data)
    return parse_html(decoded.text, name="", is_page=False).text.rstrip("\n")


def _charset(part: MIMEPart) -> str | None:
    try:
        return part.get_content_charset()
    except _BROKEN:
        return None


def _header(message: EmailMessage, name: str) -> str:
    """A header in one line."""
    try:
        value = clean_line(str(message.get(name, "")))
    except _BROKEN:
        value = "\ufffd"
    return _guessed_header(message, name) if "\ufffd" in value else value


def _guessed_header(message: EmailMessage, name: str) -> str:
    """A header that the library refuses or cannot read: bytes that name no charset are taken to
    have that of the text, and names of charsets as everywhere. What is broken stays as it is."""
    found = (value for key, value in message.raw_items() if key.lower() == name.lower())
    raw = str(next(found, "")).encode("utf-8", "surrogateescape")
    charsets = (_charset(part) for part in message.walk())
    value = decode(raw, declared=next(filter(None, charsets), "")).text
    with contextlib.suppress(*_BROKEN):
        value = "".join(_piece(*piece) for piece in decode_header(value))
    return clean_line(value)


def _piece(value: str | bytes, charset: str | None) -> str:
    """A piece of a header as the library parts it: without a charset, it is in Python's escapes."""
    if isinstance(value, str):
        return value
    return decode(value, declared=charset).text if charset else value.decode("raw-unicode-escape")


def _file_name(part: MIMEPart) -> str:
    try:
        return clean_line(part.get_filename() or "")
    except _BROKEN:
        return ""


def _metadata(message: EmailMessage) -> dict[str, str]:
    found = {"author": _header(message, "From"), "to": _header(message, "To")}
    try:
        date = message["Date"]
        if date is not None and date.datetime is not None:
            found["created"] = date.datetime.isoformat()
    except _BROKEN:
        pass  # a date that is none
    return found
