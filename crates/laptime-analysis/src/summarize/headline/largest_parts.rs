//! Parts of a whole: the largest ones by name, and what the others are together.

use crate::summary::headline::{LargestParts, OtherParts, Part};

/// Most parts that are named.
const MOST_PARTS: usize = 4;
/// The least share of a part that is named.
const LEAST_RATIO: f64 = 0.01;
/// The ratio to the wall time from which on spans of several threads or tasks were open at once.
pub const OVERLAP_RATIO: f64 = 1.05;
/// The least share of what is left over that is told.
pub const REST_RATIO: f64 = 0.05;

/// Returns the largest parts, largest first, and what the others are together. The largest that is no leftover is
/// named however small it is: it is what was measured.
pub fn largest(mut parts: Vec<Part>) -> LargestParts {
    parts.sort_by(|one, other| other.ratio.total_cmp(&one.ratio));
    let Some(first) = parts.iter().find(|part| !part.name.is_leftover()).cloned() else {
        return LargestParts::default();
    };
    parts.retain(|part| part.ratio >= LEAST_RATIO || *part == first);
    // A single other one has a name.
    let most = if parts.len() == MOST_PARTS + 1 {
        parts.len()
    } else {
        MOST_PARTS.min(parts.len())
    };
    let others = parts.split_off(most);
    if others.contains(&first) {
        parts.push(first);
    }
    let ratio: f64 = others.iter().map(|part| part.ratio).sum();
    LargestParts {
        named: parts,
        others: (ratio >= REST_RATIO).then_some(OtherParts {
            count: others.len(),
            ratio,
        }),
    }
}
