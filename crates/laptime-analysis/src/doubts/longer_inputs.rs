//! Names longer inputs as the reason of steps that grew longer, where they were found to be.
//!
//! That steps changed is known before what they were given is looked at. Comes in with the findings; goes out with the
//! doubts that stand beside the tables.

use crate::benchmark::warm_up::Later;
use crate::summary::Summary;
use crate::summary::doubt::{Doubt, StepsDoubt, StepsReason};
use crate::summary::finding::Finding;

/// Says of steps that grew longer for no reason known by then that their inputs did, where a finding tells that.
pub fn name_as_reason(summary: &mut Summary) {
    let mut findings = summary.findings.iter();
    if !findings.any(|one| matches!(one, Finding::GrowingInputs { .. })) {
        return;
    }
    let steady = summary.steady.iter_mut();
    let of_steady = steady.flat_map(|steady| &mut steady.warnings);
    for doubt in of_steady.chain(&mut summary.warnings) {
        // The inputs are those of the first process.
        if let Doubt::Steps { pid: None, doubt } = doubt
            && let StepsDoubt::Changed { later, reason, .. } = doubt
            && is_open(*reason)
            && is_longer(later)
        {
            *reason = StepsReason::LongerInputs;
        }
    }
}

fn is_open(reason: StepsReason) -> bool {
    matches!(
        reason,
        StepsReason::NotTheCpu { .. } | StepsReason::NotKnown
    )
}

fn is_longer(later: &Later) -> bool {
    match later {
        Later::Trend(ratio) => *ratio > 0.0,
        Later::Changes(changes) => changes.iter().all(|change| change.ratio > 0.0),
    }
}
