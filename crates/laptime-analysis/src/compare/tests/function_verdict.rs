use laptime_core::format::record::Record;
use laptime_core::{Runner, SampledStack, StackFrame};

use super::*;
use crate::compare::recordings::compare;
use crate::compare::{FunctionChanges, GateOutcome, Note, Options, Run};
use crate::testing::analyzed;
use crate::testing::scripted::{EPOCH_NS, MAIN, MS, Script};

/// Time between two samples.
const PERIOD_MS: u64 = 10;

/// Returns a run that is in `clean` so many samples and in `save` as many as given, in turns; in steps of a hundred
/// samples of each where it has laps.
fn run(clean: u64, save: u64, has_laps: bool) -> Run {
    let mut script = Script::new(7, 0);
    script.name_track(MAIN, false, "main");
    for (id, name) in [(1, "main"), (2, "clean"), (3, "save")] {
        let file = "/home/me/job.py";
        script.observed(Record::Function { id, name, file });
    }
    for (id, parent, function) in [(1, 0, 1), (2, 1, 2), (3, 1, 3)] {
        let line = 10 * function;
        script.observed(Record::Frame(StackFrame {
            id,
            parent,
            function,
            line,
        }));
    }
    let mut now = 0;
    for step in 0..20 {
        let start = now;
        let (from, until) = (step * clean / 20, (step + 1) * clean / 20);
        let cleaning = std::iter::repeat_n(2, (until - from) as usize);
        let saving = std::iter::repeat_n(3, (save / 20) as usize);
        let mut saved_from = start;
        for frame in cleaning.chain(saving) {
            saved_from = if frame == 2 {
                now + PERIOD_MS
            } else {
                saved_from
            };
            script.observed(Record::Stack(SampledStack {
                ticks: EPOCH_NS + (now + PERIOD_MS / 2) * MS,
                thread: 40 + u64::from(MAIN),
                frame,
                is_running: true,
                has_interpreter: true,
                in_same_turn: false,
                others_ready: false,
                runner: Runner::Unknown,
                within_ns: 1_000,
                stands_for_ns: PERIOD_MS * MS,
            }));
            now += PERIOD_MS;
        }
        if has_laps {
            script.span(&["step", "wash"], start * MS, (saved_from - start) * MS);
            script.span(&["step", "keep"], saved_from * MS, (now - saved_from) * MS);
            script.span(&["step"], start * MS, (now - start) * MS);
        }
    }
    script.header.closed = Some(crate::testing::scripted::anchor(now * MS));
    analyzed::run("job.lap", &[script])
}

fn pair_of(base: Run, new: Run) -> Pair {
    let gates = ["run:mean > 10%", "run:p50 > 10%"];
    let options = Options {
        gates: gates.map(|gate| gate.parse().unwrap()).to_vec(),
        ..Options::default()
    };
    let mut found = compare(&[base], &[vec![new]], &options);
    found.pairs.remove(0)
}

fn named(functions: &FunctionChanges) -> Vec<&str> {
    let changed = functions.changed();
    changed.filter_map(|row| Some(row.call.own()?.0)).collect()
}

#[test]
fn a_run_without_laps_is_slower_through_the_function_that_is() {
    let pair = pair_of(run(300, 600, false), run(600, 600, false));
    assert_eq!(pair.verdict, Verdict::Slower);
    assert_eq!(pair.whole.reason, Some(RowReason::ChangedFunctions));
    let functions = pair.functions.as_ref().unwrap();
    assert_eq!(named(functions), ["clean"]);
    assert_eq!(functions.within, None);
    let outcomes: Vec<GateOutcome> = pair.gates.iter().map(|gate| gate.outcome).collect();
    assert_eq!(outcomes, [GateOutcome::Exceeded, GateOutcome::Unclear]);
    assert!(!pair.has_laps);
}

#[test]
fn runs_that_take_as_long_as_before_name_no_function() {
    let pair = pair_of(run(300, 600, false), run(320, 580, false));
    assert_eq!(pair.verdict, Verdict::Inconclusive);
    assert_eq!(named(pair.functions.as_ref().unwrap()), Vec::<&str>::new());
    assert_eq!(pair.gates[0].outcome, GateOutcome::Kept);
}

#[test]
fn a_run_that_all_functions_make_longer_proves_nothing() {
    let pair = pair_of(run(300, 600, false), run(450, 900, false));
    assert_eq!(pair.verdict, Verdict::Inconclusive);
    let functions = pair.functions.as_ref().unwrap();
    assert!(functions.alike_ratio.is_some(), "{functions:?}");
}

#[test]
fn with_steps_the_function_of_the_lap_that_got_slower_is_named() {
    let pair = pair_of(run(400, 800, true), run(1_000, 800, true));
    assert_eq!(pair.verdict, Verdict::Slower);
    let functions = pair.functions.as_ref().unwrap();
    assert_eq!(functions.within.as_deref(), Some("step/wash"));
    assert_eq!(named(functions), ["clean"]);
    // 30 samples more in each of 20 steps.
    let more_ms = functions.rows[0].own.difference_ns / MS as f64;
    assert!((more_ms - 300.0).abs() < 1.0, "{more_ms}");
}

#[test]
fn runs_without_samples_say_how_to_get_functions() {
    let bare = || analyzed::run("bare.lap", &[Script::new(7, 900 * MS)]);
    let pair = pair_of(bare(), run(300, 600, false));
    assert_eq!(pair.functions, None);
    let runs = pair.notes.iter().find_map(|note| match note {
        Note::NoFunctions { runs } => Some(runs.clone()),
        _ => None,
    });
    assert_eq!(runs, Some(vec!["bare.lap".to_owned()]));
}
