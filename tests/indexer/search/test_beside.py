"""Work that goes on beside the thread that wants it."""

import threading

import pytest

from indexer.search.beside import beside


def test_work_goes_on_while_its_caller_does_something_else():
    told = threading.Event()
    found = beside(told.wait, 10)
    told.set()  # would never come if the caller had been waiting
    assert found.result() is True


def test_an_error_comes_with_the_result():
    failing = beside(int, "no number")
    with pytest.raises(ValueError, match="no number"):
        failing.result()
