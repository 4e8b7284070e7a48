//! Which laps keep the memory that steps leave behind.
//!
//! Input is what each lap left by itself, net of what it freed; output are laps by name. A lap may also hold
//! what another one frees, as a forward does with activations. So laps are named only if what they left adds
//! up to what the steps left: then the others cancel.

use super::steps::Steps;
use crate::finding::Keeper;
use crate::span_row::SpanRow;

/// Laps that are named.
const MOST_KEEPERS: usize = 3;
/// A lap that leaves less than this part of it is not worth a name.
const LEAST_RATIO: f64 = 0.1;
/// Laps free less than this part of it: then nothing passes from one to another.
const LEAST_FREED_RATIO: f64 = 0.1;
/// How far laps may be from adding up to it, as a part of it. Less where much passes from lap to lap:
/// then laps add up to it by chance.
const MISS_RATIO: f64 = 0.15;
/// The part of it that laps with a name must leave: the rest is left outside of laps.
const MOST_OF_IT: f64 = 0.5;
/// Largest laps that are tried: their triples are few enough to try all.
const MOST_TRIED: usize = 24;

/// What a lap left by itself, without the laps inside.
#[derive(Clone, Copy)]
struct Own<'s> {
    row: &'s SpanRow,
    bytes: f64,
}

/// The laps that keep `kept` bytes, the largest first; none where net bytes don't tell.
///
/// Several together leave all of it, unless each by itself leaves as much: then one of them keeps it and
/// what the others leave is freed elsewhere.
pub fn of<'s>(
    steps: &Steps<'s>,
    laps: impl Iterator<Item = &'s SpanRow>,
    kept: f64,
) -> Vec<Keeper> {
    let mut each: Vec<Own> = laps.map(|row| own(steps, row)).collect();
    each.sort_by(|one, other| other.bytes.total_cmp(&one.bytes));
    let freed: f64 = each.iter().map(|lap| (-lap.bytes).max(0.0)).sum();
    each.retain(|lap| lap.bytes >= LEAST_RATIO * kept);
    let mut found = if freed < LEAST_FREED_RATIO * kept {
        each
    } else {
        adding_up(&each, kept, MISS_RATIO * kept / (freed / kept).max(1.0))
    };
    found.retain(|lap| lap.row.names != steps.step.names);
    found.truncate(MOST_KEEPERS);
    if found.iter().map(|lap| lap.bytes).sum::<f64>() < MOST_OF_IT * kept {
        return Vec::new();
    }
    let keeper = |lap: &Own| Keeper {
        path: lap.row.path.clone(),
        per_step_bytes: (lap.bytes / steps.count as f64).round() as u64,
    };
    found.iter().map(keeper).collect()
}

fn own<'s>(steps: &Steps<'s>, row: &'s SpanRow) -> Own<'s> {
    let left = |row: &SpanRow| row.host_memory_kept_bytes.unwrap_or(0);
    let rows = steps.rows.iter();
    let inside = rows.filter(|inner| inner.is_child_of(&row.names)).map(left);
    let bytes = inside.fold(left(row), i64::saturating_sub) as f64;
    Own { row, bytes }
}

/// The fewest laps that add up to it; of single ones that do, all; none where several pairs or triples do.
fn adding_up<'s>(each: &[Own<'s>], kept: f64, miss: f64) -> Vec<Own<'s>> {
    let few = &each[..each.len().min(MOST_TRIED)];
    let singles: Vec<Own> = few
        .iter()
        .filter(|lap| (lap.bytes - kept).abs() <= miss)
        .copied()
        .collect();
    if !singles.is_empty() {
        let is_few = singles.len() <= MOST_KEEPERS;
        return if is_few { singles } else { Vec::new() };
    }
    for size in 2..=MOST_KEEPERS {
        let mut sets = Vec::new();
        collect(few, size, kept, miss, &mut Vec::new(), &mut sets);
        match sets.len() {
            0 => {}
            1 => return sets.remove(0),
            _ => return Vec::new(),
        }
    }
    Vec::new()
}

/// All sets of so many laps, beside those of `begun`, that leave `missing` bytes.
fn collect<'s>(
    each: &[Own<'s>],
    size: usize,
    missing: f64,
    miss: f64,
    begun: &mut Vec<Own<'s>>,
    sets: &mut Vec<Vec<Own<'s>>>,
) {
    if size == 0 {
        if missing.abs() <= miss {
            sets.push(begun.clone());
        }
        return;
    }
    for (index, lap) in each.iter().enumerate() {
        begun.push(*lap);
        collect(
            &each[index + 1..],
            size - 1,
            missing - lap.bytes,
            miss,
            begun,
            sets,
        );
        begun.pop();
    }
}

#[cfg(test)]
#[path = "keepers_tests.rs"]
mod tests;
