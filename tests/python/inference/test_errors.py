"""What raises at one batch size is a reason there, and what is asked for wrongly is refused."""

from __future__ import annotations

from typing import Any

import pytest

import laptime as lt

np: Any = pytest.importorskip("numpy")
X = np.ones((1, 2))


def no_fours(x: Any) -> Any:
    if len(x) == 4:
        raise ValueError("no fours\x1b[31m\nand more")
    return x


def test_a_size_that_raises_has_its_reason_and_the_others_their_numbers() -> None:
    found = lt.bench_inference(no_fours, X, batch_sizes=[4, 1, 8], budget=0.02)
    assert found[1].p50_ns is not None
    assert found[8].p50_ns is not None
    reason = found[4].unavailable or ""
    assert reason.startswith("it raised ValueError: no fours\\u{1b}[31m; batch_sizes=[4] alone")
    assert found[4].why("p50_ns") == reason
    assert "Batch 4: Not measured: it raised ValueError" in str(found)
    assert "\x1b" not in str(found)


def test_where_every_size_raises_the_first_error_goes_on_with_its_size() -> None:
    def model(x: Any) -> None:
        raise ZeroDivisionError(len(x))

    with pytest.raises(ZeroDivisionError, match="2") as caught:
        lt.bench_inference(model, X, batch_sizes=[1000, 2], budget=0.02)
    said = "Raised at batch size 2, in iteration 1 of a benchmark."
    assert getattr(caught.value, "__notes__", [said]) == [said]


def test_an_error_under_load_is_one_too() -> None:
    calls = 0

    def model(x: Any) -> None:
        nonlocal calls
        calls += 1
        if calls > 2_500:
            raise RuntimeError("worn out")

    with pytest.raises(RuntimeError, match="worn out"):
        lt.bench_inference(model, X, rate=20_000, arrivals="constant", budget=1.0)


@pytest.mark.parametrize("error", [KeyboardInterrupt, SystemExit])
def test_an_interrupt_always_goes_on(error: type[BaseException]) -> None:
    def model(x: Any) -> None:
        if len(x) == 2:
            raise error

    with pytest.raises(error):
        lt.bench_inference(model, X, batch_sizes=[1, 2, 3], budget=0.02)


def test_memory_of_the_host_that_does_not_suffice_is_a_reason() -> None:
    def model(x: Any) -> None:
        raise MemoryError("too much")

    found = lt.bench_inference(model, X, budget=0.02)
    assert found[1].unavailable == "out of memory: too much"


def test_a_batch_size_may_stand_alone() -> None:
    assert lt.bench_inference(len, X, batch_sizes=4, budget=0.01).batch_sizes == [4]


@pytest.mark.parametrize("wrong", ["8", [1.5], 2.0, [None], ["a"]])
def test_batch_sizes_are_whole_numbers(wrong: Any) -> None:
    with pytest.raises(TypeError, match=r"batch_sizes are whole numbers, such as .*, not "):
        lt.bench_inference(len, X, batch_sizes=wrong)


@pytest.mark.parametrize("wrong", ["a", True, [1]])
def test_tokens_are_a_number_or_a_function(wrong: Any) -> None:
    with pytest.raises(TypeError, match="tokens are a number for each sample, or a function"):
        lt.bench_inference(len, X, tokens=wrong)


def test_a_device_without_values_says_so() -> None:
    found = lt.bench_inference(len, X, devices=["meta", "cpu"], budget=0.01)
    assert found["meta", 1].unavailable == "tensors on it have no values: nothing is computed there"


def test_where_no_device_is_there_the_reason_is_all_that_is_printed() -> None:
    found = lt.bench_inference(len, X, devices=["nonsense"], budget=0.01)
    assert str(found).startswith("nonsense was not measured: ")
    assert "samples/s" not in str(found)
    with pytest.raises(ValueError, match="nothing to save: nonsense was not measured"):
        found.save("nowhere.json")
