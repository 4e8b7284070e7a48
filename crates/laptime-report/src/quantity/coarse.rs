//! Numbers as warnings write them: to a digit that tells how much it is, no more.

/// A duration in a warning: one decimal below a hundred of its unit, such as `3.2 s`.
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

/// A number with its noun, its thousands not apart.
pub fn plain_plural(count: u64, one: &str, many: &str) -> String {
    format!("{count} {}", if count == 1 { one } else { many })
}

/// A part of a time, in percent: with a decimal below ten.
pub fn coarse_percent(ratio: f64) -> String {
    let percent = ratio * 100.0;
    let digits = usize::from(percent < 9.95);
    format!("{percent:.digits$} %")
}
