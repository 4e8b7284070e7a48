//! Resident memory that rises all the time, by the readings that every recording has.
//!
//! Input are readings of what the process allocated of its resident memory, ten per second. Files that are mapped and
//! memory that is shared are no part of that: a data set that is read through a mapping becomes resident page by page.
//! [`EvenRise`] says whether it goes on. One more sign is that the address space grows with it: memory that was set
//! aside at once and is touched little by little is none.

use crate::reading::process::Process;
use crate::reading::recorder_samples::{RecorderSamples, ResidentLevel};
use crate::reading::step_stretches::{self, Stretch};
use crate::summarize::even_rise::{self, EvenRise};
use crate::summarize::memory_growth::BEGINNING_RATIO;

/// The least number of bytes: a script that keeps its results has some, and nobody looks for less.
const LEAST_BYTES: f64 = 16_777_216.0;
/// The least growth of the address space, as a part of the rise: allocators set aside more than they hand out, and some of
/// it before.
const RESERVED_RATIO: f64 = 0.5;
/// The part of the rise that must still be there after the steps, where readings follow them.
const STAYS_RATIO: f64 = 0.5;

/// A rise of resident memory.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ResidentRise {
    /// Bytes from the first lowest reading to the last one.
    pub bytes: f64,
    /// Half the width of the 95 % interval of that.
    pub uncertainty: f64,
    /// Length of that on the axis that was asked for: steps, or ticks.
    pub length: f64,
    /// The moments between which it was read, in ticks.
    pub from: u64,
    /// The end of that.
    pub to: u64,
}

/// A reading at a place: the number of steps until then, or the moment in ticks.
type Point = (f64, ResidentLevel);

/// Returns the rise over steps, the last of which ends at `to`; `None` where there is none, or it is gone before the
/// interpreter exits, at `exits`.
pub fn over_steps(
    readings: &RecorderSamples,
    steps: &[Stretch],
    to: u64,
    exits: u64,
) -> Option<ResidentRise> {
    let from = steps.first()?.start;
    let read = readings.resident();
    let during = read.filter(|(at, _)| (from..to).contains(at));
    let place = |(at, level)| (step_stretches::steps_until(steps, at, to), level);
    let points: Vec<Point> = during.map(place).collect();
    let (found, level) = rise(&points, from, to)?;
    let after = readings
        .resident()
        .filter(|(at, _)| (to..exits).contains(at));
    let left = after.map(|(_, level)| level.private.resident_bytes).min();
    let stays = |left: u64| left as f64 >= level - (1.0 - STAYS_RATIO) * found.bytes;
    left.is_none_or(stays).then_some(found)
}

/// Returns the rise over the time from `from` to `to`, in ticks, without its first fifth: programs import packages and
/// read their data then.
pub fn over_time(readings: &RecorderSamples, from: u64, to: u64) -> Option<ResidentRise> {
    let read = readings.resident();
    let during = read.filter(|(at, _)| (from..to).contains(at));
    let mut points: Vec<Point> = during.map(|(at, level)| (at as f64, level)).collect();
    points.sort_by(|one, other| one.0.total_cmp(&other.0));
    let (first, last) = (points.first()?.0, points.last()?.0);
    let begin = first + BEGINNING_RATIO * (last - first);
    points.retain(|(at, _)| *at >= begin);
    rise(&points, begin as u64, last as u64).map(|(found, _)| found)
}

/// Returns the rise over the time after the first lap of a process, or all of its time where it has none.
pub fn of_process(process: &Process) -> Option<ResidentRise> {
    let from = process.features.covers.first_start().unwrap_or(0);
    let to = process.features.notes.exits_at().unwrap_or(u64::MAX);
    over_time(&process.features.recorder_samples, from, to)
}

/// Finds a rise that goes on all the time between two moments, and the lowest level of its last part.
fn rise(points: &[Point], from: u64, to: u64) -> Option<(ResidentRise, f64)> {
    let of = |bytes: fn(&ResidentLevel) -> u64| -> Vec<(f64, f64)> {
        let each = points.iter();
        each.map(|(at, level)| (*at, bytes(level) as f64)).collect()
    };
    let found = EvenRise::find(of(|level| level.private.resident_bytes), LEAST_BYTES)?;
    let reserved = even_rise::lowest(of(|level| level.private.reserved_bytes));
    let reserved = reserved.last()?.1 - reserved.first()?.1;
    let EvenRise {
        bytes,
        uncertainty,
        length,
        last_bytes,
    } = found;
    let found = ResidentRise {
        bytes,
        uncertainty,
        length,
        from,
        to,
    };
    (reserved >= RESERVED_RATIO * bytes).then_some((found, last_bytes))
}

#[cfg(test)]
#[path = "tests/resident_rise.rs"]
mod tests;

#[cfg(test)]
#[path = "tests/resident_rise_rates.rs"]
mod rates;
