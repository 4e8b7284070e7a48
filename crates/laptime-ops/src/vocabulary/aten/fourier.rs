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
