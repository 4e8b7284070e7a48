//! Parts of a total: what each entry is of the time that all of them took.

/// A total and what each entry is of it.
#[derive(Debug, Clone, PartialEq)]
pub struct Shares {
    /// Sum of the entries that ran inside no other, in seconds.
    pub total_seconds: f64,
    /// One for each entry, 1.0 for all of the total; 0.0 of a zero total.
    pub ratios: Vec<f64>,
}

/// The shares of entries, each with its seconds and whether it ran inside another entry.
///
/// Nested entries count once: they have a share of the total but add nothing to it.
pub fn shares(entries: impl IntoIterator<Item = (f64, bool)> + Clone) -> Shares {
    let outermost = entries
        .clone()
        .into_iter()
        .filter(|(_, is_inside)| !is_inside);
    let total_seconds: f64 = outermost
        .map(|(seconds, _)| seconds)
        .fold(0.0, |sum, one| sum + one);
    let ratio = |(seconds, _)| ratio(seconds, total_seconds);
    Shares {
        ratios: entries.into_iter().map(ratio).collect(),
        total_seconds,
    }
}

/// A part of a whole; nothing of nothing is nothing.
fn ratio(part: f64, whole: f64) -> f64 {
    if whole > 0.0 { part / whole } else { 0.0 }
}
