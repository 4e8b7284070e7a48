//! Values that lie above all others of their kind, further than chance explains.
//!
//! The generalised extreme deviate test (Rosner, *Percentage points for a generalized ESD many-outlier procedure*,
//! Technometrics 25, 1983), one-sided, so that several outliers don't hide each other. The spread of the others is
//! moderated by a prior (Smyth, *Linear models and empirical Bayes methods*, 2004): few ranks that happen to agree are
//! no reason to call the next one an outlier.

use crate::statistics::student;

/// Usual difference between ranks, as a share of a part.
const USUAL_SPREAD: f64 = 0.01;
/// How many ranks that experience counts for.
const PRIOR: f64 = 10.0;

/// Returns the indices of the outliers, the largest first, at a chance of `alpha` that there is one among values that
/// have none. Fewer than half of the values can be outliers.
pub fn above(values: &[f64], alpha: f64) -> Vec<usize> {
    let mut order: Vec<usize> = (0..values.len()).collect();
    order.sort_by(|a, b| values[*b].total_cmp(&values[*a]));
    let most = values.len().saturating_sub(1) / 2;
    let tail = |skipped: usize| order[skipped..].iter().map(|index| values[*index]);
    let mut outliers = 0;
    for candidates in 1..=most {
        let rest = (values.len() - candidates) as f64;
        let mean = tail(candidates).sum::<f64>() / rest;
        let squares: f64 = tail(candidates).map(|value| (value - mean).powi(2)).sum();
        let freedom = PRIOR + rest - 1.0;
        let spread = ((PRIOR * USUAL_SPREAD.powi(2) + squares) / freedom).sqrt();
        let distance =
            (values[order[candidates - 1]] - mean) / (spread * (1.0 + 1.0 / rest).sqrt());
        if distance > 0.0 && student::two_sided(distance, freedom) / 2.0 < alpha / (rest + 1.0) {
            outliers = candidates;
        }
    }
    order.truncate(outliers);
    order
}
