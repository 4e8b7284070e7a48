//! Collectives between ranks: bytes over their links, and the sums of reductions.
//!
//! Source: the performance notes of the NCCL tests, which reckon bus bandwidth so that it compares
//! with the links' whatever the number of ranks: an all-reduce moves `2 (p − 1) / p` of its data,
//! gathers, scatters and all-to-all `(p − 1) / p` of what all ranks have together, a broadcast, a
//! reduction to one and a message all of it once.

use laptime_core::Cost;

use super::work::Work;
use crate::tensor::Dtype;

/// Kinds of collectives.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Collective {
    /// Every rank gets the sum.
    AllReduce,
    /// Every rank gets a part of the sum.
    ReduceScatter,
    /// Every rank, or one, gets all parts; or gives them out; or each gives a part to each.
    Exchange,
    /// One rank's data goes to all, or to one.
    Send,
    /// One rank gets the sum.
    Reduce,
}

/// A collective among so many ranks, over so many elements: of the whole, that is of an
/// all-reduce's tensor, and of all ranks' parts together.
pub fn cost(collective: Collective, ranks: u128, elements: u128, dtype: Dtype) -> Cost {
    let bytes = elements.saturating_mul(u128::from(dtype.bits)).div_ceil(8);
    let share = |all: u128| {
        let others = all.saturating_mul(ranks.saturating_sub(1));
        others.div_ceil(ranks.max(1))
    };
    let (communication_bytes, sums) = match collective {
        Collective::AllReduce => (share(bytes.saturating_mul(2)), share(elements)),
        Collective::ReduceScatter => (share(bytes), share(elements)),
        Collective::Exchange => (share(bytes), 0),
        Collective::Send | Collective::Reduce if ranks < 2 => (0, 0),
        Collective::Send => (bytes, 0),
        Collective::Reduce => (bytes, share(elements)),
    };
    Cost {
        communication_bytes,
        ..Work::arithmetic(1).on(sums, dtype)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::family::by_hand::assert_costs;

    #[test]
    fn a_thousand_numbers_among_four_ranks_by_hand() {
        let of = |collective, ranks| cost(collective, ranks, 1000, Dtype::F32);
        // 4000 bytes; 3/4 of them 3000, of twice as many 6000; 3/4 of 1000 additions 750.
        assert_costs(&[
            (
                "all-reduce",
                of(Collective::AllReduce, 4),
                &[("flop", 750), ("links", 6000)],
            ),
            (
                "reduce-scatter",
                of(Collective::ReduceScatter, 4),
                &[("flop", 750), ("links", 3000)],
            ),
            ("exchange", of(Collective::Exchange, 4), &[("links", 3000)]),
            ("send", of(Collective::Send, 4), &[("links", 4000)]),
            (
                "reduce",
                of(Collective::Reduce, 4),
                &[("flop", 750), ("links", 4000)],
            ),
            (
                "reduce of two",
                of(Collective::Reduce, 2),
                &[("flop", 500), ("links", 4000)],
            ),
            ("all-reduce of one", of(Collective::AllReduce, 1), &[]),
            ("exchange of one", of(Collective::Exchange, 1), &[]),
            ("send to nobody", of(Collective::Send, 1), &[]),
            ("reduce of one", of(Collective::Reduce, 1), &[]),
            ("all-reduce of none", of(Collective::AllReduce, 0), &[]),
            // 3 elements of 4 bits are 2 bytes.
            (
                "half bytes",
                cost(Collective::Send, 2, 3, Dtype::integer(4)),
                &[("links", 2)],
            ),
        ]);
    }
}
