"""What a step is: where it opens, what belongs to it, where it closes."""

import pytest
from program import BACKWARD, DATA, FORWARD, OUTSIDE, STEP, ZERO


def test_a_plain_loop_gives_one_step_per_batch_with_its_four_phases(program):
    for _ in program.loader(3)():
        program.train_batch()
        program.other()
    core = program.core
    assert core.count("step") == 3
    assert [
        core.count(f"step/{phase}") for phase in ("data", "forward", "backward", "optimizer")
    ] == [3] * 4
    assert core.total("step/data") == 3 * DATA + 3  # the wait for the end goes on with the last
    assert core.total("step/forward") == 3 * FORWARD
    assert core.total("step/backward") == 3 * BACKWARD
    assert core.total("step/optimizer") == 3 * (ZERO + STEP)
    assert core.paths() == ["step", "step/backward", "step/data", "step/forward", "step/optimizer"]
    assert not core.stack


def test_nothing_is_open_between_steps_so_other_work_is_in_no_step(program):
    for _ in program.loader(3)():
        program.train_batch()
        assert program.core.stack == []
        program.other()
    steps = program.core.total("step")
    assert steps == 3 * (DATA + ZERO + FORWARD + BACKWARD + STEP) + 3
    assert program.core.clock - 1_000 - steps == 3 * OUTSIDE


def test_zero_grad_after_the_step_reopens_the_same_step(program):
    for _ in program.loader(3)():
        program.forward()
        program.backward()
        program.step()
        program.zero_grad()
    core = program.core
    assert core.count("step") == 3
    assert core.count("step/optimizer") == 3
    assert core.total("step/optimizer") == 3 * (STEP + ZERO)


def test_accumulated_micro_batches_belong_to_one_step(program):
    for index, _ in enumerate(program.loader(8)()):
        program.forward()
        program.backward()
        if index % 4 == 3:
            program.step()
            program.zero_grad()
    core = program.core
    assert core.count("step") == 2
    assert core.count("step/data") == core.count("step/forward") == 8
    assert core.count("step/optimizer") == 2


def test_a_rest_of_micro_batches_after_the_loop_closes_with_its_own_step(program):
    for index, _ in enumerate(program.loader(6)()):
        program.forward()
        program.backward()
        if index == 3:
            program.step()
    program.step()
    assert program.core.count("step") == 2
    assert program.core.count("step/data") == 6
    assert not program.core.stack


def test_two_optimizers_share_the_step_of_their_batch(program):
    for _ in program.loader(3)():
        program.zero_grad()
        program.forward()  # the discriminator on real images
        program.forward()  # and on generated ones
        program.backward()
        program.step()
        program.other()
        program.zero_grad()
        program.forward()
        program.backward()
        program.step()
    core = program.core
    assert core.count("step") == 3
    assert core.count("step/optimizer") == 6
    assert core.count("step/forward") == 6
    assert core.total("step/forward") == 9 * FORWARD
    one = DATA + 2 * ZERO + 3 * FORWARD + 2 * BACKWARD + 2 * STEP
    assert core.total("step") == 3 * one + 3  # without what ran between the two


def test_without_a_loader_a_step_begins_with_the_first_work_after_the_last(program):
    for _ in range(4):
        program.forward()
        program.backward()
        program.step()
        program.zero_grad()
    core = program.core
    program.machine.finish()
    assert core.count("step/forward") == 4
    # A zero_grad after the update is a piece of that step, and leaves nothing open.
    assert [s.path for s in core.top()] == ["step"] * 8
    assert core.count("step") == 4
    assert core.top()[0].duration == FORWARD + BACKWARD + STEP
    assert core.top()[1].duration == ZERO


@pytest.mark.parametrize("batches", [0, 3])
def test_what_follows_a_zero_grad_after_the_update_is_not_in_the_step(program, batches):
    for _ in program.loader(3, DATA)() if batches else range(3):
        program.forward()
        program.backward()
        program.step()
        program.zero_grad()
        program.other(1_000)
    core = program.core
    program.machine.finish()
    assert core.count("step") == 3
    work = 3 * (FORWARD + BACKWARD + STEP + ZERO)
    assert core.total("step") == core.total("step/data") + work


def test_after_a_loader_is_exhausted_steps_are_told_by_the_optimizer_again(program):
    for _ in program.loader(2)():
        program.train_batch()
    for _ in range(3):
        program.train_batch()
    assert program.core.count("step") == 5


def test_a_closure_gives_forward_and_backward_inside_the_optimizer(program):
    def closure():
        program.zero_grad()
        program.forward()
        program.backward()

    for _ in program.loader(2)():
        program.step(closure=lambda: (closure(), closure()))
    core = program.core
    assert core.count("step") == core.count("step/optimizer") == 2
    assert core.total("step/optimizer/forward") == 4 * FORWARD
    assert core.total("step/optimizer/backward") == 4 * BACKWARD
    assert core.total("step/optimizer") == 2 * STEP + 4 * (ZERO + FORWARD + BACKWARD)
    assert "step/forward" not in core.paths()


