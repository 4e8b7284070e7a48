//! Reasons why numbers are absent, by their names.

use laptime_core::Unavailable;
use serde::{Serialize, Serializer};

/// Reasons by the names of numbers, in the order of the names. Nearly every row has none or one.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Reasons(Vec<(String, Unavailable)>);

impl Reasons {
    /// Returns the reason of a number.
    pub fn get(&self, name: &str) -> Option<&Unavailable> {
        let at = self.place(name).ok()?;
        Some(&self.0[at].1)
    }

    /// Tells whether a number has a reason.
    pub fn contains_key(&self, name: &str) -> bool {
        self.place(name).is_ok()
    }

    /// Gives a number its reason.
    pub fn insert(&mut self, name: String, reason: Unavailable) {
        match self.place(&name) {
            Ok(at) => self.0[at].1 = reason,
            Err(at) => {
                if self.0.is_empty() {
                    self.0.reserve_exact(1);
                }
                self.0.insert(at, (name, reason));
            }
        }
    }

    /// Tells whether no number has a reason.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    fn place(&self, name: &str) -> Result<usize, usize> {
        self.0
            .binary_search_by(|(known, _)| known.as_str().cmp(name))
    }
}

impl Serialize for Reasons {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.0.iter().map(|(name, reason)| (name, reason)))
    }
}
