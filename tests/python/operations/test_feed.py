"""Calls that a feed describes, and the account that comes back."""

import re

import pytest

from laptime._core import Feed, Shape, register_formula


def matrix(*sizes, **rest):
    return Shape(sizes, "float32", **rest)


def product(feed, *sizes, **rest):
    m, k, n = sizes
    operator = feed.operator("aten::mm", ["self", "mat2"])
    feed.add(operator, [matrix(m, k), matrix(k, n)], [matrix(m, n)], **rest)


def test_a_call_is_counted_with_its_bytes():
    feed = Feed()
    product(feed, 2, 3, 5)
    counts = feed.finish()
    assert counts.mac == 30
    assert counts.flop == 60
    assert counts.bytes_read == 4 * (6 + 15)
    assert counts.bytes_written == 4 * 10
    assert counts.by_op["aten::mm"].calls == 1
    assert counts.by_dtype == {"float32": 30}
    assert counts.params is None


def test_a_module_holds_what_runs_in_those_below_it():
    feed = Feed()
    feed.module("", kind="Net", params=7, calls=1)
    product(feed, 2, 3, 5, module=feed.module("a", kind="Block", params=5, calls=1))
    product(feed, 1, 1, 1, module=feed.module("a.b", kind="Linear", params=2, calls=3))
    rows = feed.finish().by_module
    assert {path: row.mac for path, row in rows.items()} == {"": 31, "a": 31, "a.b": 1}
    assert rows["a"].own.mac == 30
    assert (rows["a.b"].kind, rows["a.b"].calls, rows["a.b"].params) == ("Linear", 3, 2)
    assert rows[""].params == 7


def test_phases_have_their_own_rows_and_a_wrong_one_is_named():
    feed = Feed()
    product(feed, 2, 3, 5, phase="backward")
    product(feed, 2, 3, 5, phase="recompute")
    with pytest.raises(ValueError, match="sideways"):
        product(feed, 1, 1, 1, phase="sideways")
    counts = feed.finish()
    assert {name: row.mac for name, row in counts.by_phase.items()} == {
        "backward": 30,
        "recompute": 0,
    }
    assert counts.executed_flop == 120


def test_an_unknown_number_of_rounds_is_never_taken_for_one():
    feed = Feed()
    product(feed, 2, 3, 5, repeat=100)
    product(feed, 2, 3, 5, repeat=None)
    counts = feed.finish()
    assert counts.mac == 3000
    assert [row.name for row in counts.uncounted] == ["aten::mm"]
    assert counts.coverage_ratio == pytest.approx(100 / 101)


def test_an_operator_without_a_formula_is_listed_with_its_calls_and_elements():
    feed = Feed()
    operator = feed.operator("mine::unheard_of", ["x"])
    for _ in range(3):
        feed.add(operator, [matrix(4)], [matrix(4, 4)])
    counts = feed.finish()
    (row,) = counts.uncounted
    assert (row.name, row.calls, row.elements) == ("mine::unheard_of", 3, 48)
    assert row.reason
    assert counts.coverage_ratio == 0


def test_a_formula_of_the_users_sees_the_call():
    feed = Feed()
    operator = feed.operator("mine::gemm", ["a", "factor", "sizes", "more"])

    def formula(call):
        assert call.name == "mine::gemm"
        assert call["factor"] == 2
        assert call["sizes"] == [1, 2]
        assert call["more"] == [matrix(3), None]
        assert call.inputs == [matrix(4, 5), matrix(3)]
        return {"mac": call["a"][0] * call["a"][-1], "other_flop": call.outputs[0].elements}

    feed.formula("mine::gemm", formula)
    feed.add(operator, [matrix(4, 5), 2, (1, 2), [matrix(3), None]], [matrix(6)])
    counts = feed.finish()
    assert (counts.mac, counts.other_flop, counts.executed_flop) == (20, 6, 40)
    assert counts.bytes_read == 4 * 23
    assert counts.uncounted == []


@pytest.mark.parametrize(
    ("formula", "reason"),
    [
        (lambda call: 1 / 0, "its formula raised ZeroDivisionError"),
        (lambda call: 12, "a dict such as"),
        (lambda call: {"flops": 1}, '"flops" is no column'),
        (lambda call: {"mac": -1}, "its formula's answer"),
        (lambda call: {"mac": call["b"]}, "its arguments are a"),
    ],
)
def test_a_formula_that_fails_leaves_its_calls_uncounted_and_says_why(formula, reason):
    feed = Feed()
    feed.formula("mine::gemm", formula)
    feed.add(feed.operator("mine::gemm", ["a"]), [matrix(1)], [matrix(1)])
    (row,) = feed.finish().uncounted
    assert re.search(reason, row.reason), row.reason


def test_a_registered_formula_reaches_every_feed_until_it_is_taken_back():
    register_formula("aten::mm", lambda call: {"mac": 1})
    try:
        feed = Feed()
        product(feed, 2, 3, 5)
        assert feed.finish().mac == 1
    finally:
        register_formula("aten::mm", None)
    feed = Feed()
    product(feed, 2, 3, 5)
    assert feed.finish().mac == 30


def test_thousands_of_calls_are_all_in_the_account():
    feed = Feed()
    for _ in range(5000):
        product(feed, 1, 1, 1)
    counts = feed.finish()
    assert (counts.mac, counts.operations) == (5000, 5000)


def test_an_expanded_tensor_is_read_by_the_storage_it_touches():
    assert matrix(4, 5, strides=(0, 1)).bytes == 20
    assert matrix(4, 5).bytes == 80
    assert Shape([8], "int64", stored=2).bytes == 16


def test_bad_shapes_are_refused_by_name():
    with pytest.raises(ValueError, match="floaty"):
        Shape([1], "floaty")
    with pytest.raises(IndexError, match="dimension 3"):
        matrix(1, 2)[3]
    with pytest.raises(IndexError, match="operator 9"):
        Feed().add(9, [], [])
    with pytest.raises(TypeError, match="a formula is a function"):
        Feed().formula("x", 3)


def test_an_account_says_how_its_numbers_are_to_be_read():
    feed = Feed()
    feed.warn("made-up", "something is doubtful")
    counts = feed.finish()
    assert counts.warnings == ["something is doubtful"]
    assert any("1 MAC = 2 FLOP" in line for line in counts.conventions)
