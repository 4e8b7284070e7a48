//! Which counted calls a formula may be made from: those that differ from a call in few sizes.

use super::formula::{HELD_OUT, Sample};

/// Groups of sizes that change on their own, at most: any more are lists, not sizes.
const MOST_GROUPS: usize = 6;

/// Calls that agree with one in all sizes but some.
pub struct Slice {
    /// The calls, by their place among all that were counted.
    pub alike: Vec<usize>,
    /// Where the sizes stand that change, one of those that change together.
    pub free: Vec<usize>,
}

/// All that are large enough for a formula, those first in which fewest sizes change.
pub fn slices(samples: &[Sample], sizes: &[i64]) -> Vec<Slice> {
    let groups = groups(samples, sizes);
    if groups.len() > MOST_GROUPS {
        return Vec::new();
    }
    let mut changing: Vec<u32> = (1..1 << groups.len()).collect();
    changing.sort_by_key(|set| set.count_ones());
    let slices = changing.into_iter();
    let slices = slices.filter_map(|set| slice(samples, sizes, &groups, set));
    slices.collect()
}

/// Sizes that change, each by the first place where it stands.
fn groups(samples: &[Sample], sizes: &[i64]) -> Vec<usize> {
    let column = |at: usize| samples.iter().map(move |sample| sample.sizes[at]);
    let mut groups: Vec<usize> = Vec::new();
    for at in 0..sizes.len() {
        let changes = column(at).any(|size| size != sizes[at]);
        let is_same = |other: &usize| sizes[*other] == sizes[at] && column(*other).eq(column(at));
        if changes && !groups.iter().any(is_same) {
            groups.push(at);
        }
    }
    groups
}

/// The calls that agree with some sizes in all groups but those of a set, and where these stand.
/// `None` where one of them does not change, or where too few calls are left.
fn slice(samples: &[Sample], sizes: &[i64], groups: &[usize], set: u32) -> Option<Slice> {
    let is_in = |group: usize| set >> group & 1 == 1;
    let agrees = |sample: &Sample| {
        let mut groups = groups.iter().enumerate();
        groups.all(|(group, at)| is_in(group) || sample.sizes[*at] == sizes[*at])
    };
    let alike: Vec<usize> = (0..samples.len())
        .filter(|index| agrees(&samples[*index]))
        .collect();
    let varies = |at: usize| {
        let mut values = alike.iter().map(|index| samples[*index].sizes[at]);
        values
            .next()
            .is_some_and(|first| values.any(|other| other != first))
    };
    let free: Vec<usize> = (0..groups.len())
        .filter(|group| is_in(*group))
        .map(|group| groups[group])
        .collect();
    (alike.len() > HELD_OUT && free.iter().all(|at| varies(*at))).then_some(Slice { alike, free })
}
