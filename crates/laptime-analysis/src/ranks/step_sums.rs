//! Own work of all ranks, summed over steps, and the shares of a job's time that follow from it.

use crate::statistics::student;

/// Fewest sums whose differences tell how sure they are.
const FEWEST_SUMS: usize = 6;

/// Sums over steps in which all ranks wait for the one with most work of its own. **Units**: nanoseconds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct StepSums {
    /// From the steps' starts to the next ones', the median of the ranks.
    pub duration_ns: i64,
    /// The largest own work.
    pub largest_ns: i64,
    /// The largest own work if no slow rank took longer than its peers in the parts in which it is slow.
    pub without_slow_ns: i64,
    /// The largest own work if, further, no rank did what its peers don't do.
    pub without_any_ns: i64,
    /// The median own work.
    pub typical_ns: i64,
}

impl StepSums {
    /// Returns the time for which slow ranks hold the others up. **Units**: nanoseconds.
    pub fn held_up_ns(&self) -> i64 {
        self.largest_ns - self.without_slow_ns
    }

    /// Returns the time for which the others wait for what a rank does alone. **Units**: nanoseconds.
    pub fn alone_ns(&self) -> i64 {
        self.without_slow_ns - self.without_any_ns
    }

    /// Returns the time that goes to whoever happens to be last. **Units**: nanoseconds.
    pub fn jitter_ns(&self) -> i64 {
        self.without_any_ns - self.typical_ns
    }
}

impl std::ops::AddAssign for StepSums {
    fn add_assign(&mut self, other: Self) {
        self.duration_ns += other.duration_ns;
        self.largest_ns += other.largest_ns;
        self.without_slow_ns += other.without_slow_ns;
        self.without_any_ns += other.without_any_ns;
        self.typical_ns += other.typical_ns;
    }
}

/// Share of a job's time, and how sure it is.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Share {
    /// The share.
    pub ratio: f64,
    /// Its 95 % interval; `None` of few steps.
    pub interval: Option<(f64, f64)>,
}

impl Share {
    /// Returns the share of a time in sums over steps, in their order.
    ///
    /// Its interval follows from how much each sum differs from the one before (von Neumann's mean square successive
    /// difference), so that a rank that becomes slow in the course of a job makes it no wider than one that always is.
    pub(super) fn of(sums: &[StepSums], time_ns: fn(&StepSums) -> i64) -> Self {
        let total = |ns: fn(&StepSums) -> i64| sums.iter().map(ns).sum::<i64>() as f64;
        let duration_ns = total(|one| one.duration_ns).max(1.0);
        let ratio = total(time_ns) / duration_ns;
        if sums.len() < FEWEST_SUMS {
            return Self {
                ratio,
                interval: None,
            };
        }
        let residual = |one: &StepSums| time_ns(one) as f64 - ratio * one.duration_ns as f64;
        let squares: f64 = (sums.windows(2))
            .map(|pair| (residual(&pair[1]) - residual(&pair[0])).powi(2))
            .sum();
        let (count, freedom) = (sums.len() as f64, sums.len() as f64 - 1.0);
        let deviation = (squares * count / (2.0 * freedom)).sqrt() / duration_ns;
        let half = student::within(0.95, freedom) * deviation;
        Self {
            ratio,
            interval: Some(((ratio - half).max(0.0), ratio + half)),
        }
    }
}
