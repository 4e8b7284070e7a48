use laptime_core::ceilings::{Bound, Ceiling, Ceilings, Origin};
use laptime_core::{Cost, CostTally, Span, SpanFlags, SpanWork};
use proptest::prelude::*;

use crate::summarize::columns::operations::CEILINGS;
use crate::testing::analyzed::summarize;
use crate::testing::scripted::{EPOCH_NS, MAIN, MS, Script, anchor};
use crate::{BoundBy, Options, SpanRow, Summary};

pub fn cost(mac: u128, bytes: u128) -> CostTally {
    CostTally {
        counted: 2,
        cost: Cost {
            mac,
            active_mac: mac,
            executed_mac: mac,
            other_flop: 10,
            bytes_read: bytes,
            ..Cost::default()
        },
        ..CostTally::default()
    }
}

/// Adds steps of 10 ms, each with a forward of 4 ms and in it a layer of 3 ms.
fn steps(script: &mut Script, from: u64, count: u64, stretch: u32) {
    for index in from..from + count {
        let at = index * 10 * MS;
        script.ran(stretch, at + 1);
        script.span(&["step", "forward", "layer"], at + MS, 3 * MS);
        script.span(&["step", "forward"], at + MS, 4 * MS);
        script.span(&["step"], at, 10 * MS);
    }
}

pub fn training(count: u64) -> Script {
    let mut script = Script::new(1, 10_000 * MS);
    script.operations(
        1,
        &["step", "forward", "layer"],
        cost(3_000_000, 1_000),
        "float32",
    );
    script.operations(1, &["step", "forward"], cost(1_000_000, 1_000), "float32");
    steps(&mut script, 0, count, 1);
    script
}

pub fn ceilings(per_s: f64, bytes_per_s: f64) -> String {
    let published = |bound, per_s| Ceiling {
        device: "cpu".into(),
        bound,
        per_s,
        origin: Origin::Published {
            source: "a test".into(),
        },
    };
    let mut ceilings = Ceilings::default();
    ceilings.add(published(Bound::Flop("float32".into()), per_s));
    ceilings.add(published(Bound::Bytes, bytes_per_s));
    serde_json::to_string(&ceilings).unwrap()
}

pub fn row<'s>(summary: &'s Summary, path: &str) -> &'s SpanRow {
    summary.row(path).unwrap()
}

#[test]
fn what_a_stretch_does_is_multiplied_by_its_runs_and_stands_in_every_row_around() {
    let summary = summarize(&[training(5)], Options::default());
    let layer = row(&summary, "step/forward/layer");
    assert_eq!(
        (layer.work.mac, layer.work.flop),
        (Some(15_000_000), Some(30_000_000))
    );
    assert_eq!(layer.work.total_flop, Some(30_000_050));
    assert_eq!(layer.work.flop_per_s, Some(30_000_000.0 / 0.015));
    for path in ["step/forward", "step"] {
        assert_eq!(row(&summary, path).work.mac, Some(20_000_000), "{path}");
        assert_eq!(row(&summary, path).work.bytes_moved, Some(10_000), "{path}");
    }
    assert_eq!(
        row(&summary, "step").work.flop_per_s,
        Some(40_000_000.0 / 0.05)
    );
    assert_eq!(
        row(&summary, "step").work.operations_coverage_ratio,
        Some(1.0)
    );
}

#[test]
fn a_step_cut_short_counts_with_its_time_as_with_its_operations() {
    let mut script = training(5);
    script.header.closed = Some(anchor(70 * MS));
    script.ran(1, 50 * MS + 1);
    script.span(&["step", "forward"], 51 * MS, 4 * MS);
    script.leave_open(MAIN, &["step"], 50 * MS);
    let summary = summarize(&[script], Options::default());
    let step = row(&summary, "step");
    assert_eq!((step.total_ns, step.partial_ns), (70 * MS, 20 * MS));
    assert_eq!(step.work.flop_per_s, Some(48_000_000.0 / 0.07));
}

