//! Whatever is raised wherever: the spans are right again from the next event on.

use laptime_core::SpanFlags;

use crate::program::{BACKWARD, DATA, FORWARD, LAST_FETCH, OUTSIDE, STEP, ZERO};
use crate::program::{Batches, Forward, Program};

const LONG: u64 = 1_000_000;

fn raising(raises: bool) -> Forward {
    Forward {
        raises,
        ..Forward::default()
    }
}

fn fetch(batches: &mut Batches) {
    assert!(batches.next().is_some(), "there is a batch");
}

fn fetch_that_raises(batches: &mut Batches) {
    batches.fails = [batches.left].into();
    assert!(batches.fetch().is_err());
}

#[test]
fn an_end_that_never_came_is_made_up_for_at_the_next_fetch() {
    for cut in ["forward", "backward", "optimizer", "data"] {
        let program = Program::new();
        let mut batches = program.loader(5).pass();
        fetch(&mut batches);
        program.train_batch();
        if cut == "data" {
            batches.begin_fetch();
        } else {
            fetch(&mut batches);
        }
        match cut {
            "forward" => {
                program.begin_forward();
                program.other(13);
            }
            "backward" => {
                program.forward();
                program.begin_backward();
            }
            "optimizer" => {
                program.forward();
                program.backward();
                program.event(|machine| machine.optimizer_begin(true));
                program.begin_forward();
            }
            _ => (),
        }
        for _ in 0..2 {
            fetch(&mut batches);
            program.train_batch();
        }
        assert!(program.script().open_paths().is_empty(), "{cut}");
        let spans = program.spans();
        let last = spans.iter().rfind(|span| span.path == "step");
        let last = last.expect("a step");
        let of_last = spans
            .iter()
            .filter(|span| span.path.starts_with("step/") && span.start >= last.start);
        let phases: u64 = of_last.map(|span| span.duration).sum();
        assert_eq!(phases, last.duration, "{cut}");
    }
}

#[test]
fn a_closure_that_raised_leaves_the_next_step_alone() {
    let program = Program::new();
    for (index, _) in program.loader(3).pass().enumerate() {
        let raised = index == 1;
        program.step_around(0, raised, || {
            program.call(raising(raised));
            if !raised {
                program.backward();
            }
        });
    }
    assert_eq!(program.count("step"), 3);
    assert_eq!(program.total("step/forward"), 3 * FORWARD);
    assert_eq!(program.count("step/optimizer"), 3);
    assert_eq!(program.total("step/optimizer"), 0);
}

#[test]
fn a_batch_that_raised_is_time_of_the_step_and_no_step() {
    for place in ["forward", "backward"] {
        let program = Program::new();
        for (index, _) in program.loader(3).pass().enumerate() {
            let raised = index == 1;
            program.call(raising(raised && place == "forward"));
            if !raised || place == "backward" {
                program.backward_around(BACKWARD, raised, || ());
            }
            program.other(OUTSIDE);
            if !raised {
                program.step();
            }
        }
        assert_eq!(program.count("step"), 2, "{place}");
        assert_eq!(program.count("evaluation"), 0, "{place}");
        assert_eq!(program.total("step/forward"), 3 * FORWARD, "{place}");
        // The handler is outside: the step ended with the exception.
        let backwards = program.total("step/backward");
        let batches = 3 * (DATA + FORWARD) + LAST_FETCH + backwards;
        let step = program.total("step");
        assert_eq!(step, batches + 2 * (STEP + OUTSIDE), "{place}");
    }
}

#[test]
fn a_batch_tried_again_after_it_raised_is_one_step() {
    let program = Program::new();
    for (index, _) in program.loader(3).pass().enumerate() {
        program.zero_grad();
        if index == 1 {
            program.call(raising(true));
            program.other(1_000);
            program.zero_grad();
        }
        program.forward();
        program.backward();
        program.step();
    }
    assert_eq!(program.count("step"), 3);
    assert_eq!(program.count("step/optimizer"), 3);
    assert_eq!(program.total("step/forward"), 4 * FORWARD);
    let batches = 3 * (DATA + FORWARD + BACKWARD + STEP + ZERO);
    let step = program.total("step");
    assert_eq!(step, batches + FORWARD + ZERO + LAST_FETCH);
}

#[test]
fn a_step_that_raised_inside_a_lap_ends_with_the_exception() {
    let program = Program::new();
    let mut batches = program.loader(3).pass();
    fetch(&mut batches);
    {
        let _lap = program.lap("body");
        program.zero_grad();
        program.call(raising(true));
    }
    program.other(1_000);
    program.finish();
    assert_eq!(program.count("step"), 0);
    assert_eq!(program.total("step"), DATA + ZERO + FORWARD);
    for span in program.spans() {
        assert!(!span.flags.has(SpanFlags::UNBALANCED), "{span:?}");
    }
}

