//! Work of a rank in a step, by which its peers are found.

use super::OwnPart;

/// Work of a rank in a step, as a number: the same for the same work, on every machine. It tells who its peers are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Work(u64);

impl Work {
    /// Nothing yet.
    pub const NONE: Self = Self(0xcbf2_9ce4_8422_2325);

    /// A phase of the step begins. One that goes on is the same.
    #[must_use]
    pub fn phase(self, part: OwnPart) -> Self {
        self.with(&[1, part as u8])
    }

    /// A collective is entered: its kind, the ranks of its group, and its bytes where they are told.
    #[must_use]
    pub fn collective(self, kind: &str, group: &[u32], bytes: Option<u64>) -> Self {
        let mut work = self.with(&[2]).with(kind.as_bytes());
        // The size alone: each replica's group has other ranks, and does the same.
        work = work.with(&(group.len() as u64).to_le_bytes());
        match bytes {
            Some(bytes) => work.with(&[1]).with(&bytes.to_le_bytes()),
            None => work.with(&[0]),
        }
    }

    /// Returns the number of the peers that do this.
    pub fn peers(self) -> u64 {
        self.0
    }

    /// FNV-1a, which is the same everywhere.
    fn with(self, bytes: &[u8]) -> Self {
        Self(bytes.iter().fold(self.0, |hash, byte| {
            (hash ^ u64::from(*byte)).wrapping_mul(0x0000_0100_0000_01b3)
        }))
    }
}
