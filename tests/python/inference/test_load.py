"""`rate=`: requests that arrive whether or not those before them are done."""

from __future__ import annotations

import time
from typing import Any

import pytest

import laptime as lt

np = pytest.importorskip("numpy")
X = np.ones((1, 2))


def _load(model: Any, **options: Any) -> lt.InferenceLoad:
    load = lt.bench_inference(model, X, **options)[1].load
    assert load is not None
    return load


def test_a_rate_that_is_kept_up_with() -> None:
    load = _load(lambda x: None, rate=200, arrivals="constant", budget=0.6)
    assert load.arrived == load.served == 120
    assert (load.rate_per_s, load.arrivals) == (200, "constant")
    assert load.kept_up
    assert not load.is_at_least
    assert load.busy_ratio < 1
    assert load.p99_ns is not None


def test_time_in_the_queue_is_counted_from_the_scheduled_arrival() -> None:
    calls = 0

    def stalls(x: Any) -> None:
        """Takes no time; one call of the load takes 0.3 s."""
        nonlocal calls
        calls += 1
        if calls == stall_at:
            time.sleep(0.3)

    # At most 2,000 calls in a row and their warm-up come before the load.
    stall_at = 5_000
    load = _load(stalls, rate=10_000, arrivals="constant", budget=1.0)
    assert load.p90_ns is not None
    assert load.service_p50_ns is not None
    # 3,000 of 10,000 requests arrived during the stall. Who calls only when the last call has
    # returned sees one slow call in 10,000, and a 90th percentile of microseconds.
    assert load.p90_ns > 30e6
    assert load.service_p50_ns < 5e6


def test_a_rate_that_is_too_high_ends_and_who_waits_is_counted() -> None:
    begun = time.monotonic()
    load = _load(lambda x: time.sleep(0.01), rate=1_000, arrivals="constant", budget=0.3)
    assert time.monotonic() - begun < 30
    assert load.served < load.arrived == 300
    assert not load.kept_up
    assert load.is_at_least
    assert load.busy_ratio > 1
    assert load.p50_ns is not None
    assert load.service_p50_ns is not None
    assert load.p50_ns > load.service_p50_ns


def test_the_answer_says_which_batches_keep_up() -> None:
    found = lt.bench_inference(
        lambda x: time.sleep(0.001 if len(x) == 1 else 0.05),
        X,
        batch_sizes=[1, 2],
        rate=50,
        arrivals="constant",
        budget=1.0,
    )
    assert "50 requests/s are kept up with at batch 1, not at 2." in found.headline
    assert "batch, 50 requests/s" in str(found)
    assert "still waited at the end" in str(found)


def test_a_load_of_few_requests_has_no_verdict_and_says_why() -> None:
    found = lt.bench_inference(lambda x: None, X, rate=20, arrivals="constant", budget=0.1)
    load = found[1].load
    assert load is not None
    assert load.kept_up is None
    assert load.busy_ci is None
    assert load.why("kept_up") == load.why("busy_ci") == "2 requests are too few; 30 are needed"
    assert "can't tell" in str(found)
    assert "Whether 20 requests/s are kept up with at batch 1 can't be told." in found.headline
    assert found.to_dict()["cases"][0]["load"]["kept_up"] is None
    assert _load(lambda x: None, rate=200, budget=0.5).why("kept_up") is None


def test_poisson_arrivals_are_those_of_their_seed() -> None:
    arrived = [_load(lambda x: None, rate=300, budget=0.2, seed=seed).arrived for seed in (1, 1, 2)]
    assert arrived[0] == arrived[1]
    assert all(30 <= count <= 90 for count in arrived)


def test_few_requests_have_no_99th_percentile() -> None:
    load = _load(lambda x: None, rate=50, arrivals="constant", budget=0.2)
    assert load.p99_ns is None
    assert "100 are needed" in (load.why("p99_ns") or "")
    assert load.why("p50_ns") is None
