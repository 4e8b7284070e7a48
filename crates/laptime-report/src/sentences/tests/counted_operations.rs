use laptime_analysis::{Options, ToldShapes};
use laptime_core::{CostTally, Span, SpanFlags, Unavailable, Warning};

use crate::tests::analyzed;
use crate::tests::scripted::{EPOCH_NS, MAIN, MS, Script};
use crate::tests::{counted, counted_script};
use crate::{Format, View, render};

fn text(summary: &laptime_analysis::Summary) -> String {
    let view = View {
        width: Some(140),
        ..View::default()
    };
    render(summary, Format::Text, &view).into_string()
}

#[test]
fn a_report_says_what_rates_are_compared_with_and_what_was_counted_as_it_ran() {
    let shown = text(&counted());
    for expected in [
        "operations were counted in counted step (1 ×), which took 90.0 ms in all: no other row includes that time",
        "MFU divides by the published float32 peak of cpu, 1.00 GFLOP/s",
        "80.0 %",
        "arithmetic",
        "roofline",
    ] {
        assert!(shown.contains(expected), "{expected}:\n{shown}");
    }
}

#[test]
fn a_step_that_is_counted_from_its_middle_on_is_told_as_parts_however_narrow_the_table_is() {
    let mut script = counted_script();
    let [step, counted] = [["step"], ["counted step"]].map(|names| script.path(&names));
    let part = |path, at_ms: u64, ms: u64, flags| Span {
        flags,
        ..Span::plain(path, EPOCH_NS + at_ms * MS, ms * MS, MAIN)
    };
    script.push(part(step, 150, 4, SpanFlags::UNFINISHED));
    script.push(part(counted, 154, 6, SpanFlags::REST));
    let summary = analyzed::summarize(&[script], Options::default());
    let view = View {
        width: Some(80),
        ..View::default()
    };
    let narrow = render(&summary, Format::Text, &view);
    for expected in [
        "counted step      1 +1",
        "step              4 +1",
        "1 finished, 1 cut off",
    ] {
        assert!(narrow.contains(expected), "{expected}:\n{narrow}");
    }
    let said = "(2 ×, 1 in part), which took 96.0 ms in all";
    assert!(text(&summary).contains(said));
}

#[test]
fn what_lies_inside_a_counted_unit_is_shown_only_where_it_is_asked_for() {
    let summary = counted();
    let csv = |filter: Option<&str>| {
        let view = View {
            filter: filter.map(Into::into),
            width: Some(140),
            ..View::default()
        };
        render(&summary, Format::Tree, &view)
    };
    let lines = |shown: crate::Shown| shown.matches("forward").count();
    assert_eq!(lines(csv(None)), 1 + lines(csv(Some("step/*"))) - 1);
    assert!(csv(Some("**/forward")).matches("forward").count() > lines(csv(None)));
}

#[test]
fn what_is_compiled_in_a_counted_unit_is_shown() {
    let mut script = Script::new(7, 200 * MS);
    let tally = CostTally {
        counted: 1,
        ..CostTally::default()
    };
    script.operations(1, &["step"], tally, "");
    script.span(&["counted step", "forward", "compile"], 0, 70 * MS);
    script.span(&["counted step", "forward"], 0, 80 * MS);
    script.span(&["counted step", "backward"], 80 * MS, 9 * MS);
    script.span(&["counted step"], 0, 90 * MS);
    let shown = text(&analyzed::summarize(&[script], Options::default()));
    assert!(
        shown.contains("├─ forward") || shown.contains("└─ forward"),
        "{shown}"
    );
    assert!(shown.contains("└─ compile"), "{shown}");
    assert!(!shown.contains("backward"), "{shown}");
}

#[test]
fn shapes_that_a_formula_told_are_said_beside_those_that_were_counted() {
    let mut summary = counted();
    let say = |summary: &laptime_analysis::Summary| {
        let words: Vec<String> = text(summary).split_whitespace().map(Into::into).collect();
        words.join(" ")
    };
    assert!(!say(&summary).contains("formula"));
    let operations = summary.operations.as_mut().unwrap();
    operations.told = Some(ToldShapes {
        count: 368,
        held_for: 70,
    });
    let shown = say(&summary);
    let expected = "368 forwards and backwards of further shapes were not counted: a formula in the \
                    sizes gives their operations; 70 others were counted, and it held for each";
    assert!(shown.contains(expected), "{shown}");
    let contradicted = "a formula gave operations of Net until a count contradicted it";
    summary
        .warnings
        .push(Warning::new("operations.contradicted", contradicted).into());
    let shown = say(&summary);
    let expected =
        "a formula in the sizes gives their operations; it held for 70 others that were counted";
    assert!(shown.contains(expected), "{shown}");
    assert!(!shown.contains("for each"), "{shown}");
}

#[test]
fn without_a_peak_the_reason_stands_in_its_place() {
    let mut summary = counted();
    let operations = summary.operations.as_mut().unwrap();
    operations.flop_peaks.clear();
    operations.roofs.clear();
    operations.absent = vec![Unavailable("no float32 peak of cpu is known".into())];
    let shown = text(&summary);
    assert!(
        shown.contains("MFU –: no float32 peak of cpu is known"),
        "{shown}"
    );
    assert!(!shown.contains("roofline"), "{shown}");
}

#[test]
fn a_row_above_its_peak_and_a_peak_of_a_busy_machine_are_explained() {
    let mut quiet = counted();
    let operations = quiet.operations.as_mut().unwrap();
    operations.flop_peaks[0].per_s *= 4.0;
    for row in &mut quiet.rows {
        row.work.mfu_ratio = row.work.mfu_ratio.map(|ratio| ratio / 4.0);
    }
    let quiet = text(&quiet);
    assert!(!quiet.contains("above 100 %"), "{quiet}");
    assert!(!quiet.contains("a quiet one may reach more"), "{quiet}");
    let mut summary = counted();
    let operations = summary.operations.as_mut().unwrap();
    operations.disturbed = vec![operations.flop_peaks[0].label.clone()];
    let shown = text(&summary);
    assert!(shown.contains("rows above 100 %"), "{shown}");
    assert!(shown.contains("a quiet one may reach more"), "{shown}");
}

#[test]
fn a_share_of_all_processors_names_the_threads_that_the_program_computed_with() {
    let mut summary = counted();
    summary.operations.as_mut().unwrap().flop_peaks[0].threads = Some(2);
    let of_two =
        |summary: &laptime_analysis::Summary| text(summary).contains("FLOP/s on 2 threads;");
    assert!(of_two(&summary), "{}", text(&summary));
    summary.environment.insert("threads".into(), "2".into());
    assert!(of_two(&summary), "{}", text(&summary));
    summary.environment.insert("threads".into(), "1".into());
    let shown = text(&summary).replace('\n', " ");
    assert!(
        shown.contains("FLOP/s on 2 threads (this program computed with 1 thread)"),
        "{shown}"
    );
}

#[test]
fn a_run_without_counted_operations_has_no_such_section() {
    let summary = crate::tests::all().remove(0);
    assert!(!text(&summary).contains("operations"));
}
