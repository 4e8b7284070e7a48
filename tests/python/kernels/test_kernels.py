"""Steps that are profiled: operators by lap, as torch's own profiler has them."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from profiled_trainings import TRAIN, Ran, counts, laps, laptime, launched

import laptime as lt

torch = pytest.importorskip("torch")


def test_the_steps_asked_for_are_profiled_and_no_others(tmp_path: Path) -> None:
    program = TRAIN.format(before="", inside="pass")
    summary = launched(tmp_path, "3:5", program, "done 7")
    assert (counts(summary)["step"], counts(summary)["profiled step"]) == (6, 2)
    found = laps(summary)
    forward = {one["name"]: one for one in found["profiled step/forward"]["operators"]}
    assert forward["aten::linear"]["call_count"] == 2 * 2
    assert forward["aten::relu"]["call_count"] == 2
    backward = {one["name"]: one for one in found["profiled step/backward"]["operators"]}
    assert backward["AddmmBackward0"]["call_count"] == 2 * 2
    assert not {"step", "step/forward", "no lap open"} & set(found)
    assert any(warning["code"] == "profiled-steps" for warning in summary["warnings"])
    text = laptime("report", "a.lap", "--kernels", cwd=tmp_path).stdout
    assert "aten::linear" in text
    assert "other operators" in text


ZEROES_FIRST = """
import torch
model = torch.nn.Linear(32, 4)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
x = torch.randn(8, 32)
for _ in range(8):
    optimizer.zero_grad()
    model(x).sum().backward()
    optimizer.step()
    with torch.no_grad():
        model(x)
"""


def test_a_zero_grad_after_a_validation_is_no_profiled_step(recorded: Ran) -> None:
    found = counts(recorded(ZEROES_FIRST, "2:5"))
    assert (found["step"], found["profiled step"]) == (5, 3)
    assert (found["step/optimizer"], found["profiled step/optimizer"]) == (5, 3)


BY_HAND = """
import torch
layers = [torch.nn.Linear(32, 32), torch.nn.ReLU(), torch.nn.Linear(32, 1)]
model = torch.nn.Sequential(*layers)
batches = [torch.randn(8, 32) for _ in range(8)]
if {loads}:
    batches = torch.utils.data.DataLoader(batches, batch_size=None)
for batch in batches:
    model(batch).sum().backward()
    with torch.no_grad():
        for one in model.parameters():
            one -= 0.01 * one.grad
            one.grad = None
"""


@pytest.mark.parametrize("loads", [True, False])
@pytest.mark.parametrize(("kernels", "count"), [("2:4", 2), ("0:2", 2), ("5:6", 1)])
def test_steps_without_an_optimizer_are_profiled_whole(
    recorded: Ran, loads: bool, kernels: str, count: int
) -> None:
    summary = recorded(BY_HAND.format(loads=loads), kernels)
    rows = {row["path"]: row for row in summary["rows"]}
    assert (rows["step"]["count"], rows["profiled step"]["count"]) == (8 - count, count)
    assert not [path for path in rows if path.endswith("/profiler")], "it is between steps"
    found = laps(summary)
    forward = {one["name"]: one for one in found["profiled step/forward"]["operators"]}
    assert forward["aten::linear"]["call_count"] == 2 * count
    backward = {one["name"]: one for one in found["profiled step/backward"]["operators"]}
    assert backward["AddmmBackward0"]["call_count"] == 2 * count
    assert not {"step", "step/forward", "step/backward"} & set(found)


def test_the_first_step_can_be_profiled(run: Ran) -> None:
    summary = run("0:1")
    assert (counts(summary)["step"], counts(summary)["profiled step"]) == (7, 1)
    assert laps(summary)["profiled step/data"]["call_count"] > 0


def test_steps_that_never_came_are_said(run: Ran) -> None:
    summary = run("10:13")
    told = [one["message"] for one in summary["warnings"] if one["code"] == "kernels.unavailable"]
    assert told == ["steps 10:13 were not reached: 8 steps ran"]
    assert "operators" not in summary


def test_a_profiler_of_the_program_that_is_on_already_goes_on_alone(run: Ran) -> None:
    before = "theirs = torch.profiler.profile(); theirs.start()"
    inside = "number == 6 and (theirs.stop(), theirs.key_averages()[0])"
    summary = run("3:5", before, inside)
    told = [one["message"] for one in summary["warnings"] if one["code"] == "kernels.refused"]
    assert len(told) == 1
    assert "own profiler was on" in told[0]
    assert counts(summary)["step"] == 8


def test_a_profiler_of_the_program_that_starts_later_takes_over(run: Ran) -> None:
    inside = (
        "number == 4 and (globals().update(theirs=torch.profiler.profile()), theirs.start());"
        " number == 6 and (theirs.stop(), theirs.key_averages()[0])"
    )
    summary = run("3:7", "", inside)
    told = [one["message"] for one in summary["warnings"] if one["code"] == "kernels.refused"]
    assert len(told) == 1
    assert "Laptime's stopped before it" in told[0]
    assert laps(summary)["profiled step/forward"]["call_count"] > 0


def test_a_profiler_of_another_thread_leaves_the_own_one_off(run: Ran) -> None:
    before = (
        "import threading\n"
        "def theirs():\n"
        "    with torch.profiler.profile() as profiler: torch.ones(3).add(1)\n"
        "    assert any(event.key == 'aten::add' for event in profiler.key_averages())"
    )
    inside = (
        "if number == 4: thread = threading.Thread(target=theirs); thread.start(); thread.join()\n"
        "    assert number < 6 or not torch._C._autograd._profiler_enabled()"
    )
    summary = run("3:7", before, inside)
    told = [one["message"] for one in summary["warnings"] if one["code"] == "kernels.refused"]
    assert len(told) == 1
    assert "own profiler started during steps 3:7" in told[0]


PROFILES = """
import os, threading
def theirs(begun=None, until=None):
    with torch.autograd.profiler.profile() as profiler:
        if begun: begun.set(); until.wait(60)
        torch.ones(3).add(1)
    assert any(event.key == "aten::add" for event in profiler.key_averages())
