//! Numbers with a prefix that leaves one to three digits before the point.

/// A number split at its decimal point, so that a column can align it.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Digits {
    /// The characters before the decimal point.
    pub whole: String,
    /// The point and what follows; empty for whole numbers.
    pub fraction: String,
    /// The unit, without a space.
    pub unit: &'static str,
}

impl Digits {
    /// Returns the number with its unit as running text, outside of a column.
    pub fn inline(&self) -> String {
        let space = if self.unit.is_empty() { "" } else { " " };
        format!("{}{}{space}{}", self.whole, self.fraction, self.unit)
    }

    pub(super) fn new(text: &str, unit: &'static str) -> Self {
        let (whole, fraction) = text.split_at(text.find('.').unwrap_or(text.len()));
        Self {
            whole: whole.to_owned(),
            fraction: fraction.to_owned(),
            unit,
        }
    }
}

/// The sign that stands for an absent number.
pub const ABSENT: &str = "–";

/// Units of power and of energy, a thousand apart.
const WATTS: [&str; 5] = ["mW", "W", "kW", "MW", "GW"];
const JOULES: [&str; 5] = ["mJ", "J", "kJ", "MJ", "GJ"];

/// Formats a power with three digits.
pub fn watts(value: f64) -> Digits {
    thousands_apart(value * 1e3, WATTS)
}

/// Formats an energy with three digits.
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

pub(super) fn three_digits(value: f64) -> String {
    let decimals = match value {
        value if value < 9.995 => 2,
        value if value < 99.95 => 1,
        _ => 0,
    };
    format!("{value:.decimals$}")
}

/// Formats a count with separated thousands.
pub fn count(number: impl Into<u128>) -> Digits {
    Digits::new(&thousands(number), "")
}

/// Formats a count with separated thousands as one text.
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

/// Formats a whole number with three digits and the prefix of the SI that leaves one to three of them before the point.
pub fn scaled(number: u128) -> Digits {
    if number < 1_000 {
        return Digits::new(&number.to_string(), "");
    }
    with_prefix(number as f64)
}

/// Formats a number above or below one, such as a rate, with three digits and, where it is large, a prefix.
pub fn rate(value: f64) -> Digits {
    if value == 0.0 {
        return Digits::new("0", "");
    }
    if value > 0.0 && value < 0.0995 {
        return Digits::new(&plain_digits(value, 2), "");
    }
    with_prefix(value)
}

fn with_prefix(mut value: f64) -> Digits {
    let mut index = 0;
    // Rounding may reach the next prefix: 999,600 is 1.00 M.
    while value >= 999.5 && index + 1 < SI.len() {
        value /= 1_000.0;
        index += 1;
    }
    Digits::new(&three_digits(value), SI[index])
}

/// Formats a small number with as many digits after its leading zeros as asked for.
fn plain_digits(value: f64, digits: i32) -> String {
    let decimals = (digits - 1 - value.log10().floor() as i32).clamp(0, 12) as usize;
    format!("{value:.decimals$}")
}

/// Formats a whole number with its unit for a sentence: `4.09 GMAC`, `12 FLOP`.
pub fn with_unit(number: u128, unit: &str) -> String {
    let digits = scaled(number);
    format!("{}{} {}{unit}", digits.whole, digits.fraction, digits.unit)
}

/// Formats a ratio as percent with one decimal, all as `100 %`.
pub fn percent(ratio: f64) -> Digits {
    let percent = ratio * 100.0;
    let decimals = usize::from(percent.abs() < 99.95);
    Digits::new(&format!("{percent:.decimals$}"), "%")
}

/// Formats a multiple of a whole: `3.9 ×`.
pub fn times(ratio: f64) -> Digits {
    let decimals = if ratio < 1.05 { 2 } else { 1 };
    Digits::new(&format!("{ratio:.decimals$}"), "×")
}

/// Formats a relative change as percent with a sign.
pub fn change(ratio: f64) -> Digits {
    Digits::new(&signed_percent(ratio), "%")
}

/// Formats two changes as percents with signs: `+17.2 to +21.4 %`.
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

/// Removes the sign of a number that was rounded to zero.
pub(super) fn unsigned_zero(text: String) -> String {
    let is_zero = text.bytes().all(|byte| b"+-0.".contains(&byte));
    if is_zero { text[1..].to_owned() } else { text }
}

/// Formats a number of unknown size, such as a metric, with five digits.
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

/// Formats a number with three digits and the SI prefix (10³, 10⁶, …) of its unit.
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

/// Formats bytes with a binary prefix as one text.
pub fn bytes(number: u64) -> String {
    many_bytes(number.into()).inline()
}

/// Formats bytes with a binary prefix for a column; below zero where more was freed than allocated.
pub fn memory(number: i64) -> Digits {
    binary(number as f64)
}

/// Formats bytes that may exceed 64 bits with a binary prefix, for a column.
pub fn many_bytes(number: u128) -> Digits {
    binary(number as f64)
}

fn binary(mut value: f64) -> Digits {
    const PREFIXES: [&str; 7] = ["B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"];
    let mut index = 0;
    while value.abs() >= 1023.5 && index + 1 < PREFIXES.len() {
        value /= 1024.0;
        index += 1;
    }
    if index == 0 {
        return Digits::new(&format!("{value:.0}"), PREFIXES[0]);
    }
    let sign = if value < 0.0 { "-" } else { "" };
    let text = format!("{sign}{}", three_digits(value.abs()));
    Digits::new(&text, PREFIXES[index])
}

/// Formats a number with its noun.
pub fn plural(count: u64, one: &str, many: &str) -> String {
    format!(
        "{} {}",
        thousands(count),
        if count == 1 { one } else { many }
    )
}
