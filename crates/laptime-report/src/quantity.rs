//! Numbers as text: the only place where a quantity gets its digits and its unit.
//!
//! Durations take the SI prefix (or minutes and hours, accepted beside SI) that leaves one
//! to three digits before the point. Exact ones show two decimals, estimates three digits.

/// A number split at its decimal point, so that a column can align it.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Digits {
    /// Up to the point.
    pub whole: String,
    /// The point and what follows; empty for whole numbers.
    pub fraction: String,
    /// The unit, without a space.
    pub unit: &'static str,
}

impl Digits {
    /// On its own, outside of a column.
    pub fn inline(&self) -> String {
        let space = if self.unit.is_empty() { "" } else { " " };
        format!("{}{}{space}{}", self.whole, self.fraction, self.unit)
    }

    fn new(text: &str, unit: &'static str) -> Self {
        let (whole, fraction) = text.split_at(text.find('.').unwrap_or(text.len()));
        Self {
            whole: whole.to_owned(),
            fraction: fraction.to_owned(),
            unit,
        }
    }
}

/// What stands for a number that is not there.
pub const ABSENT: &str = "–";

/// Units of time and their nanoseconds.
const UNITS: [(&str, f64); 6] = [
    ("ns", 1.0),
    ("µs", 1e3),
    ("ms", 1e6),
    ("s", 1e9),
    ("min", 60e9),
    ("h", 3_600e9),
];
/// From here on a duration takes the next unit; 9,999 s are still read as seconds at a glance.
const MOST_IN_UNIT: [f64; 6] = [1e3, 1e3, 1e3, 1e3, 600.0, f64::INFINITY];

/// How exact a duration is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Precision {
    /// A sum or a mean: two decimals.
    Exact,
    /// A percentile, known to 1.1 %: three digits.
    Estimate,
}

/// A duration in its best unit.
pub fn duration(ns: u64, precision: Precision) -> Digits {
    let ns = ns as f64;
    let decimals = |value: f64, unit: &str| match precision {
        _ if unit == "ns" => 0,
        Precision::Exact => 2,
        Precision::Estimate if value < 9.995 => 2,
        Precision::Estimate if value < 99.95 => 1,
        Precision::Estimate => 0,
    };
    let fits = |index: &usize| {
        let (unit, size) = UNITS[*index];
        let value = ns / size;
        // Rounding may reach the next unit: 999.996 µs is 1.00 ms.
        let scale = 10_f64.powi(decimals(value, unit));
        (value * scale).round() / scale < MOST_IN_UNIT[*index]
    };
    let index = (0..UNITS.len()).find(fits).unwrap_or(UNITS.len() - 1);
    let (unit, size) = UNITS[index];
    let value = ns / size;
    Digits::new(&format!("{value:.*}", decimals(value, unit) as usize), unit)
}

/// A measured duration, which may be below a nanosecond's step: three digits.
pub fn measured(ns: f64) -> Digits {
    let (unit, size) = unit_of(ns);
    Digits::new(&three_digits(ns / size), unit)
}

/// Units of power and of energy, a thousand apart.
const WATTS: [&str; 5] = ["mW", "W", "kW", "MW", "GW"];
const JOULES: [&str; 5] = ["mJ", "J", "kJ", "MJ", "GJ"];

/// Power: three digits.
pub fn watts(value: f64) -> Digits {
    thousands_apart(value * 1e3, WATTS)
}

/// Energy: three digits.
pub fn joules(value: f64) -> Digits {
    thousands_apart(value * 1e3, JOULES)
}

