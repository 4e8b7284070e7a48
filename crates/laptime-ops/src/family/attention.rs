//! Scaled dot product attention: `softmax(Q Kᵀ · scale) V`, its mask, and its gradients.
//!
//! Source: Vaswani et al., *Attention is all you need* (2017), for the forward; Dao, *FlashAttention-2*
//! (2023), for what fused kernels run: their backward computes `Q Kᵀ` again, five products where the
//! model asks for four. Query heads count, however few heads keys and values have. Scores are
//! counted dense; [`Mask`] tells which of them a mask known by shape leaves active.

use laptime_core::Cost;

use super::matmul::macs;
use super::softmax;
use super::work::Work;
use crate::tensor::{Dtype, Tensor, product};

/// Which keys a query meets, as far as shapes tell.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Mask {
    /// All, or those that a mask leaves whose values nobody knows here.
    #[default]
    Dense,
    /// The first query meets the first key, each further one another key.
    CausalTopLeft,
    /// The last query meets the last key, each earlier one a key less.
    CausalBottomRight,
    /// Around the key that stands where the query stands, the ends aligned: so many before and so
    /// many after. `None`: all.
    Window {
        /// Keys before.
        left: Option<u64>,
        /// Keys after.
        right: Option<u64>,
    },
}

/// The sizes of attention.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Attention {
    /// Sequences.
    pub batch: u128,
    /// Heads of the queries.
    pub heads: u128,
    /// Queries of a sequence.
    pub queries: u128,
    /// Keys of a sequence.
    pub keys: u128,
    /// Elements of a query and of a key.
    pub key_size: u128,
    /// Elements of a value.
    pub value_size: u128,
    /// Which scores a mask leaves.
    pub mask: Mask,
}

/// Each score is scaled.
const SCALE: Work = Work::arithmetic(1);

/// `1 + 2 + … + count`.
fn triangle(count: u128) -> u128 {
    let next = count.saturating_add(1);
    if count.is_multiple_of(2) {
        (count / 2).saturating_mul(next)
    } else {
        count.saturating_mul(next / 2)
    }
}

/// The sum over `i` from 1 to `count` of `i + shift`, held between 0 and `limit`.
fn clamped_ramp(count: u128, shift: i128, limit: u128) -> u128 {
    // Up to where the term reaches a value, the rest of the terms is a triangle below it.
    let below = |value: u128| -> u128 {
        let reached = i128::try_from(value)
            .unwrap_or(i128::MAX)
            .saturating_sub(shift);
        u128::try_from(reached).unwrap_or(0).min(count)
    };
    let (zero, full) = (below(0), below(limit));
    let rising = full - zero;
    let start = u128::try_from((zero as i128).saturating_add(shift)).unwrap_or(0);
    let ramp = triangle(rising).saturating_add(rising.saturating_mul(start));
    ramp.saturating_add((count - full).saturating_mul(limit))
}

impl Attention {
    /// Attention without a mask. `None`: too few dimensions.
    ///
    /// **Shapes** `[…, heads, length, size]`; without heads there is one.
    pub fn of(query: &Tensor, key: &Tensor, value: &Tensor) -> Option<Self> {
        let outer = query.shape.len().checked_sub(2)?;
        Some(Self {
            batch: product(&query.shape[..outer.saturating_sub(1)]),
            heads: query.dim(-3).unwrap_or(1),
            queries: query.dim(-2)?,
            keys: key.dim(-2)?,
            key_size: query.dim(-1)?,
            value_size: value.dim(-1)?,
            mask: Mask::Dense,
        })
    }

    /// Pairs of a query and a key, in all heads.
    pub fn scores(&self) -> u128 {
        self.heads_of(self.queries.saturating_mul(self.keys))
    }

    /// Pairs of a query and a key that the mask leaves active, in all heads.
    pub fn active_scores(&self) -> u128 {
        let (queries, keys) = (self.queries, self.keys);
        let dense = queries.saturating_mul(keys);
        let shift = (keys.min(1 << 64) as i128) - (queries.min(1 << 64) as i128);
        let active = match self.mask {
            Mask::Dense => dense,
            Mask::CausalTopLeft => clamped_ramp(queries, 0, keys),
            Mask::CausalBottomRight => clamped_ramp(queries, shift, keys),
            Mask::Window { left, right } => {
                // Keys up to the right end, less those before the left end.
                let upto = right.map_or(dense, |right| {
                    clamped_ramp(queries, shift.saturating_add(i128::from(right)), keys)
                });
                let before = left.map_or(0, |left| {
                    clamped_ramp(
                        queries,
                        shift.saturating_sub(i128::from(left)).saturating_sub(1),
                        keys,
                    )
                });
                upto.saturating_sub(before)
            }
        };
        self.heads_of(active)
    }

    fn heads_of(&self, scores: u128) -> u128 {
        self.batch.saturating_mul(self.heads).saturating_mul(scores)
    }

    /// Both products, `Q Kᵀ` and `P V`, and scaling and the softmax of every score.
    pub fn forward(&self, dtype: Dtype) -> Cost {
        let each = self.key_size.saturating_add(self.value_size);
        let work = SCALE.and(softmax::FORWARD);
        self.products(each, each) + work.on(self.scores(), dtype)
    }

