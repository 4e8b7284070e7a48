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
