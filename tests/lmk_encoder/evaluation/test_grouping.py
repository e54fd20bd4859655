from hypothesis import given
from hypothesis import strategies as st

from lmk_encoder.evaluation.grouping import grouped, groups


@given(st.lists(st.text(max_size=20)), st.integers(1, 30))
def test_groups_keep_every_text_in_order(texts, room):
    found = list(groups(texts, room))
    assert [text for group in found for text in group] == texts
    assert all(sum(map(len, group)) <= room or len(group) == 1 for group in found)


def test_progress_counts_characters_of_all_groups(monkeypatch):
    monkeypatch.setattr("lmk_encoder.evaluation.grouping.GROUP_CHARS", 10)
    calls = []
    for _, report in grouped(["a" * 8, "b" * 6, "c" * 2], lambda *now: calls.append(now), "s"):
        report("encode", 1, 2)
        report("encode", 2, 2)
    assert calls == [("s", 4, 16), ("s", 8, 16), ("s", 12, 16), ("s", 16, 16)]
