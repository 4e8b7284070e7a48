"""Processes that multiprocessing makes: what they held back is told when they end."""

import json
import subprocess
import sys

import pytest

import laptime as lt

PROGRAM = """
import multiprocessing, os, sys
from multiprocessing import util
import torch
torch.set_num_threads(1)  # a child has no threads of OpenMP's, and waits for those of its parent

def infer(model):
    for _ in range(5):
        model(torch.ones(2, 4))
    {ends}

def train(model):
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for _ in range(5):
        model(torch.ones(2, 4)).sum().backward()
        optimizer.step()
    model(torch.ones(2, 4))

if __name__ == "__main__":
    model = torch.nn.Linear(4, 2)
    if sys.argv[1] == "pool":
        with multiprocessing.get_context("fork").Pool(1) as pool:
            pool.apply(infer, (model,))
            pool.close()
            pool.join()
    else:
        context = multiprocessing.get_context(sys.argv[1])
        child = context.Process(target=globals()[sys.argv[2]], args=(model,))
        child.start()
        child.join()
        print(child.exitcode, end="")
"""


def recorded(folder, *words, ends="pass"):
    """What the program printed, its report, and the warnings by their codes."""
    program, recording = folder / "program.py", folder / "run.lap"
    program.write_text(PROGRAM.format(ends=ends))
    run = [sys.executable, "-m", "laptime", "run", "-o", str(recording), str(program), *words]
    ran = subprocess.run(run, capture_output=True, text=True, timeout=300)
    assert ran.returncode == 0, ran.stderr
    assert "Traceback" not in ran.stderr
    report = lt.open(recording).report()
    warnings = json.loads(report.to_json())["warnings"]
    return ran.stdout, report, {warning["code"]: warning["message"] for warning in warnings}


def counts(report):
    """How often each path ran, whole and in part."""
    rows = json.loads(report.to_json())["rows"]
    return {
        row["path"]: (row["count"], row.get("partial_count", 0))
        for row in rows
        if "/" in row["path"]
    }


@pytest.mark.parametrize("way", ["fork", "forkserver", "spawn", "pool"])
def test_a_process_that_only_infers_with_gradients_evaluates(tmp_path, way):
    printed, report, warnings = recorded(tmp_path, way, "infer")
    assert printed == ("" if way == "pool" else "0")
    assert counts(report) == {"evaluation/forward": (5, 0)}
    assert not {"workers-ended", "not-closed", "phases.none"} & set(warnings)


def test_a_last_forward_after_the_training_of_a_forked_process_is_an_evaluation(tmp_path):
    _, report, warnings = recorded(tmp_path, "fork", "train")
    each = ("step/forward", "step/backward", "step/optimizer")
    assert counts(report) == dict.fromkeys(each, (5, 0)) | {"evaluation/forward": (1, 0)}
    assert "workers-ended" not in warnings


def test_forwards_in_the_last_finalizer_of_a_forked_process_are_seen(tmp_path):
    ends = "util.Finalize(None, model, args=(torch.ones(2, 4),), exitpriority=-100)"
    _, report, _ = recorded(tmp_path, "fork", "infer", ends=ends)
    assert counts(report) == {"evaluation/forward": (6, 0)}


def test_a_forked_process_that_raises_has_evaluated_before(tmp_path):
    printed, report, warnings = recorded(tmp_path, "fork", "infer", ends="sys.exit(7)")
    assert printed == "7"
    assert counts(report) == {"evaluation/forward": (5, 0)}
    assert "workers-ended" not in warnings


def test_a_process_that_calls_exit_of_os_was_ended_in_the_midst_of_work(tmp_path):
    _, _, warnings = recorded(tmp_path, "fork", "infer", ends="os._exit(0)")
    assert warnings["workers-ended"].startswith("a worker process was ended")
