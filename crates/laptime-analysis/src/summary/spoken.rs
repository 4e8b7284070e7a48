//! The few numbers that comparisons write as text.

/// A duration with three digits, such as `3.2 s`.
pub fn spoken(ns: u64) -> String {
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

/// A number without a fraction, its thousands apart.
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

/// A number with four decimals at most, or as it is where these would say nothing.
pub fn significant(number: f64) -> String {
    let size = number.abs();
    if number == 0.0 || !(0.01..1e15).contains(&size) {
        return number.to_string();
    }
    let text = format!("{number:.4}");
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}
