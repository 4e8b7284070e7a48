"""Laps of the user's around, inside and across the automatic spans."""

import pytest
from program import BACKWARD, DATA, FORWARD, STEP, ZERO


def test_a_lap_around_the_epoch_is_the_parent_of_its_steps(program):
    with program.lap("train"):
        for _ in program.loader(3)():
            program.train_batch()
    assert program.core.count("train") == 1
    assert program.core.count("train/step") == program.core.count("train/step/forward") == 3


def test_a_lap_around_a_forward_is_inside_the_step(program):
    for _ in program.loader(3)():
        with program.lap("mine"):
            program.forward()
        program.backward()
        program.step()
    core = program.core
    assert core.count("step") == core.count("step/data") == core.count("step/mine/forward") == 3
    assert core.total("step/data") == 3 * DATA + 3


def test_two_laps_around_two_forwards_have_a_forward_each(program):
    for _ in program.loader(3)():
        with program.lap("model"):
            program.forward()
        with program.lap("loss"):
            program.forward(2, trains=False)
        program.backward()
        program.step()
    assert program.core.count("step/model/forward") == 3
    assert program.core.count("step/loss/forward") == 3


def test_a_lap_around_the_whole_body_keeps_its_step_open_to_its_end(program):
    for _ in program.loader(3)():
        with program.lap("body"):
            program.train_batch()
            program.other(9)
    core = program.core
    assert core.count("step") == core.count("step/body") == 3
    assert all(span.flags & 1 == 0 for span in core.spans)
    body = ZERO + FORWARD + BACKWARD + STEP + 9
    assert core.total("step/body") == 3 * body
    assert core.total("step") == 3 * (DATA + body) + 3


def test_a_lap_around_the_body_without_a_loader_is_the_parent_of_the_step(program):
    for _ in range(3):
        with program.lap("body"):
            program.train_batch()
    assert program.core.count("body") == program.core.count("body/step") == 3


def test_a_lap_around_the_fetch_alone_does_not_cut_the_step_again(program):
    batches = program.loader(4)()
    for _ in range(4):
        with program.lap("load"):
            next(batches)
        program.train_batch()
    core = program.core
    assert core.count("step") == 4
    assert core.count("load/step") == 1  # the first, until it was known
    assert core.count("load/data") == 3
    assert core.count("load") == 4


def test_track_named_step_takes_the_place_of_the_step_and_its_data(program):
    batches = program.loader(3)()
    for _ in range(3):
        with program.lap("step"):
            with program.lap("data"):
                next(batches)
            program.train_batch()
    core = program.core
    assert core.count("step") == core.count("step/data") == 3
    assert core.count("step/forward") == core.count("step/backward") == 3
    assert not any("step/step" in path or "data/" in path for path in core.paths())
    assert [name for name, _ in core.marks] == ["epoch"]


def test_track_under_another_name_is_the_parent_of_the_step(program):
    batches = program.loader(3)()
    for _ in range(3):
        with program.lap("batch"):
            with program.lap("data"):
                next(batches)
            program.train_batch()
    assert program.core.count("batch/step") == program.core.count("batch/data") == 3
    assert program.core.count("batch/step/forward") == 3


def test_a_lap_named_step_by_the_user_is_not_doubled(program):
    batches = program.loader(3)()
    for _ in range(3):
        with program.lap("step"):
            next(batches)
            program.train_batch()
    assert program.core.count("step") == program.core.count("step/data") == 3
    assert not any("step/step" in path for path in program.core.paths())


@pytest.mark.parametrize("batches", [0, 3])
def test_a_lap_named_like_a_phase_takes_its_place(program, batches):
    for _ in program.loader(3)() if batches else range(3):
        with program.lap("optimizer"):
            program.zero_grad()
        with program.lap("forward"):
            program.forward()
            program.forward(2, trains=False)
        with program.lap("backward"):
            program.backward()
        with program.lap("optimizer"):
            program.step()
    core = program.core
    program.machine.finish()
    above = "step/" if batches else ""
    for phase in ("forward", "backward"):
        assert core.count(f"{above}{phase}") == 3
    assert core.count(f"{above}optimizer") == 6
    assert not any(path.count("/") > above.count("/") for path in core.paths())
    assert core.count("step") == batches


def test_a_lap_named_like_another_phase_is_its_parent(program):
    for _ in program.loader(3)():
        with program.lap("forward"):
            program.forward()
            program.backward()
        program.step()
    core = program.core
    assert core.count("step/forward/backward") == 3
    assert "step/forward/forward" not in core.paths()


def test_a_lap_around_a_forward_keeps_it_when_the_step_ends_with_the_lap(program):
    for _ in range(3):
        with program.lap("mine"):
            program.forward()
        program.backward()
        program.step()
    assert program.core.count("mine/step/forward") == 3
    assert program.core.total("mine/step/forward") == 3 * FORWARD


def test_the_mark_of_an_epoch_is_in_no_path(program):
    with program.lap("train"):
        for _ in program.loader(3)():
            with program.lap("body"):
                program.train_batch()
    assert [name for name, _ in program.core.marks] == ["epoch"]
    assert program.core.marks[0][1] == program.core.top()[0].start
