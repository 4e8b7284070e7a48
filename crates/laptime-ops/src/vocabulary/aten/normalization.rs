//! Layer, group, instance, batch and root-mean-square normalisation of every backend.

use crate::event::Event;
use crate::family::normalization::{
    Affine, KNOWN_STATISTICS, STATISTICS, by_batch, centred, centred_backward,
    known_statistics_backward, root_mean_square, root_mean_square_backward,
};
use crate::family::work::Work;
use crate::vocabulary::table::{Counted, Entry, formula};

pub const TABLE: &[Entry] = &[
    formula(
        "native_layer_norm layer_norm native_group_norm group_norm",
        "5 FLOP an element, 1 more for the scale and 1 for the shift: 7",
        |e| over_input(e, centred(affine(e))),
    ),
    formula(
        "native_layer_norm_backward native_group_norm_backward",
        "14 FLOP an element with all gradients, less what nobody wants",
        |e| {
            let (input, wanted) = wanted(e);
            let scaled = e.tensor("weight").is_some();
            over_input(e, centred_backward(input, scaled, wanted))
        },
    ),
    formula(
        "native_batch_norm batch_norm cudnn_batch_norm miopen_batch_norm _native_batch_norm_legit \
         _batch_norm_impl_index",
        "7 FLOP an element in training, 2 with known statistics",
        |e| {
            let trains = e.bool("training").unwrap_or(true);
            over_input(e, by_batch(affine(e), trains))
        },
    ),
    formula("_batch_norm_with_update", "7 FLOP an element", |e| {
        over_input(e, centred(affine(e)))
    }),
    formula(
        "instance_norm",
        "7 FLOP an element, 2 with known statistics",
        |e| {
            let own = e.bool("use_input_stats").unwrap_or(true);
            over_input(e, by_batch(affine(e), own))
        },
    ),
    formula(
        "_native_batch_norm_legit_no_training _batch_norm_no_update quantized_batch_norm \
         batch_norm_elemt",
        "2 FLOP an element",
        |e| over_input(e, KNOWN_STATISTICS),
    ),
    formula(
        "native_batch_norm_backward cudnn_batch_norm_backward miopen_batch_norm_backward \
         batch_norm_backward",
        "14 FLOP an element with all gradients, less what nobody wants; 6 with known statistics",
        |e| {
            let (input, wanted) = wanted(e);
            let trains = e.bool("train").or_else(|| e.bool("update")).unwrap_or(true);
            let scaled = e.tensor("weight").is_some();
            over_input(
                e,
                if trains {
                    centred_backward(input, scaled, wanted)
                } else {
                    known_statistics_backward(input, wanted)
                },
            )
        },
    ),
    formula(
        "batch_norm_stats batch_norm_update_stats",
        "4 FLOP an element",
        |e| over_input(e, STATISTICS),
    ),
    formula(
        "batch_norm_gather_stats batch_norm_gather_stats_with_counts",
        "7 FLOP for each mean of each rank",
        |e| over(e, "mean", Work::arithmetic(7)),
    ),
    formula("batch_norm_backward_reduce", "5 FLOP an element", |e| {
        over_input(e, Work::arithmetic(5))
    }),
    formula("batch_norm_backward_elemt", "6 FLOP an element", |e| {
        over_input(e, Work::arithmetic(6))
    }),
    formula(
        "_fused_rms_norm rms_norm",
        "3 FLOP an element, 1 more for the scale: 4",
        |e| over_input(e, root_mean_square(e.tensor("weight").is_some())),
    ),
    formula(
        "_fused_rms_norm_backward",
        "9 FLOP an element with all gradients, less what nobody wants",
        |e| {
            let (input, wanted) = wanted(e);
            let scaled = e.tensor("weight").is_some();
            over_input(e, root_mean_square_backward(input, scaled, wanted.weight))
        },
    ),
    formula(
        "_weight_norm_interface _weight_norm",
        "3 FLOP an element, a root for each row",
        |e| {
            let norms = e.require("g")?;
            let roots = Work::transcendental(1).over(norms);
            Ok(over(e, "v", Work::arithmetic(3))? + roots)
        },
    ),
    formula(
        "_weight_norm_interface_backward",
        "6 FLOP an element",
        |e| over(e, "saved_v", Work::arithmetic(6)),
    ),
];

/// The parameters that were passed.
fn affine(event: &Event) -> Affine {
    Affine {
        weight: event.tensor("weight").is_some(),
        bias: event.tensor("bias").is_some(),
    }
}

/// Whether the input's gradient is wanted, and those of the parameters. A call without a mask
/// gives all.
fn wanted(event: &Event) -> (bool, Affine) {
    let mask = event.bools("output_mask");
    let wanted = |index: usize| mask.is_none_or(|mask| mask.get(index) == Some(&true));
    let affine = Affine {
        weight: wanted(1),
        bias: wanted(2),
    };
    (wanted(0), affine)
}

fn over_input(event: &Event, work: Work) -> Counted {
    over(event, "input", work)
}

fn over(event: &Event, name: &str, work: Work) -> Counted {
    let tensor = event.require(name).or_else(|_| event.require("self"))?;
    Ok(event.moving(work.over(tensor)))
}

#[cfg(test)]
mod tests;
