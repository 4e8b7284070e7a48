"""What a script evaluates at its end: its model, the best weights again, and a last forward."""

import copy

import pytest
import torch
from torch import nn
from watched import loader, network, watched


def train(model, batches=3):
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for inputs, targets in loader(batches):
        optimizer.zero_grad()
        nn.functional.cross_entropy(model(inputs), targets).backward()
        optimizer.step()


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


@pytest.mark.parametrize("reload", [built, unpickled, copied])
def test_a_validation_and_a_test_of_a_reloaded_model_are_two_evaluations(tmp_path, reload):
    model = network()
    loss_of = nn.CrossEntropyLoss()
    inputs, targets = torch.randn(8, 4), torch.zeros(8, dtype=torch.long)
    with watched() as core:
        with torch.no_grad():
            loss_of(model.eval()(inputs), targets)
            best = reload(model, tmp_path / "best.pt")
            loss_of(best.eval()(inputs), targets)
        del best
    assert core.count("evaluation") == core.count("evaluation/forward") == 2


def test_a_model_that_gets_other_weights_is_another_evaluation():
    model, best = network(), network()
    inputs = torch.randn(8, 4)
    with watched() as core, torch.no_grad():
        model(inputs)
        best.load_state_dict(model.state_dict())
        best(inputs)
    assert core.count("evaluation") == 2


def test_a_softmax_made_on_the_way_is_no_evaluation_of_its_own():
    model, inputs = network(), torch.randn(8, 4)
    with watched() as core, torch.no_grad():
        nn.Softmax(dim=1)(model(inputs))
    assert core.count("evaluation") == 1


def test_a_last_forward_in_training_mode_is_an_evaluation_and_of_no_step():
    model = network()
    with watched() as core:
        train(model)
        model(torch.randn(8, 4))
    assert core.count("step") == core.count("step/forward") == 3
    assert core.count("evaluation") == core.count("evaluation/forward") == 1


def test_a_last_forward_is_of_no_step_where_the_iterator_could_go_on():
    model = network()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    with watched() as core:
        batches = iter(loader(5))
        for _ in range(3):
            inputs, targets = next(batches)
            optimizer.zero_grad()
            nn.functional.cross_entropy(model(inputs), targets).backward()
            optimizer.step()
        model(inputs)
    assert core.count("step") == core.count("step/forward") == 3
    assert core.count("evaluation") == 1
