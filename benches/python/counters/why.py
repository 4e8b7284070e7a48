"""Why a counter's number is not the truth: from the parts in which it differs.

A `Difference` compares, part by part, what a counter said with what there is. A rule puts such a
difference into words; a wrong number that no rule puts into words is an error.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

#: How far a sum may be from the truth and still be right.
RIGHT = 0.01
#: Parts that differ by less than this of the truth explain nothing.
SMALL = 0.004


@dataclass(frozen=True)
class Difference:
    """A part in which a counter differs: what it said, what there is."""

    part: str
    said: float
    true: float

    @property
    def kind(self) -> str:
        if not self.true:
            return "extra"
        ratio = self.said / self.true
        return "missed" if ratio < 0.02 else "low" if ratio < 1 else "high"


@dataclass(frozen=True)
class Rule:
    """In words, a difference of a kind in parts whose name matches."""

    peers: str
    kind: str
    part: str
    words: str

    def holds(self, peer: str, difference: Difference) -> bool:
        return bool(
            re.fullmatch(self.peers, peer)
            and re.fullmatch(self.kind, difference.kind)
            and re.fullmatch(self.part, difference.part)
        )


_RECURRENT = "LSTM|GRU|RNN|recurrent layer.*"
_BY_MODULE = "thop|ptflops|torchinfo|flops_profiler|calflops"
_BY_OPERATOR = "fvcore|(flop_counter|torch_profiler)( training)?"
_FAST_PATH = (
    "does not know the operator that PyTorch's fast path runs for a transformer's layer, in "
    "evaluation without gradients"
)

#: The first that holds is taken.
RULES = (
    Rule(".*", "missed", _RECURRENT, "misses recurrent layers"),
    Rule(
        _BY_MODULE,
        "missed",
        "(?!Linear|Conv[123]d).*",
        "misses what a model does by functions, and modules that it has no rule for",
    ),
    Rule(
        "thop|ptflops|fvcore",
        "extra",
        ".*[Nn]orm.*|.*[Aa]vg_?[Pp]ool.*|ReLU|functions",
        "adds normalisation, pooling or activations, which are no multiply-accumulates",
    ),
    Rule("thop|ptflops", "high", _RECURRENT, "adds the gates' own arithmetic"),
    Rule(
        "thop|torchinfo",
        "high",
        "ConvTranspose.*",
        "takes the output of a transposed convolution for its input",
    ),
    Rule(
        "torchinfo",
        "low|missed",
        "Linear",
        "counts a linear layer once for each item of a batch, however long its sequence",
    ),
    Rule("torchinfo", "extra|high", "Embedding", "counts look-ups as products with the table"),
    Rule(
        "torchinfo",
        "extra|high",
        "Conv1D",
        "takes a linear layer called Conv1D for a convolution",
    ),
    Rule("calflops training", "missed", ".*", "misses what a model does by functions"),
    Rule(
        "calflops training",
        "high|low",
        ".*",
        "takes the backward for twice the forward, whatever autograd runs",
    ),
    Rule("fvcore|flop_counter", "missed|low", "MultiheadAttention|matrix product", _FAST_PATH),
    Rule("flop_counter", "missed", "attention", _FAST_PATH),
    Rule(
        "torch_profiler",
        "low",
        "matrix product",
        "sees a part of what the fast path runs for a transformer's layer",
    ),
    Rule(
        "flop_counter training",
        "high",
        "convolution, backward",
        "ignores groups in the gradient of a convolution's weight",
    ),
    Rule(
        "flop_counter training",
        "high",
        "attention, backward",
        "counts the product that flash attention's backward repeats: executed, not asked for",
    ),
    Rule(
        "torch_profiler training",
        "missed",
        "convolution, backward",
        "misses gradients of convolutions",
    ),
    Rule(
        "torch_profiler.*",
        "missed",
        "convolution",
        "knows plain convolutions in two dimensions alone",
    ),
    Rule(_BY_OPERATOR, "missed", "attention.*", "misses attention"),
    Rule(_BY_OPERATOR, "missed", "matrix times vector", "misses products with a vector"),
)


def differences(said: Mapping[str, Any], truth: Mapping[str, Any]) -> list[Difference]:
    """The parts in which a counter differs from the truth, largest first."""
    true = truth["operators" if said["by_operator"] else "classes"]
    parts = {*true, *said["parts"]}
    found = [Difference(part, said["parts"].get(part, 0), true.get(part, 0)) for part in parts]
    large = [it for it in found if abs(it.said - it.true) > SMALL * truth["mac"]]
    if said["by_operator"]:
        large = _of_a_class(large, truth)
    else:
        large = _without_what_functions_say(large)
    return sorted(large, key=lambda it: (-abs(it.said - it.true), it.part))


def _of_a_class(found: list[Difference], truth: Mapping[str, Any]) -> list[Difference]:
    """Missing products as the class of modules that they are all of, where there is one."""
    missing = [it for it in found if it.said < it.true]
    deficit = sum(it.true - it.said for it in missing)
    if all(it.part != "matrix product" for it in missing):
        return found
    for name, mac in truth["classes"].items():
        if abs(mac - deficit) <= RIGHT * truth["mac"]:
            return [it for it in found if it not in missing] + [Difference(name, 0, mac)]
    return found


def _without_what_functions_say(found: list[Difference]) -> list[Difference]:
    """Without a class whose work a counter of modules saw, as that of functions."""
    functions = next((it for it in found if it.part == "functions"), None)
    if functions is None:
        return found
    for it in found:
        if it.kind == "missed" and abs(functions.said - it.true) <= RIGHT * it.true:
            return [other for other in found if other not in (functions, it)]
    return found


def is_right(said: float, true: float) -> bool:
    return abs(said - true) <= RIGHT * true


class Unexplained(Exception):
    """A wrong number that no rule puts into words."""


def explain(
    peer: str, model: str, said: Mapping[str, Any], truth: Mapping[str, Any]
) -> list[tuple[Rule, Difference]]:
    """The rules that hold for what is wrong."""
    reasons: list[tuple[Rule, Difference]] = []
    for difference in differences(said, truth):
        rule = next((rule for rule in RULES if rule.holds(peer, difference)), None)
        if rule is None:
            raise Unexplained(
                f"{peer}, {model}: {difference.part} is {difference.kind}, "
                f"{difference.said:.6g} for {difference.true:.6g} MAC"
            )
        if all(rule is not known for known, _ in reasons):
            reasons.append((rule, difference))
    if not reasons:
        raise Unexplained(f"{peer}, {model}: {said['mac']:.6g} MAC, and every part is right")
    return reasons
