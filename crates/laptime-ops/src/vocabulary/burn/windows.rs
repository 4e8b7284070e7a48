//! Pooling, resampling and sampling at points.

use laptime_core::Cost;

use crate::event::Event;
use crate::family::pooling::{adaptive, largest, mean, weighted, weighted_backward, window_of};
use crate::vocabulary::table::{Counted, Entry, formula};

pub const TABLE: &[Entry] = &[
    formula("avg_pool1d avg_pool2d", "k FLOP for each result", |e| {
        let output = e.require_output(0)?;
        Ok(e.moving(mean(output.held(), window(e)?, output.dtype)))
    }),
    formula(
        "max_pool1d max_pool2d max_pool1d_with_indices max_pool2d_with_indices",
        "k − 1 compares for each result",
        |e| {
            let output = e.require_output(0)?;
            Ok(e.moving(largest(output.held(), window(e)?, output.dtype)))
        },
    ),
    formula(
        "avg_pool1d_backward avg_pool2d_backward",
        "k FLOP for each gradient that comes in, and a division",
        |e| from_behind(e, window(e)?.saturating_add(1)),
    ),
    formula(
        "max_pool1d_with_indices_backward max_pool2d_with_indices_backward",
        "1 FLOP for each gradient that comes in",
        |e| {
            let (gradient, indices) = (e.require("grad")?, e.require("indices")?);
            let read = gradient.bytes().saturating_add(indices.bytes());
            Ok(Cost {
                bytes_read: read,
                ..from_behind(e, 1)?
            })
        },
    ),
    formula(
        "adaptive_avg_pool1d adaptive_avg_pool2d adaptive_avg_pool3d",
        "1 FLOP for each element of each window",
        |e| {
            let (input, output) = (e.require("x")?, e.require_output(0)?);
            Ok(e.moving(mean(adaptive(&input.shape, &output.shape), 1, output.dtype)))
        },
    ),
    formula(
        "adaptive_avg_pool1d_backward adaptive_avg_pool2d_backward adaptive_avg_pool3d_backward",
        "1 FLOP for each element of each window, and a division for each gradient",
        |e| {
            let (input, gradient) = (e.require("x")?, e.require("grad")?);
            let taps = adaptive(&input.shape, &gradient.shape).saturating_add(gradient.held());
            Ok(Cost {
                bytes_read: gradient.bytes(),
                ..e.moving(mean(taps, 1, gradient.dtype))
            })
        },
    ),
    formula(
        "interpolate",
        "2·taps − 1 FLOP for each result: 4 taps bilinear, 16 bicubic, 36 Lanczos; none for the \
         nearest",
        |e| {
            let output = e.require_output(0)?;
            Ok(e.moving(match taps(e)? {
                1 => Cost::default(),
                taps => weighted(output.held(), taps, output.dtype),
            }))
        },
    ),
    formula(
        "interpolate_backward",
        "2·taps FLOP for each gradient; 1 for the nearest",
        |e| {
            let gradient = e.require("grad")?;
            match taps(e)? {
                1 => from_behind(e, 1),
                taps => Ok(Cost {
                    bytes_read: gradient.bytes(),
                    ..e.moving(weighted_backward(gradient.held(), taps, gradient.dtype))
                }),
            }
        },
    ),
    formula(
        "grid_sample2d",
        "2·taps − 1 FLOP for each result, and 2·taps for each point's weights",
        |e| {
            let output = e.require_output(0)?;
            let points = output.held() / output.dim(1).unwrap_or(1).max(1);
            let weights = weighted_backward(points, taps(e)?, output.dtype);
            Ok(e.moving(weighted(output.held(), taps(e)?, output.dtype) + weights))
        },
    ),
];

/// Elements of a window.
fn window(event: &Event) -> Result<u128, String> {
    let sizes = event.ints("kernel_size").ok_or("its kernel has no size")?;
    Ok(window_of(sizes))
}

/// So many FLOP for each gradient that comes in; of the input only the shape is looked at.
fn from_behind(event: &Event, each: u128) -> Counted {
    let gradient = event.require("grad")?;
    Ok(Cost {
        bytes_read: gradient.bytes(),
        ..event.moving(mean(gradient.held(), each, gradient.dtype))
    })
}

/// Elements that a resampled one is made of, in an image.
fn taps(event: &Event) -> Result<u128, String> {
    match event.text("mode") {
        Some("Nearest" | "NearestExact") => Ok(1),
        Some("Bilinear") => Ok(4),
        Some("Bicubic") => Ok(16),
        Some("Lanczos3") => Ok(36),
        _ => Err("how it interpolates is not known".into()),
    }
}
