//! Pooling and resampling.

use laptime_core::Cost;

use crate::event::Event;
use crate::family::antialias::Resampled;
use crate::family::pooling::{adaptive, largest, mean, weighted, weighted_backward, window_of};
use crate::tensor::Tensor;
use crate::vocabulary::table::{Counted, Entry, Rule, formula, plain};

pub const TABLE: &[Entry] = &[
    formula(
        "avg_pool1d avg_pool2d avg_pool3d",
        "k FLOP for each result",
        |e| {
            let output = e.require_output(0)?;
            Ok(e.moving(mean(output.held(), window(e, output)?, output.dtype)))
        },
    ),
    formula(
        "max_pool1d max_pool2d max_pool3d max_pool1d_with_indices max_pool2d_with_indices \
         max_pool3d_with_indices mkldnn_max_pool2d mkldnn_max_pool3d quantized_max_pool1d \
         quantized_max_pool2d quantized_max_pool3d fractional_max_pool2d fractional_max_pool3d",
        "k − 1 compares for each result",
        |e| {
            let output = e.require_output(0)?;
            Ok(e.moving(largest(output.held(), window(e, output)?, output.dtype)))
        },
    ),
    formula(
        "avg_pool2d_backward avg_pool3d_backward",
        "k FLOP for each gradient that comes in, and a division",
        |e| for_gradients(e, window(e, e.require("grad_output")?)?.saturating_add(1)),
    ),
    formula(
        "max_pool2d_backward max_pool2d_with_indices_backward max_pool3d_with_indices_backward \
         mkldnn_max_pool2d_backward mkldnn_max_pool3d_backward adaptive_max_pool2d_backward \
         adaptive_max_pool3d_backward fractional_max_pool2d_backward \
         fractional_max_pool3d_backward",
        "1 FLOP for each gradient that comes in",
        |e| for_gradients(e, 1),
    ),
    formula(
        "adaptive_avg_pool1d _adaptive_avg_pool2d adaptive_avg_pool2d _adaptive_avg_pool3d \
         adaptive_avg_pool3d mkldnn_adaptive_avg_pool2d",
        "1 FLOP for each element of each window",
        |e| {
            let (input, output) = (e.require("self")?, e.require_output(0)?);
            Ok(e.moving(mean(adaptive(&input.shape, &output.shape), 1, output.dtype)))
        },
    ),
    formula(
        "adaptive_max_pool1d adaptive_max_pool2d adaptive_max_pool3d",
        "1 compare for each element of each window but one",
        |e| {
            let (input, output) = (e.require("self")?, e.require_output(0)?);
            let compare = adaptive(&input.shape, &output.shape).saturating_sub(output.held());
            Ok(e.moving(Cost {
                compare,
                ..Cost::default()
            }))
        },
    ),
    formula(
        "_adaptive_avg_pool2d_backward _adaptive_avg_pool3d_backward adaptive_avg_pool3d_backward \
         mkldnn_adaptive_avg_pool2d_backward",
        "1 FLOP for each element of each window, and a division for each gradient",
        |e| {
            let (gradient, input) = (e.require("grad_output")?, e.require("self")?);
            let taps = adaptive(&input.shape, &gradient.shape).saturating_add(gradient.held());
            Ok(e.moving(mean(taps, 1, gradient.dtype)))
        },
    ),
    plain(
        "upsample_nearest1d upsample_nearest2d upsample_nearest3d _upsample_nearest_exact1d \
         _upsample_nearest_exact2d _upsample_nearest_exact3d max_unpool2d max_unpool3d",
        Rule::Copy,
    ),
    formula(
        "upsample_nearest1d_backward upsample_nearest2d_backward upsample_nearest3d_backward \
         _upsample_nearest_exact1d_backward _upsample_nearest_exact2d_backward \
         _upsample_nearest_exact3d_backward",
        "1 FLOP for each gradient that comes in",
        |e| for_gradients(e, 1),
    ),
    formula("upsample_linear1d", "3 FLOP for each result: 2 taps", |e| {
        resample(e, 2)
    }),
    formula(
        "upsample_bilinear2d",
        "7 FLOP for each result: 4 taps",
        |e| resample(e, 4),
    ),
    formula(
        "upsample_trilinear3d",
        "15 FLOP for each result: 8 taps",
        |e| resample(e, 8),
    ),
    formula(
        "upsample_bicubic2d",
        "31 FLOP for each result: 16 taps",
        |e| resample(e, 16),
    ),
    formula(
        "upsample_linear1d_backward",
        "4 FLOP for each gradient",
        |e| for_gradients(e, 4),
    ),
    formula(
        "upsample_bilinear2d_backward",
        "8 FLOP for each gradient",
        |e| for_gradients(e, 8),
    ),
    formula(
        "upsample_trilinear3d_backward",
        "16 FLOP for each gradient",
        |e| for_gradients(e, 16),
    ),
    formula(
        "upsample_bicubic2d_backward",
        "32 FLOP for each gradient",
        |e| for_gradients(e, 32),
    ),
    formula(
        "grid_sampler_2d cudnn_grid_sampler grid_sampler grid_sampler_3d \
         _grid_sampler_2d_cpu_fallback",
        "2·taps − 1 FLOP for each result, and 2·taps for each point's weights",
        |e| {
            let (output, points, taps) = grid(e, e.require_output(0)?)?;
            let weights = weighted_backward(points, taps, output.dtype);
            Ok(e.moving(weighted(output.held(), taps, output.dtype) + weights))
        },
    ),
    formula(
        "grid_sampler_2d_backward cudnn_grid_sampler_backward grid_sampler_3d_backward \
         _grid_sampler_2d_cpu_fallback_backward",
        "4·taps FLOP for each gradient, and 2·taps for each point's weights",
        |e| {
            let (gradient, points, taps) = grid(e, e.require("grad_output")?)?;
            let each = weighted_backward(gradient.held(), taps, gradient.dtype);
            Ok(e.moving(each + each + weighted_backward(points, taps, gradient.dtype)))
        },
    ),
    formula(
        "_upsample_bilinear2d_aa _upsample_bicubic2d_aa _upsample_lanczos2d_aa",
        "2·taps − 1 FLOP for each result, along the width and then along the height; taps by scale",
        |e| {
            let (input, output) = (e.require_any(&["self", "input"])?, e.require_output(0)?);
            let [taps, results] = antialiased(e, &input.shape, &output.shape)?;
            let sums = taps.saturating_mul(2).saturating_sub(results);
            Ok(e.moving(mean(sums, 1, output.dtype)))
        },
    ),
    formula(
        "_upsample_bilinear2d_aa_backward _upsample_bicubic2d_aa_backward \
         _upsample_lanczos2d_aa_backward",
        "2·taps FLOP for each gradient, along both sides; taps by scale",
        |e| {
            let (gradient, input) = (e.require("grad_output")?, e.require_output(0)?);
            let [taps, _] = antialiased(e, &input.shape, &gradient.shape)?;
            Ok(e.moving(mean(taps, 2, gradient.dtype)))
        },
    ),
];