fn thousands_apart(mut value: f64, units: [&'static str; 5]) -> Digits {
    let mut index = 0;
    while value >= 999.5 && index + 1 < units.len() {
        value /= 1e3;
        index += 1;
    }
    Digits::new(&three_digits(value), units[index])
}

/// A measured duration in the unit that `other` has, without it.
pub fn measured_like(ns: f64, other: f64) -> String {
    three_digits(ns / unit_of(other).1)
}

/// An interval of nanoseconds in the unit that `other` has, without it; a dash where there is none.
pub fn interval_like(interval: Option<&(f64, f64)>, other: f64) -> String {
    let like = |ns: &f64| measured_like(*ns, other);
    interval.map_or_else(
        || ABSENT.to_owned(),
        |(low, high)| format!("{} to {}", like(low), like(high)),
    )
}

fn unit_of(ns: f64) -> (&'static str, f64) {
    // Rounding may reach the next unit, as above.
    let fits = |index: &usize| (ns / UNITS[*index].1) * (1.0 + 0.5e-3) < MOST_IN_UNIT[*index];
    let index = (0..UNITS.len()).find(fits).unwrap_or(UNITS.len() - 1);
    UNITS[index]
}

fn three_digits(value: f64) -> String {
    let decimals = match value {
        value if value < 9.995 => 2,
        value if value < 99.95 => 1,
        _ => 0,
    };
    format!("{value:.decimals$}")
}

/// A count with separated thousands.
pub fn count(number: impl Into<u128>) -> Digits {
    Digits::new(&thousands(number), "")
}

/// A count with separated thousands, as text.
pub fn thousands(number: impl Into<u128>) -> String {
    let digits = number.into().to_string();
    let mut text = String::new();
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// Prefixes of the SI, a thousand apart.
const SI: [&str; 11] = ["", "k", "M", "G", "T", "P", "E", "Z", "Y", "R", "Q"];

/// A whole number with the prefix of the SI that leaves one to three digits before the point.
pub fn scaled(number: u128) -> Digits {
    if number < 1_000 {
        return Digits::new(&number.to_string(), "");
    }
    with_prefix(number as f64, |_| 2)
}

/// A number above or below one, such as a rate: three digits and a prefix where it is large.
pub fn rate(value: f64) -> Digits {
    if value == 0.0 {
        return Digits::new("0", "");
    }
    if value > 0.0 && value < 0.0995 {
        return Digits::new(&plain_digits(value, 2), "");
    }
    with_prefix(value, |value| match value {
        value if value < 9.995 => 2,
        value if value < 99.95 => 1,
        _ => 0,
    })
}

fn with_prefix(mut value: f64, decimals: impl Fn(f64) -> usize) -> Digits {
    let mut index = 0;
    // Rounding may reach the next prefix: 999,996 is 1.00 M.
    let rounded = |value: f64| {
        let scale = 10_f64.powi(decimals(value) as i32);
        (value * scale).round() / scale
    };
    while rounded(value) >= 1_000.0 && index + 1 < SI.len() {
        value /= 1_000.0;
        index += 1;
    }
    Digits::new(&format!("{value:.*}", decimals(value)), SI[index])
}

/// A small number with so many digits that are not leading zeros.
fn plain_digits(value: f64, digits: i32) -> String {
    let decimals = (digits - 1 - value.log10().floor() as i32).clamp(0, 12) as usize;
    format!("{value:.decimals$}")
}

/// A whole number of something, in a sentence: `4.09 GMAC`, `12 FLOP`.
pub fn of(number: u128, unit: &str) -> String {
    let digits = scaled(number);
    format!("{}{} {}{unit}", digits.whole, digits.fraction, digits.unit)
}

/// A ratio as percent with one decimal.
pub fn percent(ratio: f64) -> Digits {
    Digits::new(&format!("{:.1}", ratio * 100.0), "%")
}

/// By which part a number is larger, as percent with a sign.
pub fn change(ratio: f64) -> Digits {
    Digits::new(&signed_percent(ratio), "%")
}

/// Two changes, as percents with signs: `+17.2 to +21.4 %`.
pub fn changes(low: f64, high: f64) -> Digits {
    Digits {
        whole: format!("{} to {}", signed_percent(low), signed_percent(high)),
        fraction: String::new(),
        unit: "%",
    }
}

fn signed_percent(ratio: f64) -> String {
    let percent = ratio * 100.0;
    let text = match percent.abs() {
        size if size >= 999.5 => format!("{percent:+.0}"),
        _ => format!("{percent:+.1}"),
    };
    unsigned_zero(text)
}

/// What is rounded to zero has no sign.
fn unsigned_zero(text: String) -> String {
    let is_zero = text.bytes().all(|byte| b"+-0.".contains(&byte));
    if is_zero { text[1..].to_owned() } else { text }
}

/// Nanoseconds more or less, with their sign: three digits.
pub fn difference(ns: f64) -> Digits {
    if ns == 0.0 {
        return Digits::new("0", "ns");
    }
    let (unit, size) = unit_of(ns.abs());
    let sign = if ns < 0.0 { '-' } else { '+' };
    let text = format!("{sign}{}", three_digits(ns.abs() / size));
    Digits::new(&unsigned_zero(text), unit)
}

/// A number of unknown size, such as a metric: five digits.
pub fn plain(value: f64) -> String {
    let size = value.abs();
    if value == 0.0 {
        "0".to_owned()
    } else if (1e-4..1e7).contains(&size) {
        let decimals = (4 - size.log10().floor() as i32).clamp(0, 8) as usize;
        let text = format!("{value:.decimals$}");
        if text.contains('.') {
            text.trim_end_matches('0').trim_end_matches('.').to_owned()
        } else {
            text
        }
    } else {
        format!("{value:.4e}")
    }
}

/// A number with three digits and the SI prefix (10³, 10⁶, …) of its unit.
pub fn si(value: f64, unit: &str) -> String {
    const PREFIXES: [&str; 9] = ["", "k", "M", "G", "T", "P", "E", "Z", "Y"];
    let mut value = value;
    let mut index = 0;
    while value.abs() >= 999.5 && index + 1 < PREFIXES.len() {
        value /= 1e3;
        index += 1;
    }
    let decimals = match value.abs() {
        size if index == 0 && value.fract() == 0.0 || size >= 99.95 => 0,
        size if size >= 9.995 => 1,
        _ => 2,
    };
    format!("{value:.decimals$} {}{unit}", PREFIXES[index])
}

/// Bytes with a binary prefix.
pub fn bytes(number: u64) -> String {
    many_bytes(number.into()).inline()
}

/// Bytes with a binary prefix, for a column; below zero where more was freed than allocated.
pub fn memory(number: i64) -> Digits {
    binary(number as f64)
}

/// Bytes with a binary prefix, for a column, however many.
pub fn many_bytes(number: u128) -> Digits {
    binary(number as f64)
}

fn binary(mut value: f64) -> Digits {
    const PREFIXES: [&str; 7] = ["B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"];
    let mut index = 0;
    while value.abs() >= 1023.95 && index + 1 < PREFIXES.len() {
        value /= 1024.0;
        index += 1;
    }
    let decimals = usize::from(index > 0);
    Digits::new(&format!("{value:.decimals$}"), PREFIXES[index])
}

/// A number with its noun.
pub fn plural(count: u64, one: &str, many: &str) -> String {
    format!(
        "{} {}",
        thousands(count),
        if count == 1 { one } else { many }
    )
}

#[cfg(test)]
#[path = "quantity_tests.rs"]
mod tests;
