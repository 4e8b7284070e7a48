use laptime_core::Unavailable;

use crate::tests::counted;
use crate::{Format, View, render};

fn text(summary: &laptime_analysis::Summary) -> String {
    let view = View {
        width: Some(140),
        ..View::default()
    };
    render(summary, Format::Text, &view)
}

#[test]
fn a_report_says_what_rates_are_compared_with_and_what_was_counted_as_it_ran() {
    let shown = text(&counted());
    for expected in [
        "the operations of 1 unit were counted while it ran, 90.00 ms in all: see counted step",
        "MFU is over the published float32 peak of cpu, 1.00 GFLOP/s",
        "80.0 %",
        "arithmetic",
        "roofline",
    ] {
        assert!(shown.contains(expected), "{expected}:\n{shown}");
    }
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
    let lines = |shown: String| shown.matches("forward").count();
    assert_eq!(lines(csv(None)), 1 + lines(csv(Some("step/*"))) - 1);
    assert!(csv(Some("**/forward")).matches("forward").count() > lines(csv(None)));
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
    let mut summary = counted();
    for row in &mut summary.rows {
        row.mfu_ratio = row.mfu_ratio.map(|ratio| ratio.min(1.0));
    }
    let quiet = text(&summary);
    assert!(!quiet.contains("above 100 %"), "{quiet}");
    assert!(!quiet.contains("too low"), "{quiet}");
    summary.rows[0].mfu_ratio = Some(1.2);
    let operations = summary.operations.as_mut().unwrap();
    operations.disturbed = vec![operations.flop_peaks[0].label.clone()];
    let shown = text(&summary);
    assert!(shown.contains("rows above 100 %"), "{shown}");
    assert!(shown.contains("too low"), "{shown}");
}

#[test]
fn a_run_without_counted_operations_has_no_such_section() {
    let summary = crate::tests::all().remove(0);
    assert!(!text(&summary).contains("operations"));
}
