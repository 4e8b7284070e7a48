//! Quantities in the middle of a sentence: to a digit that tells how much it is, no more.

/// Writes a duration with one decimal below a hundred of its unit, such as `3.2 s`.
pub fn coarse(ns: u64) -> String {
    let ns = ns as f64;
    let (value, unit) = match ns {
        _ if ns < 1e3 => (ns, "ns"),
        _ if ns < 1e6 => (ns / 1e3, "µs"),
        _ if ns < 1e9 => (ns / 1e6, "ms"),
        _ => (ns / 1e9, "s"),
    };
    if value < 99.95 && unit != "ns" {
        format!("{value:.1} {unit}")
    } else {
        format!("{value:.0} {unit}")
    }
}

/// Writes how long ago something was, in whole minutes, hours or days, such as `3 h ago`.
pub fn ago(ns: u64) -> String {
    let minutes = ns / 60_000_000_000;
    match minutes {
        0 => "just now".to_owned(),
        1..=119 => format!("{minutes} min ago"),
        120..=2_879 => format!("{} h ago", minutes / 60),
        _ => format!("{} days ago", minutes / 1_440),
    }
}

/// Writes a number with its noun, its thousands not apart.
pub fn plain_plural(count: u64, one: &str, many: &str) -> String {
    format!("{count} {}", if count == 1 { one } else { many })
}

/// Writes a duration that another one is below: one digit, rounded up.
pub fn upper_bound(ns: f64) -> String {
    let digit = 10_f64.powf(ns.max(1.0).log10().floor());
    let ns = (ns / digit).ceil() * digit;
    let (size, unit) = match ns {
        _ if ns < 1e3 => (1.0, "ns"),
        _ if ns < 1e6 => (1e3, "µs"),
        _ if ns < 1e9 => (1e6, "ms"),
        _ => (1e9, "s"),
    };
    format!("{:.0} {unit}", ns / size)
}

/// Writes a part of a time in percent, with a decimal below ten.
pub fn coarse_percent(ratio: f64) -> String {
    let percent = ratio * 100.0;
    let digits = usize::from(percent < 9.95);
    format!("{percent:.digits$} %")
}

/// Writes the confidence of an interval in percent, with as many digits as tell it from all: `95 %`, `99.8 %`.
pub fn confidence(ratio: f64) -> String {
    let zeros = -(1.0 - ratio).max(1e-9).log10();
    let digits = (zeros.ceil() - 2.0).max(0.0) as usize;
    format!("{:.digits$} %", ratio * 100.0)
}

/// Writes a number without a fraction, its thousands apart.
pub fn grouped(number: f64) -> String {
    let digits = format!("{number:.0}");
    let mut text = String::new();
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// Writes a number with four decimals at most, or as it is where these would say nothing.
pub fn significant(number: f64) -> String {
    let size = number.abs();
    if number == 0.0 || !(0.01..1e15).contains(&size) {
        return number.to_string();
    }
    let text = format!("{number:.4}");
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}
