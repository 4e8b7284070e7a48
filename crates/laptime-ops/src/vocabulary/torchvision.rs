//! Torchvision's own operators.
//!
//! Source: Dai et al., *Deformable Convolutional Networks* (2017) for the convolution at offsets:
//! each tap is sampled between four pixels; He et al., *Mask R-CNN* (2017) for regions.

use std::sync::LazyLock;

use super::table::{Dialect, Entry, Rule, formula, plain};
use crate::event::Event;
use crate::family::convolution::Convolution;
use crate::family::pooling::{weighted, weighted_backward};
use crate::family::work::Work;
use crate::tensor::{Tensor, product};

/// Pixels between which a point is sampled.
const TAPS: u128 = 4;

/// Operators of torchvision.
pub const TABLE: &[Entry] = &[
    formula(
        "deform_conv2d",
        "as the plain convolution; 7 other FLOP to sample each tap, 1 more with a mask; the bias",
        |e| {
            let output = e.require_output(0)?;
            let (convolution, sampled) = deformed(e, output)?;
            let masked = Work::arithmetic(u32::from(e.is_set("use_mask")));
            let bias = Work::arithmetic(1).over(output);
            Ok(e.moving(
                convolution.forward()
                    + weighted(sampled, TAPS, output.dtype)
                    + masked.on(sampled, output.dtype)
                    + bias,
            ))
        },
    ),
    formula(
        "_deform_conv2d_backward",
        "twice the forward; 31 other FLOP for each tap, 9 more with a mask; the bias",
        |e| {
            let gradient = e.require("grad")?;
            let (convolution, sampled) = deformed(e, gradient)?;
            let dtype = gradient.dtype;
            // Samples again; gradients of the four pixels, and of both coordinates; of the mask.
            let each = weighted(sampled, TAPS, dtype)
                + weighted_backward(sampled, TAPS, dtype)
                + weighted_backward(sampled, 2 * TAPS, dtype);
            let masked = 9 * u32::from(e.is_set("use_mask"));
            let bias = Work::arithmetic(1).on(gradient.held(), dtype);
            Ok(e.moving(
                convolution.backward(true, true)
                    + each
                    + Work::arithmetic(masked).on(sampled, dtype)
                    + bias,
            ))
        },
    ),
    formula(
        "roi_align ps_roi_align qroi_align",
        "8 FLOP for each sample of each result, 8 for its place in each region",
        |e| {
            let (result, samples, places) = regions(e, e.require_output(0)?)?;
            let sampled = Work::arithmetic(8).on(samples, result.dtype);
            Ok(e.moving(sampled + weighted_backward(places, TAPS, result.dtype)))
        },
    ),
    formula(
        "_roi_align_backward _ps_roi_align_backward",
        "8 FLOP for each sample of each gradient, 8 for its place in each region",
        |e| {
            let (result, samples, places) = regions(e, e.require("grad")?)?;
            let spread = weighted_backward(samples, TAPS, result.dtype);
            Ok(e.moving(spread + weighted_backward(places, TAPS, result.dtype)))
        },
    ),
    plain("_cuda_version", Rule::Nothing),
    plain(
        "nms qnms",
        Rule::Unknown("which boxes are compared depends on which remain: data"),
    ),
    plain(
        "roi_pool ps_roi_pool _roi_pool_backward _ps_roi_pool_backward box_iou_rotated",
        Rule::Unknown("how large its regions are is data"),
    ),
];

/// The dialect of torchvision's operators.
pub static DIALECT: LazyLock<Dialect> = LazyLock::new(|| Dialect::new(TABLE.iter().copied()));

/// A deformable convolution, and how many taps of the input it samples.
fn deformed(event: &Event, output: &Tensor) -> Result<(Convolution, u128), String> {
    let (input, weight) = (event.require("input")?, event.require("weight")?);
    let [_, _, kernel @ ..] = &weight.shape[..] else {
        return Err("its weight has too few dimensions".into());
    };
    let channels = output.dim(1).unwrap_or(1).max(1);
    let positions = output.held() / channels;
    let sampled = positions
        .saturating_mul(input.dim(1).unwrap_or(1))
        .saturating_mul(product(kernel));
    Ok((Convolution::of(output, weight)?, sampled))
}

