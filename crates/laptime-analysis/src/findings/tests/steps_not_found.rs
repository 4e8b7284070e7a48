use crate::analyzer::Options;
use crate::summary::finding::Finding;
use crate::testing::analyzed::summarize;
use crate::testing::scripted::{MS, Script};

fn found(lap: &str, loops_ns: u64) -> Option<(u64, u64)> {
    let mut script = Script::new(7, 1_000 * MS + loops_ns);
    script.span(&["compile"], 900 * MS, 50 * MS);
    script.span(&[lap], 950 * MS, 50 * MS);
    script.note(
        "interpreter.exits",
        &script.ticks(1_000 * MS + loops_ns).to_string(),
    );
    let summary = summarize(&[script], Options::default());
    summary.findings.iter().find_map(|finding| match finding {
        Finding::NoSteps {
            count, outside_ns, ..
        } => Some((*count, *outside_ns)),
        _ => None,
    })
}

#[test]
fn a_loop_of_which_only_compilations_are_laps_is_told() {
    assert_eq!(found("compile", 4_000 * MS), Some((2, 4_000 * MS)));
}

#[test]
fn a_program_with_another_lap_or_with_nothing_but_compilations_has_none() {
    assert_eq!(found("step", 4_000 * MS), None);
    assert_eq!(found("compile", 20 * MS), None);
}