def in_a_thread(*events):
    thread = threading.Thread(target=theirs, args=events)
    thread.start()
    return thread
"""
# One of another thread's, and then one of the main thread's: in the last step that is profiled,
# before the next step, beyond the steps, in a child.
ELSEWHERE = {
    "at the end": ("3:4", "if number == 4: in_a_thread().join()\n    if number == 6: theirs()"),
    "at once": ("3:9", "if number == 4: in_a_thread().join(); theirs()"),
    "over a step": (
        "3:4",
        "if number == 4: begun, end = threading.Event(), threading.Event()\n"
        "    if number == 4: thread = in_a_thread(begun, end); begun.wait(60)\n"
        "    if number == 5: end.set(); thread.join()\n"
        "    if number == 7: theirs()",
    ),
    "in a child": (
        "3:4",
        "if number == 4: in_a_thread().join()\n"
        "    if number == 6 and os.fork() == 0: theirs(); os._exit(3)\n"
        "    assert number != 6 or os.waitstatus_to_exitcode(os.wait()[1]) == 3",
    ),
}


@pytest.mark.parametrize("where", ELSEWHERE)
def test_the_main_thread_can_profile_after_another_thread_did(where: str, run: Ran) -> None:
    kernels, inside = ELSEWHERE[where]
    run(kernels, PROFILES, inside)


def test_profilers_that_the_program_switched_off_change_nothing(run: Ran) -> None:
    before = "off = torch.autograd.profiler.profile(enabled=False)\noff.__enter__()"
    inside = "with torch.autograd.profiler.emit_nvtx(enabled=False): pass"
    summary = run("3:5", before, inside)
    assert counts(summary)["profiled step"] == 2
    assert not any(one["code"].startswith("kernels.") for one in summary["warnings"])


def test_a_profiler_that_fails_to_stop_is_off_all_the_same(run: Ran) -> None:
    before = (
        "def lost(): raise RuntimeError('the device is lost')\n"
        "torch.autograd.profiler._disable_profiler = lost"
    )
    inside = (
        "assert number < 6 or not torch._C._autograd._profiler_enabled()\n"
        "    assert number < 6 or not torch.autograd.profiler._is_profiler_enabled"
    )
    summary = run("3:5", before, inside)
    told = [one["message"] for one in summary["warnings"] if one["code"] == "kernels.refused"]
    assert told == ["profiling failed: RuntimeError: the device is lost"]


def test_without_torch_it_is_said_why_nothing_was_profiled(tmp_path: Path) -> None:
    (tmp_path / "plain.py").write_text("import laptime\nwith laptime.lap('step'): pass\n")
    ran = laptime("run", "--kernels", "0:2", "-o", "a.lap", "plain.py", cwd=tmp_path)
    assert ran.returncode == 0
    assert "the program did not import PyTorch" in " ".join(ran.stderr.split())


def test_steps_that_make_no_sense_are_refused(tmp_path: Path) -> None:
    for wrong in ["3", "3:3", "4:3", "a:b"]:
        ran = laptime("run", "--kernels", wrong, "train.py", cwd=tmp_path)
        assert ran.returncode == 125  # its own failures; the program has all other codes
        assert "10:13" in ran.stderr or f"{wrong} holds no step" in ran.stderr
    for kernels in [range(0), range(0, 4, 2), "3", slice(None, None), 3]:
        with pytest.raises(ValueError, match=r"^kernels"):
            lt.record(tmp_path / "b.lap", kernels=kernels)  # type: ignore[arg-type]


def test_steps_by_hand_are_profiled_from_their_start_to_their_end(tmp_path: Path) -> None:
    model = torch.nn.Linear(4, 4)
    with lt.record(tmp_path / "a.lap", kernels=slice(1, 3)):
        for _ in range(4):
            with lt.lap("step"):
                with lt.lap("mine"):
                    torch.ones(3).add(1)
                model(torch.ones(2, 4)).sum().backward()
    summary = json.loads(lt.open(tmp_path / "a.lap").report().to_json())
    found = laps(summary)
    own = [path for path in found if path.endswith("mine")]
    names = Counter[str]()
    for path in own:
        for one in found[path]["operators"]:
            names[one["name"]] += one["call_count"]
    assert names["aten::add"] == 2


def profiled(train: Any) -> tuple[dict[str, tuple[int, float]], float]:
    """What torch's own profiler says of one step: by operator calls and own time, and its total."""
    with torch.autograd.profiler.profile() as profiler:
        train()
    averages = profiler.key_averages()
    by_name = {one.key: (one.count, one.self_cpu_time_total) for one in averages}
    return by_name, averages.self_cpu_time_total