/// A pooled tensor, samples of all its elements, and places that are sampled.
fn regions<'a>(event: &Event, pooled: &'a Tensor) -> Result<(&'a Tensor, u128, u128), String> {
    let side = event.count("sampling_ratio").filter(|side| *side > 0);
    let side = side.ok_or("how many samples a region takes depends on how large it is: data")?;
    let samples = pooled.held().saturating_mul(side.saturating_mul(side));
    let channels = pooled.dim(1).unwrap_or(1).max(1);
    Ok((pooled, samples, samples / channels))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::event::Argument;
    use crate::family::by_hand::{assert_costs, call, f32};
    use crate::outcome::Outcome;

    #[test]
    fn deformed_convolutions_by_hand() {
        let of = |name: &str, masked, more: &[(&str, Argument)]| {
            let operands = [
                ("input", f32(&[1, 4, 8, 8])),
                ("weight", f32(&[6, 4, 3, 3])),
                ("use_mask", Argument::Bool(masked)),
            ];
            call(name, &[&operands, more].concat(), &[&[1, 6, 6, 6]])
        };
        let forward = |masked| of("torchvision::deform_conv2d", masked, &[]);
        let gradient = [("grad", f32(&[1, 6, 6, 6]))];
        let backward = |masked| of("torchvision::_deform_conv2d_backward", masked, &gradient);
        // 36 places of 36 taps: 1296 samples of 4 pixels; 216 results of 36 taps, 216 biases. Back: samples again 7, of
        // four pixels 8, of two coordinates 16; of a mask 1 to take it off and 4 products and sums.
        assert_costs(&[
            (
                "1296 · 7 + 216",
                forward(false),
                &[
                    ("mac", 7776),
                    ("flop", 9288),
                    ("read", 1888),
                    ("written", 864),
                ],
            ),
            (
                "1296 · 8 + 216",
                forward(true),
                &[
                    ("mac", 7776),
                    ("flop", 10584),
                    ("read", 1888),
                    ("written", 864),
                ],
            ),
            (
                "1296 · 31 + 216",
                backward(false),
                &[
                    ("mac", 15552),
                    ("flop", 40392),
                    ("read", 2752),
                    ("written", 864),
                ],
            ),
            (
                "1296 · 40 + 216",
                backward(true),
                &[
                    ("mac", 15552),
                    ("flop", 52056),
                    ("read", 2752),
                    ("written", 864),
                ],
            ),
        ]);
    }

    #[test]
    fn regions_by_hand() {
        let regions = |name: &str, ratio, more: &[(&str, Argument)]| {
            let arguments = [&[("sampling_ratio", Argument::Int(ratio))], more].concat();
            let output = vec![Tensor::f32([10, 3, 7, 7])];
            crate::vocabulary::outcome(&Event::named(name, &arguments, output))
        };
        let of = |name: &str, more: &[(&str, Argument)]| match regions(name, 2, more) {
            Outcome::Counted(cost) => cost,
            other => panic!("{name} is not counted: {other:?}"),
        };
        let gradient = [("grad", f32(&[10, 3, 7, 7]))];
        // 1470 results of 2 · 2 samples: 4 products, 3 additions and one to the mean, or back 4 of each; the weights of
        // 490 places of as many samples, of four pixels.
        assert_costs(&[
            (
                "5880 · 8 + 1960 · 8",
                of("torchvision::roi_align", &[]),
                &[("flop", 62720), ("written", 5880)],
            ),
            (
                "5880 · 8 + 1960 · 8",
                of("torchvision::_roi_align_backward", &gradient),
                &[("flop", 62720), ("read", 5880), ("written", 5880)],
            ),
        ]);
        let unknown = regions("torchvision::roi_align", 0, &[]);
        assert!(matches!(unknown, Outcome::Uncounted(_)));
    }
}
