//! Folds short neighbours of a lane into one bar, with exact counts and sums.
//!
//! Two bars may fold when both are short, when the gap between them is short too, and when
//! they stand inside the same bar of the lane above. Nothing is lost but the moments at which each of
//! them began.

use std::collections::BTreeMap;

use crate::timeline::bar::Bar;

/// Folds neighbours shorter than `below_ns` in all lanes of a track, given by depth.
pub fn fold(depths: &mut BTreeMap<u32, Vec<Bar>>, below_ns: u64) {
    let mut above: Vec<Bar> = Vec::new();
    for (index, bars) in depths.values_mut().enumerate() {
        bars.sort_by_key(|bar| (bar.start_ns, u64::MAX - bar.duration_ns));
        let parents = if index == 0 { &[] } else { above.as_slice() };
        *bars = folded(bars, parents, below_ns);
        above.clone_from(bars);
    }
}

fn folded(bars: &[Bar], parents: &[Bar], below_ns: u64) -> Vec<Bar> {
    let mut out: Vec<(Bar, Option<usize>)> = Vec::with_capacity(bars.len());
    let mut next_parent = 0;
    for bar in bars {
        while next_parent < parents.len() && parents[next_parent].start_ns <= bar.start_ns {
            next_parent += 1;
        }
        let parent = next_parent
            .checked_sub(1)
            .filter(|index| bar.start_ns < parents[*index].end_ns());
        if let Some((last, last_parent)) = out.last_mut() {
            let gap = bar.start_ns.saturating_sub(last.end_ns());
            let are_short = last.duration_ns < below_ns && bar.duration_ns < below_ns;
            if are_short && gap < below_ns && *last_parent == parent && last.count < u32::MAX / 2 {
                *last = last.joined(bar);
                continue;
            }
        }
        out.push((*bar, parent));
    }
    out.into_iter().map(|(bar, _)| bar).collect()
}
