"""What the ledger says of a file."""

import pytest

from indexer.errors import Locked, NoText, ParseError, Unsupported
from indexer.ingest.states import state_of


@pytest.mark.parametrize(
    ("kind", "state"),
    [(Locked, "locked"), (NoText, "no text"), (Unsupported, "excluded"), (ParseError, "failed")],
)
def test_a_reason_is_one_clean_line(kind, state):
    error = kind("its part x\x1b[2K\r\n0 failed is missing.", "Save it again.")

    assert state_of(error) == (state, "its part x 0 failed is missing. Save it again.")


def test_a_file_that_was_read_has_no_reason():
    assert state_of(None) == ("indexed", None)
