//! How many times as long, in two or three digits: `1,200 times as fast as old (1,150 to 1,260)`.

use crate::quantity;

/// Ratio from which on a sentence has how many times as long, instead of how many percent.
const TIMES: f64 = 2.0;
/// Ratio of an interval's ends from which on a third digit of the number inside says nothing.
const TWO_DIGITS: f64 = 1.03;

/// Tells whether a ratio, or its inverse, is so large that it is told in times.
pub fn are_many(ratio: f64) -> bool {
    !(1.0 / TIMES..=TIMES).contains(&ratio)
}

/// Writes a number of times with the interval around it; `words` stand behind the number.
pub fn with_interval(times: f64, [low, high]: [f64; 2], words: &str) -> String {
    let ends = [low, high].map(|end| digits(end, 3));
    let shown = if high / low >= TWO_DIGITS {
        rounded(times, 2)
    } else {
        times
    };
    // A number of two digits must not leave the interval that stands behind it.
    let is_inside = (rounded(low, 3)..=rounded(high, 3)).contains(&shown);
    let number = if is_inside && high / low >= TWO_DIGITS {
        digits(times, 2)
    } else {
        digits(times, 3)
    };
    if ends[0] == ends[1] {
        return format!("{number} {words}");
    }
    format!("{number} {words} ({} to {})", ends[0], ends[1])
}

/// Writes a number in so many digits, thousands apart.
fn digits(times: f64, count: i32) -> String {
    let rounded = rounded(times, count);
    let decimals = (count - 1 - rounded.log10().floor() as i32).max(0);
    if decimals == 0 {
        quantity::thousands(rounded as u64)
    } else {
        format!("{rounded:.*}", decimals.unsigned_abs() as usize)
    }
}

fn rounded(times: f64, count: i32) -> f64 {
    let step = step(times, count);
    (times / step).round() * step
}

/// Returns the place of the last of so many digits.
fn step(times: f64, count: i32) -> f64 {
    10_f64.powi(times.log10().floor() as i32 + 1 - count)
}

#[cfg(test)]
#[path = "tests/times.rs"]
mod tests;
