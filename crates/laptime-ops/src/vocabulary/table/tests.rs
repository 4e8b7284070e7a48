//! Lines of the dialects that say their work themselves, by hand: what ten elements take.

use super::{Entry, Rule};
use crate::family::by_hand::{Row, assert_works};
use crate::family::work::Work;
use crate::family::{elementwise, reduction};
use crate::vocabulary::{aten, burn, fused, onnx, prims, quantized, torchvision};

/// The first name of a line, and what each element takes. What each result of a reduction takes stands below it,
/// where that is anything.
const ROWS: &[Row<'_>] = &[
    // aten
    ("aten::multiply", "mul", [10, 0, 0, 0]),
    ("aten::subtract", "sub", [10, 0, 0, 0]),
    ("aten::_add_relu", "add max", [10, 0, 10, 0]),
    ("aten::arccos", "cos", [0, 10, 0, 0]),
    ("aten::special_expit", "exp add div", [20, 10, 0, 0]),
    ("aten::special_ndtr", "div erf add div", [30, 10, 0, 0]),
    ("aten::special_sinc", "mul sin div", [20, 10, 0, 0]),
    ("aten::special_entr", "cmp log mul", [10, 10, 10, 0]),
    ("aten::special_logit", "sub div log", [20, 10, 0, 0]),
    ("aten::special_round", "round", [10, 0, 0, 0]),
    ("aten::greater", "cmp", [0, 0, 10, 0]),
    (
        "aten::allclose",
        "cmp sub abs abs mul add cmp",
        [50, 0, 20, 0],
    ),
    ("aten::__and__", "bit", [0, 0, 0, 10]),
    ("aten::_prelu_kernel", "cmp mul", [10, 0, 10, 0]),
    (
        "aten::_prelu_kernel_backward",
        "cmp mul mul",
        [20, 0, 10, 0],
    ),
    ("aten::rrelu", "cmp mul", [10, 0, 10, 0]),
    (
        "aten::log_sigmoid_forward",
        "min abs exp log sub",
        [20, 20, 10, 0],
    ),
    ("aten::_conj_physical", "neg", [10, 0, 0, 0]),
    // Its own range first, then as fake_quantize.
    (
        "aten::_fused_moving_avg_obs_fq_helper",
        "max min div add round max min sub mul",
        [50, 0, 40, 0],
    ),
    // With s the sigmoid of b: da · s + glu · (db − s · db).
    (
        "aten::glu_jvp",
        "exp add div mul mul sub mul add",
        [70, 10, 0, 0],
    ),
    (
        "aten::_transform_bias_rescale_qkv",
        "add mul",
        [20, 0, 0, 0],
    ),
    // Σ x²; x · the factor, where the norm is too large.
    ("aten::renorm", "mul add cmp mul", [30, 0, 10, 0]),
    ("aten::_standard_gamma_grad", "exp", [0, 10, 0, 0]),
    ("aten::_amp_update_scale", "cmp cmp mul", [10, 0, 20, 0]),
    // The quantised again, in range or not; dx; dy · (x̃ − x) · 1 / scale; of the zero point no more than dx.
    (
        "aten::_fake_quantize_learnable_per_tensor_affine_backward",
        "mul add round cmp cmp mul sub mul sub mul mul",
        [90, 0, 20, 0],
    ),
    ("aten::native_dropout_backward", "mul mul", [20, 0, 0, 0]),
    ("aten::_fused_dropout", "cmp mul mul", [20, 0, 10, 0]),
    (
        "aten::_amp_foreach_non_finite_check_and_unscale",
        "cmp mul",
        [10, 0, 10, 0],
    ),
    (
        "aten::quantize_per_tensor",
        "div add round max min",
        [30, 0, 20, 0],
    ),
    (
        "aten::fake_quantize_per_tensor_affine",
        "div add round max min sub mul",
        [50, 0, 20, 0],
    ),
    (
        "aten::fake_quantize_per_tensor_affine_cachemask_backward",
        "mul",
        [10, 0, 0, 0],
    ),
    ("aten::_aminmax", "max min", [0, 0, 20, 0]),
    ("aten::_cummax_helper", "max", [0, 0, 10, 0]),
    ("aten::_logcumsumexp", "max sub exp add", [20, 10, 10, 0]),
    (
        "aten::special_logsumexp",
        "max sub exp add",
        [20, 10, 10, 0],
    ),
    (
        "aten::special_logsumexp, each result",
        "log add",
        [10, 10, 0, 0],
    ),
    ("aten::var_mean", "sub mul add", [30, 0, 0, 0]),
    ("aten::std_mean", "sub mul add", [30, 0, 0, 0]),
    ("aten::std_mean, each result", "sqrt", [0, 10, 0, 0]),
    ("aten::dist", "sub mul add", [30, 0, 0, 0]),
    ("aten::dist, each result", "sqrt", [0, 10, 0, 0]),
    // dy · y, added up from behind, by x.
    ("aten::cumprod_backward", "mul add div", [30, 0, 0, 0]),
    ("aten::segment_reduce", "add", [10, 0, 0, 0]),
    ("aten::_segment_reduce_backward", "add", [10, 0, 0, 0]),
    ("aten::_sparse_sum", "add", [10, 0, 0, 0]),
    ("aten::_is_all_true", "bit", [0, 0, 0, 10]),
    ("aten::bincount", "cmp count", [0, 0, 10, 10]),
    ("aten::sum_to_size", "add", [10, 0, 0, 0]),
    ("aten::hash_tensor", "bit", [0, 0, 0, 10]),
    (
        "aten::_histogramdd_from_bin_cts",
        "cmp count",
        [0, 0, 10, 10],
    ),
    ("aten::_nested_sum_backward", "", [0; 4]),
    ("aten::_softmax", "max sub exp add div", [30, 10, 10, 0]),
    ("aten::_log_softmax", "max sub exp add sub", [30, 10, 10, 0]),
    (
        "aten::_softmax_backward_data",
        "mul add sub mul",
        [40, 0, 0, 0],
    ),
    (
        "aten::_log_softmax_backward_data",
        "add exp mul sub",
        [30, 10, 0, 0],
    ),
    ("aten::mse_loss_backward", "sub mul", [20, 0, 0, 0]),
    (
        "aten::smooth_l1_loss_backward",
        "sub cmp cmp div mul",
        [30, 0, 20, 0],
    ),
    (
        "aten::binary_cross_entropy_backward",
        "sub sub mul max div mul",
        [50, 0, 10, 0],
    ),
    (
        "aten::soft_margin_loss_backward",
        "mul exp mul add div mul",
        [50, 10, 0, 0],
    ),
    (
        "aten::multi_margin_loss_backward",
        "sub add cmp mul sub",
        [40, 0, 10, 0],
    ),
    ("aten::col2im", "add", [10, 0, 0, 0]),
    ("aten::reflection_pad1d_backward", "add", [10, 0, 0, 0]),
    // x, y and 1, each times its place in the matrix and added up; back each times dy.
    (
        "aten::affine_grid_generator_backward",
        "mul add mul add mul add",
        [60, 0, 0, 0],
    ),
    (
        "aten::affine_grid_generator",
        "mul add mul add mul add",
        [60, 0, 0, 0],
    ),
    // prims
    ("prims::erf_inv", "erf", [0, 10, 0, 0]),
    ("prims::shift_left", "bit", [0, 0, 0, 10]),
    ("prims::xor_sum", "bit", [0, 0, 0, 10]),
    // quantized
    ("quantized::batch_norm", "mul add", [20, 0, 0, 0]),
    ("quantized::batch_norm_relu", "mul add max", [20, 0, 10, 0]),
    (
        "quantized::layer_norm",
        "add sub mul add mul mul add",
        [70, 0, 0, 0],
    ),
    ("quantized::add_relu", "add max", [10, 0, 10, 0]),
    ("quantized::mul_relu", "mul max", [10, 0, 10, 0]),
    ("quantized::add_scalar", "add", [10, 0, 0, 0]),
    ("quantized::cat_relu", "max", [0, 0, 10, 0]),
    // onnx; x · sigmoid(1.702 x), and a · sigmoid(a) · b.
    ("onnx::QuickGelu", "mul exp add div mul", [40, 10, 0, 0]),
    ("onnx::SwiGLU", "exp add div mul mul", [40, 10, 0, 0]),
    ("onnx::Softmax", "max sub exp add div", [30, 10, 10, 0]),
    ("onnx::LogSoftmax", "max sub exp add sub", [30, 10, 10, 0]),
    ("onnx::Hardmax", "max", [0, 0, 10, 0]),
    ("onnx::RotaryEmbedding", "mul mul add", [30, 0, 0, 0]),
    ("onnx::ReduceL1", "abs add", [20, 0, 0, 0]),
    ("onnx::ReduceSumSquare", "mul add", [20, 0, 0, 0]),
    ("onnx::ReduceLogSum", "add", [10, 0, 0, 0]),
    ("onnx::ReduceLogSum, each result", "log", [0, 10, 0, 0]),
    ("onnx::GlobalAveragePool", "add", [10, 0, 0, 0]),
    ("onnx::GlobalMaxPool", "max", [0, 0, 10, 0]),
    ("onnx::GlobalLpPool", "mul add", [20, 0, 0, 0]),
    ("onnx::GlobalLpPool, each result", "sqrt", [0, 10, 0, 0]),
    // burn
    ("burn::add_scalar", "add", [10, 0, 0, 0]),
    ("burn::mul_scalar", "mul", [10, 0, 0, 0]),
    ("burn::div_scalar", "div", [10, 0, 0, 0]),
    ("burn::rem", "div round mul sub", [40, 0, 0, 0]),
    ("burn::cross", "mul mul sub", [30, 0, 0, 0]),
    ("burn::powf", "pow", [0, 10, 0, 0]),
    ("burn::equal", "cmp", [0, 0, 10, 0]),
    ("burn::bitwise_and_scalar", "bit", [0, 0, 0, 10]),
    ("burn::p_relu", "cmp mul", [10, 0, 10, 0]),
    ("burn::hard_sigmoid", "mul add max min", [20, 0, 20, 0]),
    ("burn::softmax", "max sub exp add div", [30, 10, 10, 0]),
    ("burn::log_softmax", "max sub exp add sub", [30, 10, 10, 0]),
    ("burn::softmin", "neg max sub exp add div", [40, 10, 10, 0]),
    ("burn::batch_norm", "mul add", [20, 0, 0, 0]),
    ("burn::sum_dim", "add", [10, 0, 0, 0]),
    ("burn::prod_dim", "mul", [10, 0, 0, 0]),
    ("burn::max_dim", "max", [0, 0, 10, 0]),
    ("burn::max_abs", "abs max", [10, 0, 10, 0]),
    ("burn::all_dim", "bit", [0, 0, 0, 10]),
];

