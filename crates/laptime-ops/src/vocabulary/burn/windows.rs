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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::event::Argument;
    use crate::family::by_hand::{assert_costs, call, f32, i64};

    fn of(name: &str, arguments: &[(&str, Argument)], output: &[u64]) -> Cost {
        call(&format!("burn::{name}"), arguments, &[output])
    }

    #[test]
    fn windows_by_hand() {
        let kernel = ("kernel_size", Argument::Ints(vec![2, 3]));
        let pooled = |name: &str| {
            of(
                name,
                &[("x", f32(&[1, 1, 4, 6])), kernel.clone()],
                &[1, 1, 2, 2],
            )
        };
        let back = |name: &str| {
            let operands = [("x", f32(&[1, 1, 4, 6])), ("grad", f32(&[1, 1, 2, 2]))];
            let more = [("indices", i64(&[1, 1, 2, 2])), kernel.clone()];
            of(name, &[operands, more].concat(), &[1, 1, 4, 6])
        };
        let adaptive = [("x", f32(&[2, 5])), ("grad", f32(&[2, 3]))];
        let out = [("read", 96), ("written", 16)];
        // 24 pixels in, 4 out; 5 into 3 has windows of 2, 3 and 2.
        assert_costs(&[
            (
                "5 additions, a division",
                pooled("avg_pool2d"),
                &[("flop", 24), out[0], out[1]],
            ),
            (
                "5 compares",
                pooled("max_pool2d"),
                &[("compare", 20), out[0], out[1]],
            ),
            (
                "a division, 6 additions",
                back("avg_pool2d_backward"),
                &[("flop", 28), ("read", 16), ("written", 96)],
            ),
            (
                "an addition where the index says",
                back("max_pool2d_with_indices_backward"),
                &[("flop", 4), ("read", 48), ("written", 96)],
            ),
            (
                "2 (2 + 3 + 2)",
                of("adaptive_avg_pool1d", &adaptive[..1], &[2, 3]),
                &[("flop", 14), ("read", 40), ("written", 24)],
            ),
            (
                "and 6 divisions",
                of("adaptive_avg_pool1d_backward", &adaptive, &[2, 5]),
                &[("flop", 20), ("read", 24), ("written", 40)],
            ),
        ]);
    }

    #[test]
    fn resampling_by_hand() {
        let there = |mode: &str| {
            let mode = ("mode", Argument::Text(mode.into()));
            of(
                "interpolate",
                &[("x", f32(&[1, 1, 1, 5])), mode],
                &[1, 1, 1, 10],
            )
        };
        let back = |mode: &str| {
            let mode = ("mode", Argument::Text(mode.into()));
            let operands = [
                ("x", f32(&[1, 1, 1, 5])),
                ("grad", f32(&[1, 1, 1, 10])),
                mode,
            ];
            of("interpolate_backward", &operands, &[1, 1, 1, 5])
        };
        let sampled = |mode: &str| {
            let mode = ("mode", Argument::Text(mode.into()));
            let operands = [
                ("tensor", f32(&[1, 3, 9, 9])),
                ("grid", f32(&[1, 2, 2, 2])),
                mode,
            ];
            of("grid_sample2d", &operands, &[1, 3, 2, 2])
        };
        let ten = |flop| [("flop", flop), ("read", 20), ("written", 40)];
        let five = |flop| [("flop", flop), ("read", 40), ("written", 20)];
        let points = |flop| [("flop", flop), ("read", 1004), ("written", 48)];
        // Ten results of n taps: n products and n − 1 additions; ten gradients: n of both. 12 samples at 4 points.
        assert_costs(&[
            ("copied", there("Nearest"), &ten(0)[1..]),
            ("4 taps", there("Bilinear"), &ten(70)),
            ("16 taps", there("Bicubic"), &ten(310)),
            ("36 taps", there("Lanczos3"), &ten(710)),
            ("added", back("NearestExact"), &five(10)),
            ("4 taps", back("Bilinear"), &five(80)),
            ("16 taps", back("Bicubic"), &five(320)),
            ("36 taps", back("Lanczos3"), &five(720)),
            (
                "12 · 7, the weights of 4 points 8",
                sampled("Bilinear"),
                &points(116),
            ),
            ("12 · 1, 4 · 2", sampled("Nearest"), &points(20)),
        ]);
    }
}
