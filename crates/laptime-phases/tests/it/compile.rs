//! A graph is compiled while a training is watched: a span where that happens.

use laptime_phases::Machine;

use crate::program::{BACKWARD, FORWARD, Forward, OUTSIDE, Program};

const COMPILE: u64 = 17;

fn compile(program: &Program) {
    program.event(Machine::compile_begin);
    program.other(COMPILE);
    program.event(Machine::compile_end);
}

#[test]
fn a_graph_is_compiled_inside_the_forward_or_the_backward_that_needs_it() {
    let program = Program::new();
    for index in 0..3 {
        program.call_around(Forward::default(), || {
            if index == 0 {
                compile(&program);
            }
        });
        program.backward_around(BACKWARD, false, || {
            if index == 0 {
                compile(&program);
            }
        });
        program.step();
    }
    program.finish();
    for phase in ["forward", "backward"] {
        let path = format!("step/{phase}/compile");
        assert_eq!(program.count(&path), 1, "{path}");
        assert_eq!(program.total(&path), COMPILE, "{path}");
        assert_eq!(program.count(&format!("step/{phase}")), 3);
    }
    assert_eq!(program.total("step/forward"), 3 * FORWARD + COMPILE);
}

#[test]
fn what_is_compiled_meanwhile_is_a_part_of_it() {
    let program = Program::new();
    program.call_around(Forward::default(), || {
        program.event(Machine::compile_begin);
        compile(&program); // a graph of the graph
        program.event(Machine::compile_end);
        compile(&program); // another one
    });
    program.backward();
    program.step();
    assert_eq!(program.total("step/forward/compile"), 2 * COMPILE);
}

#[test]
fn a_graph_that_is_compiled_in_no_phase_has_a_row_of_its_own() {
    let program = Program::new();
    compile(&program);
    program.event(Machine::compile_end); // of nothing
    program.other(OUTSIDE);
    program.train_batch();
    program.finish();
    assert_eq!(program.count("compile"), 1);
    assert_eq!(program.total("compile"), COMPILE);
    assert_eq!(program.count("step"), 1);
}

/// Compiling raised, and nobody told its end.
#[test]
fn a_compilation_without_an_end_is_over_with_its_phase() {
    let program = Program::new();
    for _ in 0..2 {
        program.forward();
        program.backward_around(BACKWARD, false, || {
            program.event(Machine::compile_begin);
            program.other(COMPILE);
        });
        program.step();
    }
    assert_eq!(program.count("step/backward/compile"), 2);
    assert_eq!(program.total("step/backward/compile"), 2 * COMPILE);
    assert!(program.script().open_paths().is_empty());
}
