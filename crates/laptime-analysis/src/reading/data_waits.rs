//! The longest waits of a process for its data, for [`crate::summarize::worker_starts`].

use laptime_core::Span;

use crate::reading::feature::{Context, Feature};
use crate::reading::path_role::Noted;

/// Most waits that are stored: the longest.
pub const MOST: usize = 256;

/// The longest waits for data of a process, in ticks.
#[derive(Debug, Default)]
pub struct DataWaits {
    /// Start and end of each wait.
    pub longest: Vec<(u64, u64)>,
    /// Length of the shortest wait among them once there are [`MOST`]: shorter ones are left out.
    least: u64,
}

impl DataWaits {
    /// Adds a wait.
    pub fn push(&mut self, start: u64, end: u64) {
        if end.saturating_sub(start) < self.least {
            return;
        }
        self.longest.push((start, end));
        if self.longest.len() >= 2 * MOST {
            self.longest
                .sort_unstable_by_key(|(start, end)| std::cmp::Reverse(end - start));
            self.longest.truncate(MOST);
            self.least = self.longest.last().map_or(0, |(start, end)| end - start);
        }
    }
}

impl Feature for DataWaits {
    fn take_span(&mut self, span: &Span, noted: Noted, _: Context<'_>) {
        if noted.is_data {
            self.push(span.start, span.end());
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn the_longest_waits_are_kept(waits in prop::collection::vec(1_u64..1_000_000, 1..2_000)) {
            let mut kept = DataWaits::default();
            for wait in &waits {
                kept.push(7, 7 + wait);
            }
            let mut longest = waits.clone();
            longest.sort_unstable_by(|one, other| other.cmp(one));
            let mut found: Vec<u64> = kept.longest.iter().map(|(start, end)| end - start).collect();
            found.sort_unstable_by(|one, other| other.cmp(one));
            let count = longest.len().min(MOST);
            prop_assert_eq!(&found[..count], &longest[..count]);
        }
    }
}
