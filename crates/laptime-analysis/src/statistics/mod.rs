//! Statistics that tell a difference from chance: one idea a file, each with its source.
//!
//! Pure functions over series of numbers; [`crate::benchmark::verdict`] puts them together, and
//! [`crate::statistics::quantiles`] has quantiles and the interval of one median. A function that needs chance draws
//! from a [`Random`] with a fixed seed, so that the same numbers always give the same answer. Tests hold them against
//! values of `scipy` and `statsmodels`.

pub mod autocorrelation;
pub mod beta;
mod bisection;
pub mod change_points;
pub mod false_discoveries;
pub mod mann_whitney;
pub mod median_interval;
pub mod normal;
pub mod percentiles;
pub mod quantiles;
mod random;
pub mod ranks;
pub mod shift;
pub mod student;
mod too_few;

pub use random::Random;
pub use too_few::{Question, TooFew};

#[cfg(test)]
#[path = "tests/reference.rs"]
mod reference_tests;

#[cfg(test)]
#[path = "tests/statistics.rs"]
mod tests;