def transformer() -> tuple[Any, Any, Any]:
    """A small one with random weights, its optimizer, and a batch."""
    transformers = pytest.importorskip("transformers")
    config = transformers.GPT2Config(
        n_layer=2, n_head=2, n_embd=32, vocab_size=97, n_positions=32, use_cache=False
    )
    torch.manual_seed(0)
    model = transformers.GPT2LMHeadModel(config)
    return model, torch.optim.AdamW(model.parameters()), torch.randint(0, 97, (2, 16))


def test_a_transformer_has_the_operators_that_torch_itself_counts(tmp_path: Path) -> None:
    model, optimizer, tokens = transformer()

    def train() -> None:
        optimizer.zero_grad()
        model(tokens, labels=tokens).loss.backward()
        optimizer.step()

    train()
    train()
    theirs, _ = profiled(train)
    with lt.record(tmp_path / "a.lap", kernels=range(2, 3)):
        for _ in range(4):
            with lt.lap("step"):
                train()
    summary = json.loads(lt.open(tmp_path / "a.lap").report().to_json())
    ours = Counter[str]()
    for lap in summary["operators"]["laps"]:
        assert lap["self_ns"] == sum(one["self_ns"] for one in lap["operators"])
        for one in lap["operators"]:
            ours[one["name"]] += one["call_count"]
    assert dict(ours) == {name: count for name, (count, _) in theirs.items()}
    found = laps(summary)
    assert found["profiled step/forward"]["self_ns"] > 0
    assert found["profiled step/backward"]["self_ns"] > 0