    /// The four products of the gradients of queries, keys and values, and the softmax's.
    ///
    /// Fused kernels keep no scores: they compute them, and the exponentials, again.
    pub fn backward(&self, dtype: Dtype, fused: bool) -> Cost {
        let each = self
            .key_size
            .saturating_add(self.value_size)
            .saturating_mul(2);
        let again = if fused { self.key_size } else { 0 };
        let exponentials = Work::transcendental(u32::from(fused));
        let work = SCALE.and(exponentials).and(softmax::BACKWARD);
        self.products(each, each.saturating_add(again)) + work.on(self.scores(), dtype)
    }

    /// So many multiply-accumulates for each score, and so many that run.
    fn products(&self, each: u128, run: u128) -> Cost {
        Cost {
            active_mac: self.active_scores().saturating_mul(each),
            executed_mac: self.scores().saturating_mul(run),
            ..macs(self.scores().saturating_mul(each))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::family::by_hand::assert_costs;
    use proptest::prelude::*;

    const SMALL: Attention = Attention {
        batch: 2,
        heads: 3,
        queries: 4,
        keys: 4,
        key_size: 5,
        value_size: 7,
        mask: Mask::CausalTopLeft,
    };

    #[test]
    fn a_causal_sequence_by_hand() {
        // 2 · 3 heads · 4² = 96 scores, of which 2 · 3 · (1 + 2 + 3 + 4) = 60 are active; keys of 5, values of 7.
        assert_costs(&[
            (
                "Q Kᵀ 5, P V 7; a scale 1, a softmax 3",
                SMALL.forward(Dtype::F32),
                &[
                    ("mac", 96 * 12),
                    ("active", 60 * 12),
                    ("flop", 96 * 4),
                    ("transcendental", 96),
                    ("compare", 96),
                ],
            ),
            (
                "dP and dV 7 each, dQ and dK 5 each; a scale 1, a softmax's gradient 4",
                SMALL.backward(Dtype::F32, false),
                &[("mac", 96 * 24), ("active", 60 * 24), ("flop", 96 * 5)],
            ),
            (
                "and Q Kᵀ 5 and its exponential again",
                SMALL.backward(Dtype::F32, true),
                &[
                    ("mac", 96 * 24),
                    ("active", 60 * 24),
                    ("executed", 96 * 29),
                    ("flop", 96 * 5),
                    ("transcendental", 96),
                ],
            ),
        ]);
        assert_eq!(SCALE, Work::arithmetic(1));
    }

    #[test]
    fn the_last_three_dimensions_are_heads_length_and_size() {
        let of = |query: &[u64], key: &[u64], value: &[u64]| {
            let [query, key, value] = [query, key, value].map(|shape| Tensor::f32(shape.to_vec()));
            Attention::of(&query, &key, &value)
        };
        let dense = Attention {
            keys: 6,
            mask: Mask::Dense,
            ..SMALL
        };
        assert_eq!(of(&[2, 3, 4, 5], &[2, 1, 6, 5], &[2, 1, 6, 7]), Some(dense));
        let headless = Attention {
            batch: 1,
            heads: 1,
            ..dense
        };
        assert_eq!(of(&[4, 5], &[6, 5], &[6, 7]), Some(headless));
        assert_eq!(of(&[5], &[6, 5], &[6, 7]), None);
    }

    #[test]
    fn more_keys_than_queries_are_met_from_where_the_mask_is_aligned() {
        // 2 queries, 5 keys: the first corner gives 1 + 2, the last 4 + 5.
        let one = |mask| Attention {
            batch: 1,
            heads: 1,
            queries: 2,
            keys: 5,
            key_size: 1,
            value_size: 1,
            mask,
        };
        assert_eq!(one(Mask::CausalTopLeft).active_scores(), 3);
        assert_eq!(one(Mask::CausalBottomRight).active_scores(), 9);
    }

    proptest! {
        #[test]
        fn active_scores_are_those_that_can_be_counted_one_by_one(
            queries in 0_u64..40,
            keys in 0_u64..40,
            left in proptest::option::of(0_u64..50),
            right in proptest::option::of(0_u64..50),
        ) {
            let with = |mask| Attention {
                batch: 1,
                heads: 1,
                queries: u128::from(queries),
                keys: u128::from(keys),
                key_size: 1,
                value_size: 1,
                mask,
            };
            let shift = keys as i64 - queries as i64;
            let counted = |met: &dyn Fn(i64, i64) -> bool| -> u128 {
                (0..queries as i64)
                    .flat_map(|query| (0..keys as i64).map(move |key| (query, key)))
                    .filter(|&(query, key)| met(query, key))
                    .count() as u128
            };
            prop_assert_eq!(with(Mask::CausalTopLeft).active_scores(), counted(&|query, key| key <= query));
            prop_assert_eq!(
                with(Mask::CausalBottomRight).active_scores(),
                counted(&|query, key| key <= query + shift)
            );
            prop_assert_eq!(
                with(Mask::Window { left, right }).active_scores(),
                counted(&|query, key| {
                    left.is_none_or(|left| key >= query + shift - left as i64)
                        && right.is_none_or(|right| key <= query + shift + right as i64)
                })
            );
        }
    }
}
