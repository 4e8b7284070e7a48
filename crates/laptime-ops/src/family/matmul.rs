//! Matrix products: `[batch, m, k] × [batch, k, n]`.
//!
//! Source: each of the `batch · m · n` results is a sum of `k` products.

use laptime_core::Cost;

use crate::event::Event;
use crate::tensor::Kind;

/// The sizes of a product.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Product {
    /// Independent products.
    pub batch: u128,
    /// Rows of the left one.
    pub m: u128,
    /// Columns of the right one.
    pub n: u128,
    /// What is summed over.
    pub k: u128,
}

impl Product {
    /// Multiply-accumulates on real numbers.
    pub fn mac(self) -> u128 {
        self.batch
            .saturating_mul(self.m)
            .saturating_mul(self.n)
            .saturating_mul(self.k)
    }
}

/// A product of an event's tensors, with so many other additions (a bias).
///
/// A multiply-accumulate of complex numbers is four of real ones.
pub fn cost(event: &Event, product: Product, other_flop: u128) -> Cost {
    let complex = event
        .outputs
        .first()
        .is_some_and(|output| output.dtype.kind == Kind::Complex);
    let mac = product.mac().saturating_mul(if complex { 4 } else { 1 });
    let (bytes_read, bytes_written) = event.traffic();
    Cost {
        mac,
        active_mac: mac,
        executed_mac: mac,
        other_flop,
        bytes_read,
        bytes_written,
        ..Cost::default()
    }
}