/// Elements of a window. A single size is that of every dimension.
fn window(event: &Event, of: &Tensor) -> Result<u128, String> {
    let kernel = event.ints("kernel_size").ok_or("its kernel has no size")?;
    let name = &event.signature.name;
    let dimensions = (1..=3).find(|count| name.contains(&format!("pool{count}d")));
    let repeated = match (kernel, dimensions) {
        ([_], Some(dimensions)) => dimensions,
        _ => 1,
    };
    if kernel.is_empty() || of.shape.is_empty() {
        return Err("its kernel has no size".into());
    }
    Ok(window_of(kernel).saturating_pow(repeated))
}

/// So many FLOP for each gradient that comes in.
fn for_gradients(event: &Event, each: u128) -> Counted {
    let gradient = event.require("grad_output")?;
    Ok(event.moving(mean(gradient.held(), each, gradient.dtype)))
}

fn resample(event: &Event, taps: u128) -> Counted {
    let output = event.require_output(0)?;
    Ok(event.moving(weighted(output.held(), taps, output.dtype)))
}

/// A sampled image, how many points it has, and taps of each: 2 a dimension, 1 for the nearest,
/// 4 for cubic.
fn grid<'a>(event: &Event, sampled: &'a Tensor) -> Result<(&'a Tensor, u128, u128), String> {
    let dimensions = sampled
        .shape
        .len()
        .checked_sub(2)
        .ok_or("its image has too few dimensions")?;
    let each: u128 = match event.int("interpolation_mode") {
        Some(1) => 1,
        Some(2) => 4,
        _ => 2,
    };
    let channels = sampled.dim(1).unwrap_or(1).max(1);
    let taps = each.saturating_pow(dimensions as u32);
    Ok((sampled, sampled.held() / channels, taps))
}

/// Pixels that both passes look at, and results of both: the width is resampled in every row there
/// was, the height in every column there is then.
fn antialiased(event: &Event, input: &[u64], output: &[u64]) -> Result<[u128; 2], String> {
    let ([batch, channels, rows, columns], [_, _, high, wide]) = (input, output) else {
        return Err("its image has no four dimensions".into());
    };
    let name = &event.signature.name;
    let support = match () {
        () if name.contains("bicubic") => 2.0,
        () if name.contains("lanczos") => 3.0,
        () => 1.0,
    };
    let along = |input: u64, output: u64, factor: &str| {
        let scale = match (event.bool("align_corners"), event.number(factor)) {
            (Some(true), _) => {
                input.saturating_sub(1) as f64 / output.saturating_sub(1).max(1) as f64
            }
            (_, Some(factor)) if factor > 0.0 => 1.0 / factor,
            _ => input as f64 / output.max(1) as f64,
        };
        let resampled = Resampled {
            input,
            output,
            scale,
            support,
        };
        let taps = resampled.taps();
        taps.ok_or("its image is too large to go through")
    };
    let images = u128::from(*batch).saturating_mul(u128::from(*channels));
    let lines = images.saturating_mul(u128::from(*rows));
    let upright = images.saturating_mul(u128::from(*wide));
    let first = lines.saturating_mul(along(*columns, *wide, "scales_w")?);
    let second = upright.saturating_mul(along(*rows, *high, "scales_h")?);
    let results = lines
        .saturating_mul(u128::from(*wide))
        .saturating_add(upright.saturating_mul(u128::from(*high)));
    Ok([first.saturating_add(second), results])
}

#[cfg(test)]
mod tests;
