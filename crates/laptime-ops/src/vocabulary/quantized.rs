//! Quantised operators of `PyTorch`'s own backends and of oneDNN.
//!
//! Their multiply-accumulates are on small integers and stand in the headline all the same. What
//! is elementwise is named as in `aten`. A packed weight is an object and no tensor: a feed that
//! can unpack it passes the weight.

use std::sync::LazyLock;

use super::aten::{self, convolution, matmul};
use super::table::{Dialect, Entry, Rule, each, formula, plain};
use crate::event::Event;
use crate::family::movement::lookup;
use crate::family::work::Work;
use crate::outcome::Outcome;

/// Operators of `quantized` and its like.
pub const TABLE: &[Entry] = &[
    formula(
        "linear linear_relu linear_dynamic linear_relu_dynamic linear_dynamic_fp16 \
         linear_relu_dynamic_fp16 linear_dynamic_fp16_unpacked_weight linear_leaky_relu linear_tanh qlinear_pointwise \
         linear_with_input_q_dq_qweight_dq_output_fp32 \
         linear_with_input_q_dq_qweight_dq_relu_output_fp32 wrapped_quantized_linear \
         wrapped_fbgemm_linear_fp16_weight _wrapped_quantized_linear_prepacked \
         int4mm_packed_weight_cpu",
        "2·M·N·K; a bias that is no argument is not seen",
        matmul::linear,
    ),
    formula("matmul", "2·B·M·N·K", |e| {
        matmul::product(e, e.require("qa")?, e.require("qb")?, 0)
    }),
    formula(
        "conv2d_run conv1d conv1d_relu conv1d_dynamic conv2d conv2d_relu conv2d_dynamic conv2d_add \
         conv2d_add_relu conv3d conv3d_relu conv3d_dynamic qconv1d_pointwise qconv2d_pointwise \
         qconv3d_pointwise qconv_pointwise",
        "as the plain convolution, where the weight can be seen",
        |e| convolution::forward(e, false),
    ),
    formula(
        "conv_transpose1d conv_transpose1d_dynamic conv_transpose2d conv_transpose2d_dynamic \
         conv_transpose3d conv_transpose3d_dynamic",
        "as the plain transposed convolution, where the weight can be seen",
        |e| convolution::forward(e, true),
    ),
    each(
        "batch_norm batch_norm1d batch_norm2d batch_norm3d qbatch_norm2d",
        Work::arithmetic(2),
    ),
    each(
        "batch_norm_relu batch_norm1d_relu batch_norm2d_relu batch_norm3d_relu",
        Work::arithmetic(2).and(Work::compare(1)),
    ),
    each("layer_norm group_norm instance_norm", Work::arithmetic(7)),
    each(
        "add_relu add_scalar_relu qadd_relu",
        Work::arithmetic(1).and(Work::compare(1)),
    ),
    each(
        "mul_relu mul_scalar_relu",
        Work::arithmetic(1).and(Work::compare(1)),
    ),
    each("add_scalar mul_scalar qadd qmul", Work::arithmetic(1)),
    plain("cat_relu", Rule::Each(Work::compare(1))),
    super::table::moves(
        "embedding_byte embedding_4bit",
        "zero: index read, rows written; the packed table is not seen",
        |e| {
            let output = e.require_output(0)?;
            Ok(lookup(output, e.require("indices")?.bytes(), output))
        },
    ),
    plain(
        "embedding_bag_byte embedding_bag_4bit embedding_bag_byte_rowwise_offsets \
         embedding_bag_4bit_rowwise_offsets embedding_bag_2bit_rowwise_offsets",
        Rule::Unknown("its table is packed: the size of its rows can't be seen"),
    ),
    plain(
        "qlinear qlinear_relu qlinear_dynamic qlinear_relu_dynamic",
        Rule::Unknown("its sparse weight is packed: what it stores can't be seen"),
    ),
    plain(
        "quantized_lstm_cell_dynamic quantized_gru_cell_dynamic quantized_rnn_relu_cell_dynamic \
         quantized_rnn_tanh_cell_dynamic",
        Rule::Unknown("its weights are packed: their sizes can't be seen"),
    ),
    plain(
        "linear_prepack linear_prepack_fp16 linear_unpack conv1d_prepack conv2d_prepack \
         conv3d_prepack conv_prepack conv1d_unpack conv2d_unpack conv3d_unpack \
         conv_transpose1d_prepack conv_transpose2d_prepack conv_transpose3d_prepack \
         qlinear_prepack qconv_prepack embedding_bag_prepack embedding_bag_unpack \
         make_quantized_cell_params make_quantized_cell_params_dynamic \
         make_quantized_cell_params_fp16 _wrapped_linear_prepack \
         wrapped_fbgemm_pack_gemm_matrix_fp16 linear_prepack_legacy linear_unpack_fp16 \
         linear_prepack_fp16_legacy embedding_bag_byte_prepack embedding_bag_byte_unpack \
         embedding_bag_4bit_prepack embedding_bag_4bit_unpack embedding_bag_2bit_prepack \
         embedding_bag_2bit_unpack embedding_bag_byte_prepack_with_rowwise_min_max \
         embedding_bag_4bit_prepack_with_rowwise_min_max \
         embedding_bag_2bit_prepack_with_rowwise_min_max",
        Rule::Copy,
    ),
];

