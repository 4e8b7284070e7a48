"""What processes that train together exchange, and how long each waits for the others."""

from __future__ import annotations

import copy
import json
import subprocess
import sys
import time
from pathlib import Path

import polars
import pytest
import torch
import torch.distributed as distributed
from torch import nn
from torch.nn.parallel import DistributedDataParallel
from watched import children, loader, network, watched

import laptime as lt

BATCHES = 6


@pytest.fixture
def group():
    """A group of one, which exchanges with nobody, by the same calls."""
    store = distributed.HashStore()
    distributed.init_process_group("gloo", store=store, rank=0, world_size=1)
    yield
    distributed.destroy_process_group()


def train(model, after_backward=lambda: None, after_step=lambda: None, batches=BATCHES):
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for inputs, targets in loader(batches):
        optimizer.zero_grad()
        nn.CrossEntropyLoss()(model(inputs), targets).backward()
        after_backward()
        optimizer.step()
        after_step()


@pytest.mark.usefixtures("group")
def test_gradients_averaged_by_hand_are_a_phase_of_the_step():
    model = network()

    def average():
        for parameter in model.parameters():
            distributed.all_reduce(parameter.grad)

    distributed.barrier()  # before training: a part of the start
    with watched() as recorded:
        train(model, average)
    assert recorded.count("step") == BATCHES
    assert recorded.count("step/communication") == BATCHES * 4
    assert recorded.total("step/communication") < recorded.total("step")
    assert recorded.count("communication") == 0


@pytest.mark.usefixtures("group")
def test_what_is_exchanged_between_steps_stands_beside_them():
    with watched() as recorded:
        train(network(), after_step=lambda: distributed.all_gather_object([None], {"loss": 1.0}))
    assert recorded.count("step") == BATCHES
    assert recorded.count("communication") == BATCHES, "one of objects is one"


@pytest.mark.usefixtures("group")
def test_an_exchange_that_goes_on_beside_the_program_is_no_wait():
    works = []

    def begin():
        works.append(distributed.all_reduce(torch.ones(2), async_op=True))

    with watched() as recorded:
        train(network(), begin)
        for work in works:
            work.wait()
    assert recorded.count("step") == BATCHES
    assert recorded.count("step/communication") == 0


@pytest.mark.usefixtures("group")
@pytest.mark.parametrize("modules", [False, True])
def test_a_replica_s_backward_tells_its_wait_apart(modules):
    model = DistributedDataParallel(network())
    with watched(modules=modules) as recorded:
        train(model)
    assert recorded.count("step") == BATCHES
    assert 0 < recorded.count("step/backward/communication") <= BATCHES
    assert children(recorded, "step/backward") <= recorded.total("step/backward")


@pytest.mark.usefixtures("group")
@pytest.mark.parametrize("modules", [False, True])
def test_a_forward_that_is_seen_to_end_late_makes_no_backward_longer(modules, monkeypatch):
    over = DistributedDataParallel._post_forward

    def late(*given):
        result = over(*given)
        time.sleep(0.005)  # as where the processor is taken away
        return result

    monkeypatch.setattr(DistributedDataParallel, "_post_forward", late)
    model = DistributedDataParallel(network())
    with watched(modules=modules) as recorded:
        train(model)
    assert children(recorded, "step/backward") <= recorded.total("step/backward")


class Slowly(torch.autograd.Function):
    """A backward that takes 10 ms."""

    @staticmethod
    def forward(context, values):
        return values * 1

    @staticmethod
    def backward(context, gradients):
        time.sleep(0.01)
        return gradients


class Before(nn.Module):
    """Learns before a replica: its gradients are computed when those of the replica are there."""

    def __init__(self):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(4))

    def forward(self, values):
        return Slowly.apply(values * self.weight)


class Both(nn.Module):
    def __init__(self):
        super().__init__()
        self.before = Before()
        self.replica = DistributedDataParallel(network())

    def forward(self, values):
        return self.replica(self.before(values))


@pytest.mark.usefixtures("group")
def test_modules_before_a_replica_are_no_wait_for_others():
    with watched(modules=True) as recorded:
        train(Both())
    assert recorded.total("step/backward/Both/before") >= BATCHES * 10_000_000
    assert recorded.count("step/backward/communication") == 0
    assert children(recorded, "step/backward") <= recorded.total("step/backward")


@pytest.mark.usefixtures("group")
def test_a_backward_without_an_exchange_has_no_wait():
    model = DistributedDataParallel(network())
    with watched() as recorded, model.no_sync():
        train(model)
    assert recorded.count("step") == BATCHES
    assert recorded.count("step/backward/communication") == 0


# What a process notes of its devices holds for all it records afterwards: a process of its own.
ON_A_DEVICE = """
import torch
import torch.distributed as distributed
from laptime.integrations import _patches
from test_communication import train
from watched import children, network, watched

distributed.init_process_group("gloo", store=distributed.HashStore(), rank=0, world_size=1)
_patches._device_in_use = lambda _torch: "cuda:0"
with watched() as recorded:
    train(network(), lambda: distributed.all_reduce(torch.ones(2)))
distributed.destroy_process_group()
assert recorded.count("step/communication") == 0
assert any("on cuda:0 while the host goes on" in one for one in recorded.warnings)
"""


