"""Training without modules and without optimizers."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import torch
from torch import nn
from torch.nn import functional
from watched import loader, watched

STEPS = 12


def tensors():
    torch.manual_seed(0)
    return [torch.randn(4, 8).requires_grad_(), torch.randn(8, 3).requires_grad_()]


def loss_of(weights, inputs, targets):
    hidden = torch.tanh(inputs @ weights[0])
    return functional.cross_entropy(hidden @ weights[1], targets)


def batches():
    return [(torch.randn(2, 4), torch.randint(3, (2,))) for _ in range(STEPS)]


def update(weights, gradients):
    with torch.no_grad():
        for weight, gradient in zip(weights, gradients):
            weight -= 0.1 * gradient


def backward_by_hand():
    weights = tensors()
    for batch in batches():
        loss_of(weights, *batch).backward()
        update(weights, [weight.grad for weight in weights])


def gradients_by_hand():
    weights = tensors()
    for batch in batches():
        update(weights, torch.autograd.grad(loss_of(weights, *batch), weights))


def gradients_with_an_optimizer():
    weights = tensors()
    optimizer = torch.optim.SGD(weights, lr=0.1)
    for batch in batches():
        gradients = torch.autograd.grad(loss_of(weights, *batch), weights)
        for weight, gradient in zip(weights, gradients):
            weight.grad = gradient
        optimizer.step()


def function_s_gradient():
    weights = [weight.detach() for weight in tensors()]
    gradient_of = torch.func.grad(loss_of)
    for batch in batches():
        gradients = gradient_of(weights, *batch)
        weights = [weight - 0.1 * one for weight, one in zip(weights, gradients)]


def functional_call(per_sample=False):
    model = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 3))
    weights = {name: value.detach() for name, value in model.named_parameters()}

    def loss(weights, inputs, targets):
        return functional.cross_entropy(
            torch.func.functional_call(model, weights, (inputs,)), targets
        )

    gradient_of = torch.func.grad(loss)
    if per_sample:
        gradient_of = torch.func.vmap(gradient_of, in_dims=(None, 0, 0))
    for inputs, targets in batches():
        given = (inputs[:, None], targets[:, None]) if per_sample else (inputs, targets)
        gradients = gradient_of(weights, *given)
        mean = {name: one.mean(0) if per_sample else one for name, one in gradients.items()}
        weights = {name: weight - 0.1 * mean[name] for name, weight in weights.items()}


def functional_call_per_sample():
    functional_call(per_sample=True)


def image_through_a_model():
    model = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 3))
    model.eval().requires_grad_(False)
    image, target = torch.randn(1, 4, requires_grad=True), torch.tensor([1])
    for _ in range(STEPS):
        loss = functional.cross_entropy(model(image), target)
        update([image], torch.autograd.grad(loss, image))


def parameters_by_hand(given):
    """`torch.autograd.grad` of what a model learns, in any of the shapes that it takes."""
    model = nn.Sequential(nn.Linear(4, 8), nn.Linear(8, 3))
    for inputs, targets in batches():
        gradients = torch.autograd.grad(
            functional.cross_entropy(model(inputs), targets), given(model)
        )
        update(model.parameters(), gradients)


def parameters_in_a_list():
    parameters_by_hand(lambda model: [*model.parameters()])


def parameters_of_a_generator():
    parameters_by_hand(lambda model: model.parameters())


def parameters_of_a_dictionary():
    parameters_by_hand(lambda model: dict(model.named_parameters()).values())


# Steps, forwards, backwards and evaluations of each.
BY_HAND = {
    backward_by_hand: [STEPS, 0, STEPS, 0],  # forwards can't be told from the updates
    gradients_by_hand: [STEPS, 0, STEPS, 0],
    function_s_gradient: [STEPS, STEPS, STEPS, 0],
    functional_call: [STEPS, STEPS, STEPS, 0],
    functional_call_per_sample: [STEPS, STEPS, STEPS, 0],
    parameters_in_a_list: [STEPS, STEPS, STEPS, 0],
    parameters_of_a_generator: [STEPS, STEPS, STEPS, 0],
    parameters_of_a_dictionary: [STEPS, STEPS, STEPS, 0],
}


def counts_of(train):
    with watched() as recorded:
        train()
    paths = ("step", "step/forward", "step/backward", "evaluation")
    return [recorded.count(path) for path in paths]


def test_a_loop_that_updates_by_hand_has_a_step_of_each_update(warm):
    """In a process that has no optimizer."""
    told = "import json, test_learned as it; "
    told += (
        "print(json.dumps([it.counts_of(one) for one in [*it.BY_HAND, it.image_through_a_model]]))"
    )
    ended = subprocess.run(
        [warm.python, "-c", told],
        capture_output=True,
        text=True,
        cwd=Path(__file__).parent,
        check=False,
    )
    assert ended.returncode == 0, ended.stderr
    *found, image = json.loads(ended.stdout)
    assert dict(zip(BY_HAND, found, strict=True)) == BY_HAND
    steps, _, backwards, _ = image
    assert steps == backwards == STEPS - 1, "that it is updated shows at the second gradient"


def test_gradients_of_tensors_with_an_optimizer_are_in_its_steps():
    steps, forwards, backwards, evaluations = counts_of(gradients_with_an_optimizer)
    assert (steps, backwards, evaluations) == (STEPS, STEPS, 0)
    assert forwards >= STEPS - 1, "the first began nobody knows when"


def test_lbfgs_over_tensors_has_its_forwards_beside_the_optimizer():
    weights = tensors()
    optimizer = torch.optim.LBFGS(weights, max_iter=4, line_search_fn=None)
    batch, calls = batches()[0], []

    def closure():
        optimizer.zero_grad()
        loss = loss_of(weights, *batch)
        loss.backward()
        calls.append(1)
        return loss

    with watched() as recorded:
        for _ in range(3):
            optimizer.step(closure)
    assert recorded.count("step") == 3
    assert recorded.count("step/forward") == len(calls)
    assert recorded.count("step/backward") == len(calls)


def test_gradients_of_what_is_only_looked_at_are_no_training():
    model = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 3)).eval()
    with watched() as recorded:
        for inputs, _ in loader(STEPS):
            image = inputs.requires_grad_()
            with torch.no_grad():
                best = model(image).argmax(1)
            score = model(image).gather(1, best[:, None]).sum()
            torch.autograd.grad(score, image)
            torch.func.grad(lambda one: model(one).sum())(image.detach())
    assert recorded.count("step") == 0
    assert recorded.count("evaluation") == STEPS


def test_models_side_by_side_have_their_forward_in_the_step():
    models = [nn.Linear(4, 3) for _ in range(3)]
    weights, buffers = torch.func.stack_module_state(models)
    base = nn.Linear(4, 3, device="meta")
    optimizer = torch.optim.SGD(list(weights.values()), lr=0.1)
    inputs = torch.randn(2, 4)

    def loss(weights, buffers):
        return torch.func.functional_call(base, (weights, buffers), (inputs,)).square().mean()

    with watched() as recorded:
        for _ in range(STEPS):
            optimizer.zero_grad()
            torch.func.vmap(loss)(weights, buffers).sum().backward()
            optimizer.step()
    assert recorded.count("step") == recorded.count("step/forward") == STEPS
    assert recorded.count("evaluation") == 0


def test_the_first_of_several_arguments_is_learned_also_where_modules_are_called():
    model, weight = nn.Linear(4, 3, bias=False), torch.randn(3, 4)

    def loss(weight, inputs):
        return torch.func.functional_call(model, {"weight": weight}, (inputs,)).square().mean()

    model(torch.randn(2, 4))
    with watched() as recorded:
        optimizer = torch.optim.SGD([torch.zeros(1, requires_grad=True)], lr=0.1)
        for inputs, _ in batches():
            weight = weight - 0.1 * torch.func.grad(loss)(weight, inputs)
            optimizer.step()
    assert recorded.count("step") == recorded.count("step/forward") == STEPS


def test_an_attack_has_its_gradients_with_its_evaluations():
    model = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 3))
    model.eval().requires_grad_(False)
    image = torch.randn(1, 4)
    with watched() as recorded:
        for _ in range(STEPS):
            image.requires_grad_()
            (gradient,) = torch.autograd.grad(model(image).sum(), image)
            image = image.detach() + 0.1 * gradient.sign()
    assert recorded.count("evaluation") == STEPS
    assert recorded.total("evaluation/backward") > 0
    assert recorded.count("step") == 0
