"""What a benchmark prints."""

import json

from benchmarks.harness.report import result, table, where


def test_a_table_has_its_numbers_to_the_right():
    shown = table(["", "lmk", "plain"], [["p50_ms", 12.345, None], ["tokens", 123456.0, 7]])
    assert shown.splitlines() == [
        "            lmk  plain",
        "------  -------  -----",
        "p50_ms     12.3      -",
        "tokens  123,456      7",
    ]


def test_the_result_is_one_line_of_json():
    line = result("ingest", {"tokens_per_s": 1234.5678, "plain_tokens_per_s": None})
    assert "\n" not in line
    assert json.loads(line) == {
        "benchmark": "ingest",
        "figures": {"tokens_per_s": 1235.0, "plain_tokens_per_s": None},
    }


def test_the_machine_is_named_in_one_line():
    assert "cores" in where()
    assert "\n" not in where()
