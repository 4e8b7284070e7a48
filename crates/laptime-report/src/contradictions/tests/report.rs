//! Reports that are broken in one place, each refused for it.

use laptime_analysis::summary::headline::{StepDuration, StepPart};
use laptime_analysis::{CompiledIn, Finding, SpanRow, Summary};

use super::*;
use crate::tests::{counted, killed, training};

/// Returns the contradictions of a summary and the sentences of its report.
fn refused(summary: &Summary) -> Vec<String> {
    let headline = headline_of(summary, true);
    of_report(summary, &headline, &[])
}

/// Breaks something of a training's report and returns the contradictions that are found.
fn broken(breaks: impl Fn(&mut Summary)) -> String {
    let mut summary = training();
    breaks(&mut summary);
    refused(&summary).join("\n")
}

fn step(summary: &mut Summary) -> &mut SpanRow {
    let mut rows = summary.rows.iter_mut();
    rows.find(|row| row.path == "step").unwrap()
}

#[test]
fn what_is_recorded_contradicts_nothing() {
    for summary in [training(), killed(), counted()] {
        assert_eq!(refused(&summary), Vec::<String>::new());
    }
}

#[test]
fn percentiles_out_of_order_and_a_mean_outside_are_refused() {
    let swapped = broken(|summary| {
        let row = step(summary);
        row.p95_ns = row.p50_ns.map(|ns| ns / 2);
    });
    assert!(swapped.contains("step: p90_ns"), "{swapped}");
    let outside = broken(|summary| {
        let row = step(summary);
        row.mean_ns = row.max_ns.map(|ns| ns + 1);
    });
    assert!(outside.contains("step: a mean of"), "{outside}");
}

#[test]
fn parts_above_their_whole_are_refused() {
    let shares = broken(|summary| {
        let wall_ns = summary.measured_ns;
        for row in &mut summary.rows {
            if row.is_leftover("startup") {
                row.total_ns = wall_ns;
                row.share_ratio = Some(1.0);
            }
        }
    });
    assert!(shares.contains("the outermost rows are"), "{shares}");
    let children = broken(|summary| {
        let row = step(summary);
        row.self_ns = 0;
        (row.total_ns, row.mean_ns, row.count) = (row.total_ns / 2, None, Some(138));
        let share = row.share_ratio.map(|share| share / 2.0);
        row.share_ratio = share;
    });
    assert!(children.contains("step: "), "{children}");
    assert!(children.contains(" ns inside of "), "{children}");
}

#[test]
fn a_rate_of_other_calls_than_its_time_is_refused() {
    let mut summary = counted();
    assert_eq!(refused(&summary), Vec::<String>::new());
    for row in &mut summary.rows {
        row.work.flop_per_s = row.work.flop_per_s.map(|rate| 0.7 * rate);
    }
    let found = refused(&summary).join("\n");
    assert!(found.contains("FLOP a second in"), "{found}");
    assert!(found.contains("an MFU of"), "{found}");
}

#[test]
fn a_headline_of_another_stretch_than_its_table_is_refused() {
    let summary = training();
    let refused = |headline: &Headline| of_report(&summary, headline, &[]).join("\n");
    let own = headline_of(&summary, true);
    assert_eq!(refused(&own), "");
    let mut longer = own.clone();
    let StepPart::Told(step) = &mut longer.step else {
        panic!("{own:?}");
    };
    step.duration = StepDuration::OnHost {
        mean_ns: 9_990_000,
        median_ns: None,
        has_device_times: false,
    };
    let found = refused(&longer);
    assert!(found.contains("the first line says 9.99 ms"), "{found}");
    let mut without = summary.clone();
    without.steady = None;
    let found = of_report(&without, &own, &[]).join("\n");
    assert!(
        found.contains("the table of the steady state None"),
        "{found}"
    );
    let mut more = own.clone();
    more.parts.named[0].ratio += 0.3;
    let found = refused(&more);
    assert!(found.contains("the parts of the run are 129 %"), "{found}");
}

#[test]
fn a_factor_beyond_the_longest_over_the_shortest_is_refused() {
    let summary = training();
    let told = |line: &str| {
        let headline = headline_of(&summary, true);
        of_report(&summary, &headline, &[line.to_owned()])
    };
    for line in [
        "Steps grew longer: the median of their last third is 57 times that of the first.",
        "From step 60 on, steps were 1200 times as long.",
        "Steps grew shorter: the median of their last third is 100 % below that of the first.",
    ] {
        assert_eq!(told(line).len(), 1, "{line}");
    }
    let few =
        "From step 60 on, steps were 12 % longer; from step 80 on, 5 % shorter than just before.";
    assert_eq!(told(few), Vec::<String>::new());
}

#[test]
fn a_count_in_words_that_no_row_has_is_refused() {
    let compiling = |count: u64, path: &str| {
        broken(|summary| {
            summary.findings.push(Finding::Compiling {
                count,
                total_ns: 2,
                wall_ns: 3,
                places: vec![CompiledIn {
                    path: path.to_owned(),
                    count,
                    total_ns: 2,
                }],
            });
        })
    };
    assert_eq!(compiling(138, "step"), "");
    let found = compiling(139, "step");
    assert!(found.contains("139 of step, which no row has"), "{found}");
    let found = compiling(1, "evaluation/compile");
    assert!(
        found.contains("1 of evaluation/compile, which no row has"),
        "{found}"
    );
}

#[test]
#[should_panic(expected = "this report contradicts itself")]
fn no_such_report_is_rendered() {
    let mut summary = training();
    step(&mut summary).p50_ns = Some(1);
    crate::render(&summary, crate::Format::Csv, &View::default());
}