#[test]
fn shapes_have_stretches_of_their_own_and_the_last_word_about_one_counts() {
    let mut script = training(3);
    script.operations(2, &["step", "forward"], cost(9, 9), "float32");
    script.operations(2, &["step", "forward"], cost(500, 9), "float32");
    steps(&mut script, 3, 2, 2);
    let summary = summarize(&[script], Options::default());
    assert_eq!(
        row(&summary, "step").work.mac,
        Some(3 * 4_000_000 + 2 * 500)
    );
}

#[test]
fn what_the_program_says_takes_the_place_of_what_was_counted_inside() {
    let mut script = training(2);
    let path = script.path(&["step", "forward", "layer"]);
    for index in 0..2 {
        let work = SpanWork {
            flop: Some(7),
            bytes: None,
        };
        let start = EPOCH_NS + (index * 10 + 5) * MS;
        script.push(Span::plain(path, start, MS, MAIN).with_work(work));
    }
    let summary = summarize(&[script], Options::default());
    let layer = row(&summary, "step/forward/layer");
    assert_eq!((layer.work.flop, layer.work.mac), (Some(14), None));
    assert_eq!(layer.work.flop_per_s, Some(14.0 / 0.002));
    assert_eq!(layer.work.bytes_moved, Some(2_000));
    let forward = row(&summary, "step/forward");
    assert_eq!(forward.work.flop, Some(2 * 2_000_000 + 14));
    assert_eq!(
        summary.why(forward, "mac").unwrap().0,
        "the program said the FLOP of a lap in it, which tells no more"
    );
}

#[test]
fn shares_of_the_peak_name_it_and_without_one_say_what_to_do() {
    let mut script = training(5);
    script.note(CEILINGS, &ceilings(1e9, 1e6));
    let with = summarize(&[script], Options::default());
    let step = row(&with, "step");
    assert_eq!(step.work.mfu_ratio, Some(0.8));
    assert_eq!(step.work.hfu_ratio, Some(0.8));
    assert_eq!(step.work.bound, Some(BoundBy::Arithmetic));
    let operations = with.operations.as_ref().unwrap();
    assert_eq!(
        operations.flop_peaks[0].label,
        "published float32 peak of cpu"
    );
    assert!(with.warnings.is_empty(), "{:?}", with.warnings);

    let without = summarize(&[training(5)], Options::default());
    let step = row(&without, "step");
    assert_eq!((step.work.mfu_ratio, step.work.bound), (None, None));
    let why = without.why(step, "mfu_ratio").unwrap();
    assert!(why.0.contains("laptime doctor --ceilings"), "{why}");
}

#[test]
fn little_work_for_many_bytes_is_bound_by_memory_and_no_products_have_no_mfu() {
    let mut script = Script::new(1, 100 * MS);
    script.note(CEILINGS, &ceilings(1e9, 1e6));
    script.operations(1, &["copy"], cost(1_000, 900), "float32");
    script.operations(1, &["cached"], cost(1_000, 1_200), "float32");
    script.operations(1, &["add"], cost(0, 8), "");
    script.span(&["copy"], 0, MS);
    script.span(&["add"], MS, MS);
    script.span(&["cached"], 2 * MS, MS);
    script.ran(1, 0);
    let summary = summarize(&[script], Options::default());
    assert_eq!(row(&summary, "copy").work.bound, Some(BoundBy::Memory));
    // 1.2 MB/s, where memory brings 1 MB/s.
    let cached = row(&summary, "cached");
    assert_eq!(cached.work.bound, None);
    let why = &summary.why(cached, "bound").unwrap().0;
    assert!(why.contains("come from caches"), "{why}");
    let add = row(&summary, "add");
    assert_eq!(
        (add.work.flop, add.work.total_flop, add.work.mfu_ratio),
        (Some(0), Some(10), None)
    );
    assert!(
        summary
            .why(add, "mfu_ratio")
            .unwrap()
            .0
            .contains("no matrix products")
    );
}

#[test]
fn operations_that_could_not_be_counted_lower_the_coverage_of_all_rows_around() {
    let mut script = training(2);
    let half = CostTally {
        uncounted: 4,
        ..CostTally::default()
    };
    script.operations(1, &["step", "backward"], half, "");
    let summary = summarize(&[script], Options::default());
    assert_eq!(
        row(&summary, "step/forward").work.operations_coverage_ratio,
        Some(1.0)
    );
    assert_eq!(
        row(&summary, "step").work.operations_coverage_ratio,
        Some(0.5)
    );
    let mut warnings = summary.warnings.iter();
    assert!(warnings.any(|warning| warning.code() == "operations-uncounted"));
}