static DIALECT: LazyLock<Dialect> = LazyLock::new(|| Dialect::new(TABLE.iter().copied()));

/// What one call costs. `None`: the operator isn't known.
pub fn outcome(name: &str, event: &Event) -> Option<Outcome> {
    let rule = DIALECT.rule(name).or_else(|| aten::rule(name))?;
    Some(rule.outcome(event))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::event::Argument;
    use crate::tensor::{Dtype, Tensor};

    fn int8<const RANK: usize>(shape: [u64; RANK]) -> Tensor {
        Tensor::new(shape, Dtype::integer(8))
    }

    fn call(name: &str, arguments: &[(&str, Argument)], output: Tensor) -> Outcome {
        crate::vocabulary::outcome(&Event::named(name, arguments, vec![output]))
    }

    #[test]
    fn products_of_small_integers_are_in_the_headline() {
        let packed = [
            ("X", Argument::Tensor(int8([2, 3]))),
            ("W_prepack", Argument::Absent),
        ];
        let Outcome::Counted(cost) = call("quantized::linear", &packed, int8([2, 5])) else {
            panic!("it is counted");
        };
        assert_eq!((cost.mac, cost.other_flop, cost.bytes_read), (30, 0, 6));
        let added = [
            ("qa", Argument::Tensor(int8([7]))),
            ("qb", Argument::Tensor(int8([7]))),
        ];
        let Outcome::Counted(cost) = call("quantized::add", &added, int8([7])) else {
            panic!("it is counted");
        };
        assert_eq!((cost.integer_op, cost.other_flop), (7, 0));
    }

    #[test]
    fn a_convolution_is_counted_where_its_weight_can_be_seen() {
        let arguments = |weight| {
            [
                ("qx", Argument::Tensor(int8([1, 4, 8, 8]))),
                ("packed_weight", weight),
            ]
        };
        let seen = arguments(Argument::Tensor(int8([6, 4, 3, 3])));
        let Outcome::Counted(cost) = call("quantized::conv2d_relu", &seen, int8([1, 6, 6, 6]))
        else {
            panic!("it is counted");
        };
        assert_eq!(cost.mac, 6 * 36 * 4 * 9);
        let packed = arguments(Argument::Absent);
        let outcome = call("quantized::conv2d_relu", &packed, int8([1, 6, 6, 6]));
        assert!(matches!(outcome, Outcome::Uncounted(reason) if reason.contains("packed")));
    }
}
