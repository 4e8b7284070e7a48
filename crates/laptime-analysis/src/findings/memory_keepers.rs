//! Which laps keep the memory that steps leave behind.
//!
//! Input is what each lap left by itself, net of what it freed; output are laps by name. A lap may also hold
//! what another one frees, as a forward does with activations. Then net bytes don't tell for sure which of them
//! keeps something: the one that allocates may keep a part, and so may the one that frees. So laps that free
//! what others hold belong together, and what is named is the lap around all of them. A lap whose own bytes are
//! just what the steps leave is named beside that, as probable: the others then cancel.

use super::repeated_steps::Steps;
use crate::summary::finding::{Keeper, Passing};
use crate::summary::span_row::SpanRow;

/// Most laps that are named.
const MOST_KEEPERS: usize = 3;
/// The least part of the bytes that a lap must leave to be named.
const LEAST_RATIO: f64 = 0.1;
/// The least part of the bytes that laps must free: else nothing passes from one to another.
const LEAST_FREED_RATIO: f64 = 0.1;
/// The farthest that a lap may be from leaving all of the bytes, as a part of them. Less where much passes from lap to
/// lap: then one comes near them by chance.
const MISS_RATIO: f64 = 0.15;
/// The least part of the bytes that laps with a name must leave: the rest is left outside of laps.
const MOST_OF_IT: f64 = 0.5;

/// The laps that hold the memory which steps leave.
#[derive(Debug, Default, PartialEq)]
pub struct MemoryKeepers {
    /// The laps that keep it, the largest first.
    pub keepers: Vec<Keeper>,
    /// Two laps that memory passes between, where it may be kept instead.
    pub passing: Option<Passing>,
}

/// A lap, and the bytes that it left.
#[derive(Clone, Copy)]
struct Leaver<'s> {
    row: &'s SpanRow,
    /// Without the laps inside.
    alone: f64,
    /// With the laps inside that are asked about.
    all: f64,
    /// Whether it stands for the lap without those inside.
    is_alone: bool,
}

/// Finds the laps that keep `kept` bytes; none where net bytes don't tell.
///
/// Several together leave all of it, unless memory passes between laps: then one of them probably keeps it and
/// what the others leave is freed elsewhere.
pub fn among<'s>(
    steps: &Steps<'s>,
    laps: impl Iterator<Item = &'s SpanRow>,
    kept: f64,
) -> MemoryKeepers {
    let rows: Vec<&SpanRow> = laps.collect();
    let alone: Vec<f64> = rows.iter().map(|row| left_alone(steps, row)).collect();
    let leaver = |(row, bytes): (&&'s SpanRow, &f64)| {
        let inside = rows.iter().zip(&alone);
        let inside = inside.filter(|(inner, _)| inner.names.starts_with(&row.names));
        Leaver {
            row,
            alone: *bytes,
            all: inside.map(|(_, bytes)| bytes).sum(),
            is_alone: false,
        }
    };
    let each: Vec<Leaver> = rows.iter().zip(&alone).map(leaver).collect();
    let outermost: Vec<Leaver> = each
        .iter()
        .filter(|lap| !each.iter().any(|one| is_inside(lap, one)))
        .copied()
        .collect();
    // The steps themselves are no answer: they are what the question was about.
    let is_steps = |lap: &Leaver| lap.row.names == steps.step.names;
    let parts = match &outermost[..] {
        [only] if is_steps(only) => parts_of(&each, only),
        _ => outermost,
    };
    let keeper = |(row, bytes): (&SpanRow, f64)| Keeper {
        path: row.path.clone(),
        per_step_bytes: (bytes / steps.count as f64).round() as u64,
    };
    let (mut found, passing) = match passing(&each, &parts, kept) {
        None => (places(&each, &parts, kept), None),
        Some((from, to)) => {
            let bytes = |lap: &Leaver| (lap.all / steps.count as f64).round() as i64;
            // However little it is beside what passes: it may be all that is kept.
            let also = parts
                .iter()
                .filter(|lap| lap.row.names != from.row.names && lap.all >= LEAST_RATIO * kept);
            let mut also: Vec<Keeper> = also.map(|lap| keeper((lap.row, lap.all))).collect();
            also.sort_by_key(|lap| std::cmp::Reverse(lap.per_step_bytes));
            also.truncate(MOST_KEEPERS);
            let passing = Passing {
                also,
                from_path: from.row.path.clone(),
                from_bytes: bytes(&from),
                to_path: to.row.path.clone(),
                to_bytes: bytes(&to),
            };
            (as_much(&each, kept), Some(passing))
        }
    };
    found.retain(|(row, _)| row.names != steps.step.names);
    found.sort_by(|one, other| other.1.total_cmp(&one.1));
    found.truncate(MOST_KEEPERS);
    if found.iter().map(|(_, bytes)| bytes).sum::<f64>() < MOST_OF_IT * kept {
        found.clear();
    }
    MemoryKeepers {
        keepers: found.into_iter().map(keeper).collect(),
        passing,
    }
}

