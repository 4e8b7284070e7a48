//! Normalisation by the batch's statistics, by known ones, and by the root mean square.

use crate::event::Event;
use crate::family::normalization::{Affine, by_batch, centred, root_mean_square};
use crate::family::work::Work;
use crate::vocabulary::table::{Counted, Entry, formula};

pub const TABLE: &[Entry] = &[
    formula(
        "LayerNormalization InstanceNormalization GroupNormalization GroupNorm \
         MeanVarianceNormalization",
        "5 FLOP an element, 1 more for the scale and 1 for the shift: 7",
        |e| over(e, centred(affine(e))),
    ),
    formula(
        "RMSNormalization SimplifiedLayerNormalization",
        "3 FLOP an element, 1 more for the scale: 4",
        |e| over(e, root_mean_square(affine(e).weight)),
    ),
    formula(
        "SkipLayerNormalization",
        "1 FLOP an element for the sum, 1 for a bias in it, 7 as a layer's",
        |e| over(e, centred(affine(e)).and(sums(e))),
    ),
    formula(
        "SkipSimplifiedLayerNormalization",
        "1 FLOP an element for the sum, 1 for a bias in it, 4 by the root mean square",
        |e| over(e, root_mean_square(affine(e).weight).and(sums(e))),
    ),
    formula(
        "BatchNormalization",
        "2 FLOP an element, 7 in training",
        |e| {
            let trains = e.is_set("training_mode");
            over(e, by_batch(affine(e), trains))
        },
    ),
    formula(
        "LpNormalization",
        "3 FLOP an element: its power, their sum, the division",
        |e| over(e, Work::arithmetic(3)),
    ),
    formula(
        "LRN",
        "1 transcendental an element, and 1 FLOP for each neighbour and 3 more",
        |e| {
            let size = e.int("size").and_then(|size| u32::try_from(size).ok());
            let size = size.ok_or("it has no size")?;
            let sums = Work::arithmetic(size.min(1 << 16) + 3);
            over(e, Work::transcendental(1).and(sums))
        },
    ),
];

/// The parameters that were passed.
fn affine(event: &Event) -> Affine {
    Affine {
        weight: event.tensor("scale").is_some(),
        bias: event.tensor("B").is_some(),
    }
}

/// What is added before: a shortcut, and a bias where there is one.
fn sums(event: &Event) -> Work {
    Work::arithmetic(1 + u32::from(event.tensor("bias").is_some()))
}

fn over(event: &Event, work: Work) -> Counted {
    let input = event.input().ok_or("it has no input")?;
    Ok(event.moving(work.over(input)))
}

#[cfg(test)]
mod tests {
    use crate::event::Argument;
    use crate::family::by_hand::{assert_costs, call, f32};

    #[test]
    fn every_call_by_hand() {
        let on_ten = |name: &str, arguments: &[(&str, Argument)]| {
            let arguments = [&[("X", f32(&[2, 5]))], arguments].concat();
            call(&format!("onnx::{name}"), &arguments, &[&[2, 5]])
        };
        let (scale, shift, skip) = (
            ("scale", f32(&[5])),
            ("B", f32(&[5])),
            ("skip", f32(&[2, 5])),
        );
        let both = [scale.clone(), shift];
        let trained = [&both[..], &[("training_mode", Argument::Bool(true))]].concat();
        let scaled = [scale.clone()];
        let skipped = [skip.clone(), scale.clone()];
        let biased = [skip, scale, ("bias", f32(&[5]))];
        let of = |flop, read| [("flop", flop), ("read", read), ("written", 40)];
        assert_costs(&[
            (
                "5, a scale, a shift",
                on_ten("LayerNormalization", &both),
                &of(70, 80),
            ),
            (
                "3 and a scale",
                on_ten("RMSNormalization", &scaled),
                &of(40, 60),
            ),
            (
                "a sum, 5, a scale",
                on_ten("SkipLayerNormalization", &skipped),
                &of(70, 100),
            ),
            (
                "two sums, 5, a scale",
                on_ten("SkipLayerNormalization", &biased),
                &of(80, 120),
            ),
            (
                "a sum, 3, a scale",
                on_ten("SkipSimplifiedLayerNormalization", &skipped),
                &of(50, 100),
            ),
            (
                "known statistics",
                on_ten("BatchNormalization", &both),
                &of(20, 80),
            ),
            (
                "its own",
                on_ten("BatchNormalization", &trained),
                &of(70, 80),
            ),
            (
                "its square, their sum, the quotient",
                on_ten("LpNormalization", &[]),
                &of(30, 40),
            ),
            (
                "5 squares' sum; · α / n, + k, a power, the quotient",
                on_ten("LRN", &[("size", Argument::Int(5))]),
                &[
                    ("flop", 80),
                    ("transcendental", 10),
                    ("read", 40),
                    ("written", 40),
                ],
            ),
        ]);
    }
}
