"""Processes that multiprocessing makes: what they held back is told when they end.

Those that import torch anew, below `laptime run`, take seconds each: the start is what is tested.
"""

import json
import subprocess
import sys

PROGRAM = """
import json, multiprocessing, os, sys
from multiprocessing import util
import torch
torch.set_num_threads(1)  # a child has no threads of OpenMP's, and waits for those of its parent

def infer(model, times, ends=lambda _: None):
    for _ in range(times):
        model(torch.ones(2, 4))
    ends(model)

def finalizes(model):
    util.Finalize(None, model, args=(torch.ones(2, 4),), exitpriority=-100)

def exits(_):
    sys.exit(7)

def cut(_):
    os._exit(0)

def train(model, times):
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for _ in range(times):
        model(torch.ones(2, 4)).sum().backward()
        optimizer.step()
    infer(model, 1)

def run(name, context, target, *arguments):
    child = context.Process(target=target, args=(model, *arguments))
    child.start()
    told[name] = child.pid
    child.join()
    codes.append(child.exitcode)

if __name__ == "__main__":
    model = torch.nn.Linear(4, 2)
    told, codes = {}, []
    BODY
    print(json.dumps([told, codes]))
"""

FORKS = """
    import laptime as lt
    fork = multiprocessing.get_context("fork")
    with lt.record("run.lap", phases=True):
        run("plain", fork, infer, 2)
        run("in the last finalizer too", fork, infer, 3, finalizes)
        run("raises", fork, infer, 5, exits)
        run("trains", fork, train, 6)
        with fork.Pool(1) as pool:
            told["pool"] = pool.apply(os.getpid)
            pool.apply(infer, (model, 7))
            pool.close()
            pool.join()
"""
CUT = """
    import laptime as lt
    with lt.record("run.lap", phases=True):
        run("cut", multiprocessing.get_context("fork"), infer, 2, cut)
"""
STARTS = """
    told["nothing"] = os.fork()
    if told["nothing"] == 0:
        sys.exit()
    assert os.wait()[1] == 0
    run("spawn", multiprocessing.get_context("spawn"), infer, 2)
    run("forkserver", multiprocessing.get_context("forkserver"), infer, 3)
"""

ENDS_BADLY = {"workers-ended", "not-closed", "phases.none"}


def recorded(folder, body, *command):
    """The children's process ids by what they did, their exit codes, and what is told of all."""
    (folder / "program.py").write_text(PROGRAM.replace("    BODY", body))
    run = [*command, "program.py"]
    ran = subprocess.run(run, cwd=folder, capture_output=True, text=True, timeout=300)
    assert ran.returncode == 0, ran.stderr
    assert "Traceback" not in ran.stderr
    told, codes = json.loads(ran.stdout)
    report = [sys.executable, "-m", "laptime", "report", "--by", "process", "--json", "run.lap"]
    shown = subprocess.run(report, cwd=folder, capture_output=True, text=True, check=True)
    summary = json.loads(shown.stdout)
    return told, codes, summary


def codes_of(summary):
    return {warning["code"] for warning in summary["warnings"]}


def counts(rows):
    """How often each path ran, whole and in part."""
    return {
        row["path"]: (row["count"], row.get("partial_count", 0))
        for row in rows
        if "/" in row["path"]
    }


def test_forked_processes_tell_what_they_evaluated_and_trained(tmp_path, warm):
    told, codes, summary = recorded(tmp_path, FORKS, warm.python)
    of = {one["pid"]: counts(one["rows"]) for one in summary["by_process"]}
    assert {name: of.get(pid) for name, pid in told.items()} == {
        "plain": {"evaluation/forward": (2, 0)},
        "in the last finalizer too": {"evaluation/forward": (4, 0)},
        "raises": {"evaluation/forward": (5, 0)},
        "trains": {
            **dict.fromkeys(("step/forward", "step/backward", "step/optimizer"), (6, 0)),
            "evaluation/forward": (1, 0),
        },
        "pool": {"evaluation/forward": (7, 0)},
    }
    assert codes == [0, 0, 7, 0]
    assert not ENDS_BADLY & codes_of(summary)


def test_a_process_that_calls_exit_of_os_was_ended_in_the_midst_of_work(tmp_path, warm):
    _, _, summary = recorded(tmp_path, CUT, warm.python)
    assert "workers-ended" in codes_of(summary)


def test_processes_that_import_torch_anew_tell_what_they_evaluated(tmp_path):
    """And a forked one that does nothing tells nothing."""
    launcher = [sys.executable, "-m", "laptime", "run", "--no-stacks", "-o", "run.lap"]
    told, codes, summary = recorded(tmp_path, STARTS, *launcher)
    assert counts(summary["rows"]) == {"evaluation/forward": (2 + 3, 0)}
    assert codes == [0, 0]
    assert told["nothing"] not in {one["pid"] for one in summary["processes"]}
    assert not ENDS_BADLY & codes_of(summary)
