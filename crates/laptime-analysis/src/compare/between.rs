//! What passes between the steps: no part of a step, and time of the training all the same.

use laptime_core::Warning;

use super::matched::{Basis, Matched};
use super::run::Run;
use crate::quantiles::median_of;
use crate::spoken::spoken;

/// A change from this part of the time from step to step on is told.
const LEAST_RATIO: f64 = 0.05;
/// The code of the note.
pub const CODE: &str = "between-steps";

/// One run: from one step to the next, and what of it is in no step.
#[derive(Debug, Clone, Copy)]
struct Pace {
    period_ns: f64,
    gap_ns: f64,
}

/// That the time between the steps changed, where it surely did: no run of a side is like one of the other.
pub fn note(matched: &Matched<'_>) -> Option<Warning> {
    if matched.basis() == Basis::Run || !matched.is_steady() {
        return None;
    }
    let of =
        |runs: &[Run]| -> Option<Vec<Pace>> { runs.iter().map(|run| pace(matched, run)).collect() };
    let (base, new) = (of(matched.base)?, of(matched.new)?);
    let least = |side: &[Pace]| {
        side.iter()
            .map(|one| one.gap_ns)
            .fold(f64::INFINITY, f64::min)
    };
    let most = |side: &[Pace]| side.iter().map(|one| one.gap_ns).fold(0.0, f64::max);
    let surely_ns = (least(&new) - most(&base)).max(least(&base) - most(&new));
    let middle =
        |side: &[Pace], of: fn(&Pace) -> f64| median_of(side.iter().map(of), &mut Vec::new());
    let period_ns = middle(&base, |one| one.period_ns);
    if surely_ns < LEAST_RATIO * period_ns {
        return None;
    }
    let noun = matched.noun();
    let said = |ns: f64| spoken(ns.abs().round() as u64);
    let change_ns = middle(&new, |one| one.gap_ns) - middle(&base, |one| one.gap_ns);
    let way = if change_ns < 0.0 { "less" } else { "more" };
    let new_ns = middle(&new, |one| one.period_ns);
    Some(
        Warning::new(
            CODE,
            format!(
                "between two {noun}s {} {way} pass than before: from the start of one to that of the next it is \
                 {}, before {}",
                said(change_ns),
                said(new_ns),
                said(period_ns),
            ),
        )
        .with_hint(format!("a lap around what the program does between its {noun}s names it")),
    )
}

/// `None` where a run has too few steps, or several processes take them.
fn pace(matched: &Matched<'_>, run: &Run) -> Option<Pace> {
    let steady = run.summary.steady.as_ref()?;
    let step = steady
        .rows
        .iter()
        .find(|row| Some(row.path.as_str()) == matched.step())?;
    let count = step.count.filter(|count| *count > 1)? as f64;
    let measured = run
        .summary
        .processes
        .iter()
        .filter(|process| process.is_measured);
    (measured.count() == 1).then(|| {
        let period_ns = steady.wall_ns as f64 / count;
        let gap_ns = (period_ns - step.total_ns as f64 / count).max(0.0);
        Pace { period_ns, gap_ns }
    })
}
