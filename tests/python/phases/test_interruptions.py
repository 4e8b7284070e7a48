"""Whatever is raised wherever: the spans are right again from the next event on."""

import pytest
from program import BACKWARD, DATA, FORWARD, OUTSIDE, STEP, ZERO


def forward_without_an_end(program):
    program.machine.forward_begin()
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
            program.machine.forward_begin()
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
        program.forward(raised=index == 1)
        if index == 1:
            program.machine.optimizer_end(True, raised=True)
            continue
        program.backward()
        program.machine.optimizer_end(True)
    assert program.core.count("step") == 3
    assert program.core.total("step/optimizer/forward") == 3 * FORWARD


@pytest.mark.parametrize("where", ["forward", "backward"])
def test_a_batch_that_raised_is_time_of_the_step_and_no_step(program, where):
    for index, _ in enumerate(program.loader(3)()):
        raised = index == 1
        program.forward(raised=raised and where == "forward")
        if not raised or where == "backward":
            program.backward(raised=raised)
        program.other()
        if not raised:
            program.step()
    core = program.core
    assert core.count("step") == 2
    assert core.count("evaluation") == 0
    assert core.total("step/forward") == 3 * FORWARD
    # The handler is outside: the step ended with the exception.
    backwards = core.total("step/backward")
    assert core.total("step") == 3 * (DATA + FORWARD) + 3 + backwards + 2 * (STEP + OUTSIDE)


def test_a_batch_tried_again_after_it_raised_is_one_step(program):
    for index, _ in enumerate(program.loader(3)()):
        program.zero_grad()
        if index == 1:
            program.forward(raised=True)
            program.other(1_000)
            program.zero_grad()
        program.forward()
        program.backward()
        program.step()
    core = program.core
    assert core.count("step") == core.count("step/optimizer") == 3
    assert core.total("step/forward") == 4 * FORWARD
    assert core.total("step") == 3 * (DATA + FORWARD + BACKWARD + STEP + ZERO) + FORWARD + ZERO + 3


def test_a_step_that_raised_inside_a_lap_ends_with_the_exception(program):
    batches = program.loader(3)()
    next(batches)
    with program.lap("body"):
        program.zero_grad()
        program.forward(raised=True)
    program.other(1_000)
    program.machine.finish()
    core = program.core
    assert core.count("step") == 0
    assert core.total("step") == DATA + ZERO + FORWARD
    assert all(not span.flags & 1 for span in core.spans)


def test_what_the_end_of_the_program_finds_open_ended_with_its_last_phase(program):
    for _ in program.loader(3)():
        program.forward()
        program.backward()
        program.other(1_000)
        break
    program.machine.finish()
    assert program.core.total("step") == DATA + FORWARD + BACKWARD


def test_a_fetch_that_raised_counts_as_no_batch(program):
    batches = program.loader(3)()
    batches.fails = {2}
    next(batches)
    program.train_batch()
    with pytest.raises(RuntimeError):
        next(batches)
    assert not program.core.stack
    program.other(1_000)
    next(batches)
    program.train_batch()
    core = program.core
    assert not core.stack
    assert core.total("step/backward") == 2 * BACKWARD
    assert core.count("step") == core.count("step/data") == 2
    assert core.total("step/data") == 3 * DATA
    assert core.paths() == ["step", "step/backward", "step/data", "step/forward", "step/optimizer"]


@pytest.mark.parametrize("trained", [False, True])
def test_a_fetch_that_was_interrupted_for_good_is_counted_once(program, trained):
    batches = program.loader(3)()
    if trained:
        next(batches)
        program.train_batch()
    batches.fails = {batches.left}
    with pytest.raises(RuntimeError):
        next(batches)
    end = program.core.clock
    program.other(1_000)
    program.machine.finish()
    core = program.core
    assert sum(span.duration for span in core.top()) == end - 1_000
    assert core.top()[-1].path == ("step" if trained else "loading")
    assert core.count("step") == trained


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


@pytest.mark.parametrize("where", ["data", "forward", "backward"])
def test_what_was_interrupted_makes_no_finished_span_longer(program, where):
    batches = program.loader(4)()
    for index, _ in enumerate(batches):
        program.forward(1_000_000 if index == 2 else FORWARD, raised=index == 2)
        if index == 2 and where == "forward":
            break
        program.backward(1_000_000 if index == 2 else BACKWARD, raised=index == 2)
        if index == 2:
            break
        program.step()
        if index == 1 and where == "data":
            batches.fails, batches.took = {batches.left}, 1_000_000
            with pytest.raises(RuntimeError):
                next(batches)
            break
    program.machine.finish()
    core = program.core
    assert core.count("step") == core.count(f"step/{where}") == 2
    cut = [span for span in core.spans if span.duration >= 1_000_000]
    assert {span.path for span in cut} >= {"step", f"step/{where}"}
    assert all(span.flags == core.UNFINISHED for span in cut)


def test_an_evaluation_that_raised_is_none_in_the_count(program):
    with program.no_grad():
        for index, _ in enumerate(program.loader(3)()):
            program.forward(raised=index == 1)
        program.forward(raised=True)
    program.machine.finish()
    assert program.core.count("evaluation") == program.core.count("evaluation/forward") == 2
