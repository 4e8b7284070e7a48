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
    use crate::event::Argument;
    use crate::family::by_hand::{assert_costs, call, f32};

    #[test]
    fn every_call_by_hand() {
        let text = |name: &'static str, text: &str| (name, Argument::Text(text.into()));
        let convolution = |name: &str, more: &[(&str, Argument)]| {
            let operands = [("X", f32(&[1, 4, 5, 5])), ("W", f32(&[6, 4, 3, 3]))];
            let arguments = [&operands, more].concat();
            call(&format!("mkldnn::{name}"), &arguments, &[&[1, 6, 3, 3]])
        };
        let linear = |name: &str, more: &[(&str, Argument)]| {
            let arguments = [&[("X", f32(&[2, 3])), ("W", f32(&[5, 3]))], more].concat();
            call(name, &arguments, &[&[2, 5]])
        };
        let square = ["a", "b", "c", "d"].map(|name| (name, f32(&[3, 3])));
        let gradient = [("new_grad", f32(&[10])), ("variable_grad", f32(&[10]))];
        let rectified = [("B", f32(&[6])), text("attr", "relu")];
        let both = [text("binary_attr", "add"), text("unary_attr", "relu")];
        // 54 results of 36 taps, or of 100 pixels 36 each; 100 + 216 numbers in, 54 out.
        assert_costs(&[
            (
                "54 biases, 54 rectifiers",
                convolution("_convolution_pointwise", &rectified),
                &[
                    ("mac", 1944),
                    ("flop", 54),
                    ("compare", 54),
                    ("read", 1288),
                    ("written", 216),
                ],
            ),
            (
                "54 additions, 54 rectifiers",
                convolution("_convolution_transpose_pointwise", &both),
                &[
                    ("mac", 3600),
                    ("flop", 54),
                    ("compare", 54),
                    ("read", 1264),
                    ("written", 216),
                ],
            ),
            (
                "10 · 3; 10 sigmoids",
                linear("mkldnn::_linear_pointwise", &[text("attr", "sigmoid")]),
                &[
                    ("mac", 30),
                    ("flop", 20),
                    ("transcendental", 10),
                    ("read", 84),
                    ("written", 40),
                ],
            ),
            (
                "10 · 3; 10 biases",
                linear("mkl::_mkl_linear", &[("B", f32(&[5]))]),
                &[("mac", 30), ("flop", 10), ("read", 104), ("written", 40)],
            ),
            (
                "9 · 3 twice, 9 additions; everything read once",
                call("inductor::_mm_plus_mm", &square, &[&[3, 3]]),
                &[("mac", 54), ("flop", 9), ("read", 144), ("written", 36)],
            ),
            (
                "added to what is there",
                call("inductor::accumulate_grad", &gradient, &[&[10]]),
                &[("flop", 10), ("read", 80), ("written", 40)],
            ),
            (
                "the first is kept",
                call("inductor::accumulate_grad", &gradient[..1], &[&[10]]),
                &[("read", 40), ("written", 40)],
            ),
        ]);
    }
}
