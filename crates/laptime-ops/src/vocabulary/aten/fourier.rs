//! Fourier transforms.

use crate::event::Event;
use crate::family::fourier::transform;
use crate::tensor::Tensor;
use crate::vocabulary::table::{Counted, Entry, formula};

pub const TABLE: &[Entry] = &[
    formula("_fft_c2c", "5·N·log2 N", |e| {
        along(e, e.require("self")?, false)
    }),
    formula("_fft_r2c", "5·N·log2 N / 2", |e| {
        along(e, e.require("self")?, true)
    }),
    formula("_fft_c2r", "5·N·log2 N / 2", |e| {
        along(e, e.require_output(0)?, true)
    }),
];

/// Transforms along the dimensions that are named; the longer side tells how many points.
fn along(event: &Event, longer: &Tensor, real: bool) -> Counted {
    let dims = event.ints("dim").ok_or("its dimensions are not said")?;
    let mut points: u128 = 1;
    for &dim in dims {
        let size = longer
            .dim(dim)
            .ok_or("it transforms a dimension that isn't there")?;
        points = points.saturating_mul(size);
    }
    let times = longer.held().checked_div(points).unwrap_or(0);
    Ok(event.moving(transform(points, times, real)))
}

#[cfg(test)]
mod tests {
    use crate::event::Argument;
    use crate::family::by_hand::{assert_costs, call, f32};

    #[test]
    fn every_transform_by_hand() {
        let of = |name: &str, input: &[u64], dims: &[i64], output: &[u64]| {
            let arguments = [("self", f32(input)), ("dim", Argument::Ints(dims.to_vec()))];
            call(name, &arguments, &[output])
        };
        let moved = |flop, read, written| [("flop", flop), ("read", read), ("written", written)];
        assert_costs(&[
            (
                "3 of 5 · 8 · 3",
                of("aten::_fft_c2c", &[3, 8], &[1], &[3, 8]),
                &moved(360, 96, 96),
            ),
            (
                "half",
                of("aten::_fft_r2c", &[3, 8], &[1], &[3, 5]),
                &moved(180, 96, 60),
            ),
            (
                "half",
                of("aten::_fft_c2r", &[3, 5], &[1], &[3, 8]),
                &moved(180, 60, 96),
            ),
            (
                "5 · 32 · 5",
                of("aten::_fft_c2c", &[4, 8], &[0, 1], &[4, 8]),
                &moved(800, 128, 128),
            ),
        ]);
    }
}
