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

#[cfg(test)]
mod tests {
    use crate::event::Argument;
    use crate::family::by_hand::{assert_costs, call, f32};

    #[test]
    fn every_call_by_hand() {
        let of = |name: &str, input: &[u64], arguments: &[(&str, Argument)], output: &[u64]| {
            let arguments = [&[("X", f32(input))], arguments].concat();
            call(&format!("onnx::{name}"), &arguments, &[output])
        };
        let axis = |axis| [("axis", Argument::Int(axis))];
        let one_sided = |is| [("onesided", Argument::Int(is))];
        let compare = |compare| [("compare", compare), ("read", 128), ("written", 16)];
        let flop = |flop, read, written| [("flop", flop), ("read", read), ("written", written)];
        assert_costs(&[
            (
                "4 rows: 8 · 3",
                of("TopK", &[4, 8], &[], &[4]),
                &compare(96),
            ),
            (
                "8 columns: 4 · 2",
                of("TopK", &[4, 8], &axis(0), &[4]),
                &compare(64),
            ),
            ("32 · 5", of("Unique", &[4, 8], &[], &[4]), &compare(160)),
            (
                "3 of 5 · 8 · 3",
                of("DFT", &[3, 8, 2], &[], &[3, 8, 2]),
                &flop(360, 192, 192),
            ),
            (
                "half",
                of("DFT", &[3, 8, 1], &[], &[3, 8, 2]),
                &flop(180, 96, 192),
            ),
            (
                "half",
                of("DFT", &[3, 8, 2], &one_sided(1), &[3, 5, 2]),
                &flop(180, 192, 120),
            ),
            (
                "3 of 5 · 8 · 3",
                of("DFT", &[8, 3, 2], &axis(0), &[8, 3, 2]),
                &flop(360, 192, 192),
            ),
            // 2 · 3 frames of 8 points, each with a window.
            (
                "6 · (60 + 8)",
                of("STFT", &[2, 20], &[], &[2, 3, 5, 2]),
                &flop(408, 160, 240),
            ),
            (
                "6 · (120 + 8)",
                of("STFT", &[2, 20], &one_sided(0), &[2, 3, 8, 2]),
                &flop(768, 160, 384),
            ),
        ]);
    }
}
