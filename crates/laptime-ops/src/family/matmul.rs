//! Matrix products: `[batch, m, k] × [batch, k, n]`.
//!
//! Source: each of the `batch · m · n` results is a sum of `k` products, and each product with its
//! addition is one multiply-accumulate. A sparse matrix takes part with the elements it stores.

use laptime_core::Cost;

use crate::event::Event;
use crate::tensor::Kind;

/// Multiply-accumulates of a product of the sizes `batch`, `m`, `n` and `k`, of which the last is
/// summed over.
pub fn product(sizes: [u128; 4]) -> u128 {
    sizes.into_iter().fold(1, u128::saturating_mul)
}

/// So many multiply-accumulates on an event's tensors, with so many other additions (a bias).
pub fn cost(event: &Event, mac: u128, other_flop: u128) -> Cost {
    event.moving(Cost {
        other_flop,
        ..work(event, mac)
    })
}

/// So many multiply-accumulates on an event's numbers, without traffic.
///
/// A multiply-accumulate of complex numbers is four of real ones.
pub fn work(event: &Event, mac: u128) -> Cost {
    let complex = |dtype: crate::tensor::Dtype| dtype.kind == Kind::Complex;
    let complex = event.results().any(|result| complex(result.dtype));
    macs(mac.saturating_mul(if complex { 4 } else { 1 }))
}

/// So many multiply-accumulates that a model asks for, that no mask takes off, and that run once.
pub fn macs(mac: u128) -> Cost {
    Cost {
        mac,
        active_mac: mac,
        executed_mac: mac,
        ..Cost::default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::event::{Argument, Signature};
    use crate::family::by_hand::assert_costs;
    use crate::tensor::{Dtype, Tensor};

    fn event(dtype: Dtype) -> Event {
        let (left, right) = (Tensor::new([2, 3], dtype), Tensor::new([3, 5], dtype));
        Event::new(
            Signature::new("aten::mm", &["self", "mat2"]),
            vec![Argument::Tensor(left), Argument::Tensor(right)],
            vec![Tensor::new([2, 5], dtype)],
        )
    }

    #[test]
    fn a_2x3_times_3x5_by_hand() {
        let (real, complex) = (event(Dtype::F32), event(Dtype::complex(64)));
        // 10 results of 3 products; 6 + 15 numbers in, 10 out, of 4 bytes or 8; four real products for a complex one.
        assert_costs(&[
            (
                "with 10 additions",
                cost(&real, product([1, 2, 5, 3]), 10),
                &[("mac", 30), ("flop", 10), ("read", 84), ("written", 40)],
            ),
            (
                "complex",
                cost(&complex, product([1, 2, 5, 3]), 0),
                &[("mac", 120), ("read", 168), ("written", 80)],
            ),
            ("without traffic", work(&real, 30), &[("mac", 30)]),
            (
                "seven batches",
                macs(product([7, 2, 5, 3])),
                &[("mac", 210)],
            ),
        ]);
    }
}
