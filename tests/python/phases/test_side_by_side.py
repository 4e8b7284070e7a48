"""Trainings off the main thread, and several of them at once."""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
import textwrap
import threading

import pytest
import torch
from torch import nn
from watched import loader, network

import laptime as lt


def train(batches=20):
    model = network()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for inputs, targets in loader(batches):
        optimizer.zero_grad()
        nn.CrossEntropyLoss()(model(inputs), targets).backward()
        optimizer.step()


def in_a_thread():
    thread = threading.Thread(target=train)
    thread.start()
    thread.join()


def in_a_task():
    async def main():
        train()

    asyncio.run(main())


def summary_of(recording):
    return json.loads(lt.open(recording).report().to_json())


def rows_of(summary):
    return {row["path"]: row for row in summary["rows"]}


@pytest.mark.parametrize("where", [in_a_thread, in_a_task])
def test_a_training_off_the_main_thread_is_measured_where_it_runs(tmp_path, where):
    with lt.record(tmp_path / "run.lap", phases=True) as recording:
        where()
    summary = summary_of(recording.path)
    rows = rows_of(summary)
    assert rows["step"]["count"] == 20
    assert rows["other"]["total_ns"] < summary["wall_ns"] - rows["step"]["total_ns"] + 20
    outermost = [row["share_ratio"] for row in summary["rows"] if len(row["names"]) == 1]
    assert sum(outermost) == pytest.approx(1, abs=1e-6)
    assert "main track" not in json.dumps(summary)
    assert "parallel_ns" not in summary


def test_laps_of_threads_that_overlap_are_said_to(tmp_path):
    both = threading.Barrier(2)

    def worker():
        with lt.lap("work"):
            both.wait()
            both.wait()

    with lt.record(tmp_path / "run.lap") as recording:
        threads = [threading.Thread(target=worker) for _ in range(2)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    summary = summary_of(recording.path)
    rows = rows_of(summary)
    work_ns = rows["work"]["total_ns"]
    assert 0 < summary["parallel_ns"] <= work_ns / 2 + 2
    left_ns = sum(row["total_ns"] for row in summary["rows"] if row["kind"] == "leftover")
    total_ns = work_ns - summary["parallel_ns"] + left_ns
    assert total_ns == pytest.approx(summary["wall_ns"], abs=20)


def test_the_rank_that_holds_the_others_up_is_named(tmp_path):
    script = tmp_path / "train.py"
    script.write_text(
        textwrap.dedent(
            """
            import time
            import torch
            import torch.distributed as distributed
            from torch import nn

            class Net(nn.Module):
                def __init__(self):
                    super().__init__()
                    self.inner = nn.Linear(16, 1)

                def forward(self, x):
                    if distributed.get_rank() == 1:
                        time.sleep(0.02)
                    return self.inner(x)

            distributed.init_process_group("gloo")
            torch.set_num_threads(1)
            model = nn.parallel.DistributedDataParallel(Net())
            optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
            for x in torch.utils.data.DataLoader(torch.ones(30 * 4, 16), batch_size=4):
                optimizer.zero_grad()
                model(x).sum().backward()
                optimizer.step()
            distributed.destroy_process_group()
            """
        )
    )
    recording = tmp_path / "run.lap"
    launch = ["-m", "torch.distributed.run", "--nproc-per-node", "2", str(script)]
    command = [sys.executable, "-m", "laptime", "run", "-o", str(recording), *launch]
    ended = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path, check=False)
    assert ended.returncode == 0, ended.stderr
    summary = summary_of(recording)
    assert rows_of(summary)["step"]["count"] == 60
    assert sorted(rank["rank"] for rank in summary["ranks"]) == ["0", "1"]
    slow = next(one["message"] for one in summary["findings"] if one["kind"] == "ranks")
    assert slow.startswith("rank 1 "), slow
    assert "holds the others up: its forward takes" in slow, slow
    assert "in their communication" in slow, slow
    shares = [row["share_ratio"] for row in summary["rows"] if len(row["names"]) == 1]
    assert sum(shares) == pytest.approx(1, abs=1e-3)
    assert "2 processes took steps" in ended.stderr
    assert "Rank 1 (process" in ended.stderr
    each_rank_has_its_own_rows(summary, recording)


def each_rank_has_its_own_rows(together, recording):
    def report(form):
        command = [sys.executable, "-m", "laptime", "report", str(recording), "--by", "process"]
        command += ["-f", form]
        return subprocess.run(command, capture_output=True, text=True, check=True).stdout

    ranks = json.loads(report("json"))["by_process"]
    assert sorted(rank["rank"] for rank in ranks) == ["0", "1"]
    rows = {rank["rank"]: rows_of(rank) for rank in ranks}
    for own in rows.values():
        assert own["step"]["count"] == 30
        assert own["step/backward"]["count"] == 30
        shares = [row["share_ratio"] for row in own.values() if len(row["names"]) == 1]
        assert sum(shares) == pytest.approx(1, abs=1e-3)
    of_both = sum(own["step/forward"]["total_ns"] for own in rows.values())
    assert of_both == rows_of(together)["step/forward"]["total_ns"]
    assert rows["1"]["step/forward"]["p50_ns"] > rows["0"]["step/forward"]["p50_ns"]
    assert all(rank["steady"]["step_path"] == "step" for rank in ranks)
    text = report("text")
    assert "rank 0 (process" in text
    assert ": steady state from step" in text
    assert "other processes" in text  # torchrun's own
