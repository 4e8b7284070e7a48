//! The stretch of a run in which a level of memory rises evenly.
//!
//! Input are readings of a level over time, in order; output is the part of them that [`EvenRise`] accepts. What comes
//! before it, a program imports or loads. What comes after it, a program writes, or frees as its main function returns
//! and the process exits. Neither says anything about the time between.
//!
//! A stretch is half of the time or more, and hardly any time follows it: data that are loaded, then used, rise as
//! evenly for a while, and so does a first evaluation late in a run.

use std::ops::Range;

use crate::summarize::even_rise::EvenRise;

/// The least part of the time that a stretch takes.
const LEAST_RATIO: f64 = 0.55;
/// The largest part of the time that follows it. To free a heap of small objects takes about a sixth of the time in which
/// they were made.
pub const TAIL_RATIO: f64 = 0.19;
/// Places at which a stretch may begin, as parts of the time: so many, evenly over what a stretch may leave out.
const STARTS: usize = 9;
/// The part of the time at its end in which readings don't tell whether a rise goes on.
const END_RATIO: f64 = 0.06;
/// The part of the whole rise that may be missing at the end of a stretch: allocators round, and collections free a little.
const TOP_RATIO: f64 = 0.005;
/// The part of a rise at which its end is foretold.
const NEARLY_RATIO: f64 = 0.85;
/// The most that the later half of a stretch of the whole time may be slower than the earlier one; of a shorter one less,
/// for every curve of a cache that fills looks straight in a short part of it.
const SLOWER_RATIO: f64 = 0.33;
/// The widest interval of a rise, as a part of it: less than that of a rise that is asked for once, for here many
/// stretches are.
const SURE_RATIO: f64 = 0.22;
/// The most by which a stretch may be known worse than a shorter one, as a part of its rise.
const DOUBT_RATIO: f64 = 0.02;

/// A level at a moment.
type Reading = (f64, f64);

/// A stretch of readings, and the rise in it.
#[derive(Debug, Clone, PartialEq)]
pub struct RisingStretch {
    /// The places of its readings.
    pub readings: Range<usize>,
    /// Its rise.
    pub rise: EvenRise,
    /// The time from the end of the rise to the last reading; 0 where it goes on until then, as far as readings tell.
    pub rest: f64,
}

impl RisingStretch {
    /// Finds the longest stretch of readings that are in order of time, of those in which the rise is known about best.
    pub fn find(
        readings: &[Reading],
        rise: impl Fn(&[Reading]) -> Option<EvenRise>,
    ) -> Option<Self> {
        let (first, last) = (readings.first()?.0, readings.last()?.0);
        let span = last - first;
        let mut found: Vec<Self> = Vec::new();
        for end in ends(readings) {
            for index in 0..=STARTS {
                let from = first + span * (1.0 - LEAST_RATIO) * index as f64 / STARTS as f64;
                let start = readings.partition_point(|(at, _)| *at < from);
                if start >= end || readings[end - 1].0 - readings[start].0 < LEAST_RATIO * span {
                    continue;
                }
                let part = &readings[start..end];
                let rest = last - end_of_rise(part);
                let is_straight = |rise: &EvenRise| {
                    rise.later_ratio >= 1.0 - SLOWER_RATIO * rise.length / span
                        && rise.uncertainty <= SURE_RATIO * rise.bytes
                };
                let rise = rise(part).filter(|rise| rest <= TAIL_RATIO * span && is_straight(rise));
                found.extend(rise.map(|rise| Self {
                    readings: start..end,
                    rise,
                    rest: if rest > END_RATIO * span { rest } else { 0.0 },
                }));
            }
        }
        let doubt = |one: &Self| one.rise.uncertainty / one.rise.bytes;
        let surest = found.iter().map(doubt).fold(f64::MAX, f64::min);
        found.retain(|one| doubt(one) <= surest + DOUBT_RATIO);
        let length = |one: &Self| one.rise.length;
        found
            .into_iter()
            .max_by(|one, other| length(one).total_cmp(&length(other)))
    }
}

/// Returns where a stretch may end: with the last reading, or where the level has risen as far as it does.
fn ends(readings: &[Reading]) -> impl Iterator<Item = usize> + use<> {
    let levels = || readings.iter().map(|(_, bytes)| *bytes);
    let most = levels().fold(f64::MIN, f64::max);
    let least = levels().fold(f64::MAX, f64::min);
    let is_risen = |bytes: f64| bytes >= most - TOP_RATIO * (most - least);
    let top = levels().position(is_risen).map(|index| index + 1);
    std::iter::once(readings.len()).chain(top)
}

/// Returns when a rise ends, by when it is nearly done: where readings scatter, its last ones don't tell.
fn end_of_rise(part: &[Reading]) -> f64 {
    let levels = || part.iter().map(|(_, bytes)| *bytes);
    let most = levels().fold(f64::MIN, f64::max);
    let least = levels().fold(f64::MAX, f64::min);
    let nearly = least + NEARLY_RATIO * (most - least);
    let below = part.iter().rfind(|(_, bytes)| *bytes < nearly);
    below.map_or(part[0].0, |(at, _)| {
        part[0].0 + (at - part[0].0) / NEARLY_RATIO
    })
}
