//! Bars of one window as beginnings and ends, in the order in which they nest.
//!
//! Where two begin at the same nanosecond the outer one comes first, and where one ends as the next
//! one begins its end comes first. A bar of no length counts as inside of what is shallower only.

use laptime_core::PathId;

/// A span on its lane.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Bar {
    /// The lane's number.
    pub lane: u32,
    /// How many paths its own is inside of.
    pub depth: u32,
    /// Where it begins.
    pub start_ns: u64,
    /// Where it ends.
    pub end_ns: u64,
    /// Its path.
    pub path: PathId,
    /// Where to find what it says besides.
    pub notes: Option<u32>,
    /// Whether its end is no end.
    pub is_open: bool,
}

/// One end of a bar.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Edge {
    /// Where it begins.
    Begin(Bar),
    /// Where it ends.
    End(Bar),
}

impl Edge {
    /// The bar.
    pub fn bar(&self) -> &Bar {
        match self {
            Self::Begin(bar) | Self::End(bar) => bar,
        }
    }
}

/// Lane by lane, all beginnings and ends in order of time.
pub fn in_order(bars: &mut [Bar]) -> impl Iterator<Item = Edge> {
    // Stable: of two that are alike the one that was told first ended first.
    bars.sort_by_key(|bar| {
        let length = bar.end_ns - bar.start_ns;
        (bar.lane, bar.start_ns, bar.depth, u64::MAX - length)
    });
    let mut bars = bars.iter().copied().peekable();
    let mut open: Vec<Bar> = Vec::new();
    std::iter::from_fn(move || {
        let next = bars.peek();
        let is_over = open.last().is_some_and(|last| {
            next.is_none_or(|next| {
                let touches = last.end_ns == next.start_ns && last.depth >= next.depth;
                next.lane != last.lane || last.end_ns < next.start_ns || touches
            })
        });
        if is_over {
            return open.pop().map(Edge::End);
        }
        let bar = bars.next()?;
        open.push(bar);
        Some(Edge::Begin(bar))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bar(depth: u32, start_ns: u64, end_ns: u64) -> Bar {
        Bar {
            lane: 1,
            depth,
            start_ns,
            end_ns,
            path: PathId(2),
            notes: None,
            is_open: false,
        }
    }

    fn told(mut bars: Vec<Bar>) -> Vec<(bool, u32, u64)> {
        let edges = in_order(&mut bars);
        edges
            .map(|edge| match edge {
                Edge::Begin(bar) => (true, bar.depth, bar.start_ns),
                Edge::End(bar) => (false, bar.depth, bar.end_ns),
            })
            .collect()
    }

    #[test]
    fn the_outer_one_begins_first_where_both_begin_at_once() {
        assert_eq!(
            told(vec![bar(1, 0, 5), bar(0, 0, 9)]),
            [(true, 0, 0), (true, 1, 0), (false, 1, 5), (false, 0, 9)]
        );
    }

    #[test]
    fn one_ends_before_the_next_begins_at_that_moment() {
        assert_eq!(
            told(vec![bar(1, 0, 5), bar(1, 5, 9), bar(0, 0, 9), bar(0, 9, 9)]),
            [
                (true, 0, 0),
                (true, 1, 0),
                (false, 1, 5),
                (true, 1, 5),
                (false, 1, 9),
                (false, 0, 9),
                (true, 0, 9),
                (false, 0, 9)
            ]
        );
    }

    #[test]
    fn what_took_no_time_stays_inside_of_what_took_none() {
        assert_eq!(
            told(vec![bar(1, 3, 3), bar(0, 3, 3)]),
            [(true, 0, 3), (true, 1, 3), (false, 1, 3), (false, 0, 3)]
        );
    }
}
