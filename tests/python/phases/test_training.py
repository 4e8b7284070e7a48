"""Ordinary training scripts: each event of torch arrives, and the result is the same as without.

What an event leads to are rules, which `crates/laptime-phases` tests with exact times.
"""

from __future__ import annotations

import copy
import json
from contextlib import nullcontext

import pytest
import torch
from torch import nn
from watched import adds_up, children, loader, network, watched

import laptime as lt

PHASES = ["step", "step/backward", "step/data", "step/forward", "step/optimizer"]


def trained(model, batches=4, epochs=1, zero_first=True, **options):
    """Trains, and gives back the last loss."""
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9)
    schedule = torch.optim.lr_scheduler.StepLR(optimizer, 1)  # it lies over the step
    loss_of = nn.CrossEntropyLoss()
    batches = loader(batches, **options)
    for _ in range(epochs):
        for inputs, targets in batches:
            if zero_first:
                optimizer.zero_grad()
            loss = loss_of(model(inputs), targets)
            loss.backward()
            optimizer.step()
            schedule.step()
            if not zero_first:
                model.zero_grad()
    return loss.item()


def same_result(script):
    """Runs a script without and with phases; the models must agree to the bit."""
    without, within = network(), network()
    expected = script(without)
    with watched() as core:
        got = script(within)
    assert got == expected
    for a, b in zip(without.state_dict().values(), within.state_dict().values(), strict=True):
        assert torch.equal(a, b)
    return core


@pytest.mark.parametrize("zero_first", [True, False])
def test_each_batch_has_each_phase_and_the_model_has_the_same_bits(zero_first):
    core = same_result(lambda model: trained(model, epochs=2, zero_first=zero_first))
    assert core.paths() == PHASES
    assert [core.count(path) for path in PHASES] == [8] * 5
    assert core.cut_short == {}, "also not the fetch that finds no further batch"
    assert children(core, "step") <= core.total("step")
    assert core.marks == {"epoch": 2}
    assert not any("torch used" in warning for warning in core.warnings), "it has no device"


@pytest.mark.parametrize("persistent", [False, True])
def test_loader_workers_open_no_phases_and_lose_none(persistent):
    workers = {"num_workers": 1, "persistent_workers": persistent}
    core = same_result(lambda model: trained(model, batches=3, epochs=2, **workers))
    assert [core.count(path) for path in PHASES] == [6] * 5
    assert core.marks == {"epoch": 2}


def test_modules_that_a_dataset_calls_are_part_of_the_fetch():
    class Dataset(torch.utils.data.Dataset):
        transform = nn.Dropout()

        def __len__(self):
            return 4

        def __getitem__(self, index):
            return self.transform(torch.ones(4)), 0

    model = network()
    with watched() as core:
        for inputs, targets in torch.utils.data.DataLoader(Dataset()):
            nn.functional.cross_entropy(model(inputs), targets).backward()
            torch.optim.SGD(model.parameters()).step()
    assert core.count("step/forward") == core.count("step/data") == 4


def test_the_closure_of_lbfgs_is_beside_the_optimizer():
    calls = []

    def script(model):
        optimizer = torch.optim.LBFGS(model.parameters(), max_iter=3)
        inputs, targets = torch.ones(2, 4), torch.tensor([0, 1])

        def closure():
            calls.append(1)
            optimizer.zero_grad()
            loss = nn.functional.cross_entropy(model(inputs), targets)
            loss.backward()
            return loss

        for _ in range(3):
            last = optimizer.step(closure)
        return last.item()

    core = same_result(script)
    assert core.count("step") == core.count("step/optimizer") == 3
    # As many of them without.
    assert core.count("step/forward") == core.count("step/backward") == len(calls) / 2 > 3


def test_a_gradient_scaler_steps_inside_one_optimizer_span():
    def script(model):
        optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
        scaler = torch.amp.GradScaler("cpu")
        for inputs, targets in loader(4):
            optimizer.zero_grad()
            with torch.autocast("cpu", dtype=torch.bfloat16):
                loss = nn.functional.cross_entropy(model(inputs), targets)
            scaler.scale(loss).backward()
            scaler.unscale_(optimizer)
            nn.utils.clip_grad_norm_(model.parameters(), 1.0)
            scaler.step(optimizer)
            scaler.update()
        return loss.item()

    core = same_result(script)
    assert core.paths() == PHASES
    assert core.count("step") == core.count("step/optimizer") == 4