def test_what_a_device_exchanges_has_no_row_and_that_is_said(warm):
    command = [warm.python, "-c", ON_A_DEVICE]
    here = Path(__file__).parent
    ended = subprocess.run(command, capture_output=True, text=True, cwd=here, check=False)
    assert ended.returncode == 0, ended.stderr


@pytest.mark.usefixtures("group")
def test_a_replica_stays_as_it_is():
    def hook(_state, bucket):
        future = torch.futures.Future()
        future.set_result(bucket.buffer())
        return future

    plain, model = network(), DistributedDataParallel(network())
    train(plain)
    before = set(vars(model))
    with watched() as recorded:
        model.register_comm_hook(None, hook)  # a second one would raise
        train(model)
    assert recorded.count("step") == BATCHES
    assert set(vars(model)) - before <= {"_lazy_init_ran"}
    assert copy.deepcopy(model.module.state_dict()).keys() == plain.state_dict().keys()
    for ours, theirs in zip(model.module.parameters(), plain.parameters()):
        assert torch.equal(ours, theirs)


# Rank 1 begins each backward a while after rank 0 has its last gradient.
RANKS = """
import json, sys, time
import torch
import torch.distributed as distributed
import torch.multiprocessing as processes
from torch import nn
import laptime as lt

def rank(number):
    store = distributed.FileStore("store", 2)
    distributed.init_process_group("gloo", store=store, rank=number, world_size=2)
    torch.manual_seed(0)
    torch.set_num_threads(1)
    net = nn.Sequential(nn.Linear(64, 64), nn.ReLU(), nn.Linear(64, 8))
    model = nn.parallel.DistributedDataParallel(net)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
    first = next(net.parameters())
    last = first.expand_as(first).grad_fn.next_functions[0][0]
    still_computes, at_most = [], []

    def before_the_last(_gradient):
        still_computes.append(time.perf_counter_ns())

    net[0].register_forward_hook(lambda *given: given[-1].register_hook(before_the_last) and None)
    step = 0
    if number == 0:
        last.register_hook(lambda *_: store.set(f"ready {step}", "yes"))
    for step in range(8):
        loss = model(torch.ones(4, 64)).sum()
        if number == 1:
            store.wait([f"ready {step}"])
            time.sleep(0.05)
        loss.backward()
        at_most.append(time.perf_counter_ns() - still_computes[-1])
        optimizer.step()
        optimizer.zero_grad()
    if number == 0:
        with open("at_most.json", "w") as file:
            json.dump(at_most, file)
    distributed.destroy_process_group()

if __name__ == "__main__":
    with lt.record("run.lap", phases=True):
        processes.start_processes(rank, nprocs=2, start_method="fork")
"""


@pytest.fixture(scope="module")
def ranks(tmp_path_factory, warm):
    """Where two ranks have trained together."""
    folder = tmp_path_factory.mktemp("ranks")
    (folder / "train.py").write_text(RANKS)
    command = [warm.python, "train.py"]
    ended = subprocess.run(command, capture_output=True, text=True, cwd=folder, check=False)
    assert ended.returncode == 0, ended.stderr
    return folder


def by_rank(folder):
    """What is told of each rank, and of both together."""
    report = [sys.executable, "-m", "laptime", "report", "--by", "process", "--json", "run.lap"]
    told = subprocess.run(report, cwd=folder, capture_output=True, text=True, check=True)
    summary = json.loads(told.stdout)
    return {rank["rank"]: rank for rank in summary["by_process"]}, summary


def rows_of(summary):
    return {row["path"]: row for row in summary["rows"]}


def test_a_rank_waits_from_its_last_gradient_until_the_other_s_are_there(ranks):
    spans = polars.DataFrame(lt.open(ranks / "run.lap").spans())
    pid = by_rank(ranks)[0]["0"]["pid"]
    waits = spans.filter(path="step/backward/communication", pid=pid)["duration_ns"].to_list()
    at_most = json.loads((ranks / "at_most.json").read_text())
    assert len(waits) >= 6, "of the first the replica keeps nothing"
    assert min(waits) >= 50_000_000
    assert max(waits) <= max(at_most)
    assert sum(waits) <= sum(at_most)


def test_each_rank_has_its_own_rows_and_both_together_theirs(ranks):
    told, together = by_rank(ranks)
    assert sorted(told) == ["0", "1"]
    assert sorted(rank["rank"] for rank in together["ranks"]) == ["0", "1"]
    for own in told.values():
        rows = rows_of(own)
        assert rows["step"]["count"] == rows["step/backward"]["count"] == 8
        shares = [row["share_ratio"] for row in own["rows"] if len(row["names"]) == 1]
        assert sum(shares) == pytest.approx(1, abs=1e-3)
    of_both = sum(rows_of(own)["step/forward"]["total_ns"] for own in told.values())
    assert of_both == rows_of(together)["step/forward"]["total_ns"]
    assert rows_of(together)["step"]["count"] == 16
