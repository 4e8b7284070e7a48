"""`rate=`: requests that arrive whether or not those before them are done, on a scripted clock."""

from __future__ import annotations

from typing import Any

import pytest

import laptime as lt

np = pytest.importorskip("numpy")
X = np.ones((1, 2))


def _load(model: Any, **options: Any) -> lt.InferenceLoad:
    load = lt.bench_inference(model, X, **options)[1].load
    assert load is not None
    return load


def test_requests_are_served_when_they_arrive(clock: Any) -> None:
    load = _load(lambda x: clock.work(0.001), rate=200, arrivals="constant", budget=0.6)
    assert load.arrived == load.served == 120
    assert (load.rate_per_s, load.arrivals) == (200, "constant")
    assert load.kept_up is True
    assert not load.is_at_least
    assert load.busy_ratio == pytest.approx(0.2, rel=0.01)
    assert load.p99_ns == pytest.approx(1e6, rel=0.01)
    assert load.why("kept_up") is None


def test_time_in_the_queue_is_counted_from_the_scheduled_arrival(clock: Any) -> None:
    calls = 0

    def stalls(x: Any) -> None:
        """Takes a millisecond; one call of the load takes 0.3 s."""
        nonlocal calls
        calls += 1
        clock.work(0.3 if calls == stall_at else 0.001)

    # The budget ends the calls in a row before a thousand; then the load has 500.
    stall_at = 1_300
    load = _load(stalls, rate=500, arrivals="constant", budget=1.0)
    assert calls - load.served < stall_at < calls
    # A third of all requests arrived during the stall or before its queue was gone. Who calls only
    # when the last call has returned sees one slow call in 500.
    assert load.service_p50_ns == pytest.approx(1e6, rel=0.01)
    assert load.p90_ns is not None
    assert load.p90_ns > 100e6


def test_a_rate_that_is_too_high_ends_and_who_waits_is_counted(clock: Any) -> None:
    load = _load(lambda x: clock.work(0.01), rate=1_000, arrivals="constant", budget=0.3)
    # Requests arrive for 0.3 s and are served for twice as long, each for 10 ms.
    assert load.arrived == 300
    assert 59 <= load.served <= 61
    assert load.kept_up is False
    assert load.is_at_least
    assert load.busy_ratio == pytest.approx(10, rel=0.01)
    assert load.p50_ns is not None
    assert load.service_p50_ns is not None
    assert load.p50_ns > load.service_p50_ns


def test_what_few_requests_can_not_tell_is_none_with_its_reason(clock: Any) -> None:
    found = lt.bench_inference(lambda x: None, X, rate=20, arrivals="constant", budget=0.1)
    load = found[1].load
    assert load is not None
    assert (load.kept_up, load.busy_ci, load.p99_ns) == (None, None, None)
    assert load.why("kept_up") == load.why("busy_ci") == "2 requests are too few; 30 are needed"
    assert "100 are needed" in (load.why("p99_ns") or "")
    assert load.why("p50_ns") is None
    assert found.to_dict()["cases"][0]["load"]["kept_up"] is None


def test_poisson_arrivals_are_those_of_their_seed(clock: Any) -> None:
    arrived = [_load(lambda x: None, rate=300, budget=0.2, seed=seed).arrived for seed in (1, 1, 2)]
    assert arrived[0] == arrived[1] != arrived[2]
    assert all(30 <= count <= 90 for count in arrived)
