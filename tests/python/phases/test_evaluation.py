"""What evaluation is, and how a wrong guess is put right."""

from program import DATA, FORWARD, OUTSIDE, STEP, ZERO


def evaluated(core, batches):
    assert core.count("evaluation") == batches
    assert core.count("evaluation/data") == batches
    assert core.count("evaluation/forward") == batches
    assert not any(path.startswith("step") and "evaluation" in path for path in core.paths())


def test_a_loop_inside_no_grad_is_evaluation(program):
    with program.no_grad():
        for _ in program.loader(3)():
            program.forward(training=False)
    evaluated(program.core, 3)
    assert not any(path.startswith("step") for path in program.core.paths())


def test_no_grad_inside_the_loop_is_evaluation_from_the_first_batch_on(program):
    for _ in program.loader(3)():
        with program.no_grad():
            program.forward(training=False)
    evaluated(program.core, 3)
    assert not any(path.startswith("step") for path in program.core.paths())
    assert program.core.total("evaluation/data") == 3 * DATA + 3


def test_a_model_in_evaluation_mode_without_no_grad_is_evaluation(program):
    for _ in program.loader(3)():
        program.forward(training=False)
    evaluated(program.core, 3)


def test_a_forward_in_training_mode_without_a_backward_was_evaluation(program):
    for _ in program.loader(4)():
        program.forward()
    core = program.core
    assert core.count("evaluation") == 4
    assert core.count("step") == 0
    assert core.count("evaluation/data") == core.count("evaluation/forward") == 4
    assert core.paths() == ["evaluation", "evaluation/data", "evaluation/forward"]


def test_evaluation_between_epochs_is_never_inside_a_step(program):
    train, test = program.loader(2), program.loader(3)
    for _ in range(2):
        for _ in train():
            program.train_batch()
        for _ in test():
            with program.no_grad():
                program.forward(training=False)
                program.forward(2, trains=False)
    evaluated(program.core, 6)
    assert program.core.count("step") == 4


def test_the_training_loader_read_for_evaluation_is_filed_under_evaluation(program):
    train = program.loader(3)
    for _ in range(2):
        for _ in train():
            program.train_batch()
        for _ in train():
            with program.no_grad():
                program.forward(training=False)
    evaluated(program.core, 6)
    assert program.core.count("step") == program.core.count("step/data") == 6
    assert len(program.core.marks) == 2


def test_validation_in_the_middle_of_an_epoch_is_outside_the_steps(program):
    train, test = program.loader(4), program.loader(2)
    for _ in train():
        program.train_batch()
        with program.no_grad():
            for _ in test():
                program.forward(training=False)
        program.zero_grad()
    evaluated(program.core, 8)
    assert program.core.count("step/forward") == 4


def test_a_loss_outside_no_grad_does_not_make_a_step_of_an_evaluation(program):
    for _ in program.loader(3)():
        with program.no_grad():
            program.forward(training=False)
        program.forward(2, trains=False)
    evaluated(program.core, 3)
    assert not any(path.startswith("step") for path in program.core.paths())


def test_a_transform_before_the_model_tells_nothing(program):
    for _ in program.loader(3)():
        program.forward(2, trains=False)
        with program.no_grad():
            program.forward(training=False)
    assert program.core.count("evaluation") == 3
    assert program.core.count("evaluation/data") == 3


def test_a_teacher_before_its_student_stays_in_the_step_once_known(program):
    for _ in program.loader(4)():
        with program.no_grad():
            program.forward(11, training=False)
        program.forward()
        program.backward()
        program.step()
    core = program.core
    assert core.count("step") == 4
    assert core.count("evaluation") == 0
    assert core.total("step/forward") == 4 * (11 + FORWARD)
    assert core.count("step/data") == core.count("step/forward") == 4
    assert core.paths() == ["step", "step/backward", "step/data", "step/forward", "step/optimizer"]


def test_inference_without_a_loader_is_one_evaluation_per_forward(program):
    with program.no_grad():
        for _ in range(3):
            program.forward()
            program.other()
    assert program.core.count("evaluation") == 3
    assert program.core.total("evaluation") == 3 * FORWARD
    assert not program.core.stack


def test_inference_with_gradients_on_does_not_become_one_endless_step(program):
    for _ in range(3):
        program.forward(training=False)
    assert program.core.count("evaluation") == 3
    for _ in range(200):
        program.forward()
    program.machine.finish()
    assert program.core.count("evaluation") > 100
    assert program.core.count("step") == 0


def test_training_in_evaluation_mode_is_training(program):
    for _ in program.loader(3)():
        program.forward(training=False)
        program.backward()
        program.step()
    assert program.core.count("step") == 3
    assert program.core.count("evaluation") == 0
    for _ in range(3):
        program.forward(training=False)
        program.backward()
        program.step()
    assert program.core.count("step") == 6


