//! Operators that `torch.compile`'s backend puts in the place of `aten`'s on a CPU: products and
//! convolutions of oneDNN and MKL with a function of each result behind them.

use std::sync::LazyLock;

use laptime_core::Cost;

use super::aten::{convolution, matmul};
use super::table::{Counted, Dialect, Entry, Rule, formula, plain};
use crate::event::Event;
use crate::family::elementwise::work;
use crate::family::work::Work;
use crate::tensor::Tensor;

/// Operators that backends fuse.
pub const TABLE: &[Entry] = &[
    formula(
        "_convolution_pointwise",
        "as the plain convolution, and the function behind it",
        |e| Ok(convolution::forward(e, false)? + behind(e)),
    ),
    formula(
        "_convolution_transpose_pointwise",
        "as the plain transposed convolution, and the function behind it",
        |e| Ok(convolution::forward(e, true)? + behind(e)),
    ),
    formula(
        "_linear_pointwise",
        "2·M·N·K, and the function behind it",
        |e| Ok(matmul::linear(e)? + behind(e)),
    ),
    formula(
        "_mkl_linear",
        "2·M·N·K; the bias other FLOP",
        matmul::linear,
    ),
    formula(
        "_mm_plus_mm",
        "2·M·N·(K + L); the addition other FLOP",
        two_products,
    ),
    plain(
        "_reorder_convolution_weight _reorder_convolution_transpose_weight _reorder_linear_weight \
         _reorder_mkldnn_rnn_layer_weight _mkl_reorder_linear_weight",
        Rule::Copy,
    ),
    plain(
        "_get_mkldnn_serialized_md _is_mkldnn_bf16_supported _is_mkldnn_fp16_supported \
         _is_mkldnn_acl_supported _nbytes data_ptr _alloc_from_pool _reinterpret_tensor \
         resize_storage_bytes",
        Rule::Nothing,
    ),
    formula(
        "accumulate_grad",
        "1 FLOP for each element of a gradient that is there",
        |e| {
            let gradient = e.require("new_grad")?;
            let added = u32::from(e.tensor("variable_grad").is_some());
            Ok(e.moving(Work::arithmetic(added).over(gradient)))
        },
    ),
];

/// The dialect of what backends fuse.
pub static DIALECT: LazyLock<Dialect> = LazyLock::new(|| Dialect::new(TABLE.iter().copied()));

/// The functions that follow, of one result or of it and another tensor.
fn behind(event: &Event) -> Cost {
    let names = ["attr", "unary_attr", "binary_attr"];
    let work = names
        .iter()
        .filter_map(|name| event.text(name))
        .filter_map(work)
        .fold(Work::NONE, Work::and);
    event.results().map(|result| work.over(result)).sum()
}

fn two_products(event: &Event) -> Counted {
    let result: &Tensor = event.results().next().ok_or("it gave no tensor")?;
    let both = matmul::product(
        event,
        event.require("a")?,
        event.require("b")?,
        result.held(),
    )?;
    let other = matmul::product(event, event.require("c")?, event.require("d")?, 0)?;
    Ok(both
        + Cost {
            bytes_read: 0,
            bytes_written: 0,
            ..other
        })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::event::Argument;
    use crate::outcome::Outcome;

    fn cost(name: &str, arguments: &[(&str, Argument)], output: Tensor) -> Cost {
        match crate::vocabulary::outcome(&Event::named(name, arguments, vec![output])) {
            Outcome::Counted(cost) => cost,
            other => panic!("{name} is not counted: {other:?}"),
        }
    }

    #[test]
    fn a_convolution_with_a_rectifier_behind_it_costs_both() {
        let arguments = [
            ("X", Argument::Tensor(Tensor::f32([1, 4, 8, 8]))),
            ("W", Argument::Tensor(Tensor::f32([6, 4, 3, 3]))),
            ("B", Argument::Tensor(Tensor::f32([6]))),
            ("attr", Argument::Text("relu".into())),
        ];
        let fused = cost(
            "mkldnn::_convolution_pointwise",
            &arguments,
            Tensor::f32([1, 6, 6, 6]),
        );
        assert_eq!(
            (fused.mac, fused.other_flop, fused.compare),
            (216 * 36, 216, 216)
        );
    }

    #[test]
    fn two_products_that_are_added_read_everything_once() {
        let square = || Argument::Tensor(Tensor::f32([3, 3]));
        let arguments = [
            ("a", square()),
            ("b", square()),
            ("c", square()),
            ("d", square()),
        ];
        let both = cost("inductor::_mm_plus_mm", &arguments, Tensor::f32([3, 3]));
        assert_eq!(
            (both.mac, both.other_flop, both.bytes_read),
            (54, 9, 4 * 36)
        );
    }
}
