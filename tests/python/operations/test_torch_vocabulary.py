"""PyTorch's dispatcher holds no operator that Laptime has never heard of."""

from __future__ import annotations

import pytest

from laptime._core import Feed

torch = pytest.importorskip("torch")

#: Dialects whose operators models meet.
DIALECTS = ("aten", "prims", "quantized", "mkldnn", "onednn", "c10d", "_c10d_functional")

#: Those that exist to test the dispatcher itself.
TESTS = ("aten::_test_", "aten::_foobar")

#: Those that the compiler puts into its own graphs, registered once it is imported.
COMPILERS = (
    "prims::inductor_",
    "prims::_low_memory_max_pool",
    "prims::prepare_softmax_online",
    "prims::fma",
)


def dispatched() -> list[str]:
    """Operators with kernels of their own: others are decomposed before they are counted."""
    own: dict[str, bool] = {}
    for overload in torch._C._dispatch_get_all_op_names():
        name = overload.split(".")[0]
        composite = torch._C._dispatch_has_kernel_for_dispatch_key(
            overload, "CompositeImplicitAutograd"
        )
        own[name] = own.get(name, False) or not composite
    return sorted(
        name
        for name, has_kernel in own.items()
        if has_kernel and name.split("::")[0] in DIALECTS and not name.startswith(TESTS + COMPILERS)
    )


def test_every_operator_with_a_kernel_has_a_formula_or_a_reason() -> None:
    names = dispatched()
    assert len(names) > 1000
    feed = Feed()
    for name in names:
        feed.add(feed.operator(name, []), [], [])
    unknown = {row.name for row in feed.finish().uncounted if "no formula" in row.reason}
    assert unknown == set()