@pytest.fixture
def profilers(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """Torch's profilers that ended, those of Laptime's among them: they saw the same events."""
    ended: list[Any] = []
    made = torch.autograd.profiler.profile.__exit__

    def leaving(self: Any, *error: Any) -> Any:
        ended.append(self)
        left = made(self, *error)
        assert self.function_events is not None  # read now: Laptime leaves no result to read
        return left

    monkeypatch.setattr(torch.autograd.profiler.profile, "__exit__", leaving)
    return ended


def test_own_times_are_those_of_torch_for_the_same_events(
    tmp_path: Path, profilers: list[Any]
) -> None:
    from laptime.integrations._profiler_events import MARK

    model = torch.nn.Sequential(torch.nn.Linear(8, 8), torch.nn.ReLU(), torch.nn.Linear(8, 1))
    with lt.record(tmp_path / "a.lap", kernels="1:2"):
        for _ in range(3):
            with lt.lap("step"):
                model(torch.ones(4, 8)).sum().backward()
    averages = [one for one in profilers[0].key_averages() if one.key != MARK]
    theirs = {one.key: (one.count, one.self_cpu_time_total) for one in averages}
    operators = json.loads(lt.open(tmp_path / "a.lap").report().to_json())["operators"]
    ours: dict[str, tuple[int, float]] = {}
    for lap in operators["laps"]:
        for one in lap["operators"]:
            count, own = ours.get(one["name"], (0, 0.0))
            ours[one["name"]] = (count + one["call_count"], own + one["self_ns"] / 1e3)
    assert {name: count for name, (count, _) in ours.items()} == {
        name: count for name, (count, _) in theirs.items()
    }
    for name, (count, own) in ours.items():
        assert own == pytest.approx(theirs[name][1], abs=0.01 * count), name
    total = sum(own for _, own in theirs.values())
    assert operators["self_ns"] / 1e3 == pytest.approx(total, abs=0.01 * operators["call_count"])


def test_the_laps_of_a_transformer_add_up_to_torchs_ranges_of_the_same_names(
    tmp_path: Path, profilers: list[Any]
) -> None:
    """The program's own ranges are laps, and events of torch's with all operators below them."""
    from torch.profiler import record_function

    model, optimizer, tokens = transformer()
    with lt.record(tmp_path / "a.lap", phases=True, kernels=range(1, 3)):
        for _ in range(4):
            with lt.lap("step"):
                with record_function("network"):
                    loss = model(tokens, labels=tokens).loss
                with record_function("gradients"):
                    loss.backward()
                with record_function("update"):
                    optimizer.step()
                    optimizer.zero_grad()

    def below(event: Any) -> float:
        return sum(one.self_cpu_time_total + below(one) for one in event.cpu_children)

    theirs = Counter[str]()
    for event in profilers[0].function_events:
        if event.name in ("network", "gradients", "update"):
            theirs[event.name] += below(event)
    summary = json.loads(lt.open(tmp_path / "a.lap").report().to_json())
    ours, calls = Counter[str](), Counter[str]()
    for path, lap in laps(summary).items():
        name = path.removeprefix("profiled step").removeprefix("/").partition("/")[0]
        ours[name] += lap["self_ns"] / 1e3
        calls[name] += lap["call_count"]
    assert set(ours) == {"", *theirs}
    for name, own in theirs.items():
        assert calls[name] > 100, "two steps of a transformer"
        # Each event is rounded to a nanosecond.
        assert ours[name] == pytest.approx(own, abs=0.01 * calls[name]), name
    assert "laptime::mark" not in counts(summary), "ranges of ours are no laps"


FORKS = """
import multiprocessing, sys
import torch
torch.set_num_threads(1)  # a child has no threads of OpenMP's, and waits for those of its parent
model = torch.nn.Linear(16, 4)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)

def train(steps):
    for _ in range(steps):
        model(torch.ones(8, 16)).sum().backward()
        optimizer.step()
        optimizer.zero_grad()

train({before})
child = multiprocessing.get_context("fork").Process(target=train, args=(8,))
child.start()
child.join()
print(child.exitcode, end="")
"""


def assert_that_the_child_was_profiled(summary: dict[str, Any], before: int) -> None:
    assert (counts(summary)["step"], counts(summary)["profiled step"]) == (6 + before, 2)
    forward = {one["name"]: one for one in laps(summary)["profiled step/forward"]["operators"]}
    assert forward["aten::linear"]["call_count"] == 2


@pytest.mark.parametrize(("kernels", "before"), [("3:5", 0), ("3:5", 2), ("0:2", 0)])
def test_a_process_that_was_forked_before_has_its_own_steps_profiled(
    recorded: Ran, kernels: str, before: int
) -> None:
    summary = recorded(FORKS.format(before=before), kernels, "0")
    assert_that_the_child_was_profiled(summary, before)


def test_a_process_that_was_forked_below_the_launcher_has_them_too(tmp_path: Path) -> None:
    summary = launched(tmp_path, "3:5", FORKS.format(before=2), "0")
    assert_that_the_child_was_profiled(summary, before=2)


def test_a_process_that_is_forked_after_these_steps_is_not_profiled(recorded: Ran) -> None:
    summary = recorded(FORKS.format(before=4), "1:3", "0")
    assert (counts(summary)["step"], counts(summary)["profiled step"]) == (2 + 8, 2)


def test_steps_that_never_came_in_a_forked_process_are_said(tmp_path: Path, recorded: Ran) -> None:
    summary = recorded(FORKS.format(before=0), "10:13", "0")
    told = [one["message"] for one in summary["warnings"] if one["code"] == "kernels.unavailable"]
    assert told == ["steps 10:13 were not reached: 8 steps ran"]
    assert "as the warnings say" in laptime("report", "a.lap", "--kernels", cwd=tmp_path).stdout


def test_a_loader_s_worker_that_calls_a_module_is_not_profiled(run: Ran) -> None:
    before = (
        "embed = torch.nn.Linear(16, 16)\n"
        "def collate(rows):\n"
        "    x, y = (torch.stack(column) for column in zip(*rows))\n"
        "    return embed(x).detach(), y\n"
        "torch.set_num_threads(1)\n"
        "data = DataLoader(data.dataset, batch_size=8, num_workers=1, collate_fn=collate)\n"
    )
    summary = run("0:2", before)
    assert counts(summary)["profiled step"] == 2
    assert len(summary["processes"]) == 1
