//! What JAX announces of its compilations: which spans it becomes.

use laptime_core::SpanFlags;
use laptime_phases::{Compilation, Stage};

use crate::script::Script;

use Stage::{Compile, Lower, Trace};

struct Jax {
    laps: Script,
    compilation: Compilation,
}

impl Jax {
    fn new() -> Self {
        let laps = Script::default();
        let compilation = Compilation::new(Box::new(laps.clone()));
        Self { laps, compilation }
    }

    /// A stage of so many ticks.
    fn stage(&mut self, stage: Stage, function: &str, ticks: u64) {
        self.compilation.begin(stage, function);
        self.laps.pass(ticks);
        self.compilation.end(stage, function);
    }

    /// A whole compilation of 1 + 2 + 4 ticks, with some of the caller's between the stages.
    fn compile(&mut self, name: &str) {
        let lowered = format!("jit({name})");
        self.stage(Trace, name, 1);
        self.laps.pass(10);
        self.stage(Lower, &lowered, 2);
        self.laps.pass(10);
        self.stage(Compile, &lowered, 4);
    }

    /// Count and total of a path.
    fn told(&self, path: &str) -> (usize, u64) {
        let spans = self.laps.spans();
        let of_path = || spans.iter().filter(|span| span.path == path);
        let count = of_path().filter(|span| span.counts()).count();
        (count, of_path().map(|span| span.duration).sum())
    }
}

#[test]
fn the_three_stages_of_a_function_are_one_span() {
    let mut jax = Jax::new();
    jax.compile("f");
    assert_eq!(jax.told("compile"), (1, 7));
    jax.compile("f");
    jax.compile("g");
    assert_eq!(jax.told("compile"), (3, 21));
}

#[test]
fn a_stage_goes_on_only_with_an_earlier_one_of_its_function() {
    let mut jax = Jax::new();
    jax.stage(Trace, "f", 1); // its shapes were asked for, and nothing more
    jax.stage(Lower, "jit(g)", 2);
    jax.stage(Compile, "jit(g)", 4);
    assert_eq!(jax.told("compile"), (2, 7));
    jax.stage(Compile, "jit(g)", 4); // for another device
    assert_eq!(jax.told("compile"), (3, 11));
}

#[test]
fn what_is_compiled_while_another_is_traced_is_a_part_of_that() {
    let mut jax = Jax::new();
    jax.compilation.begin(Trace, "f");
    jax.compile("constant");
    jax.compile("f"); // itself, on something that is known
    jax.compilation.end(Trace, "f");
    assert_eq!(jax.told("compile"), (1, 54));
    jax.stage(Lower, "jit(f)", 2);
    assert_eq!(jax.told("compile"), (1, 56));
}

#[test]
fn compilations_lie_in_the_lap_that_is_open_and_hold_those_opened_inside() {
    let mut jax = Jax::new();
    let step = jax.laps.open_lap("step");
    jax.compilation.begin(Trace, "f");
    let layer = jax.laps.open_lap("layer");
    jax.laps.pass(3);
    jax.laps.close_lap(layer);
    jax.compilation.end(Trace, "f");
    jax.laps.close_lap(step);
    assert_eq!(jax.told("step/compile"), (1, 3));
    assert_eq!(jax.told("step/compile/layer"), (1, 3));
    // Lowered in one lap and compiled in the next: a span in each.
    let other = jax.laps.open_lap("other");
    jax.stage(Lower, "jit(f)", 2);
    jax.laps.close_lap(other);
    assert_eq!(jax.told("other/compile"), (1, 2));
}

#[test]
fn a_lap_of_the_same_name_takes_its_place() {
    let mut jax = Jax::new();
    let lap = jax.laps.open_lap("compile");
    jax.compile("f");
    jax.laps.close_lap(lap);
    assert_eq!(jax.told("compile"), (1, 27));
    assert_eq!(jax.laps.spans().len(), 1);
    jax.compile("f");
    assert_eq!(jax.told("compile"), (2, 34));
}

#[test]
fn what_was_compiled_by_an_earlier_run_is_told_apart() {
    let mut jax = Jax::new();
    jax.compilation.was_cached(5);
    assert_eq!(jax.laps.spans(), []);
    jax.compilation.begin(Compile, "jit(f)");
    jax.laps.pass(9);
    jax.compilation.was_cached(5);
    jax.compilation.was_cached(50); // by another clock
    jax.compilation.end(Compile, "jit(f)");
    assert_eq!(jax.told("compile"), (1, 9));
    assert_eq!(jax.told("compile/cached"), (2, 14));
}

#[test]
fn a_stage_whose_end_nobody_told_ends_with_what_is_around_it() {
    let mut jax = Jax::new();
    let step = jax.laps.open_lap("step");
    jax.compilation.begin(Trace, "f");
    jax.laps.pass(3);
    jax.laps.close_lap(step);
    assert!(!jax.compilation.is_under_way());
    assert_eq!(jax.told("step/compile"), (1, 3));
    jax.compile("g");
    assert_eq!(jax.told("compile"), (1, 7));
    jax.compilation.begin(Trace, "f");
    jax.compilation.begin(Lower, "jit(constant)");
    jax.laps.pass(1);
    jax.compilation.end(Trace, "f");
    jax.compilation.end(Lower, "jit(constant)");
    assert_eq!(jax.told("compile"), (2, 8));
}

#[test]
fn what_is_abandoned_leaves_no_span() {
    let mut jax = Jax::new();
    jax.compilation.begin(Trace, "f");
    jax.laps.pass(3);
    jax.compilation.abandon();
    jax.compilation.end(Trace, "f");
    assert_eq!(jax.laps.spans(), []);
    assert!(jax.laps.open_paths().is_empty());
    jax.compile("f");
    let flags: Vec<_> = jax.laps.spans().iter().map(|span| span.flags).collect();
    let goes_on = SpanFlags::CONTINUES;
    assert_eq!(flags, [SpanFlags::NONE, goes_on, goes_on]);
}
