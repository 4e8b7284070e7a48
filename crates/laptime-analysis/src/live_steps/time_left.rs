//! The time that a loop will still take.

/// Number of latest rounds whose mean tells the next ones: the first one is slow and later ones may drift.
const LATEST: usize = 5;

/// Estimates how long the rest of a loop of so many rounds will take, in seconds, by the rounds so far. `None` before the
/// first is over.
pub fn left_seconds(durations: &[f64], rounds: u64) -> Option<f64> {
    let left = rounds.saturating_sub(durations.len() as u64);
    let first = usize::from(durations.len() > 1);
    let latest = &durations[first.max(durations.len().saturating_sub(LATEST))..];
    let sum: f64 = latest.iter().sum();
    (!latest.is_empty()).then(|| sum / latest.len() as f64 * left as f64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_rest_takes_what_the_latest_rounds_took() {
        assert_eq!(left_seconds(&[], 5), None);
        assert_eq!(left_seconds(&[10.0], 5), Some(40.0));
        assert_eq!(
            left_seconds(&[10.0, 2.0], 5),
            Some(6.0),
            "the first was a warm-up"
        );
        let drifting = [9.0, 9.0, 9.0, 1.0, 1.0, 1.0, 1.0, 1.0];
        assert_eq!(left_seconds(&drifting, 10), Some(2.0));
        assert_eq!(left_seconds(&drifting, 8), Some(0.0));
        assert_eq!(
            left_seconds(&drifting, 3),
            Some(0.0),
            "more than were announced"
        );
    }
}
