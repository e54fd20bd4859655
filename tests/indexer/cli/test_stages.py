from indexer.cli.stages import StageProgress, stage_line


def test_a_line_says_how_far_how_fast_and_how_long():
    assert (
        stage_line("squality landmark", 250, 1000, 5.0)
        == "squality landmark   25%, 15 s left, 50/s"
    )
    assert stage_line("x", 3, None, 2.0) == "x  3, 1.50/s"
    assert stage_line("x", 10, 10, 1.0) == "x  100%, 10/s"
    assert stage_line("x", 60, 100, 5.0, first=50) == "x   60%, 20 s left, 2.00/s"
    assert stage_line("x", 0, 10, 0.0) == "x    0%, 0.00/s"


def test_outside_a_terminal_a_line_comes_now_and_then(capsys):
    now = [0.0]
    show = StageProgress(clock=lambda: now[0])
    for second in range(25):
        now[0] = float(second)
        show("a", second, 100)
    lines = capsys.readouterr().err.splitlines()
    assert [line.split(",")[0] for line in lines] == ["a   10%", "a   20%"]


def test_a_step_back_starts_the_clock_anew(capsys):
    now = [0.0]
    show = StageProgress(clock=lambda: now[0])
    for now[0], done in ((0.0, 0), (1000.0, 90), (1001.0, 0), (1021.0, 10)):
        show("a", done, 100)
    assert capsys.readouterr().err.splitlines()[-1] == "a   10%, 3 min left, 0.50/s"