/// A call that is left out has as many operations as the last one that was counted.
#[test]
fn a_row_of_which_nothing_could_be_counted_has_no_figures() {
    let mut script = Script::new(1, 10_000 * MS);
    let uncounted = CostTally {
        uncounted: 1,
        ..CostTally::default()
    };
    script.operations(1, &["step", "forward"], uncounted, "");
    steps(&mut script, 0, 3, 1);
    let summary = summarize(&[script], Options::default());
    let forward = row(&summary, "step/forward");
    assert_eq!(
        (forward.work.mac, forward.work.flop, forward.work.flop_per_s),
        (None, None, None)
    );
    assert_eq!(forward.work.operations_coverage_ratio, Some(0.0));
    assert!(summary.why(forward, "flop").is_some());
}

#[test]
fn units_that_were_counted_as_they_ran_are_named_with_their_time() {
    let mut script = training(2);
    script.span(&["counted step", "forward"], 100 * MS, 80 * MS);
    script.span(&["counted step"], 100 * MS, 90 * MS);
    let summary = summarize(&[script], Options::default());
    let counted = &summary.operations.as_ref().unwrap().counted;
    assert_eq!(counted.len(), 1);
    assert_eq!(
        (
            counted[0].path.as_str(),
            counted[0].count,
            counted[0].total_ns
        ),
        ("counted step", 1, 90 * MS)
    );
    assert_eq!(row(&summary, "step").count, Some(2));
    assert_eq!(row(&summary, "counted step").work.flop, None);
}

#[test]
fn units_that_were_profiled_as_they_ran_were_not_counted() {
    let mut script = training(2);
    script.span(&["counted step"], 100 * MS, 90 * MS);
    script.span(&["profiled step"], 200 * MS, 90 * MS);
    script.span(&["profiled evaluation"], 300 * MS, 90 * MS);
    let summary = summarize(&[script], Options::default());
    let counted = &summary.operations.as_ref().unwrap().counted;
    let paths: Vec<&str> = counted.iter().map(|units| units.path.as_str()).collect();
    assert_eq!(paths, ["counted step"]);
    let why = |path| {
        summary
            .why(row(&summary, path), "flop")
            .unwrap()
            .to_string()
    };
    assert!(why("counted step").contains("counted"));
    assert_eq!(
        why("profiled step"),
        "a profiler was on, which made it longer"
    );
}

#[test]
fn two_processes_number_their_stretches_apart() {
    let mut other = Script::new(2, 10_000 * MS);
    other.operations(1, &["step"], cost(5, 0), "float32");
    steps(&mut other, 0, 2, 1);
    let summary = summarize(&[training(1), other], Options::default());
    assert_eq!(row(&summary, "step").work.mac, Some(4_000_000 + 10));
}

proptest! {
    /// Cuts of the totals and the order of windows change no count.
    #[test]
    fn the_steady_state_has_exactly_the_runs_within_it(
        slow in 3_u64..9,
        fast in 40_u64..120,
        per_window in 5_usize..40,
    ) {
        let mut script = Script::new(1, 100_000 * MS);
        script.per_window = per_window;
        script.operations(1, &["step"], cost(1_000, 8), "float32");
        let mut at = 0;
        for index in 0..slow + fast {
            let ns = if index < slow { 80 * MS } else { 20 * MS };
            script.ran(1, at + 1);
            script.span(&["step"], at, ns);
            at += ns + 1_000;
        }
        let summary = summarize(&[script], Options::default());
        prop_assert_eq!(row(&summary, "step").work.mac, Some(u128::from(slow + fast) * 1_000));
        let steady = summary.steady.as_ref().unwrap();
        let step = &steady.rows[0];
        prop_assert_eq!(step.work.mac, step.count.map(|count| u128::from(count) * 1_000));
        prop_assert!(step.count.unwrap() < slow + fast);
    }
}

