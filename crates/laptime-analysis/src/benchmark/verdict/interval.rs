//! A median, or the difference of two, with the interval that holds it.
//!
//! Many values have an interval between order statistics, whatever their distribution. A
//! few have none so sure, and Student's t instead: it supposes logarithms that are about normal,
//! and pays for few of them with a wide interval. `examples/verdicts` shows how often both hold.

use super::reason::Reason;
use crate::benchmark::warm_up::Line;
use crate::statistics::{
    Question, TooFew, autocorrelation, mann_whitney, median_interval, quantiles, shift, student,
};

/// Fewer values than these have an interval by Student's t: their extremes alone are too unsure.
const FEW: usize = 6;
/// Variance of the median of so many normal values over that of their mean.
const MEDIAN_TO_MEAN_VARIANCE: [f64; FEW] = [1.0, 1.0, 1.0, 1.346, 1.193, 1.434];

/// Fewer units than these of either of two sides have an interval by Student's t.
const FEW_OF_TWO: usize = 10;
/// Variance of the median difference of all pairs over that of the means' difference, for normal
/// values: π/3 for many of them, and little less for few.
const SHIFT_TO_MEAN_VARIANCE: f64 = std::f64::consts::FRAC_PI_3;

/// A median with its interval.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Interval {
    pub median: f64,
    pub low: f64,
    pub high: f64,
    /// Degrees of freedom of the interval's width.
    freedom: f64,
    /// Probability of a test that doesn't need the width, where there is one.
    tested: Option<f64>,
}

impl Interval {
    /// Tells whether so many values are too few for an interval between them.
    pub fn are_few(count: usize) -> bool {
        count < FEW
    }

    /// Returns the interval of values in the order they were measured, without the trend that goes through all of them.
    pub fn of_run(values: &[f64], confidence: f64) -> Self {
        let line = Line::through_series(values);
        let middle = line.at(values.len() / 2);
        let level = |(index, value)| value - line.at(index) + middle;
        let levelled: Vec<f64> = values.iter().copied().enumerate().map(level).collect();
        Self::of_series(&levelled, confidence)
    }

    /// Returns the interval of values in the order they were measured, each of which may tell about the next.
    pub fn of_series(values: &[f64], confidence: f64) -> Self {
        let sorted = sorted(values);
        let median = quantiles::median(&sorted).unwrap_or(f64::NAN);
        let size = autocorrelation::effective_size_for_median(values, median);
        Self::of_sorted(&sorted, size, confidence)
    }

    /// Returns the interval of the shift of new units against those of the base, which have nothing to do with each other.
    pub fn of_shift(base: &[f64], new: &[f64], confidence: f64) -> Result<Self, Reason> {
        let median = shift::estimate(base, new).unwrap_or(f64::NAN);
        let freedom = (base.len() + new.len()) as f64 - 2.0;
        if freedom < 1.0 {
            return Err(too_few(base.len().min(new.len())));
        }
        let none = (f64::NAN, f64::NAN);
        if base.len().min(new.len()) >= FEW_OF_TWO {
            let (low, high) = shift::interval(base, new, confidence).unwrap_or(none);
            return Ok(Self {
                median,
                low,
                high,
                freedom,
                tested: mann_whitney::test(base, new).map(|found| found.p_value),
            });
        }
        // Both sides are taken to vary alike, as identical code does: a single value varies as the
        // other side.
        let variance = SHIFT_TO_MEAN_VARIANCE * (squares(base) + squares(new)) / freedom;
        let per_value = 1.0 / base.len() as f64 + 1.0 / new.len() as f64;
        Self::by_student(median, variance * per_value, freedom, confidence)
    }

    fn of_sorted(sorted: &[f64], size: f64, confidence: f64) -> Self {
        let none = (f64::NAN, f64::NAN);
        let (low, high) =
            median_interval::median_interval(sorted, size, confidence).unwrap_or(none);
        Self {
            median: quantiles::median(sorted).unwrap_or(f64::NAN),
            low,
            high,
            freedom: (size - 1.0).max(1.0),
            tested: None,
        }
    }

