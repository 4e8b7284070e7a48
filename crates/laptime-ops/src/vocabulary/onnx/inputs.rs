//! What the standard calls the inputs of its operators.

/// Operators that formulas ask by name, and what their inputs are called.
const NAMES: &[(&str, &str)] = &[
    ("Conv FusedConv ConvTranspose", "X W B Z"),
    ("DeformConv", "X W offset B mask"),
    ("ConvInteger", "X W x_zero_point w_zero_point"),
    (
        "QLinearConv",
        "X x_scale x_zero_point W w_scale w_zero_point y_scale y_zero_point B",
    ),
    ("MatMul FusedMatMul", "A B"),
    ("Gemm FusedGemm", "A B C"),
    ("MatMulInteger", "A B a_zero_point b_zero_point"),
    (
        "MatMulIntegerToFloat",
        "A B a_scale b_scale a_zero_point b_zero_point bias",
    ),
    ("DynamicQuantizeMatMul", "A B b_scale b_zero_point bias"),
    (
        "QLinearMatMul",
        "A a_scale a_zero_point B b_scale b_zero_point y_scale y_zero_point",
    ),
    ("MatMulNBits", "A B scales zero_points g_idx bias"),
    ("LSTM", "X W R B sequence_lens initial_h initial_c P"),
    ("GRU RNN", "X W R B sequence_lens initial_h"),
    ("BatchNormalization", "X scale B input_mean input_var"),
    (
        "LayerNormalization InstanceNormalization GroupNormalization RMSNormalization \
         SimplifiedLayerNormalization",
        "X scale B",
    ),
    ("SkipLayerNormalization", "X skip scale B bias"),
    ("SkipSimplifiedLayerNormalization", "X skip scale bias"),
    ("GroupNorm", "X scale B"),
    ("Gather GatherElements GatherND", "data indices"),
    ("ScatterElements Scatter ScatterND", "data indices updates"),
    ("TensorScatter", "past_cache update write_indices"),
    ("QuantizeLinear", "x y_scale y_zero_point"),
    ("DequantizeLinear", "x x_scale x_zero_point"),
];

const ATTENTION: &str = "Q K V attn_mask past_key past_value nonpad_kv_seqlen";
const MICROSOFT_ATTENTION: &str =
    "input weights bias mask_index past attention_bias past_sequence_length";
const MULTI_HEAD: &str = "query key value bias key_padding_mask attention_bias past_key past_value";
const GROUP_QUERY: &str = "query key value past_key past_value seqlens_k \
                           total_sequence_length cos_cache sin_cache";

/// Names of so many inputs of an operator; those it has no name for are `input3` and the like.
pub fn input_names(operator: &str, count: usize) -> Vec<String> {
    let (_, op) = operator.split_once("::").unwrap_or(("", operator));
    let names = match operator {
        "onnx::Attention" => ATTENTION,
        "com.microsoft::Attention" => MICROSOFT_ATTENTION,
        "com.microsoft::MultiHeadAttention" => MULTI_HEAD,
        "com.microsoft::GroupQueryAttention" => GROUP_QUERY,
        _ => NAMES
            .iter()
            .find(|(ops, _)| ops.split_whitespace().any(|known| known == op))
            .map_or("", |(_, names)| names),
    };
    let mut names: Vec<String> = names
        .split_whitespace()
        .take(count)
        .map(str::to_owned)
        .collect();
    names.extend((names.len()..count).map(|index| format!("input{index}")));
    names
}
