//! Operators that `torch.nn` defines itself.
//!
//! Source: `torch/nn/modules/linear_cross_entropy.py`. A linear layer and the cross entropy of its
//! results, by chunks of rows, so that the results of all rows are never there together; where the
//! loss is added up, the forward computes the gradients too.

use std::sync::LazyLock;

use laptime_core::Cost;

use super::table::{Counted, Dialect, Entry, formula};
use crate::event::Event;
use crate::family::matmul::macs;
use crate::family::softmax;
use crate::family::work::Work;

/// Operators of `torch_nn`: modules seen as one call.
pub const TABLE: &[Entry] = &[formula(
    "_linear_cross_entropy_batch_chunked _linear_cross_entropy_batch_chunked_no_reduction",
    "2·M·N·K, and as much for each gradient that it computes; a log-softmax; the bias",
    linear_cross_entropy,
)];

/// The dialect of `torch.nn`'s own operators.
pub static DIALECT: LazyLock<Dialect> = LazyLock::new(|| Dialect::new(TABLE.iter().copied()));

fn linear_cross_entropy(event: &Event) -> Counted {
    let (input, weight) = (event.require("input")?, event.require("linear_weight")?);
    let classes = weight.dim(0).ok_or("its weight has no dimension")?;
    let size = input.dim(-1).ok_or("its input has no dimension")?;
    let rows = input.held().checked_div(size).unwrap_or(0);
    let computed = |name: &str| u128::from(event.is_set(name));
    let (dx, dw) = (
        computed("compute_input_grad"),
        computed("compute_linear_weight_grad"),
    );
    let each = rows.saturating_mul(classes);
    let products: Cost = macs(each.saturating_mul(size).saturating_mul(1 + dx + dw));
    let bias = Work::arithmetic(u32::from(event.tensor("linear_bias").is_some()));
    // The gradient of each result is its probability less the target's.
    let gradient = Work::arithmetic(u32::from(dx + dw > 0));
    let around = softmax::LOG_FORWARD.and(bias).and(gradient);
    Ok(event.moving(products + around.on(each, input.dtype)))
}

#[cfg(test)]
mod tests {
    use crate::event::Argument;
    use crate::family::by_hand::{assert_costs, call, f32};

    #[test]
    fn a_loss_that_keeps_its_gradients_by_hand() {
        let of = |dx, dw, more: &[(&str, Argument)]| {
            let arguments = [
                ("input", f32(&[8, 3])),
                ("linear_weight", f32(&[4, 3])),
                ("compute_input_grad", Argument::Bool(dx)),
                ("compute_linear_weight_grad", Argument::Bool(dw)),
            ];
            let name = "torch_nn::_linear_cross_entropy_batch_chunked";
            call(name, &[&arguments, more].concat(), &[&[1]])
        };
        let bias = [("linear_bias", f32(&[4]))];
        // 8 rows of 4 classes, each a sum over 3 and one of a log-softmax.
        let columns = |mac, flop, read| {
            [
                ("mac", mac),
                ("flop", flop),
                ("transcendental", 32),
                ("compare", 32),
                ("read", read),
                ("written", 4),
            ]
        };
        assert_costs(&[
            ("32 · 3", of(false, false, &[]), &columns(96, 96, 144)),
            (
                "and a bias",
                of(false, false, &bias),
                &columns(96, 128, 160),
            ),
            (
                "two products; less the target's",
                of(true, false, &[]),
                &columns(192, 128, 144),
            ),
            (
                "three products",
                of(true, true, &[]),
                &columns(288, 128, 144),
            ),
        ]);
    }
}
