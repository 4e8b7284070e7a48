"""The statistics behind verdicts, beside those of scipy and statsmodels, on random series."""

from __future__ import annotations

from typing import Any

import pytest

from laptime import _core

np: Any = pytest.importorskip("numpy")
stats: Any = pytest.importorskip("scipy.stats")
multitest: Any = pytest.importorskip("statsmodels.stats.multitest")
stattools: Any = pytest.importorskip("statsmodels.tsa.stattools")

SERIES = [(seed, one, other) for seed in range(6) for one, other in [(5, 6), (8, 40), (60, 35)]]


def pair(seed: int, one: int, other: int, ties: bool) -> tuple[list[float], list[float]]:
    """Two log-normal series, the second a little longer; with ties they are whole numbers."""
    random = np.random.default_rng(seed)
    base, new = random.lognormal(1.0, 0.5, one), random.lognormal(1.2, 0.5, other)
    if ties:
        base, new = np.round(base), np.round(new)
    return base.tolist(), new.tolist()


@pytest.mark.parametrize(("seed", "one", "other"), SERIES)
@pytest.mark.parametrize("ties", [False, True])
def test_ranks_say_what_scipy_says(seed: int, one: int, other: int, ties: bool) -> None:
    base, new = pair(seed, one, other, ties)
    ours = _core.statistics(base, new)
    has_ties = len(set(base + new)) < len(base + new)
    method = "exact" if not has_ties and min(one, other) <= 8 else "asymptotic"
    theirs = stats.mannwhitneyu(new, base, method=method)
    assert ours["mann_whitney_u"] == theirs.statistic
    assert ours["mann_whitney_p"] == pytest.approx(theirs.pvalue, rel=1e-9)
    assert ours["mad"] == pytest.approx(stats.median_abs_deviation(base))
    assert ours["iqr"] == pytest.approx(stats.iqr(base))
    assert ours["shift"] == pytest.approx(np.median(np.subtract.outer(new, base)))


@pytest.mark.parametrize("seed", range(6))
def test_permutations_say_what_scipy_says(seed: int) -> None:
    def apart(x: Any, y: Any, axis: int) -> Any:
        return np.abs(np.mean(x, axis=axis) - np.mean(y, axis=axis))

    def tested(base: list[float], new: list[float], resamples: float) -> float:
        found = stats.permutation_test(
            (base, new), apart, vectorized=True, n_resamples=resamples, alternative="greater", rng=1
        )
        return float(found.pvalue)

    few = pair(seed, 5, 6, ties=False)
    assert _core.statistics(*few)["permutation_p"] == pytest.approx(tested(*few, np.inf))
    # Both try 9,999 random ways: each is known to a standard error of 0.005 at most.
    many = pair(seed, 30, 35, ties=False)
    assert _core.statistics(*many)["permutation_p"] == pytest.approx(
        tested(*many, 9_999), abs=0.035
    )


@pytest.mark.parametrize("seed", range(6))
def test_correlation_says_what_statsmodels_says(seed: int) -> None:
    series = np.random.default_rng(seed).standard_normal(200).cumsum()
    ours = _core.statistics(series.tolist(), [1.0])
    theirs = stattools.acf(series, nlags=3)
    assert ours["autocorrelation_1"] == pytest.approx(theirs[1])
    assert ours["autocorrelation_3"] == pytest.approx(theirs[3])


@pytest.mark.parametrize("count", [1, 2, 7, 300])
def test_false_discoveries_say_what_statsmodels_says(count: int) -> None:
    p_values = np.random.default_rng(count).uniform(0, 1, count) ** 3
    theirs = multitest.multipletests(p_values, method="fdr_bh")[1]
    assert _core.statistics_adjusted(p_values.tolist()) == pytest.approx(theirs)


@pytest.mark.parametrize("freedom", [1.0, 2.5, 10.0, 300.0])
@pytest.mark.parametrize("x", [-8.0, -3.1, -0.5, 0.0, 1e-9, 1.0, 2.9, 3.1])
def test_distributions_say_what_scipy_says(x: float, freedom: float) -> None:
    share, back, two_sided, beta = _core.statistics_distributions(x, freedom)
    assert share == pytest.approx(stats.norm.cdf(x), rel=1e-12)
    assert back == pytest.approx(x, abs=1e-6)
    assert two_sided == pytest.approx(2 * stats.t.sf(abs(x), freedom), rel=1e-9)
    assert beta == pytest.approx(stats.beta.cdf(share, freedom, freedom + 1), rel=1e-9)


def test_a_series_without_values_has_no_statistics() -> None:
    assert _core.statistics([], []) == {}
