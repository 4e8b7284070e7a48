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

    #[test]
    fn a_thousand_numbers_among_four_ranks_by_hand() {
        let among_four = |collective| {
            let cost = cost(collective, 4, 1000, Dtype::F32);
            (cost.communication_bytes, cost.other_flop)
        };
        assert_eq!(among_four(Collective::AllReduce), (6000, 750));
        assert_eq!(among_four(Collective::ReduceScatter), (3000, 750));
        assert_eq!(among_four(Collective::Exchange), (3000, 0));
        assert_eq!(among_four(Collective::Send), (4000, 0));
        assert_eq!(among_four(Collective::Reduce), (4000, 750));
    }

    #[test]
    fn one_rank_alone_sends_nothing() {
        for collective in [
            Collective::AllReduce,
            Collective::Exchange,
            Collective::Send,
        ] {
            assert_eq!(cost(collective, 1, 1000, Dtype::F32), Cost::default());
        }
    }
}