#[test]
fn a_helper_without_operations_says_nothing_of_the_program() {
    let unavailable = "operations.unavailable";
    let told = |scripts: &[Script]| {
        let summary = summarize(scripts, Options::default());
        summary.warnings.iter().any(|it| it.code() == unavailable)
    };
    let noting = |pid, operations: bool| {
        // The main process is the one that runs longest.
        let mut script = Script::new(pid, 1_000 * MS / u64::from(pid));
        script.note(unavailable, "the program did not import it");
        if operations {
            script.operations(1, &["step"], cost(1, 1), "float32");
        }
        script
    };
    let silent = Script::new(1, 1_000 * MS);
    assert!(told(&[noting(1, false)]));
    assert!(told(&[noting(1, false), noting(2, false)]));
    assert!(!told(&[silent, noting(2, false)]));
    assert!(!told(&[noting(1, false), noting(2, true)]));
    let mut imports = noting(2, false);
    imports.note("phases.none", "no PyTorch module was called");
    assert!(!told(&[noting(1, false), imports]), "a child imported it");
}

#[test]
fn what_was_told_too_soon_is_taken_back_whichever_thread_is_read_first() {
    let unknown = CostTally {
        uncounted: 3,
        ..CostTally::default()
    };
    let told = cost(1_000, 8);
    for tallies in [[told, unknown], [unknown, told]] {
        let mut script = Script::new(1, 1_000 * MS);
        for tally in tallies {
            script.operations(1, &["step"], tally, "float32");
        }
        script.ran(1, 1);
        script.span(&["step"], 0, MS);
        let summary = summarize(&[script], Options::default());
        let step = row(&summary, "step");
        assert_eq!(step.work.operations_coverage_ratio, Some(0.0));
        assert_eq!(step.work.mac, None);
    }
}

#[test]
fn shapes_that_formulas_told_are_added_up_and_are_no_warning() {
    let telling = |pid, numbers: &str| {
        let mut script = Script::new(pid, 1_000 * MS);
        script.operations(1, &["step"], cost(1_000, 8), "float32");
        script.ran(1, 1);
        script.span(&["step"], 0, MS);
        script.note(crate::summarize::columns::operations::TOLD, numbers);
        script
    };
    let scripts = [telling(1, "200 30"), telling(2, "7 8"), telling(3, "odd")];
    let summary = summarize(&scripts, Options::default());
    let told = summary.operations.unwrap().told.unwrap();
    assert_eq!((told.count, told.held_for), (207, 38));
    assert!(
        summary
            .warnings
            .iter()
            .all(|it| it.code() != crate::summarize::columns::operations::TOLD)
    );
    let silent = summarize(&[Script::new(1, 1_000 * MS)], Options::default());
    assert!(silent.operations.is_none());
}

#[test]
fn a_run_whose_every_call_was_counted_says_why_no_row_has_operations() {
    let told = |script: &Script| {
        let summary = summarize(std::slice::from_ref(script), Options::default());
        summary
            .warnings
            .iter()
            .any(|warning| warning.code() == "operations-once")
    };
    let mut script = Script::new(1, 10_000 * MS);
    script.operations(1, &["step", "forward"], cost(1_000, 10), "float32");
    script.span(&["counted step", "forward"], MS, 4 * MS);
    script.span(&["counted step"], 0, 10 * MS);
    assert!(told(&script));
    steps(&mut script, 1, 1, 1);
    assert!(!told(&script));
    assert!(!told(&training(0)));
}

/// Returns a script in whose forward a layer runs no operator.
fn with_idle_layer(tally: CostTally) -> Script {
    let mut script = Script::new(1, 10_000 * MS);
    script.operations(1, &["step", "forward"], tally, "float32");
    script.ran(1, 1);
    script.span(&["step", "data"], 0, MS);
    script.span(&["step", "forward", "drop", "inner"], MS, MS);
    script.span(&["step", "forward", "drop"], MS, 2 * MS);
    script.span(&["step", "forward"], MS, 4 * MS);
    script.span(&["step"], 0, 10 * MS);
    script
}

