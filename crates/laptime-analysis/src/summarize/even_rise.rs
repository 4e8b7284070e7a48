//! A level of memory that rises all the time: what its readings must look like, whatever memory it is.
//!
//! Input are readings of a level over steps or time; output is the line of [`super::memory_growth`] through the lowest
//! readings of up to twelve parts. Each third has its share of the rise. In no third it is a single jump, as an
//! evaluation or a buffer makes, and the later half rises nearly as fast as the earlier one, as no cache does that fills.
//! How long the program ran doesn't matter: at ten readings per second, two seconds have enough.
//!
//! Allocators take memory from the system in pieces and use holes again, so what a program keeps evenly rises in bends.
//! The interval of the line must allow for these: it is the halves that tell a bend from a level that fills.

use crate::summarize::memory_growth::{self, LAST_RATIO, THIRDS};

/// The least number of readings: of fewer, a third has too few to tell a jump from a rise.
const LEAST_READINGS: usize = 16;
/// The least part of the level at the beginning: a rise by less is lost in what else a large process does.
const LEAST_RATIO: f64 = 0.1;
/// The widest interval, as a part of the rise: one that is no line has a wider one.
const SURE_RATIO: f64 = 0.35;
/// The least rise of each third, as a part of its share. Caches and arenas that fill rise less and less.
const STEADY_RATIO: f64 = 0.6;
/// The least speed of the later half, as a part of the earlier one's: of a cache that fills it is 0.57 at most.
const LATER_RATIO: f64 = 0.65;
/// The most that one part may rise, as a part of its third: an even rise has a third of it there, a jump nearly all.
const JUMP_RATIO: f64 = 0.8;

/// A rise of a level.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct EvenRise {
    /// Bytes from the first lowest reading to the last one.
    pub bytes: f64,
    /// Half the width of the 95 % interval of that.
    pub uncertainty: f64,
    /// Length of that, in steps or in what the places are.
    pub length: f64,
    /// The lowest reading of the last part.
    pub last_bytes: f64,
    /// The speed of the later half, as a part of the earlier one's.
    pub later_ratio: f64,
}

impl EvenRise {
    /// Finds the rise of a level, read at places in any order, by `least_bytes` or more.
    pub fn find(readings: Vec<(f64, f64)>, least_bytes: f64) -> Option<Self> {
        if readings.len() < LEAST_READINGS {
            return None;
        }
        let lowest = lowest(readings);
        let (slope, uncertainty) = memory_growth::line(&lowest)?;
        let (first, last) = (lowest.first()?, lowest.last()?);
        let length = last.0 - first.0;
        let found = Self {
            bytes: slope * length,
            uncertainty: uncertainty * length,
            length,
            last_bytes: last.1,
            later_ratio: later_ratio(&lowest),
        };
        let begin = lowest.iter().map(|(_, bytes)| *bytes);
        let begin = begin.fold(f64::MAX, f64::min);
        let is_much = found.bytes >= least_bytes && found.bytes >= LEAST_RATIO * begin;
        let is_sure = found.uncertainty <= SURE_RATIO * found.bytes;
        (is_much && is_sure && goes_on(&lowest, slope)).then_some(found)
    }
}

/// Returns the lowest reading of each part.
pub fn lowest(mut readings: Vec<(f64, f64)>) -> Vec<(f64, f64)> {
    readings.sort_by(|one, other| one.0.total_cmp(&other.0));
    memory_growth::lowest(&readings)
}

/// Whether each third has its share of a rise, and not by one jump, and the later half and the last part still rise.
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
    thirds.all(is_even)
        && later_ratio(points) >= LATER_RATIO
        && risen(last) >= LAST_RATIO * share(last)
}

/// Returns the speed of the later half, as a part of the earlier one's.
fn later_ratio(points: &[(f64, f64)]) -> f64 {
    let end = points.len() - 1;
    let speed = |from: usize, to: usize| {
        let ((start, low), (stop, high)) = (points[from], points[to]);
        (high - low) / (stop - start)
    };
    speed(end / 2, end) / speed(0, end / 2)
}
