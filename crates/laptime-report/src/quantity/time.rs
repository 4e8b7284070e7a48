//! Durations with the SI prefix (or minutes and hours, accepted beside SI) that leaves one to three digits before the
//! point, with three digits.

use super::numbers::{ABSENT, Digits, three_digits, unsigned_zero};

/// Units of time and their nanoseconds.
const UNITS: [(&str, f64); 6] = [
    ("ns", 1.0),
    ("µs", 1e3),
    ("ms", 1e6),
    ("s", 1e9),
    ("min", 60e9),
    ("h", 3_600e9),
];
/// Limits above which a duration takes the next unit; 9,999 s are still read as seconds at a glance.
const MOST_IN_UNIT: [f64; 6] = [1e3, 1e3, 1e3, 1e3, 600.0, f64::INFINITY];

/// The exactness of a duration. Both kinds show three digits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Precision {
    /// A sum or a mean.
    Exact,
    /// A percentile, known to 1.1 %.
    Estimate,
}

/// Formats a sum or a mean for a sentence.
pub fn exact(ns: u64) -> String {
    duration(ns, Precision::Exact).inline()
}

/// Formats a percentile for a sentence.
pub fn estimate(ns: u64) -> String {
    duration(ns, Precision::Estimate).inline()
}

/// Formats a duration in its best unit.
pub fn duration(ns: u64, _: Precision) -> Digits {
    let ns = ns as f64;
    let decimals = |value: f64, unit: &str| match value {
        _ if unit == "ns" => 0,
        value if value < 9.995 => 2,
        value if value < 99.95 => 1,
        _ => 0,
    };
    let fits = |index: &usize| {
        let (unit, size) = UNITS[*index];
        let value = ns / size;
        // Rounding may reach the next unit: 999.6 µs is 1.00 ms.
        let scale = 10_f64.powi(decimals(value, unit));
        (value * scale).round() / scale < MOST_IN_UNIT[*index]
    };
    let index = (0..UNITS.len()).find(fits).unwrap_or(UNITS.len() - 1);
    let (unit, size) = UNITS[index];
    let value = ns / size;
    Digits::new(&format!("{value:.*}", decimals(value, unit) as usize), unit)
}

/// Formats a measured duration, which may be below a nanosecond's step, with three digits.
pub fn measured(ns: f64) -> Digits {
    let (unit, size) = unit_of(ns);
    Digits::new(&three_digits(ns / size), unit)
}

/// Formats a measured duration in the unit that `other` has, without naming it.
pub fn measured_like(ns: f64, other: f64) -> String {
    three_digits(ns / unit_of(other).1)
}

/// Formats an interval of nanoseconds in the unit that `other` has, without naming it; a dash where there is none.
pub fn interval_like(interval: Option<&(f64, f64)>, other: f64) -> String {
    let like = |ns: &f64| measured_like(*ns, other);
    interval.map_or_else(
        || ABSENT.to_owned(),
        |(low, high)| format!("{} to {}", like(low), like(high)),
    )
}

/// Formats a difference in nanoseconds with its sign and three digits.
pub fn difference(ns: f64) -> Digits {
    if ns == 0.0 {
        return Digits::new("0", "ns");
    }
    let (unit, size) = unit_of(ns.abs());
    let sign = if ns < 0.0 { '-' } else { '+' };
    let text = format!("{sign}{}", three_digits(ns.abs() / size));
    Digits::new(&unsigned_zero(text), unit)
}

fn unit_of(ns: f64) -> (&'static str, f64) {
    // Rounding may reach the next unit, as above.
    let fits = |index: &usize| (ns / UNITS[*index].1) * (1.0 + 0.5e-3) < MOST_IN_UNIT[*index];
    let index = (0..UNITS.len()).find(fits).unwrap_or(UNITS.len() - 1);
    UNITS[index]
}