#[test]
fn what_runs_no_operator_inside_of_a_counted_call_did_nothing() {
    let summary = summarize(&[with_idle_layer(cost(1_000, 8))], Options::default());
    for path in ["step/forward/drop", "step/forward/drop/inner"] {
        let idle = row(&summary, path);
        assert_eq!(
            (idle.work.total_flop, idle.work.flop_per_s),
            (Some(0), Some(0.0)),
            "{path}"
        );
        assert_eq!(
            summary.why(idle, "intensity").unwrap().0,
            "no byte was moved"
        );
    }
    let data = row(&summary, "step/data");
    assert_eq!(
        data.work.total_flop, None,
        "no call that is counted runs around it"
    );
}

#[test]
fn a_counted_call_without_any_operator_did_nothing() {
    let mut script = with_idle_layer(cost(1_000, 8));
    script.operations(2, &["step", "optimizer"], CostTally::default(), "");
    script.ran(2, 5 * MS);
    script.span(&["step", "optimizer"], 5 * MS, MS);
    let summary = summarize(&[script], Options::default());
    assert_eq!(row(&summary, "step/optimizer").work.total_flop, Some(0));
}

#[test]
fn nothing_is_known_of_what_lies_inside_of_a_call_that_was_left_out() {
    let unknown = CostTally {
        uncounted: 1,
        ..CostTally::default()
    };
    let summary = summarize(&[with_idle_layer(unknown)], Options::default());
    assert_eq!(row(&summary, "step/forward/drop").work.total_flop, None);
    let mut script = with_idle_layer(cost(1_000, 8));
    script.operations(2, &["step", "forward"], unknown, "");
    script.ran(2, 2);
    let summary = summarize(&[script], Options::default());
    assert_eq!(
        row(&summary, "step/forward/drop").work.total_flop,
        None,
        "one of two calls"
    );
}

/// Returns steps of 10 ms: the first is counted, the third from its middle on.
fn counted_in_its_middle() -> Script {
    let mut script = Script::new(1, 10_000 * MS);
    script.operations(1, &["step", "forward"], cost(1_000, 10), "float32");
    script.span(&["counted step"], 0, 30 * MS);
    for index in 3..63 {
        let at = index * 10 * MS;
        script.ran(1, at + 1);
        script.span(&["step", "forward"], at, 4 * MS);
        if index == 4 {
            let part = script.path(&["step"]);
            script.push(Span {
                flags: SpanFlags::UNFINISHED,
                ..Span::plain(part, EPOCH_NS + at, 4 * MS, MAIN)
            });
            let rest = script.path(&["counted step"]);
            script.push(Span {
                flags: SpanFlags::REST,
                ..Span::plain(rest, EPOCH_NS + at + 4 * MS, 6 * MS, MAIN)
            });
        } else {
            script.span(&["step"], at, 10 * MS);
        }
    }
    script
}

#[test]
fn a_step_that_is_counted_from_its_middle_on_is_whole_in_neither_row() {
    let summary = summarize(&[counted_in_its_middle()], Options::default());
    let counted = row(&summary, "counted step");
    assert_eq!((counted.count, counted.partial_count), (Some(1), 1));
    assert_eq!(counted.p50_ns, Some(30 * MS), "not the rest of another");
    assert_eq!(counted.total_ns, 36 * MS);
    let step = row(&summary, "step");
    assert_eq!((step.count, step.partial_count), (Some(59), 1));
    // Operations and time are of the same spans: 59 steps, and the forward of one.
    assert_eq!(step.total_ns, (59 * 10 + 4) * MS);
    let seconds = step.total_ns as f64 / 1e9;
    assert_eq!(step.work.flop, Some(60 * 2_000));
    assert_eq!(step.work.flop_per_s, Some(60.0 * 2_000.0 / seconds));
    let units = &summary.operations.as_ref().unwrap().counted[0];
    assert_eq!((units.count, units.part_count), (2, 1));
}

#[test]
fn a_step_that_is_counted_from_its_middle_on_is_one_step_of_the_program() {
    let mut script = counted_in_its_middle();
    script.mark(&["epoch"], 0);
    let summary = summarize(&[script], Options::default());
    // The first that was timed is the program's second, and one more was not.
    assert_eq!(summary.steady.as_ref().unwrap().from_step, 1);
    assert_eq!(summary.epochs[0].step_count, 61);
}
