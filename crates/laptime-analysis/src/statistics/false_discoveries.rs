//! The tests among many that found something, when each may be wrong.
//!
//! A share of `rate` at most of those that are kept is expected to be chance (Benjamini and
//! Hochberg, *Controlling the false discovery rate*, 1995). Tests may be positively dependent, as spans
//! that contain each other are (Benjamini and Yekutieli 2001).

/// Returns for each test the smallest rate at which it would still be kept.
pub fn adjusted(p_values: &[f64]) -> Vec<f64> {
    let count = p_values.len();
    let mut by_size: Vec<usize> = (0..count).collect();
    by_size.sort_unstable_by(|one, other| p_values[*one].total_cmp(&p_values[*other]));
    let mut adjusted = vec![1.0; count];
    let mut least = 1.0_f64;
    for (rank, index) in by_size.into_iter().enumerate().rev() {
        least = least.min(p_values[index] * (count as f64 / (rank + 1) as f64));
        adjusted[index] = least;
    }
    adjusted
}
