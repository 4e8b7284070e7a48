//! Ranks of values among each other; equal ones share the mean of theirs.

/// Returns the rank of each value, from 1, and how often each value that isn't alone stands there.
pub fn ranks(values: &[f64]) -> (Vec<f64>, Vec<usize>) {
    let mut by_size: Vec<usize> = (0..values.len()).collect();
    by_size.sort_unstable_by(|one, other| values[*one].total_cmp(&values[*other]));
    let (mut ranks, mut ties, mut first) = (vec![0.0; values.len()], Vec::new(), 0);
    for alike in by_size.chunk_by(|one, other| values[*one].total_cmp(&values[*other]).is_eq()) {
        let rank = first as f64 + f64::midpoint(1.0, alike.len() as f64);
        for index in alike {
            ranks[*index] = rank;
        }
        ties.extend((alike.len() > 1).then_some(alike.len()));
        first += alike.len();
    }
    (ranks, ties)
}
