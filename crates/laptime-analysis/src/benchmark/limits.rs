//! Limits of a benchmark, and the answers of its plan.

/// The number of samples that are taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Count {
    /// All that the budget allows.
    Budget,
    /// At least so many, whatever that takes.
    AtLeast(usize),
    /// Exactly so many: neither the budget nor a result ends it, and nothing is left out as warm-up.
    Exactly(usize),
}

impl Count {
    /// Tells whether so many are enough where the budget is used up.
    pub(crate) fn allows(self, count: usize) -> bool {
        match self {
            Self::Budget => true,
            Self::AtLeast(least) | Self::Exactly(least) => count >= least,
        }
    }
}

/// Limits of a benchmark.
///
/// **Units** nanoseconds; `precision_ratio` is half the interval's width over the median.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Limits {
    /// Smallest step of the clock.
    pub quantum_ns: f64,
    /// Time that all runs may take together, warm-up included.
    pub budget_ns: f64,
    /// Precision of the median at which it ends.
    pub precision_ratio: f64,
    /// The number of samples to take.
    pub count: Count,
}

/// The next thing to do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Next {
    /// Run so many iterations; whether warm-up is over isn't known yet.
    WarmUp(u64),
    /// Run so many iterations as one sample.
    Sample(u64),
    /// Do nothing more.
    Done(Ending),
}

/// The reason why a benchmark ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ending {
    /// The median is known as well as it was to be.
    Precise,
    /// The time is used up.
    Budget,
    /// The samples are as many as were asked for.
    Count,
}
