//! Doubts about spans that were closed out of order, or ran longer than what they are in.

use laptime_core::Total;

use crate::summary::doubt::{Doubt, SpansDoubt};

/// Finds rows whose children ran longer than they did.
pub fn of_overfull(overfull: &[(String, u64)]) -> Option<Doubt> {
    let (path, excess_ns) = overfull.iter().max_by_key(|(_, excess_ns)| *excess_ns)?;
    Some(Doubt::Spans(SpansDoubt::ChildrenExceed {
        path: path.clone(),
        excess_ns: *excess_ns,
        path_count: overfull.len() as u64,
    }))
}

/// Whether a time is more than the moments differ at which the launcher's and the recorder's anchors are read.
fn is_felt(ns: u64, wall_ns: u64) -> bool {
    ns > 1_000_000 + wall_ns / 1_000
}

/// Finds spans that cover more than the wall time.
pub fn of_excess(excess_ns: u64, wall_ns: u64) -> Option<Doubt> {
    is_felt(excess_ns, wall_ns).then_some(Doubt::Spans(SpansDoubt::Overlap { excess_ns }))
}

/// Finds outermost laps of one thread that ran at the same time, and so are counted twice.
pub fn of_doubled(doubled_ns: u64, wall_ns: u64) -> Option<Doubt> {
    is_felt(doubled_ns, wall_ns).then_some(Doubt::Spans(SpansDoubt::Doubled { doubled_ns }))
}

/// Finds spans that were closed out of order.
pub fn of_unbalanced<'a>(rows: impl Iterator<Item = (&'a str, u64)>) -> Option<Doubt> {
    let unbalanced: Vec<(&str, u64)> = rows.filter(|(_, count)| *count > 0).collect();
    let (path, _) = unbalanced.iter().max_by_key(|(_, count)| *count)?;
    Some(Doubt::Spans(SpansDoubt::Unbalanced {
        count: unbalanced.iter().map(|(_, count)| count).total(),
        path: (*path).to_owned(),
        is_single_path: unbalanced.len() == 1,
    }))
}