    /// Returns the interval of a few values.
    pub fn of_few(values: &[f64], confidence: f64) -> Result<Self, Reason> {
        let Some(more) = MEDIAN_TO_MEAN_VARIANCE
            .get(values.len())
            .filter(|_| values.len() > 1)
        else {
            return Err(too_few(values.len()));
        };
        let (count, freedom) = (values.len() as f64, values.len() as f64 - 1.0);
        let median = quantiles::median(&sorted(values)).unwrap_or(f64::NAN);
        Self::by_student(
            median,
            squares(values) / freedom * more / count,
            freedom,
            confidence,
        )
    }

    fn by_student(
        median: f64,
        square_error: f64,
        freedom: f64,
        confidence: f64,
    ) -> Result<Self, Reason> {
        if square_error <= 0.0 {
            return Err(Reason::NoNoise);
        }
        let reach = student::within(confidence, freedom) * square_error.sqrt();
        Ok(Self {
            median,
            low: median - reach,
            high: median + reach,
            freedom,
            tested: None,
        })
    }

    /// Returns the interval of the logarithms of values, from that of the values.
    pub fn ln(self) -> Self {
        Self {
            median: self.median.ln(),
            low: self.low.ln(),
            high: self.high.ln(),
            ..self
        }
    }

    /// Returns the interval of the new value minus the base's, which have nothing to do with each other.
    pub fn difference(base: Self, new: Self, confidence: f64) -> Self {
        let median = new.median - base.median;
        let within = |freedom| student::within(confidence, freedom);
        let errors = |reach: f64, of: Self| reach / within(of.freedom);
        let down = errors(new.median - new.low, new).hypot(errors(base.high - base.median, base));
        let up = errors(new.high - new.median, new).hypot(errors(base.median - base.low, base));
        let squares = [base, new].map(|one| errors(one.high - one.low, one).powi(2));
        let freedom = welch(squares, [base.freedom, new.freedom]);
        Self {
            median,
            low: median - down * within(freedom),
            high: median + up * within(freedom),
            freedom,
            tested: None,
        }
    }

    /// Returns the probability that a difference of none looks at least like this one.
    pub fn p_value(&self, confidence: f64) -> f64 {
        if let Some(p_value) = self.tested {
            return p_value;
        }
        if self.median == 0.0 {
            return 1.0;
        }
        let reach = if self.median > 0.0 {
            self.median - self.low
        } else {
            self.high - self.median
        };
        let errors = self.median / reach * student::within(confidence, self.freedom);
        student::two_sided(errors, self.freedom)
    }
}

/// Returns the sum of squared distances from the mean.
fn squares(values: &[f64]) -> f64 {
    let mean = values.iter().sum::<f64>() / values.len() as f64;
    values.iter().map(|value| (value - mean).powi(2)).sum()
}

/// Returns the degrees of freedom of a sum of variances (Satterthwaite 1946).
fn welch(squares: [f64; 2], freedoms: [f64; 2]) -> f64 {
    let sum = squares[0] + squares[1];
    let parts = squares.iter().zip(freedoms);
    let below: f64 = parts
        .map(|(square, freedom)| (square / sum).powi(2) / freedom)
        .sum();
    if below > 0.0 {
        1.0 / below
    } else {
        freedoms[0] + freedoms[1]
    }
}

fn too_few(count: usize) -> Reason {
    Reason::TooFew(TooFew {
        count,
        noun: "run",
        question: Question::RatioInterval,
        needed: 2,
    })
}

pub fn sorted(values: &[f64]) -> Vec<f64> {
    let mut sorted = values.to_vec();
    sorted.sort_unstable_by(f64::total_cmp);
    sorted
}
