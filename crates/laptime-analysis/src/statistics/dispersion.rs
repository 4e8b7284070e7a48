//! How far values lie apart, told by ranks: what a few outliers do to a standard deviation they
//! don't do to these (Hampel, *The influence curve and its role in robust estimation*, 1974).

use crate::quantiles;

/// Median absolute deviation of normal values to their standard deviation.
pub const MAD_TO_DEVIATION: f64 = 1.482_602_218_505_602;

/// Median distance from the median; `None` for no values.
pub fn mad(sorted: &[f64]) -> Option<f64> {
    let median = quantiles::median(sorted)?;
    let mut distances: Vec<f64> = sorted.iter().map(|value| (value - median).abs()).collect();
    distances.sort_unstable_by(f64::total_cmp);
    quantiles::median(&distances)
}

/// Distance between the quartiles; `None` for no values.
///
/// Quartiles lie between neighbours, as in most packages (Hyndman and Fan, *Sample quantiles in
/// statistical packages*, 1996, definition 7).
pub fn iqr(sorted: &[f64]) -> Option<f64> {
    let last = sorted.len().checked_sub(1)?;
    let quartile = |ratio: f64| {
        let rank = ratio * last as f64;
        let (below, above) = (sorted[rank.floor() as usize], sorted[rank.ceil() as usize]);
        below + (above - below) * rank.fract()
    };
    Some(quartile(0.75) - quartile(0.25))
}
