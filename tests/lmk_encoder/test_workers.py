"""Batches side by side."""

import threading

import pytest
import torch

from lmk_encoder.workers import in_workers


@pytest.fixture
def two_threads():
    before = torch.get_num_threads()
    torch.set_num_threads(2)
    yield
    torch.set_num_threads(before)


@pytest.mark.usefixtures("two_threads")
def test_results_keep_their_order_and_each_worker_uses_one_core():
    def work(number):
        return number, torch.get_num_threads(), threading.get_ident()

    results = list(in_workers(work, range(20)))

    assert [number for number, _, _ in results] == list(range(20))
    assert {threads for _, threads, _ in results} == {1}
    assert threading.get_ident() not in {ident for _, _, ident in results}
    assert torch.get_num_threads() == 2


@pytest.mark.usefixtures("two_threads")
def test_one_item_has_all_cores():
    assert list(in_workers(lambda _: torch.get_num_threads(), [0])) == [2]
    assert list(in_workers(lambda _: torch.get_num_threads(), [0], are_small=True)) == [1]


@pytest.mark.usefixtures("two_threads")
def test_an_error_reaches_the_caller_and_stops_what_has_not_begun():
    begun = []
    release = threading.Event()

    def work(number):
        begun.append(number)
        if number == 0:
            raise ValueError("bad batch")
        release.wait(10)

    try:
        with pytest.raises(ValueError, match="bad batch"):
            list(in_workers(work, range(1000)))
        assert len(begun) <= 3
    finally:
        release.set()
