"""A server that records again and again, each time to another path, and trains meanwhile."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import laptime as lt

torch = pytest.importorskip("torch")

#: What torch and Laptime make once is made by then.
WARM_UP = 3
RECORDS = 15


@pytest.fixture
def no_garbage() -> Iterator[None]:
    """No collection but the test's own."""
    gc.collect()
    gc.disable()
    yield
    gc.enable()


def record(path: Path, asked: dict[str, Any], *, trains: bool) -> None:
    with lt.record(path, **asked):
        if not trains:
            return
        model = torch.nn.Sequential(torch.nn.Linear(4, 4), torch.nn.ReLU())
        update = torch.optim.SGD(model.parameters(), 0.1)
        for batch in torch.utils.data.DataLoader(torch.ones(4, 4), batch_size=2):
            update.zero_grad()
            model(batch).sum().backward()
            update.step()


def objects() -> int:
    gc.collect()
    return len(gc.get_objects())


@pytest.mark.parametrize("trains", [False, True], ids=["idle", "training"])
@pytest.mark.parametrize(
    "asked",
    [{"phases": True}, {"modules": True, "ops": True}, {"kernels": range(1, 2)}],
    ids=lambda asked: "+".join(asked),
)
@pytest.mark.usefixtures("no_garbage")
def test_a_record_that_has_ended_leaves_no_object(
    tmp_path: Path, asked: dict[str, Any], trains: bool
) -> None:
    for number in range(WARM_UP):
        record(tmp_path / f"warm-{number}.lap", asked, trains=trains)
    before = objects()
    for number in range(RECORDS):
        record(tmp_path / f"{number}.lap", asked, trains=trains)
    assert objects() - before < RECORDS, "not one in each"
