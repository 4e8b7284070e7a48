"""Why other counters' numbers are wrong, as docs/counters.md says it."""

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parents[3] / "benches" / "python" / "counters"))

import why

TRUTH = {
    "mac": 1000,
    "classes": {"Linear": 600, "MultiheadAttention": 400},
    "operators": {"matrix product": 900, "attention": 100},
}


def said(parts, *, by_operator=False):
    return {"mac": sum(parts.values()), "parts": parts, "by_operator": by_operator}


def words(peer, parts, **options):
    reasons = why.explain(peer, "model", said(parts, **options), TRUTH)
    return [(rule.words, difference.part) for rule, difference in reasons]


def test_a_missing_class_is_the_reason():
    ((reason, part),) = words("thop", {"Linear": 600})
    assert "functions" in reason
    assert part == "MultiheadAttention"


def test_missing_products_are_those_of_a_class_where_one_has_as_many():
    ((reason, part),) = words("fvcore", {"matrix product": 600}, by_operator=True)
    assert "fast path" in reason
    assert part == "MultiheadAttention"


def test_a_number_that_is_wrong_for_no_known_reason_is_an_error():
    with pytest.raises(why.Unexplained, match="thop, model: Linear is high, 1200 for 600 MAC"):
        words("thop", {"Linear": 1200, "MultiheadAttention": 400})


def test_a_wrong_sum_of_right_parts_is_an_error():
    with pytest.raises(why.Unexplained, match="every part is right"):
        words("thop", TRUTH["classes"])


def test_what_functions_did_in_a_class_is_not_missing_from_it():
    ((_, part),) = words("ptflops", {"functions": 400, "Linear": 600, "ReLU": 50})
    assert part == "ReLU"


def test_right_is_within_a_hundredth():
    assert why.is_right(1009, 1000)
    assert not why.is_right(1011, 1000)
    assert why.is_right(0, 0)