def test_a_closure_without_a_loader_opens_its_step_itself(program):
    for _ in range(3):
        program.step(closure=lambda: (program.forward(), program.backward()))
    assert program.core.count("step") == 3
    assert program.core.count("step/optimizer/forward") == 3


def test_a_loss_module_goes_on_with_the_forward_of_the_model(program):
    for _ in program.loader(3)():
        program.forward()
        program.forward(2, trains=False)
        program.backward()
        program.step()
    core = program.core
    assert core.count("step/forward") == 3
    assert core.total("step/forward") == 3 * (FORWARD + 2)


def test_batches_fetched_together_before_their_forwards_are_filed_together(program):
    batches = program.loader(4)()
    for _ in range(2):
        next(batches)
        next(batches)
        for _ in range(2):
            program.forward()
            program.backward()
        program.step()
    assert program.core.count("step") == 2
    assert program.core.count("step/data") == 4


def test_loaders_read_side_by_side_feed_one_step_and_one_row_of_epochs(program):
    labelled, unlabelled = program.loader(3), program.loader(3)
    for _ in range(2):
        for _ in zip(labelled(), unlabelled()):
            program.train_batch()
    core = program.core
    assert core.count("step") == 6
    assert core.count("step/data") == 12
    assert len(core.marks) == 2


def test_a_batch_looked_at_long_before_training_is_no_step(program):
    loader = program.loader(2)
    looked_at = loader()
    next(looked_at)
    program.other(1_000_000)
    for _ in loader():
        program.train_batch()
    core = program.core
    assert core.count("step") == 2
    assert core.total("loading") == core.total("loading/data") == DATA


def test_a_pass_over_a_loader_without_a_model_is_loading(program):
    for _ in program.loader(5)():
        program.other()
    assert program.core.paths() == ["loading", "loading/data"]
    assert program.core.count("loading/data") == 5


def test_an_epoch_is_marked_at_each_iteration_of_the_training_loader(program):
    train, test = program.loader(2), program.loader(2)
    for _ in range(3):
        for _ in train():
            program.train_batch()
        with program.no_grad():
            for _ in test():
                program.forward()
    assert [name for name, _ in program.core.marks] == ["epoch"] * 3


def test_making_the_iterator_counts_as_waiting_for_its_first_batch(program):
    batches = program.loader(1)()
    start = program.core.clock
    program.other(400)
    batches.iteration.made(start, program.core.clock)
    for _ in batches:
        program.train_batch()
    assert program.core.top()[0].start == start
    assert program.core.total("step/data") == 400 + DATA + 3


def test_parameters_updated_by_hand_make_a_step_of_every_batch(program):
    program.by_hand = True
    for _ in program.loader(3)():
        program.forward()
        program.backward()
    assert program.core.count("step") == 3
    for _ in range(3):
        program.forward()
        program.backward()
    program.machine.finish()
    assert program.core.count("step") == 6


def test_an_optimizer_stepped_by_hooks_inside_backward_closes_the_step(program):
    for _ in program.loader(3)():
        program.forward()
        program.machine.backward_begin()
        program.core.clock += BACKWARD
        program.machine.update_inside()
        program.machine.backward_end()
    assert program.core.count("step") == 3
    assert not program.core.stack


def test_a_loader_without_batches_is_loading(program):
    for _ in range(2):
        for _ in program.loader(0)():
            raise AssertionError
    assert program.core.paths() == ["loading", "loading/data"]
    assert not program.core.stack


def test_the_end_of_training_goes_on_with_a_step_even_after_a_validation(program):
    train, test = program.loader(2), program.loader(2)
    for _ in train():
        program.train_batch()
        with program.no_grad():
            for _ in test():
                program.forward(training=False)
    core = program.core
    assert core.count("step") == core.count("step/data") == 2
    assert core.count("evaluation") == core.count("evaluation/data") == 4
    assert core.total("step/data") == 2 * DATA + 3
    assert core.total("evaluation/data") == 4 * DATA + 2 * 3


def test_updates_out_of_sight_do_not_make_one_endless_step(program):
    for _ in program.loader(1_000)():
        program.forward()
        program.backward()
    program.machine.finish()
    assert program.core.count("step") == 1 + 1_000 - 257


def test_model_and_loss_inside_a_closure_are_one_forward_an_evaluation(program):
    def closure():
        program.zero_grad()
        program.forward()
        program.forward()
        program.backward()

    for _ in program.loader(2)():
        program.step(closure=lambda: (closure(), closure(), closure()))
    core = program.core
    assert core.count("step/optimizer/forward") == core.count("step/optimizer/backward") == 6
    assert core.total("step/optimizer/forward") == 12 * FORWARD
