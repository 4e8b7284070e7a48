//! One of several processes that train side by side is slower, or holds the others up.

use super::evidence::Evidence;
use crate::summarize::ranks;
use crate::summary::finding::Finding;

/// Finds the slowest of them, if it differs from the fastest.
pub fn find(evidence: &Evidence<'_>) -> Option<Finding> {
    ranks::difference(&evidence.summary.ranks)
}
