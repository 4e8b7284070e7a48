//! Generated trainings: whatever a program combines, counts and times are those of timers that stand in it.

mod plan;
mod train;
mod truth;

use proptest::prelude::*;

use crate::program::Program;
use plan::{Plan, plans};
use truth::Truth;

/// What is compared: counts and totals of these exactly.
const PHASES: [&str; 6] = [
    "step/data",
    "step/forward",
    "step/backward",
    "step/optimizer",
    "evaluation/data",
    "evaluation/forward",
];

/// Whether the machine tells what happened.
fn tells(program: &Program, truth: &Truth) -> Result<(), TestCaseError> {
    for phase in PHASES {
        let told = (program.count(phase) as u64, program.total(phase));
        prop_assert_eq!(told, truth.of(phase), "{}", phase);
    }
    for unit in ["step", "evaluation"] {
        prop_assert_eq!(program.count(unit) as u64, truth.of(unit).0, "{}", unit);
        // What runs between the phases of a unit may be in it; what runs elsewhere isn't.
        let total = program.total(unit);
        let possible = truth.phases(unit)..=truth.phases(unit) + truth.own(unit);
        prop_assert!(possible.contains(&total), "{unit}: {total} of {possible:?}");
    }
    prop_assert_eq!(program.epochs() as u64, truth.epochs, "epochs");
    prop_assert_eq!(program.inferred(), 0, "every forward was called");
    let known = ["step", "evaluation", "compile"];
    for span in program.top() {
        prop_assert!(known.contains(&&*span.path), "{span:?}");
    }
    prop_assert!(program.script().open_paths().is_empty());
    crate::sums::adds_up(&program.spans())
}

/// Trains as planned.
fn check(plan: &Plan) -> Result<(), TestCaseError> {
    let program = Program::new();
    let mut truth = Truth::default();
    train::train(&program, plan, &mut truth, false);
    program.finish();
    tells(&program, &truth)
}

/// Trains as planned with laps inside of each network's call, as `--modules` has them. Their names are fixed before
/// anything shows what they are of: what is named wrongly isn't counted, and no time is lost or told twice.
fn check_with_laps(plan: &Plan) -> Result<(), TestCaseError> {
    let program = Program::new();
    let mut truth = Truth::default();
    train::train(&program, plan, &mut truth, true);
    program.finish();
    prop_assert_eq!(program.count("step") as u64, truth.of("step").0, "step");
    let evaluations = program.count("evaluation") as u64;
    prop_assert!(
        evaluations <= truth.of("evaluation").0,
        "evaluation: {evaluations}"
    );
    for phase in ["data", "forward", "backward", "optimizer"] {
        let units = ["step", "evaluation"].map(|unit| format!("{unit}/{phase}"));
        let told: u64 = units.iter().map(|path| program.total(path)).sum();
        let known: u64 = units.iter().map(|path| truth.of(path).1).sum();
        prop_assert_eq!(told, known, "{}", phase);
    }
    prop_assert!(program.script().open_paths().is_empty());
    crate::sums::adds_up(&program.spans())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2_000, ..ProptestConfig::default() })]
    #[test]
    fn a_generated_training_is_told_as_its_timers_tell(plan in plans()) {
        check(&plan)?;
    }

    #[test]
    fn a_generated_training_with_laps_inside_has_its_steps_and_all_of_its_time(plan in plans()) {
        check_with_laps(&plan)?;
    }
}
