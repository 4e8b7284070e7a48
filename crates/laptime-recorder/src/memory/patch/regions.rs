//! Mappings that were counted, so that unmapping counts exactly those.
//!
//! A program maps files too, and memory that it only reserves; what it unmaps may be any part
//! of anything. Mappings are few and slow, so a list under a lock will do.

use std::collections::BTreeMap;

use crate::lock::Lock;

/// End by start, in bytes; no two overlap.
#[derive(Debug, Default)]
pub struct Regions(BTreeMap<usize, usize>);

static REGIONS: Lock<Regions> = Lock::new(Regions(BTreeMap::new()));

/// Runs with the mappings locked. A thread that forks holds the lock already and does not come here.
pub fn with<R>(run: impl FnOnce(&mut Regions) -> R) -> R {
    run(&mut REGIONS.lock())
}

impl Regions {
    /// Takes a range out, with the parts of mappings that reach into it. Bytes that were counted.
    pub fn remove(&mut self, start: usize, len: usize) -> usize {
        let end = start.saturating_add(len);
        let mut removed = 0;
        while let Some((&from, &to)) = self.0.range(..end).next_back() {
            if to <= start {
                break;
            }
            self.0.remove(&from);
            if from < start {
                self.0.insert(from, start);
            }
            if to > end {
                self.0.insert(end, to);
            }
            removed += to.min(end) - from.max(start);
            if from <= start {
                break;
            }
        }
        removed
    }

    /// Adds a range. Bytes that it counts, less those it replaces.
    pub fn insert(&mut self, start: usize, len: usize) -> i64 {
        let replaced = self.remove(start, len);
        self.0.insert(start, start.saturating_add(len));
        len as i64 - replaced as i64
    }
}

/// Locks over a fork.
pub fn lock_for_fork() {
    REGIONS.hold();
}

/// Undoes [`lock_for_fork`].
///
/// # Safety
/// The calling thread holds the lock.
pub unsafe fn unlock_after_fork() {
    // SAFETY: the caller's promise.
    unsafe { REGIONS.release() };
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unmapping_counts_what_was_counted_and_no_more() {
        let mut regions = Regions::default();
        assert_eq!(regions.insert(100, 100), 100);
        assert_eq!(regions.insert(300, 100), 100);
        assert_eq!(regions.remove(0, 100), 0);
        assert_eq!(regions.remove(150, 10), 10);
        assert_eq!(regions.remove(120, 200), 30 + 40 + 20);
        assert_eq!(regions.insert(90, 20), 10);
        assert_eq!(regions.remove(0, 1_000), 30 + 80);
        assert_eq!(regions.remove(0, 1_000), 0);
    }
}
