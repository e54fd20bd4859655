from indexer.cli.stages import StageProgress, stage_line


def test_a_line_says_how_far_how_fast_and_how_long():
    assert (
        stage_line("squality landmark", 250, 1000, 5.0)
        == "squality landmark   25%, 15 s left, 50/s"
    )
    assert stage_line("x", 3, None, 2.0) == "x  3, 1.50/s"
    assert stage_line("x", 10, 10, 1.0) == "x  100%, 10/s"
    assert stage_line("x", 0, 10, 0.0) == "x    0%, 0.00/s"


def test_outside_a_terminal_a_line_comes_now_and_then(capsys):
    now = [0.0]
    show = StageProgress(clock=lambda: now[0])
    for second in range(25):
        now[0] = float(second)
        show("a", second, 100)
    lines = capsys.readouterr().err.splitlines()
    assert [line.split(",")[0] for line in lines] == ["a   10%", "a   20%"]
