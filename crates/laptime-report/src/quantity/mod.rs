//! Numbers as text: the only place where a quantity gets its digits and its unit.

mod coarse;
mod numbers;
mod time;

pub use coarse::{
    ago, coarse, coarse_percent, confidence, grouped, plain_plural, significant, upper_bound,
};
pub use numbers::{
    ABSENT, Digits, bytes, change, changes, count, joules, many_bytes, memory, percent, plain,
    plural, rate, scaled, si, thousands, times, watts, with_unit,
};
pub use time::{
    Precision, difference, duration, estimate, exact, interval_like, measured, measured_like,
};

#[cfg(test)]
#[path = "tests/quantity.rs"]
mod tests;
