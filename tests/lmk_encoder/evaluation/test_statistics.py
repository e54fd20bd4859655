import numpy as np
import pytest

pytest.importorskip("scipy", reason="extra eval")

from lmk_encoder.evaluation.statistics import bootstrap_interval, compare


def test_interval_of_equal_values_is_a_point():
    assert bootstrap_interval(np.full(30, 0.5)) == (0.5, 0.5)


def test_interval_has_the_width_of_the_normal_one():
    values = np.random.default_rng(1).normal(0.6, 0.2, 900)
    low, high = bootstrap_interval(values)
    error = values.std() / 30
    assert low == pytest.approx(values.mean() - 1.96 * error, abs=0.3 * error)
    assert high == pytest.approx(values.mean() + 1.96 * error, abs=0.3 * error)


def test_the_same_seed_gives_the_same_interval():
    values = np.random.default_rng(2).random(40)
    assert bootstrap_interval(values) == bootstrap_interval(values)
    assert bootstrap_interval(values) != bootstrap_interval(values, seed=1)


def test_no_difference_is_no_evidence():
    values = np.array([0.0, 1.0, 0.5])
    assert compare(values, values) == (0.0, 1.0, 1.0)


def test_t_test_worked_out_by_hand():
    """Differences 1, 2, 3: mean 2, standard error 1/sqrt(3), t = 3.4641, two-sided p of 0.0742."""
    found = compare(np.array([1.0, 2.0, 3.0]), np.zeros(3))
    assert found.difference == 2
    assert found.p_t == pytest.approx(0.07418, abs=1e-5)
    # Of the 8 ways to set the signs, 2 give a mean as far from 0.
    assert found.p_randomisation == pytest.approx(2 / 8, abs=0.02)


def test_both_tests_find_a_clear_difference_and_agree_on_noise():
    generator = np.random.default_rng(3)
    theirs = generator.random(200)
    clear = compare(theirs + 0.1 + 0.01 * generator.random(200), theirs)
    assert clear.p_t < 1e-6
    assert clear.p_randomisation < 1e-3
    noise = compare(theirs + generator.normal(0, 0.1, 200), theirs)
    assert noise.p_t == pytest.approx(noise.p_randomisation, abs=0.05)


def test_unpaired_values_are_refused():
    with pytest.raises(ValueError, match="not paired: 3 and 2"):
        compare(np.zeros(3), np.zeros(2))