def test_a_loop_left_early_closes_at_the_next_fetch(program):
    test, train = program.loader(5), program.loader(2)
    with program.no_grad():
        for _ in test():
            program.forward(training=False)
            break
    for _ in train():
        program.train_batch()
    assert program.core.count("evaluation") == 1
    assert program.core.count("step") == 2


def test_forward_with_gradients_then_a_gradient_of_the_input_stays_evaluation(program):
    for _ in program.loader(3)():
        program.forward(training=False)
        program.gradient()
    assert program.core.count("evaluation") == 3
    assert program.core.count("evaluation/backward") == 3


def test_warming_up_a_model_by_one_forward_is_no_step_of_training(program):
    program.forward()
    for _ in program.loader(2)():
        program.train_batch()
    assert program.core.count("evaluation") == 1
    assert program.core.count("step") == 2
    assert program.core.total("step/optimizer") == 2 * (STEP + 5)


def test_a_teacher_of_the_first_batch_is_in_its_step(program):
    for _ in program.loader(1)():
        with program.no_grad():
            program.forward(11, training=False)
            program.forward(11, training=False)
        program.zero_grad()
        program.forward()
        program.backward()
        program.step()
    core = program.core
    assert core.paths() == ["step", "step/backward", "step/data", "step/forward", "step/optimizer"]
    step = core.total("step")
    assert sum(core.total(path) for path in core.paths() if path != "step") == step


def test_a_module_in_evaluation_mode_that_is_trained_after_all_has_its_forward_in_the_step(program):
    for _ in program.loader(2)():
        program.forward(training=False)
        program.backward()
        program.step()
    core = program.core
    assert core.count("step/forward") == core.count("step/data") == core.count("step") == 2
    assert not any(path.startswith("evaluation") for path in core.paths())


def test_many_forwards_of_one_evaluation_are_held_back_to_a_bound(program):
    with program.no_grad():
        for _ in program.loader(1)():
            for _ in range(3_000):
                program.forward(training=False)
    core = program.core
    assert core.total("evaluation/forward") == 3_000 * FORWARD


def test_a_target_network_without_a_loader_is_evaluation_unless_a_step_is_open(program):
    for _ in range(3):
        with program.no_grad():
            program.forward(11)
        program.forward()
        with program.no_grad():
            program.forward(13)
        program.backward()
        program.step()
    core = program.core
    assert core.total("evaluation/forward") == 3 * 11
    assert core.total("step/forward") == 3 * (13 + FORWARD)


def test_units_never_overlap(program):
    train, test = program.loader(3), program.loader(2)
    core = program.core
    tick = core.now
    core.now = lambda: (setattr(core, "clock", core.clock + 1), tick())[1]  # it never stands still
    for _ in range(2):
        for _ in train():
            program.train_batch()
            program.zero_grad()
        batches = test()
        made = core.clock
        program.other()
        batches.iteration.made(made, core.clock)
        with program.no_grad():
            for _ in batches:
                program.forward(training=False)
                break
    program.forward()
    program.forward()
    program.machine.finish()
    for one, other in zip(core.top(), core.top()[1:], strict=False):
        assert one.end <= other.start


def test_work_of_an_optimizer_before_a_validation_belongs_to_no_evaluation(program):
    program.zero_grad()
    with program.no_grad():
        for _ in program.loader(2)():
            program.forward()
    for _ in program.loader(2)():
        program.train_batch()
    core = program.core
    assert core.count("evaluation") == core.count("evaluation/data") == 2
    assert "evaluation/optimizer" not in core.paths()
    assert core.count("step") == core.count("step/optimizer") == 2
    assert core.total("step/optimizer") == 3 * ZERO + 2 * STEP


def test_a_lap_inside_the_first_forward_of_a_teacher_is_counted_once(program):
    def inner():
        with program.lap("Teacher"):
            program.other()

    for _ in program.loader(3)():
        with program.no_grad():
            program.forward(inside=[inner])
        program.forward()
        program.backward()
        program.step()
    core = program.core
    forwards = core.total("step/forward") + core.total("evaluation/forward")
    assert forwards == 3 * (2 * FORWARD + OUTSIDE)
    laps = core.total("step/forward/Teacher") + core.total("evaluation/forward/Teacher")
    assert laps == 3 * OUTSIDE
    assert core.count("step") == 3
    assert core.count("evaluation") == 0
    for span in core.spans:
        parent = span.path.rpartition("/")[0]
        if parent:
            around = [s for s in core.spans if s.path == parent]
            assert any(s.start <= span.start and span.end <= s.end for s in around), span


def test_an_evaluation_with_gradients_and_laps_is_counted_once(program):
    def inner():
        with program.lap("Net"):
            program.other()

    for _ in program.loader(3)():
        program.forward(training=True, inside=[inner])
    program.machine.finish()
    core = program.core
    assert core.total("step/forward/Net") + core.total("evaluation/forward/Net") == 3 * OUTSIDE
    assert core.total("step/forward") == core.count("step/forward/Net") * (FORWARD + OUTSIDE)
    assert core.count("step") == 0
