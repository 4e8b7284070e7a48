//! The difference of a sampled time between two sides, with its uncertainty.
//!
//! Of one run a side only the error of sampling is known. With more runs the spread between them counts, of both sides
//! together, and the error of sampling where that is larger. A few runs tell their own spread badly: it is averaged with
//! the spread that runs of a program are expected to have, as if that had been seen in some runs more (Smyth 2004, the
//! moderated t), unless they are clearly apart by more than that.

use serde::Serialize;

use super::sampled_times::SampledTime;
use crate::statistics::student;

/// The confidence of intervals.
const CONFIDENCE: f64 = 0.95;

/// Part of its time by which a function is expected to differ between runs of one program; most differ by less.
const RUN_RATIO: f64 = 0.1;
/// Degrees of freedom that the expected spread counts for.
const EXPECTED_FREEDOM: f64 = 4.0;
/// Times the expected square of the error from which on the spread that was seen counts alone.
const APART_TIMES: f64 = 2.0;
/// Confidence at which the two are held against each other: about that of a verdict on one of ten functions.
const FAR: f64 = 0.999;

/// A time of one run as a part of all that was sampled, for each unit, such as a step.
#[derive(Debug, Clone, Copy)]
pub struct RunTime {
    part: SampledTime,
    whole: SampledTime,
    unit_count: f64,
}

/// The difference of a time between two sides.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct TimeDifference {
    /// Time that is added for each step or run; below zero where it is less.
    pub difference_ns: f64,
    /// Half the width of the difference's interval, at the confidence that the functions are listed with.
    pub within_ns: f64,
    /// Probability of such a difference between sides that are alike.
    pub p_value: f64,
    /// Degrees of freedom of its error.
    pub freedom: f64,
}

impl RunTime {
    /// Takes a part of what was sampled of a run with so many units.
    pub fn new(part: SampledTime, whole: SampledTime, unit_count: f64) -> Self {
        Self {
            part,
            whole,
            unit_count,
        }
    }

    fn ns(&self) -> f64 {
        self.part.ns / self.unit_count
    }

    /// Returns the square of the standard error of its time, where all runs have such a part.
    ///
    /// A sample falls into the part or not, and counts by the time that it stands for: the variance of a ratio's
    /// estimate (Cochran 1977, chapter 6). One sample more is supposed, so that none is not certain.
    fn square_error(&self, [part, whole]: [SampledTime; 2]) -> f64 {
        if whole.ns <= 0.0 || self.whole.sample_count <= 0.0 {
            return 0.0;
        }
        let share = (part.ns / whole.ns).clamp(0.0, 1.0);
        let squares = (part.squared_ns2 / whole.squared_ns2).clamp(0.0, 1.0);
        let each = (1.0 - share).powi(2) * squares + share.powi(2) * (1.0 - squares);
        let one_more = 1.0 / self.whole.sample_count;
        self.whole.squared_ns2 * (each + one_more) / self.unit_count.powi(2)
    }
}

/// Returns the degrees of freedom of an error of sampling (Satterthwaite 1946): a few long samples of a part vary more
/// than a normal distribution does.
fn sampling_freedom<'r>(runs: impl Iterator<Item = &'r RunTime>, all: [SampledTime; 2]) -> f64 {
    let counts = all[0].effective_count() / all[1].effective_count();
    let (mut sum, mut below) = (0.0, 0.0);
    for run in runs {
        let square = run.square_error(all);
        sum += square;
        below += square.powi(2) / (counts * run.whole.effective_count());
    }
    let freedom = sum.powi(2) / below;
    if freedom.is_finite() { freedom } else { 1.0 }
}

/// Returns the mean time of runs; 0 for no run.
pub fn mean_ns(runs: &[RunTime]) -> f64 {
    runs.iter().map(RunTime::ns).sum::<f64>() / (runs.len() as f64).max(1.0)
}

impl TimeDifference {
    /// Compares the runs of two sides.
    pub fn of_sides(base: &[RunTime], new: &[RunTime]) -> Self {
        let mut all = [SampledTime::default(); 2];
        for run in base.iter().chain(new) {
            all[0].add(run.part);
            all[1].add(run.whole);
        }
        let count = |side: &[RunTime]| (side.len() as f64).max(1.0);
        let sampling = |side: &[RunTime]| {
            let squares = side.iter().map(|run| run.square_error(all));
            squares.sum::<f64>() / count(side).powi(2)
        };
        let squares = |side: &[RunTime]| {
            let mean = mean_ns(side);
            side.iter()
                .map(|run| (run.ns() - mean).powi(2))
                .sum::<f64>()
        };
        let sampling = sampling(base) + sampling(new);
        let runs = count(base) + count(new) - 2.0;
        let (square, freedom) = if runs < 1.0 {
            (sampling, sampling_freedom(base.iter().chain(new), all))
        } else {
            let each = 1.0 / count(base) + 1.0 / count(new);
            let spread = (squares(base) + squares(new)) / runs * each;
            let between = RUN_RATIO * f64::midpoint(mean_ns(base), mean_ns(new));
            moderated(spread, sampling, between.powi(2) * each, runs)
        };
        let (error, freedom) = (square.sqrt(), freedom.max(1.0));
        let difference_ns = mean_ns(new) - mean_ns(base);
        Self {
            freedom,
            difference_ns,
            within_ns: student::within(CONFIDENCE, freedom) * error,
            p_value: if error > 0.0 {
                student::two_sided(difference_ns / error, freedom)
            } else {
                1.0
            },
        }
    }

    /// Makes its interval, of 95 %, one of this confidence.
    pub fn widen(&mut self, confidence: f64) {
        let within = |confidence| student::within(confidence, self.freedom.max(1.0));
        self.within_ns *= within(confidence) / within(CONFIDENCE);
    }
}

/// Returns the square of the error of runs with such a spread, and its degrees of freedom, from the squares of the error
/// that was seen, of that of sampling, and of that which is expected between runs beside it.
fn moderated(spread: f64, sampling: f64, between: f64, runs: f64) -> (f64, f64) {
    let seen = (spread.max(sampling), runs);
    let expected = sampling + between;
    if spread > APART_TIMES * expected {
        return seen;
    }
    let freedom = runs + EXPECTED_FREEDOM;
    let averaged = (spread * runs + expected * EXPECTED_FREEDOM) / freedom;
    let both = [seen, (averaged.max(sampling), freedom)];
    // Runs that are closer than expected speak for themselves.
    let width = |(square, freedom): &(f64, f64)| student::within(FAR, *freedom) * square.sqrt();
    let [first, second] = both.map(|one| width(&one));
    both[usize::from(second < first)]
}

#[cfg(test)]
#[path = "tests/time_difference.rs"]
mod tests;
