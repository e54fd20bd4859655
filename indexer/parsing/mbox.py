"""Where the messages of a mailbox (mbox) begin (pure): for sniffing and for reading."""

import re
from collections.abc import Iterator

# "From ann@example.org Mon Mar  1 10:00:00 2021", at the start or behind a blank line: a time and
# a year, in either order, so that a sentence that begins with "From" is none. Gateways put
# ">From" lines behind it. Then a header has to follow.
_SEPARATOR = re.compile(
    rb"From (?:(?<=\AFrom )|(?<=\n\nFrom )|(?<=\n\r\nFrom ))"
    rb"(?=[^\r\n]*\d:\d\d)(?=[^\r\n]*\b\d{4}\b)[^\r\n]*+\r?\n(?:>?From [^\r\n]*+\r?\n)*+"
    rb"(?=[!-9;-~]++:)"
)


def begins_mailbox(head: bytes) -> bool:
    """Whether the file that begins with ``head`` begins with a message of a mailbox."""
    return _SEPARATOR.match(head.lstrip()) is not None


def messages(data: bytes) -> Iterator[bytes]:
    """The messages of a mailbox without the lines that part them.

    What stands before the first such line, if it is more than white space, is a message too:
    nothing is lost of a file that is no mailbox.
    """
    data = data.lstrip()
    begin = 0
    for found in _SEPARATOR.finditer(data):
        if data[begin : found.start()].strip():
            yield _restored(data[begin : found.start()])
        begin = found.end()
    yield _restored(data[begin:])


def _restored(message: bytes) -> bytes:
    """``message`` with the lines that mailboxes quote, so that they part nothing, as they were."""
    return message.replace(b"\n>From ", b"\nFrom ")
