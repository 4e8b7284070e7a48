//! What an epoch is: a pass over the training data, marked where its first step begins.

use crate::program::{Forward, Program};

/// When whole steps began.
fn steps_began(program: &Program) -> Vec<u64> {
    let steps = program.top().into_iter();
    let steps = steps.filter(|span| span.path == "step" && span.counts());
    steps.map(|step| step.start).collect()
}

/// Where epochs are marked.
fn epochs_began(program: &Program) -> Vec<u64> {
    let marks = program.script().marks().into_iter();
    marks.map(|(_, at)| at).collect()
}

#[test]
fn a_peek_at_the_loader_is_no_epoch() {
    let looks: [fn(&Program); 4] = [
        |_| (),
        |program| program.forward(),
        |program| {
            let _no = program.no_grad();
            program.call(Forward {
                training: false,
                ..Forward::default()
            });
        },
        Program::train_batch,
    ];
    for look in looks {
        let program = Program::new();
        let loader = program.loader(4);
        for _ in 0..3 {
            assert!(loader.pass().next().is_some());
            look(&program);
            for _ in loader.pass() {
                program.train_batch();
            }
        }
        assert_eq!(program.epochs(), 3);
    }
}

#[test]
fn a_loader_of_one_batch_has_an_epoch_for_each_pass() {
    let program = Program::new();
    let loader = program.loader(1);
    for _ in 0..3 {
        for _ in loader.pass() {
            program.train_batch();
        }
    }
    assert_eq!((program.epochs(), program.count("step")), (3, 3));
}

#[test]
fn an_epoch_is_marked_where_its_first_step_begins() {
    let program = Program::new();
    let loader = program.loader(3);
    for _ in 0..2 {
        for _ in loader.pass() {
            program.train_batch();
        }
    }
    let steps = steps_began(&program);
    assert_eq!(epochs_began(&program), [steps[0], steps[3]]);
}

#[test]
fn a_pass_that_is_evaluated_is_no_epoch() {
    let program = Program::new();
    let loader = program.loader(3);
    let _no = program.no_grad();
    for _ in loader.pass() {
        program.forward();
    }
    assert_eq!((program.epochs(), program.count("evaluation")), (0, 3));
}

#[test]
fn a_batch_that_is_trained_on_many_times_is_no_epoch() {
    let program = Program::new();
    assert!(program.loader(3).pass().next().is_some());
    for _ in 0..5 {
        program.train_batch();
    }
    assert_eq!((program.epochs(), program.count("step")), (0, 5));
}

/// `next(iter(loader))` at the head of each epoch, and nothing done with it.
#[test]
fn an_epoch_begins_with_the_first_step_that_follows_a_peek() {
    let program = Program::new();
    let loader = program.loader(4);
    for _ in 0..3 {
        assert!(loader.pass().next().is_some());
        for _ in loader.pass() {
            program.train_batch();
        }
    }
    program.finish();
    let steps = steps_began(&program);
    assert_eq!(steps.len(), 12);
    assert_eq!(epochs_began(&program), [steps[0], steps[4], steps[8]]);
}

/// As Lightning and Transformers begin.
#[test]
fn an_epoch_begins_with_the_zero_grad_before_its_loop() {
    let program = Program::new();
    let loader = program.loader(3);
    program.zero_grad();
    for _ in 0..2 {
        for _ in loader.pass() {
            program.forward();
            program.backward();
            program.step();
        }
    }
    let steps = steps_began(&program);
    assert_eq!(epochs_began(&program), [steps[0], steps[3]]);
}

/// After a training whose steps Laptime told.
#[test]
fn a_pass_with_steps_of_the_program_s_own_is_an_epoch_after_others() {
    let program = Program::new();
    for _ in program.loader(3).pass() {
        program.train_batch();
    }
    let mut batches = program.loader(3).pass();
    for _ in 0..3 {
        let _step = program.lap("step");
        {
            let _data = program.lap("data");
            batches.next();
        }
        program.train_batch();
    }
    assert_eq!(program.epochs(), 2);
}

/// `for batch in lt.track(loader, "step")`: the program's own lap is the step.
#[test]
fn an_epoch_begins_with_its_first_step_where_the_program_s_own_laps_are_the_steps() {
    let program = Program::new();
    let loader = program.loader(3);
    let mut steps = Vec::new();
    for _ in 0..2 {
        let mut batches = loader.pass();
        for _ in 0..3 {
            steps.push(program.script().clock());
            let _step = program.lap("step");
            {
                let _data = program.lap("data");
                batches.next();
            }
            program.train_batch();
        }
    }
    assert_eq!(epochs_began(&program), [steps[0], steps[3]]);
}
