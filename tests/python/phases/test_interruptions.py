"""Whatever is raised wherever: the spans are right again from the next event on."""

import pytest
from program import BACKWARD, FORWARD, STEP


def forward_without_an_end(program):
    program.machine.forward_begin(True, type("M", (), {"training": True, "trains": True}), ())
    program.core.clock += 13


@pytest.mark.parametrize("cut", ["forward", "backward", "optimizer", "data"])
def test_an_end_that_never_came_is_made_up_for_at_the_next_fetch(program, cut):
    batches = program.loader(5)()
    next(batches)
    program.train_batch()
    if cut == "data":
        program.machine.fetch_begin(batches.iteration)
    else:
        next(batches)
        if cut == "forward":
            forward_without_an_end(program)
        elif cut == "backward":
            program.forward()
            program.machine.backward_begin()
        else:
            program.forward()
            program.backward()
            program.machine.optimizer_begin(True)
            program.machine.forward_begin(True, type("M", (), {"training": True}), ())
    for _ in range(2):
        next(batches)
        program.train_batch()
    core = program.core
    assert not core.stack
    last = [span for span in core.spans if span.path == "step"][-1]
    children = [s for s in core.spans if s.path.startswith("step/") and s.start >= last.start]
    assert sum(span.duration for span in children) == last.duration


def test_a_closure_that_raised_leaves_the_next_step_alone(program):
    for index, _ in enumerate(program.loader(3)()):
        program.machine.optimizer_begin(True)
        program.forward()
        if index == 1:
            program.machine.interrupted()
            program.machine.optimizer_end(True)
            continue
        program.backward()
        program.machine.optimizer_end(True)
    assert program.core.count("step") == 3
    assert program.core.total("step/optimizer/forward") == 3 * FORWARD


def test_a_step_that_raised_before_its_backward_is_still_a_step(program):
    for index, _ in enumerate(program.loader(3)()):
        program.forward()
        if index == 1:
            program.machine.interrupted()
            continue
        program.backward()
        program.step()
    assert program.core.count("step") == 3
    assert program.core.count("evaluation") == 0


def test_a_fetch_that_raised_counts_as_no_batch(program):
    batches = program.loader(3)()
    next(batches)
    program.train_batch()
    program.machine.fetch_begin(batches.iteration)
    program.core.clock += 5
    program.machine.fetch_failed()
    next(batches)
    program.train_batch()
    assert not program.core.stack
    assert program.core.total("step/backward") == 2 * BACKWARD


def test_finishing_closes_what_is_open_and_names_it(program):
    batches = program.loader(3)()
    next(batches)
    program.machine.finish()
    assert program.core.paths() == ["loading", "loading/data"]
    program.forward()
    program.backward()
    program.machine.finish()
    program.machine.finish()
    assert program.core.count("step") == 1
    assert not program.core.stack


def test_an_automatic_span_closed_by_its_parent_is_not_used_again(program):
    with program.lap("mine"):
        program.forward()
    program.backward()
    program.step()
    core = program.core
    assert not core.stack
    assert core.total("step/backward") == BACKWARD
    assert core.total("step/optimizer") == STEP