@pytest.mark.parametrize("reentrant", [False, True])
def test_recomputation_of_a_checkpoint_stays_in_backward(reentrant):
    from torch.utils.checkpoint import checkpoint

    class Checkpointed(nn.Module):
        def __init__(self, inner):
            super().__init__()
            self.inner = inner

        def forward(self, inputs):
            return checkpoint(self.inner, inputs.requires_grad_(), use_reentrant=reentrant)

    core = same_result(lambda model: trained(Checkpointed(model), batches=3))
    assert core.count("step/forward") == core.count("step/backward") == 3
    assert core.paths() == PHASES


def test_optimizers_stepped_by_hooks_inside_backward_close_the_step():
    model = network()
    optimizers = {p: torch.optim.SGD([p], lr=0.1) for p in model.parameters()}

    def update(parameter):
        optimizers[parameter].step()
        optimizers[parameter].zero_grad()

    for parameter in model.parameters():
        parameter.register_post_accumulate_grad_hook(update)
    with watched() as core:
        for inputs, targets in loader(3):
            nn.functional.cross_entropy(model(inputs), targets).backward()
    assert core.count("step") == core.count("step/backward") == 3


def test_each_work_of_an_optimizer_or_scaler_beside_its_step_is_seen():
    model = network()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    scaler = torch.amp.GradScaler("cpu")
    scaler.scale(model(torch.ones(2, 4)).sum()).backward()
    works = {
        "unscales": lambda: scaler.unscale_(optimizer),
        "updates": scaler.update,
        "of the optimizer": optimizer.zero_grad,
        "of the module": model.zero_grad,
    }
    for name, work in works.items():
        with watched() as core:
            work()
        assert core.paths() == ["step", "step/optimizer"], name


def test_an_optimizer_s_class_that_is_first_used_meanwhile_is_watched_and_put_back():
    class Descent(torch.optim.SGD):
        def step(self, closure=None):
            return super().step(closure)

    model = network()
    with watched() as core:
        optimizer = Descent(model.parameters(), lr=0.1)
        for inputs, targets in loader(2):
            nn.functional.cross_entropy(model(inputs), targets).backward()
            optimizer.step()
    assert core.count("step") == core.count("step/optimizer") == 2
    optimizer.step()
    assert core.count("step") == 2
    assert not hasattr(Descent.step, "laptime")


# -- evaluation ----------------------------------------------------------------------------


def around(mode):
    """The loop is in the mode."""

    def evaluate(model, data):
        with mode():
            for inputs, targets in data:
                nn.functional.cross_entropy(model(inputs), targets)

    return evaluate


def inside(model, data):
    for inputs, _ in data:
        with torch.no_grad():
            model(inputs)


@torch.no_grad()
def decorated(model, data):
    for inputs, _ in data:
        model(inputs)


# Each with another power of two of batches: their sum tells which was not seen.
EVALUATIONS = [
    (around(torch.no_grad), 1),
    (around(torch.inference_mode), 2),
    (inside, 4),
    (decorated, 8),
    (around(nullcontext), 16),  # the model's mode alone tells
]


def test_evaluation_in_each_of_its_shapes_is_outside_the_steps():
    model = network()
    with watched() as core:
        for evaluate, batches in EVALUATIONS:
            trained(model, batches=2)
            model.eval()
            evaluate(model, loader(batches))
            model.train()
    assert core.paths() == ["evaluation", "evaluation/data", "evaluation/forward", *PHASES]
    assert core.count("step") == core.count("step/data") == 10
    assert core.count("evaluation") == core.count("evaluation/data") == 31
    assert core.count("evaluation/forward") == 31


def test_a_teacher_is_in_the_step_from_the_first_batch_on():
    teacher, student = network().eval(), network()
    optimizer = torch.optim.SGD(student.parameters(), lr=0.1)
    with watched() as core:
        for inputs, _ in loader(2):
            with torch.no_grad():
                wanted = teacher(inputs)
            optimizer.zero_grad()
            nn.functional.mse_loss(student(inputs), wanted).backward()
            optimizer.step()
    assert core.paths() == PHASES
    assert core.count("step") == core.count("step/data") == 2
    assert core.count("step/forward") == 4, "`zero_grad` stands between the two of a step"


