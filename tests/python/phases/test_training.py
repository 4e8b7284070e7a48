"""Ordinary training scripts: the right spans, and the same result as without Laptime."""

import subprocess
import sys

import pytest
import torch
from torch import nn
from watched import children, loader, network, watched

import laptime as lt


def plain(model, batches=4, epochs=2, **options):
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9)
    loss_of = nn.CrossEntropyLoss()
    for _ in range(epochs):
        for inputs, targets in loader(batches, **options):
            optimizer.zero_grad()
            loss = loss_of(model(inputs), targets)
            loss.backward()
            optimizer.step()
    return loss.item()


def evaluate(model, batches=3):
    model.eval()
    with torch.no_grad():
        for inputs, _ in loader(batches):
            model(inputs)
    model.train()


def same_result(script):
    """Runs a script without and with phases; the models must agree to the bit."""
    without = network()
    expected = script(without)
    within = network()
    with watched() as core:
        got = script(within)
    assert got == expected
    for a, b in zip(without.state_dict().values(), within.state_dict().values(), strict=True):
        assert torch.equal(a, b)
    return core


def test_a_plain_loop_has_one_step_per_batch_and_trains_to_the_same_bits():
    core = same_result(plain)
    assert core.count("step") == 8
    for phase in ("data", "forward", "backward", "optimizer"):
        assert core.count(f"step/{phase}") == 8
    assert core.marks == {"epoch": 2}
    assert core.paths() == ["step", "step/backward", "step/data", "step/forward", "step/optimizer"]


def test_phases_fit_in_their_step():
    with watched() as core:
        plain(network())
    assert children(core, "step") <= core.total("step")
    assert children(core, "step") >= 0.5 * core.total("step")


@pytest.mark.parametrize("persistent", [False, True])
def test_loader_workers_open_no_phases_and_lose_none(persistent):
    def script(model):
        batches = loader(3, num_workers=2, persistent_workers=persistent)
        optimizer = torch.optim.Adam(model.parameters())
        for _ in range(2):
            for inputs, targets in batches:
                optimizer.zero_grad()
                loss = nn.functional.cross_entropy(model(inputs), targets)
                loss.backward()
                optimizer.step()
        return loss.item()

    core = same_result(script)
    assert core.count("step") == core.count("step/data") == 6
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


def test_accumulated_gradients_make_one_step():
    def script(model):
        optimizer = torch.optim.AdamW(model.parameters())
        for index, (inputs, targets) in enumerate(loader(8)):
            loss = nn.functional.cross_entropy(model(inputs), targets) / 4
            loss.backward()
            if index % 4 == 3:
                optimizer.step()
                optimizer.zero_grad()
        return loss.item()

    core = same_result(script)
    assert core.count("step") == core.count("step/optimizer") == 2
    assert core.count("step/data") == core.count("step/forward") == core.count("step/backward") == 8


def test_two_optimizers_of_a_gan_share_the_step():
    def script(generator):
        critic = nn.Linear(3, 1)
        of_critic = torch.optim.Adam(critic.parameters())
        of_generator = torch.optim.Adam(generator.parameters())
        for inputs, _ in loader(3):
            of_critic.zero_grad()
            made = generator(inputs)
            (critic(made.detach()).mean() - critic(torch.ones(2, 3)).mean()).backward()
            of_critic.step()
            of_generator.zero_grad()
            loss = -critic(generator(inputs)).mean()
            loss.backward()
            of_generator.step()

    core = same_result_with_seed(script)
    assert core.count("step") == core.count("step/data") == 3
    assert core.count("step/optimizer") == core.count("step/backward") == 6


def same_result_with_seed(script):
    def seeded(model):
        torch.manual_seed(3)
        return script(model)

    return same_result(seeded)


def test_the_closure_of_lbfgs_is_beside_the_optimizer():
    def script(model):
        optimizer = torch.optim.LBFGS(model.parameters(), max_iter=3)
        inputs, targets = torch.ones(2, 4), torch.tensor([0, 1])

        def closure():
            optimizer.zero_grad()
            loss = nn.functional.cross_entropy(model(inputs), targets)
            loss.backward()
            return loss

        for _ in range(3):
            last = optimizer.step(closure)
        return last.item()

    core = same_result(script)
    assert core.count("step") == core.count("step/optimizer") == 3
    assert core.count("step/forward") == core.count("step/backward") > 3


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
    assert core.count("step") == core.count("step/optimizer") == 4
    assert "step/optimizer/optimizer" not in core.paths()


def test_a_learning_rate_schedule_wraps_the_step_and_is_left_alone():
    def script(model):
        optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
        schedule = torch.optim.lr_scheduler.StepLR(optimizer, 1)
        for inputs, targets in loader(3):
            optimizer.zero_grad()
            nn.functional.cross_entropy(model(inputs), targets).backward()
            optimizer.step()
            schedule.step()
        return schedule.get_last_lr()

    assert same_result(script).count("step") == 3