/// Returns the bytes that a lap left without the laps inside.
fn left_alone(steps: &Steps<'_>, row: &SpanRow) -> f64 {
    let left = |row: &SpanRow| row.memory.host_memory_kept_bytes.unwrap_or(0);
    let rows = steps.rows.iter();
    let inside = rows.filter(|inner| inner.is_child_of(&row.names)).map(left);
    inside.fold(left(row), i64::saturating_sub) as f64
}

/// Whether a lap lies inside of another one, however deep.
fn is_inside(lap: &Leaver<'_>, outer: &Leaver<'_>) -> bool {
    let (names, outer) = (&lap.row.names, &outer.row.names);
    names.len() > outer.len() && names.starts_with(outer)
}

/// Returns the parts of a lap: the laps right inside of it, and itself without those.
fn parts_of<'s>(each: &[Leaver<'s>], outer: &Leaver<'s>) -> Vec<Leaver<'s>> {
    let inside = || each.iter().filter(|lap| is_inside(lap, outer));
    let right_inside = inside().filter(|lap| !inside().any(|one| is_inside(lap, one)));
    let itself = Leaver {
        all: outer.alone,
        is_alone: true,
        ..*outer
    };
    right_inside.copied().chain([itself]).collect()
}

/// Finds the lap that leaves most and the one that frees most, if laps free what others hold: parts of a lap, or laps inside
/// of a part that free as much as the other parts may have handed them.
fn passing<'s>(
    each: &[Leaver<'s>],
    parts: &[Leaver<'s>],
    kept: f64,
) -> Option<(Leaver<'s>, Leaver<'s>)> {
    if let Some(found) = passing_between(parts, kept) {
        return Some(found);
    }
    let left: f64 = parts.iter().map(|part| part.all.max(0.0)).sum();
    parts.iter().filter(|part| !part.is_alone).find_map(|part| {
        let inside = each.iter();
        let inside = inside.filter(|lap| lap.row.names.starts_with(&part.row.names));
        let alone = |lap: &Leaver<'s>| Leaver {
            all: lap.alone,
            ..*lap
        };
        let inside: Vec<Leaver> = inside.map(alone).collect();
        let elsewhere = left - part.all.max(0.0);
        let may_pass = freed(&inside).min(elsewhere) >= MOST_OF_IT * kept;
        passing_between(&inside, kept).filter(|_| may_pass)
    })
}

/// Adds up what all of these free that others allocated.
fn freed(parts: &[Leaver<'_>]) -> f64 {
    parts.iter().map(|part| (-part.all).max(0.0)).sum()
}

fn passing_between<'s>(parts: &[Leaver<'s>], kept: f64) -> Option<(Leaver<'s>, Leaver<'s>)> {
    let by_bytes = |one: &&Leaver, other: &&Leaver| one.all.total_cmp(&other.all);
    let (most, least) = (
        parts.iter().max_by(by_bytes)?,
        parts.iter().min_by(by_bytes)?,
    );
    (freed(parts) >= LEAST_FREED_RATIO * kept).then_some((*most, *least))
}

/// Finds the innermost laps that surely leave it, with what each leaves: a lap inside of which memory passes between
/// laps stands for all of these, and so does one with too many parts.
fn places<'s>(each: &[Leaver<'s>], parts: &[Leaver<'s>], kept: f64) -> Vec<(&'s SpanRow, f64)> {
    let mut found = Vec::new();
    for part in parts.iter().filter(|part| part.all >= LEAST_RATIO * kept) {
        let whole = vec![(part.row, part.all)];
        let inner = parts_of(each, part);
        if part.is_alone || inner.len() == 1 || passing(each, &inner, kept).is_some() {
            found.extend(whole);
            continue;
        }
        let inner = places(each, &inner, kept);
        let found_bytes: f64 = inner.iter().map(|(_, bytes)| bytes).sum();
        let is_enough = inner.len() <= MOST_KEEPERS && found_bytes >= MOST_OF_IT * part.all;
        found.extend(if is_enough { inner } else { whole });
    }
    found
}

/// Finds the laps that leave just as much by themselves; none where there are many.
fn as_much<'s>(each: &[Leaver<'s>], kept: f64) -> Vec<(&'s SpanRow, f64)> {
    let freed: f64 = each.iter().map(|lap| (-lap.alone).max(0.0)).sum();
    let miss = MISS_RATIO * kept / (freed / kept).max(1.0);
    let near = each.iter().filter(|lap| (lap.alone - kept).abs() <= miss);
    let near: Vec<_> = near.map(|lap| (lap.row, lap.alone)).collect();
    if near.len() <= MOST_KEEPERS {
        near
    } else {
        Vec::new()
    }
}

#[cfg(test)]
#[path = "tests/memory_keepers.rs"]
mod tests;
