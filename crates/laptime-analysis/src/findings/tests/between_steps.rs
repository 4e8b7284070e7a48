use crate::analyzer::Options;
use crate::summary::finding::Finding;
use crate::testing::analyzed::summarize;
use crate::testing::scripted::{MS, Script};

/// A hundred steps of 10 ms, with a pause before the 50th of them, in which a lap `beside` may run.
fn found(around: &[&str], pause_ms: u64, beside: Option<&str>) -> Option<(u64, u64)> {
    let mut script = Script::new(7, 100_000 * MS);
    // What is before the first step isn't between steps.
    script.span(&["load"], 100 * MS, MS);
    let first = 3_000 * MS;
    let mut at = first;
    for step in 0..100 {
        if step == 50 {
            if let Some(name) = beside {
                script.span(&[name], at, pause_ms * MS);
            }
            at += pause_ms * MS;
        }
        let path: Vec<&str> = around.iter().chain(&["step"]).copied().collect();
        script.span(&path, at, 10 * MS);
        at += 10 * MS;
    }
    if !around.is_empty() {
        script.span(around, first, at - first);
    }
    let summary = summarize(&[script], Options::default());
    summary.findings.iter().find_map(|finding| match finding {
        Finding::BetweenSteps {
            total_ns,
            during_ns,
            ..
        } => Some((*total_ns / MS, *during_ns / MS)),
        _ => None,
    })
}

#[test]
fn time_between_steps_that_no_lap_covers_is_told() {
    assert_eq!(found(&[], 10_000, None), Some((10_000, 11_000)));
    assert_eq!(found(&[], 250, None), Some((250, 1_250)));
    assert_eq!(found(&[], 240, None), None, "below a quarter of a second");
    assert_eq!(found(&[], 0, None), None);
}

#[test]
fn laps_beside_the_steps_and_around_them_leave_no_time_between() {
    assert_eq!(found(&[], 10_000, Some("evaluation")), None);
    assert_eq!(found(&["cell"], 10_000, None), None);
}