@pytest.mark.parametrize("reentrant", [False, True])
def test_recomputation_of_a_checkpoint_stays_in_backward(reentrant):
    from torch.utils.checkpoint import checkpoint

    class Checkpointed(nn.Module):
        def __init__(self, inner):
            super().__init__()
            self.inner = inner

        def forward(self, inputs):
            return checkpoint(self.inner, inputs.requires_grad_(), use_reentrant=reentrant)

    def script(model):
        optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
        whole = Checkpointed(model)
        for inputs, targets in loader(3):
            optimizer.zero_grad()
            loss = nn.functional.cross_entropy(whole(inputs), targets)
            loss.backward()
            optimizer.step()
        return loss.item()

    core = same_result(script)
    assert core.count("step/forward") == core.count("step/backward") == 3
    assert "step/backward/forward" not in core.paths()


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


def test_parameters_updated_by_hand_make_steps_too(monkeypatch):
    model = network()
    with watched() as core:
        # Other tests of this process have made optimizers.
        for inputs, targets in loader(3):
            nn.functional.cross_entropy(model(inputs), targets).backward()
            with torch.no_grad():
                for parameter in model.parameters():
                    parameter -= 0.1 * parameter.grad
            model.zero_grad()
    assert core.count("step/backward") == 3


EVALUATIONS = {
    "no_grad around the loop": lambda model, data: _around(model, data, torch.no_grad()),
    "no_grad inside the loop": lambda model, data: [_inside(model, x) for x, _ in data],
    "inference_mode": lambda model, data: _around(model, data, torch.inference_mode()),
    "decorated": lambda model, data: _decorated(model, data),
}


def _around(model, data, mode):
    with mode:
        for inputs, targets in data:
            nn.functional.cross_entropy(model(inputs), targets)


def _inside(model, inputs):
    with torch.no_grad():
        return model(inputs)


@torch.no_grad()
def _decorated(model, data):
    for inputs, _ in data:
        model(inputs)


@pytest.mark.parametrize("shape", EVALUATIONS)
def test_evaluation_in_its_common_shapes_is_outside_the_steps(shape):
    model, validation = network(), loader(3)
    with watched() as core:
        for _ in range(2):
            plain(model, batches=2, epochs=1)
            model.eval()
            EVALUATIONS[shape](model, validation)
            model.train()
    assert core.count("step") == core.count("step/data") == 4
    assert core.count("evaluation") == 6
    assert core.count("evaluation/data") == core.count("evaluation/forward") == 6
    assert core.paths() == [
        "evaluation",
        "evaluation/data",
        "evaluation/forward",
        "step",
        "step/backward",
        "step/data",
        "step/forward",
        "step/optimizer",
    ]


def test_evaluation_with_gradients_on_in_evaluation_mode_is_evaluation():
    model = network().eval()
    with watched() as core:
        for inputs, _ in loader(3):
            model(inputs)
    assert core.count("evaluation") == core.count("evaluation/forward") == 3
    assert core.count("step") == 0


def test_a_distilled_student_has_its_teacher_in_the_step():
    teacher, student = network().eval(), network()
    optimizer = torch.optim.SGD(student.parameters(), lr=0.1)
    with watched() as core:
        for inputs, _ in loader(4):
            with torch.no_grad():
                wanted = teacher(inputs)
            optimizer.zero_grad()
            nn.functional.mse_loss(student(inputs), wanted).backward()
            optimizer.step()
    assert core.count("step") == 4
    assert core.count("evaluation") == 0


def test_removing_puts_every_function_back():
    owners = [
        torch.nn.Module,
        torch.autograd,
        torch.optim.Optimizer,
        torch.optim.SGD,
        torch.amp.GradScaler,
        torch.utils.data.DataLoader,
        torch.utils.data.dataloader._BaseDataLoaderIter,
    ]
    plain(network())
    before = [dict(vars(owner)) for owner in owners]
    with watched():
        plain(network())
    assert before == [dict(vars(owner)) for owner in owners]


def test_a_class_of_optimizers_first_used_meanwhile_is_put_back_too():
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


def test_a_program_on_the_processor_alone_is_told_of_no_device():
    with watched() as core:
        plain(network())
    assert not any("torch used" in warning for warning in core.warnings)


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
    assert core.paths() == ["step", "step/backward", "step/data", "step/forward", "step/optimizer"]
    assert core.count("step") == core.count("step/data") == 2
    assert core.count("step/forward") == 4  # zero_grad stands between the two of a step


BY_HAND = """
import torch
torch.manual_seed(0)
model, inputs = torch.nn.Sequential(torch.nn.Linear(4, 8), torch.nn.Linear(8, 3)), torch.ones(2, 4)
for _ in range(80):
    loss = torch.nn.functional.cross_entropy(model(inputs), torch.tensor([0, 1]))
    gradients = torch.autograd.grad(loss, {given})
    with torch.no_grad():
        for weight, gradient in zip(model.parameters(), gradients, strict=True):
            weight -= 0.1 * gradient
"""


@pytest.mark.parametrize(
    "given",
    ["[*model.parameters()]", "model.parameters()", "dict(model.named_parameters()).values()"],
)
def test_gradients_that_are_handed_back_train_as_well(given, tmp_path):
    """Updates by hand: in a process of their own, where no other test has made an optimizer."""
    script, recording = tmp_path / "by_hand.py", tmp_path / "run.lap"
    script.write_text(BY_HAND.format(given=given))
    command = [sys.executable, "-m", "laptime", "run", "-o", str(recording), "--", str(script)]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    report = lt.open(recording).report()
    counts = {path: report[path].count for path in report if report[path].count is not None}
    assert counts == dict.fromkeys(("step", "step/forward", "step/backward"), 80)
