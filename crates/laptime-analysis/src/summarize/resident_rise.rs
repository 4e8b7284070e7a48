//! Resident memory that rises all the time, by the readings that every recording has.
//!
//! Input are readings of what the process allocated of its resident memory, ten per second. Files that are mapped and
//! memory that is shared are no part of that: a data set that is read through a mapping becomes resident page by page.
//! [`EvenRise`] says whether it goes on, [`RisingStretch`] in which part of a run without steps. One more sign is that the address space grows with it: memory that was set
//! aside at once and is touched little by little is none.

use crate::reading::recorder_samples::{RecorderSamples, ResidentLevel};
use crate::reading::step_stretches::{self, Stretch};
use crate::summarize::even_rise::{self, EvenRise};
use crate::summarize::rising_stretch::{RisingStretch, TAIL_RATIO};

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
    /// The time from the end of the rise to the end of the program, in ticks; 0 where it goes on until then.
    pub rest: u64,
}

/// A reading at a place: the number of steps until then, or the moment in ticks.
type Point = (f64, ResidentLevel);

/// Returns the rise over steps, the last of which ends at `to`; `None` where there is none, or it is gone afterwards,
/// before the interpreter exits, at `exits`. What is freed in a short time after the steps tells nothing: their loop's
/// function returns then.
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
    let after = || {
        let each = readings.resident();
        each.filter(|(at, _)| (to..exits).contains(at))
    };
    let goes_on = after().any(|(at, _)| (at - to) as f64 > TAIL_RATIO * (to - from) as f64);
    let left = after().map(|(_, level)| level.private.resident_bytes);
    let left = left.min().filter(|_| goes_on);
    let stays = |left: u64| left as f64 >= level - (1.0 - STAYS_RATIO) * found.bytes;
    left.is_none_or(stays).then_some(found)
}

/// Returns the rise over the time from `from` to `to`, in ticks: that of the longest stretch in which it is even.
pub fn over_time(readings: &RecorderSamples, from: u64, to: u64) -> Option<ResidentRise> {
    let read = readings.resident();
    let mut points: Vec<(u64, ResidentLevel)> =
        read.filter(|(at, _)| (from..to).contains(at)).collect();
    points.sort_by_key(|(at, _)| *at);
    let first = points.first()?.0;
    let place = |at: u64| (at - first) as f64;
    let of = |bytes: fn(&ResidentLevel) -> u64| -> Vec<(f64, f64)> {
        let each = points.iter();
        each.map(|(at, level)| (place(*at), bytes(level) as f64))
            .collect()
    };
    let (levels, reserved) = (
        of(|level| level.private.resident_bytes),
        of(|level| level.private.reserved_bytes),
    );
    let start = |part: &[(f64, f64)]| levels.partition_point(|(at, _)| *at < part[0].0);
    let found = RisingStretch::find(&levels, |part| {
        let found = EvenRise::find(part.to_vec(), LEAST_BYTES)?;
        let reserved = &reserved[start(part)..][..part.len()];
        is_reserved(reserved.to_vec(), found.bytes).then_some(found)
    })?;
    let at = |index: usize| points[index].0;
    Some(ResidentRise {
        bytes: found.rise.bytes,
        uncertainty: found.rise.uncertainty,
        length: found.rise.length,
        from: at(found.readings.start),
        to: at(found.readings.end - 1),
        rest: found.rest as u64,
    })
}

/// Finds a rise that goes on all the time between two moments, and the lowest level of its last part.
fn rise(points: &[Point], from: u64, to: u64) -> Option<(ResidentRise, f64)> {
    let of = |bytes: fn(&ResidentLevel) -> u64| -> Vec<(f64, f64)> {
        let each = points.iter();
        each.map(|(at, level)| (*at, bytes(level) as f64)).collect()
    };
    let EvenRise {
        bytes,
        uncertainty,
        length,
        last_bytes,
        ..
    } = EvenRise::find(of(|level| level.private.resident_bytes), LEAST_BYTES)?;
    let found = ResidentRise {
        bytes,
        uncertainty,
        length,
        from,
        to,
        rest: 0,
    };
    is_reserved(of(|level| level.private.reserved_bytes), bytes).then_some((found, last_bytes))
}

/// Whether the address space grows with a rise.
fn is_reserved(reserved: Vec<(f64, f64)>, risen: f64) -> bool {
    let reserved = even_rise::lowest(reserved);
    let ends = reserved.first().zip(reserved.last());
    ends.is_some_and(|(first, last)| last.1 - first.1 >= RESERVED_RATIO * risen)
}

#[cfg(test)]
#[path = "tests/resident_rise.rs"]
mod tests;

#[cfg(test)]
#[path = "tests/resident_rise_rates.rs"]
mod rates;