#[test]
fn what_the_end_of_the_program_finds_open_ended_with_its_last_phase() {
    let program = Program::new();
    {
        let mut batches = program.loader(3).pass();
        fetch(&mut batches);
        program.forward();
        program.backward();
        program.other(1_000);
    }
    program.finish();
    assert_eq!(program.total("step"), DATA + FORWARD + BACKWARD);
}

#[test]
fn a_fetch_that_raised_counts_as_no_batch() {
    let program = Program::new();
    let mut batches = program.loader(3).pass();
    fetch(&mut batches);
    program.train_batch();
    fetch_that_raises(&mut batches);
    assert!(program.script().open_paths().is_empty());
    program.other(1_000);
    fetch(&mut batches);
    program.train_batch();
    assert!(program.script().open_paths().is_empty());
    assert_eq!(program.total("step/backward"), 2 * BACKWARD);
    assert_eq!(program.count("step"), 2);
    assert_eq!(program.count("step/data"), 2);
    assert_eq!(program.total("step/data"), 3 * DATA);
    let phases = ["", "/backward", "/data", "/forward", "/optimizer"];
    assert_eq!(program.paths(), phases.map(|phase| format!("step{phase}")));
}

#[test]
fn a_fetch_that_raised_amid_micro_batches_cuts_their_step_short() {
    let program = Program::new();
    let mut batches = program.loader(4).pass();
    fetch(&mut batches);
    program.forward();
    program.backward();
    fetch_that_raises(&mut batches);
    assert!(program.script().open_paths().is_empty());
    program.other(LONG);
    fetch(&mut batches);
    program.train_batch();
    assert_eq!(program.count("step"), 1);
    assert_eq!(program.count("step/backward"), 2);
    assert_eq!(program.total("step/data"), 3 * DATA);
    assert!(program.total("step") < LONG);
}

#[test]
fn a_fetch_that_was_interrupted_for_good_is_counted_once() {
    for trained in [false, true] {
        let program = Program::new();
        let mut batches = program.loader(3).pass();
        if trained {
            fetch(&mut batches);
            program.train_batch();
        }
        fetch_that_raises(&mut batches);
        let end = program.script().clock();
        program.other(1_000);
        program.finish();
        let top = program.top();
        let recorded: u64 = top.iter().map(|span| span.duration).sum();
        assert_eq!(recorded, end - 1_000, "{top:?}");
        let last = top.last().map(|span| span.path.as_str());
        assert_eq!(last, Some(if trained { "step" } else { "loading" }));
        assert_eq!(program.count("step"), usize::from(trained));
    }
}

#[test]
fn finishing_closes_what_is_open_and_names_it() {
    let program = Program::new();
    let mut batches = program.loader(3).pass();
    fetch(&mut batches);
    program.finish();
    assert_eq!(program.paths(), ["loading", "loading/data"]);
    program.forward();
    program.backward();
    program.finish();
    program.finish();
    assert_eq!(program.count("step"), 1);
    assert!(program.script().open_paths().is_empty());
}

#[test]
fn an_automatic_span_closed_by_its_parent_is_not_used_again() {
    let program = Program::new();
    {
        let _lap = program.lap("mine");
        program.forward();
    }
    program.backward();
    program.step();
    assert!(program.script().open_paths().is_empty());
    assert_eq!(program.total("step/backward"), BACKWARD);
    assert_eq!(program.total("step/optimizer"), STEP);
}

#[test]
fn what_was_interrupted_makes_no_finished_span_longer() {
    for place in ["data", "forward", "backward"] {
        let program = Program::new();
        let mut batches = program.loader(4).pass();
        let took = |is_cut: bool, usual| if is_cut { LONG } else { usual };
        for index in 0..3 {
            fetch(&mut batches);
            let is_cut = index == 2;
            program.call(Forward {
                took: took(is_cut, FORWARD),
                ..raising(is_cut)
            });
            if is_cut && place == "forward" {
                break;
            }
            program.backward_around(took(is_cut, BACKWARD), is_cut, || ());
            if is_cut {
                break;
            }
            program.step();
            if index == 1 && place == "data" {
                batches.took = LONG;
                fetch_that_raises(&mut batches);
                break;
            }
        }
        program.finish();
        let phase = format!("step/{place}");
        assert_eq!(program.count("step"), 2, "{place}");
        assert_eq!(program.count(&phase), 2, "{place}");
        let mut cut = program.spans();
        cut.retain(|span| span.duration >= LONG);
        for path in ["step", &phase] {
            assert!(cut.iter().any(|span| span.path == path), "{path}: {cut:?}");
        }
        for span in cut {
            assert_eq!(span.flags, SpanFlags::UNFINISHED, "{span:?}");
        }
    }
}

#[test]
fn an_evaluation_that_raised_is_none_in_the_count() {
    let program = Program::new();
    {
        let _no = program.no_grad();
        for (index, _) in program.loader(3).pass().enumerate() {
            program.call(raising(index == 1));
        }
        program.call(raising(true));
    }
    program.finish();
    assert_eq!(program.count("evaluation"), 2);
    assert_eq!(program.count("evaluation/forward"), 2);
}
