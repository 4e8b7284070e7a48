use super::*;
use crate::testing::analyzed;
use crate::testing::scripted::{MS, Script};
use crate::{Options, Summary};

fn of(script: Script) -> Summary {
    analyzed::summarize(&[script], Options::default())
}

/// Returns forty laps of this name, which gets the number of each, this often.
fn laps(around: &[&str], name: &str, times: u64) -> Summary {
    let mut script = Script::new(7, 100 * MS);
    for time in 0..times {
        for number in 0..40 {
            let own = format!("{name}{number}");
            let names: Vec<&str> = around.iter().copied().chain([own.as_str()]).collect();
            script.span(&names, (time * 40 + number) * MS / 4, MS / 4);
        }
    }
    of(script)
}

/// How often laps of which pattern came, and how many names they had.
fn doubted(summary: &Summary) -> Option<(&str, u64, u64)> {
    summary.warnings.iter().find_map(|one| match one {
        Doubt::Spans(SpansDoubt::NumberedNames {
            pattern,
            span_count,
            name_count,
            ..
        }) => Some((pattern.as_str(), *span_count, *name_count)),
        _ => None,
    })
}

#[test]
fn laps_that_have_their_number_in_their_names_are_told() {
    let summary = laps(&[], "iteration", 1);
    assert_eq!(doubted(&summary), Some(("iteration#", 40, 40)));
    assert_eq!(numbered(&summary.rows)[0].names, ["iteration#"]);
}

#[test]
fn laps_in_numbered_laps_are_a_kind_of_their_own() {
    let mut script = Script::new(7, 100 * MS);
    for epoch in 0..3 {
        let epoch_name = format!("epoch {epoch}");
        for number in 0..20 {
            let name = format!("batch 0.{number}");
            let at = (epoch * 20 + number) * MS;
            script.span(&[&epoch_name, &name], at, MS);
        }
        script.span(&[&epoch_name], epoch * 20 * MS, 20 * MS);
    }
    let found = numbered(&of(script).rows);
    assert_eq!(found.len(), 1);
    assert_eq!(found[0].names, ["epoch #", "batch #.#"]);
    assert_eq!((found[0].rows, found[0].spans), (60, 60));
}

#[test]
fn layers_that_run_in_every_step_may_have_numbers() {
    assert_eq!(doubted(&laps(&["step"], "layer", 3)), None);
    assert_eq!(doubted(&laps(&["step", "forward"], "layer", 1)), None);
}
