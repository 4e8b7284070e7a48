//! Sorting, and Fourier transforms.

use crate::family::fourier::transform;
use crate::family::sorting::sort;
use crate::vocabulary::table::{Entry, formula};

pub const TABLE: &[Entry] = &[
    formula("TopK", "n·log2 n compares for each row", |e| {
        let input = e.input().ok_or("it has no input")?;
        let length = input.dim(e.int("axis").unwrap_or(-1));
        let length = length.ok_or("its axis is none of its input's")?;
        let rows = input.held().checked_div(length).unwrap_or(0);
        Ok(e.moving(sort(length, rows)))
    }),
    formula("Unique", "n·log2 n compares", |e| {
        let input = e.input().ok_or("it has no input")?;
        Ok(e.moving(sort(input.held(), 1)))
    }),
    formula(
        "DFT",
        "5·N·log2 N for each signal, half where one side is real",
        |e| {
            let (input, output) = (e.input().ok_or("it has no input")?, e.require_output(0)?);
            let is_real = input.dim(-1) == Some(1) || e.is_set("onesided");
            // The axis that was transformed: by the attribute, else that before the two parts.
            let axis = e.int("axis").unwrap_or(-2);
            let points = input.dim(axis).ok_or("its axis is none of its input's")?;
            let result = output.dim(axis).ok_or("its axis is none of its result's")?;
            let parts = output.dim(-1).unwrap_or(2);
            let of_each = result.saturating_mul(parts);
            let signals = output.held().checked_div(of_each).unwrap_or(0);
            Ok(e.moving(transform(points.max(result), signals, is_real)))
        },
    ),
    formula(
        "STFT",
        "5·N·log2 N for each frame, half as one side is real; 1 FLOP for the window",
        |e| {
            let output = e.require_output(0)?;
            let [batch, frames, bins, _] = output.shape[..] else {
                return Err("its result has not four dimensions".into());
            };
            let is_half = e.int("onesided").unwrap_or(1) != 0;
            let points = if is_half {
                bins.saturating_sub(1).saturating_mul(2)
            } else {
                bins
            };
            let times = u128::from(batch).saturating_mul(frames.into());
            let mut cost = transform(points.into(), times, is_half);
            let windowed = times.saturating_mul(points.into());
            cost.other_flop = cost.other_flop.saturating_add(windowed);
            Ok(e.moving(cost))
        },
    ),
];
