"""One writer an index, and who it is."""

import os

import pytest

from indexer.errors import IndexBusy
from indexer.store.lock import write_lock


def test_the_second_writer_is_told_who_writes_and_since_when(tmp_path):
    since = rf"process {os.getpid()} .*since \d{{4}}-\d\d-\d\d \d\d:"
    with write_lock(tmp_path) as announce:
        announce()
        with pytest.raises(IndexBusy, match=since), write_lock(tmp_path):
            pass
