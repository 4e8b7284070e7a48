use crate::testing::analyzed;
use crate::testing::scripted::{MAIN, MS, Script};
use laptime_core::SpanFlags;

/// Returns 40 steps of 10 ms: a forward in two halves, and every tenth a check on another thread.
fn script() -> Script {
    let mut script = Script::new(7, 1_000 * MS);
    for step in 0..40 {
        let at = step * 11 * MS;
        script.span(&["step", "forward"], at, 2 * MS + step);
        script.span(&["step", "forward"], at + 3 * MS, 2 * MS);
        if step % 10 == 0 {
            let names = ["step", "check"];
            script.span_on(5, &names, at + 6 * MS, MS, SpanFlags::DETACHED);
        }
        script.span(&["step"], at, 10 * MS);
    }
    script.span(&["evaluation"], 500 * MS, 40 * MS);
    script.span(&["evaluation"], 600 * MS, 44 * MS);
    script
}

fn durations_of(script: &Script, path: &str) -> Vec<f64> {
    let run = analyzed::run("a.lap", std::slice::from_ref(script));
    run.durations.by_path.get(path).cloned().unwrap_or_default()
}

#[test]
fn inside_of_steps_a_value_is_the_time_in_one_step() {
    let script = script();
    assert_eq!(durations_of(&script, "step"), [10e6; 40]);
    let forward = durations_of(&script, "step/forward");
    assert_eq!(forward.len(), 40);
    assert_eq!((forward[0], forward[39]), (4e6, 4e6 + 39.0));
}

#[test]
fn a_period_is_from_the_start_of_a_step_to_that_of_the_next() {
    let run = analyzed::run("a.lap", &[script()]);
    assert_eq!(run.durations.periods["step"], [11e6; 39]);
}

#[test]
fn a_piece_that_goes_on_with_a_step_begins_no_period() {
    let mut script = Script::new(7, 1_000 * MS);
    for step in 0..40 {
        let at = step * 20 * MS;
        script.span_on(MAIN, &["step"], at, 4 * MS, SpanFlags::NONE);
        script.span_on(MAIN, &["step"], at + 6 * MS, 4 * MS, SpanFlags::CONTINUES);
    }
    let run = analyzed::run("a.lap", &[script]);
    assert_eq!(run.durations.periods["step"], [20e6; 39]);
}

#[test]
fn a_step_without_a_path_has_no_value_of_it() {
    assert_eq!(durations_of(&script(), "step/check"), [1e6; 4]);
}

#[test]
fn outside_of_steps_a_value_is_one_span() {
    assert_eq!(durations_of(&script(), "evaluation"), [40e6, 44e6]);
}

#[test]
fn warm_up_is_left_out() {
    let mut script = Script::new(7, 5_000 * MS);
    let mut at = 0;
    for step in 0..60 {
        let ns = if step < 5 { 80 } else { 10 } * MS + step * 7_919 % 100 * 1_000;
        script.span_on(MAIN, &["step"], at, ns, SpanFlags::NONE);
        at += ns;
    }
    let steps = durations_of(&script, "step");
    assert_eq!(steps.len(), 55);
    assert!(steps.iter().all(|ns| *ns < 11e6));
}

#[test]
fn a_program_without_spans_has_no_durations() {
    let run = analyzed::run("a.lap", &[Script::new(7, MS)]);
    assert!(run.durations.by_path.is_empty());
    assert!(run.durations.periods.is_empty());
}
