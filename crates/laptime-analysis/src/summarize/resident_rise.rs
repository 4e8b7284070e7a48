//! Resident memory that rises all the time, by the readings that every recording has.
//!
//! Input are readings of what the process allocated of its resident memory, ten per second. Files that are mapped and
//! memory that is shared are no part of that: a data set that is read through a mapping becomes resident page by page.
//! Output is the line of [`super::memory_growth`] through the lowest readings of twelve parts.
//!
//! A rise is told by three signs. Each third of the time has its share of it. In no third it is a single jump, as an
//! evaluation or a buffer makes. And the address space grows with it: memory that was set aside at once and is touched
//! little by little is none.

use crate::reading::process::Process;
use crate::reading::recorder_samples::{RecorderSamples, ResidentLevel};
use crate::reading::step_stretches::{self, Stretch};
use crate::summarize::memory_growth::{
    self, BEGINNING_RATIO, LAST_RATIO, MOST_PARTS, READINGS, THIRDS,
};

/// The least number of bytes: a run that takes less than that more and more ends before memory does.
const LEAST_BYTES: f64 = 67_108_864.0;
/// The least part of the resident memory at the beginning: a rise by less is lost in what else a large process does.
const LEAST_RATIO: f64 = 0.1;
/// The widest interval, as a part of the rise: one that is no line has a wider one.
const SURE_RATIO: f64 = 0.2;
/// The least rise of each third, as a part of its share. Caches and arenas that fill rise less and less.
const STEADY_RATIO: f64 = 0.6;
/// The most that one part may rise, as a part of its third: an even rise has a third of it there, a jump nearly all.
const JUMP_RATIO: f64 = 0.7;
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
    let (found, level) = rise(points)?;
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
    points.retain(|(at, _)| *at >= first + BEGINNING_RATIO * (last - first));
    rise(points).map(|(found, _)| found)
}

/// Returns the rise over the time after the first lap of a process, or all of its time where it has none.
pub fn of_process(process: &Process) -> Option<ResidentRise> {
    let from = process.features.covers.first_start().unwrap_or(0);
    let to = process.features.notes.exits_at().unwrap_or(u64::MAX);
    over_time(&process.features.recorder_samples, from, to)
}

/// Finds a rise that goes on all the time, and the lowest level of its last part.
fn rise(mut points: Vec<Point>) -> Option<(ResidentRise, f64)> {
    points.sort_by(|one, other| one.0.total_cmp(&other.0));
    if points.len() < READINGS * MOST_PARTS {
        return None;
    }
    let of = |bytes: fn(&ResidentLevel) -> u64| -> Vec<(f64, f64)> {
        let each = points.iter();
        let each: Vec<(f64, f64)> = each.map(|(at, level)| (*at, bytes(level) as f64)).collect();
        memory_growth::lowest(&each)
    };
    let lowest = of(|level| level.private.resident_bytes);
    let (slope, uncertainty) = memory_growth::line(&lowest)?;
    let length = lowest.last()?.0 - lowest.first()?.0;
    let (bytes, uncertainty) = (slope * length, uncertainty * length);
    let begin = points.iter().map(|(_, level)| level.bytes).min()? as f64;
    let is_much = bytes >= LEAST_BYTES && bytes >= LEAST_RATIO * begin;
    let reserved = of(|level| level.private.reserved_bytes);
    let reserved = reserved.last()?.1 - reserved.first()?.1;
    let is_sure = uncertainty <= SURE_RATIO * bytes && reserved >= RESERVED_RATIO * bytes;
    let found = ResidentRise {
        bytes,
        uncertainty,
        length,
    };
    (is_much && is_sure && goes_on(&lowest, slope)).then_some((found, lowest.last()?.1))
}

/// Whether each third has its share of a rise, and not by one jump, and the last part still rises.
fn goes_on(points: &[(f64, f64)], slope: f64) -> bool {
    let end = points.len() - 1;
    let risen = |part: &[(f64, f64)]| part[part.len() - 1].1 - part[0].1;
    let share = |part: &[(f64, f64)]| slope * (part[part.len() - 1].0 - part[0].0);
    let mut thirds = (0..THIRDS).map(|third| {
        let (from, to) = (third * end / THIRDS, (third + 1) * end / THIRDS);
        &points[from..=to]
    });
    let is_even = |part: &[(f64, f64)]| {
        let jump = part.windows(2).map(risen).fold(0.0, f64::max);
        risen(part) >= STEADY_RATIO * share(part) && jump <= JUMP_RATIO * risen(part)
    };
    let last = &points[end - 1..];
    thirds.all(is_even) && risen(last) >= LAST_RATIO * share(last)
}

#[cfg(test)]
#[path = "tests/resident_rise.rs"]
mod tests;
