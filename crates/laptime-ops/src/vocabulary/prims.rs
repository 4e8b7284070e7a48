//! `PyTorch`'s primitives, to which its decompositions lead. Most are named as in `aten`.

use std::sync::LazyLock;

use super::aten;
use super::table::{Dialect, Entry, Rule, each, moves, plain, reduce};
use crate::event::Event;
use crate::family::movement::{bytes, moved, results};
use crate::family::work::Work;
use crate::outcome::Outcome;

/// Primitives that `aten` has under another name, or not at all.
pub const TABLE: &[Entry] = &[
    plain(
        "convert_element_type device_put rev collapse copy_strided",
        Rule::Copy,
    ),
    plain(
        "broadcast_in_dim collapse_view split_dim view_of view_of_dtype item resize maximum_value \
         minimum_value _make_token _sink_tokens",
        Rule::Nothing,
    ),
    plain("iota", Rule::Fill),
    moves("copy_to", "zero: source read, target written", |e| {
        Ok(moved(bytes(e.tensors("b")), results(e)))
    }),
    each(
        "erf_inv bessel_i0 bessel_i0e bessel_i1 bessel_i1e",
        Work::transcendental(1),
    ),
    each("shift_left shift_right_arithmetic", Work::integer(1)),
    reduce("xor_sum", Work::integer(1), Work::NONE),
    plain(
        "svd",
        Rule::Unknown("it iterates until it converges: how often is data"),
    ),
];

static DIALECT: LazyLock<Dialect> = LazyLock::new(|| Dialect::new(TABLE.iter().copied()));

/// What one call costs. `None`: the operator isn't known.
pub fn outcome(name: &str, event: &Event) -> Option<Outcome> {
    if event.signature.is_view {
        return Some(Outcome::NOTHING);
    }
    let fourier = name.starts_with("fft_").then(|| format!("_{name}"));
    let rule = DIALECT
        .rule(name)
        .or_else(|| aten::rule(fourier.as_deref().unwrap_or(name)))?;
    Some(rule.outcome(event))
}