/// Where FLOP on complex numbers aren't twice those on real ones: the first name, and how many.
const COMPLEX: &[(&str, u32)] = &[
    // (a + bi)(c + di): four products, a difference and a sum. By the conjugate 6, its norm 3, two divisions.
    ("aten::multiply", 6),
    ("aten::_conj_physical", 1),
    ("burn::mul_scalar", 6),
    ("burn::div_scalar", 11),
    ("burn::prod_dim", 6),
];

/// Every line that has a work of its own and isn't the family's: its name, what each element takes, and each result.
fn lines() -> Vec<(String, Work, Work)> {
    let families: Vec<&str> = elementwise::TABLE
        .iter()
        .map(|line| line.0)
        .chain(reduction::TABLE.iter().map(|line| line.0))
        .collect();
    let dialects: [(&str, Vec<Entry>); 7] = [
        ("aten", aten::entries().map(|(_, entry)| entry).collect()),
        ("prims", prims::TABLE.to_vec()),
        ("quantized", quantized::TABLE.to_vec()),
        ("mkldnn", fused::TABLE.to_vec()),
        ("torchvision", torchvision::TABLE.to_vec()),
        ("onnx", onnx::TABLES.concat()),
        ("burn", burn::TABLES.concat()),
    ];
    let work = |rule| match rule {
        Rule::Each(each) => Some((each, Work::NONE)),
        Rule::Reduce(each, last) => Some((each, last)),
        _ => None,
    };
    let entries = dialects
        .iter()
        .flat_map(|(dialect, entries)| entries.iter().map(move |entry| (dialect, entry)));
    entries
        .filter(|(_, entry)| !families.contains(&entry.names))
        .filter_map(|(dialect, entry)| {
            let (each, last) = work(entry.rule)?;
            Some((format!("{dialect}::{}", entry.names().next()?), each, last))
        })
        .collect()
}

#[test]
fn every_line_by_hand() {
    let lines = lines();
    let row = |name: &str| ROWS.iter().find(|row| row.0 == name);
    let mut used = 0;
    let mut compared: Vec<(Row<'_>, Work)> = Vec::new();
    for (name, each, last) in &lines {
        let result = format!("{name}, each result");
        for (row, work) in [(row(name), each), (row(&result), last)] {
            used += usize::from(row.is_some());
            let nothing = (&name[..], "", [0; 4]);
            compared.push((row.copied().unwrap_or(nothing), *work));
        }
    }
    assert_works(compared);
    assert_eq!(used, ROWS.len(), "a row is of no line");
}

#[test]
fn every_line_on_complex_numbers_by_hand() {
    for (name, each, last) in lines() {
        let special = COMPLEX.iter().find(|(special, _)| *special == name);
        let by_hand = special.map_or(2 * each.arithmetic, |(_, flop)| *flop);
        assert_eq!(
            (each.complex, last.complex),
            (by_hand, 2 * last.arithmetic),
            "{name}"
        );
    }
}
