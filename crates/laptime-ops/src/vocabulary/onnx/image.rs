//! Pooling, resizing, and samples of images.

use crate::event::Event;
use crate::family::pooling::{largest, mean, weighted};
use crate::family::work::Work;
use crate::vocabulary::table::{Entry, Rule, formula, plain, reduce};

pub const TABLE: &[Entry] = &[
    formula("AveragePool", "k FLOP for each result", |e| {
        let output = e.require_output(0)?;
        Ok(e.moving(mean(output.held(), window(e)?, output.dtype)))
    }),
    formula("MaxPool", "k − 1 compares for each result", |e| {
        let output = e.require_output(0)?;
        Ok(e.moving(largest(output.held(), window(e)?, output.dtype)))
    }),
    formula(
        "LpPool",
        "2 FLOP for each element of each window, and a root for each result",
        |e| {
            let output = e.require_output(0)?;
            let taps = output.held().saturating_mul(window(e)?);
            let root = Work::transcendental(1).over(output);
            Ok(e.moving(Work::arithmetic(2).on(taps, output.dtype) + root))
        },
    ),
    reduce("GlobalAveragePool", Work::arithmetic(1), Work::NONE),
    reduce("GlobalMaxPool", Work::compare(1), Work::NONE),
    reduce("GlobalLpPool", Work::arithmetic(2), Work::transcendental(1)),
    formula(
        "Resize Upsample",
        "nothing by nearest neighbours; 2 FLOP less one for each of 2 or, cubic, 4 taps along each axis",
        |e| {
            let (input, output) = (e.input().ok_or("it has no input")?, e.require_output(0)?);
            let taps: u128 = match e.text("mode") {
                None | Some("nearest") => return Ok(moved(e)),
                Some("linear" | "bilinear") => 2,
                Some("cubic") => 4,
                Some(other) => return Err(format!("its mode {other:?} is not known")),
            };
            let both = input.shape.iter().zip(&output.shape);
            let axes = both.filter(|(before, after)| before != after).count();
            let taps = taps.saturating_pow(axes as u32);
            Ok(e.moving(weighted(output.held(), taps, output.dtype)))
        },
    ),
    formula(
        "GridSample",
        "nothing by nearest neighbours; 2 FLOP less one for each of 2 or, cubic, 4 taps along each axis",
        |e| {
            let (input, output) = (e.input().ok_or("it has no input")?, e.require_output(0)?);
            let axes = input.shape.len().saturating_sub(2) as u32;
            let taps: u128 = match e.text("mode") {
                Some("nearest") => return Ok(moved(e)),
                None | Some("linear" | "bilinear") => 2,
                Some("cubic" | "bicubic") => 4,
                Some(other) => return Err(format!("its mode {other:?} is not known")),
            };
            Ok(e.moving(weighted(
                output.held(),
                taps.saturating_pow(axes),
                output.dtype,
            )))
        },
    ),
    formula(
        "RoiAlign",
        "7 FLOP for each of the bilinear samples, 1 to pool each",
        |e| {
            let output = e.require_output(0)?;
            let ratio = e.count("sampling_ratio").filter(|ratio| *ratio > 0);
            let ratio = ratio.ok_or("how many samples it takes depends on data")?;
            let samples = output.held().saturating_mul(ratio).saturating_mul(ratio);
            let pooled = match e.text("mode") {
                Some("max") => Work::compare(1),
                _ => Work::arithmetic(1),
            };
            Ok(e.moving(weighted(samples, 4, output.dtype) + pooled.on(samples, output.dtype)))
        },
    ),
    plain(
        "MaxRoiPool NonMaxSuppression",
        Rule::Unknown("how much it compares depends on data"),
    ),
];

fn moved(event: &Event) -> laptime_core::Cost {
    event.moving(laptime_core::Cost::default())
}

/// Elements of a window.
fn window(event: &Event) -> Result<u128, String> {
    let kernel = event.ints("kernel_shape").ok_or("it has no kernel_shape")?;
    kernel.iter().try_fold(1u128, |all, size| {
        let size = u128::try_from(*size).map_err(|_| "its window has a negative size")?;
        Ok::<_, String>(all.saturating_mul(size))
    })
}

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
        let text = |text: &str| [("mode", Argument::Text(text.into()))];
        let square: (&[u64], &[u64]) = (&[1, 1, 6, 6], &[1, 1, 2, 2]);
        let pooled = |name: &str| {
            let kernel = [("kernel_shape", Argument::Ints(vec![3, 2]))];
            of(name, square.0, &kernel, square.1)
        };
        let resized = |mode: &str, output: &[u64]| of("Resize", &[1, 1, 2, 2], &text(mode), output);
        let sampled = |mode: &str| of("GridSample", &[1, 1, 6, 6], &text(mode), square.1);
        let aligned = |mode: &str| {
            let arguments = [&text(mode)[..], &[("sampling_ratio", Argument::Int(2))]].concat();
            of("RoiAlign", square.0, &arguments, square.1)
        };
        let small = |columns: &[(&'static str, u128)]| {
            [columns, &[("read", 144), ("written", 16)]].concat()
        };
        let large =
            |columns: &[(&'static str, u128)]| [columns, &[("read", 16), ("written", 64)]].concat();
        assert_costs(&[
            (
                "4 of 5 additions and a division",
                pooled("AveragePool"),
                &small(&[("flop", 24)]),
            ),
            (
                "4 of 5 compares",
                pooled("MaxPool"),
                &small(&[("compare", 20)]),
            ),
            (
                "4 of 6 squares and their sum; a root",
                pooled("LpPool"),
                &small(&[("flop", 48), ("transcendental", 4)]),
            ),
            ("copied", resized("nearest", &[1, 1, 4, 4]), &large(&[])),
            (
                "16 of 2 · 2 taps",
                resized("linear", &[1, 1, 4, 4]),
                &large(&[("flop", 112)]),
            ),
            (
                "16 of 2 taps",
                resized("linear", &[1, 1, 2, 8]),
                &large(&[("flop", 48)]),
            ),
            (
                "16 of 4 · 4 taps",
                resized("cubic", &[1, 1, 4, 4]),
                &large(&[("flop", 496)]),
            ),
            ("copied", sampled("nearest"), &small(&[])),
            (
                "4 of 2 · 2 taps",
                sampled("bilinear"),
                &small(&[("flop", 28)]),
            ),
            (
                "4 of 4 · 4 taps",
                sampled("cubic"),
                &small(&[("flop", 124)]),
            ),
            (
                "4 of 2 · 2 samples of 4 taps, added up",
                aligned("avg"),
                &small(&[("flop", 128)]),
            ),
            (
                "4 of 2 · 2 samples of 4 taps, compared",
                aligned("max"),
                &small(&[("flop", 112), ("compare", 16)]),
            ),
        ]);
    }
}