def built(model, path):
    torch.save(model.state_dict(), path)
    best = network()
    best.load_state_dict(torch.load(path))
    return best


def unpickled(model, path):
    torch.save(model, path)
    return torch.load(path, weights_only=False)


def copied(model, _):
    return copy.deepcopy(model)


def loaded(model, _, best=network()):  # noqa: B008  it was there before
    best.load_state_dict(model.state_dict())
    return best


@pytest.mark.parametrize("reload", [built, unpickled, copied, loaded])
def test_a_validation_and_a_test_of_a_reloaded_model_are_two_evaluations(tmp_path, reload):
    model, inputs = network().eval(), torch.randn(8, 4)
    with watched() as core, torch.no_grad():
        nn.Softmax(dim=1)(model(inputs))
        best = reload(model, tmp_path / "best.pt")
        nn.Softmax(dim=1)(best(inputs))
        del best
    assert core.count("evaluation") == core.count("evaluation/forward") == 2


# -- the program's own laps, and what is told ------------------------------------------------


def tracked(model):
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for inputs, targets in lt.track(loader(4), "step"):
        optimizer.zero_grad()
        nn.functional.cross_entropy(model(inputs), targets).backward()
        optimizer.step()


def test_laps_of_the_program_lie_around_and_inside_of_steps():
    model = network()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    with watched() as core:
        with lt.lap("train"):
            for inputs, targets in loader(4):
                optimizer.zero_grad()
                with lt.lap("mine"):
                    loss = nn.functional.cross_entropy(model(inputs), targets)
                loss.backward()
                optimizer.step()
        tracked(model)
    for path in ("", "/data", "/mine", "/mine/forward", "/backward", "/optimizer"):
        assert core.count(f"train/step{path}") == 4, path
    assert [core.count(path) for path in PHASES] == [4] * 5
    assert len(core.paths()) == 1 + 6 + 5, core.paths()
    assert core.marks == {"epoch": 2}, "outside of every span"


def test_a_forward_that_is_no_module_call_is_inferred_and_said_to_be():
    model = network()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    with watched() as core:
        for inputs, targets in loader(5):
            optimizer.zero_grad()
            hidden = nn.functional.linear(inputs, model[0].weight).relu()
            outputs = nn.functional.linear(hidden, model[2].weight)
            nn.functional.cross_entropy(outputs, targets).backward()
            optimizer.step()
    assert [core.count(path) for path in PHASES] == [5] * 5
    assert sum("no call of a module" in warning for warning in core.warnings) <= 1


@pytest.mark.parametrize("train", [trained, tracked])
def test_every_epoch_is_told_with_its_steps_its_evaluation_and_its_metrics(tmp_path, train):
    model = network()
    with lt.record(tmp_path / "run.lap", phases=True) as recording:
        for epoch in range(3):
            train(model)
            decorated(model, loader(2))
            lt.metric("accuracy", epoch / 10)
    report = lt.open(recording.path).report()
    adds_up(report)
    epochs = json.loads(report.to_json())["epochs"]
    assert [epoch["step_count"] for epoch in epochs] == [4, 4, 4]
    assert [epoch["metrics"] for epoch in epochs] == [{"accuracy": i / 10} for i in range(3)]
    evaluation_ns = sum(epoch["evaluation_ns"] for epoch in epochs)
    assert evaluation_ns == pytest.approx(report["evaluation"].total_ns, abs=10)


@pytest.mark.parametrize("has_lap", [False, True])
def test_operators_without_a_module_are_told_with_what_to_do(has_lap, tmp_path):
    with lt.record(tmp_path / "run.lap", phases=True) as recording:
        nn.functional.conv2d(torch.ones(1, 3, 8, 8), torch.ones(2, 3, 3, 3))
        if has_lap:
            with lt.lap("mine"):
                pass
    said = " ".join(lt.open(recording.path).report().warnings)
    assert ("no PyTorch module and no optimizer was called" in said) == (not has_lap)


def test_threads_that_compute_are_told_of_a_program_without_an_optimizer(tmp_path):
    with lt.record(tmp_path / "run.lap", phases=True) as recording:
        network()(torch.ones(2, 4))
    environment = json.loads(lt.open(recording.path).report().to_json())["environment"]
    # What a process says of itself it says once: other tests may have set another number since.
    assert int(environment["threads"]) >= 1
