//! What became of many comparisons.

use laptime_analysis::benchmark::verdict::{Verdict, judge};
use laptime_analysis::statistics::Random;

use crate::designs::Design;
use crate::series::Kind;

/// How much longer the slower code takes.
const PLANTED: f64 = 1.05;

/// Shares of comparisons.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Tally {
    /// Identical code that was called faster or slower.
    pub false_verdicts: f64,
    /// Slower code that was called slower.
    pub found: f64,
    /// Intervals that hold the true ratio, of those that there are.
    pub held: f64,
    /// Comparisons without an interval.
    pub absent: f64,
}

impl Tally {
    /// Half of the comparisons have identical code, half have the planted difference.
    pub fn of(design: Design, kind: Kind, comparisons: usize) -> Self {
        let mut random = Random::new(comparisons as u64);
        let (mut wrong, mut found, mut held, mut intervals) = (0, 0, 0, 0);
        for _ in 0..comparisons {
            for (ratio, is_planted) in [(1.0, false), (PLANTED, true)] {
                let (base, new) = design.measure(kind, ratio, &mut random);
                let judged = judge(&base, &new, &design.asked());
                let is_verdict = matches!(judged.verdict, Verdict::Faster | Verdict::Slower);
                wrong += usize::from(!is_planted && is_verdict);
                found += usize::from(is_planted && judged.verdict == Verdict::Slower);
                if let Ok((low, high)) = judged.interval {
                    intervals += 1;
                    held += usize::from(low <= ratio && ratio <= high);
                }
            }
        }
        let share = |count: usize| count as f64 / comparisons as f64;
        Self {
            false_verdicts: share(wrong),
            found: share(found),
            held: held as f64 / intervals.max(1) as f64,
            absent: 1.0 - share(intervals) / 2.0,
        }
    }
}
