//! Losses and their gradients.

use crate::event::{Argument, Event};
use crate::family::loss::{self, unreduced, work};
use crate::family::work::Work;
use crate::vocabulary::table::{Counted, Entry, each, formula};

pub const TABLE: &[Entry] = &[
    formula(
        "mse_loss smooth_l1_loss huber_loss binary_cross_entropy binary_cross_entropy_with_logits \
         soft_margin_loss l1_loss kl_div multi_margin_loss multilabel_margin_loss_forward",
        "each element: mean squares 3 FLOP, absolutes 3, smooth 5 and a compare, binary cross \
         entropy 7, 2 transcendentals and 2 compares, with logits 6, 2 and 1; one less unreduced",
        elements,
    ),
    formula(
        "nll_loss_forward nll_loss2d_forward nll_loss nll_loss2d nll_loss_nd",
        "1 FLOP for each target, 3 with weights of classes",
        |e| {
            let targets = e.require("target")?.held();
            let each = Work::arithmetic(if e.tensor("weight").is_some() { 3 } else { 1 });
            let dtype = e.require("self")?.dtype;
            Ok(e.moving(each.on(targets, dtype)))
        },
    ),
    formula(
        "nll_loss_backward nll_loss2d_backward",
        "1 FLOP for each target; the gradient written",
        |e| {
            let targets = e.require("target")?;
            let cost = Work::arithmetic(1).on(targets.held(), e.require("self")?.dtype);
            let read = e
                .require("grad_output")?
                .bytes()
                .saturating_add(targets.bytes());
            let written = crate::family::movement::bytes(e.outputs.iter());
            Ok(cost + crate::family::movement::moved(read, written))
        },
    ),
    formula(
        "cross_entropy_loss",
        "a log-softmax, and 1 FLOP for each target",
        |e| {
            let (input, target) = (e.require("self")?, e.require("target")?);
            let rows = crate::family::softmax::LOG_FORWARD.over(input);
            Ok(e.moving(rows + Work::arithmetic(1).on(target.held(), input.dtype)))
        },
    ),
    each("mse_loss_backward", loss::SQUARES_BACKWARD),
    each(
        "smooth_l1_loss_backward huber_loss_backward",
        loss::SMOOTH_BACKWARD,
    ),
    each("binary_cross_entropy_backward", loss::BINARY_BACKWARD),
    each("soft_margin_loss_backward", loss::SOFT_MARGIN_BACKWARD),
    each(
        "multi_margin_loss_backward multilabel_margin_loss_backward",
        loss::MARGIN_BACKWARD,
    ),
    formula(
        "_ctc_loss ctc_loss _cudnn_ctc_loss miopen_ctc_loss",
        "4 transcendentals, 7 FLOP, 2 compares for each step and state, of 2·labels + 1; lengths \
         that are tensors are data",
        |e| alignment(e, 1),
    ),
    formula(
        "_ctc_loss_backward",
        "twice the forward; lengths that are tensors are data",
        |e| alignment(e, 2),
    ),
];

/// A loss of each element, added up unless the call wants them all.
fn elements(event: &Event) -> Counted {
    let name = event.signature.name.rsplit("::").next().unwrap_or_default();
    let name = name.trim_end_matches("_out").trim_end_matches("_forward");
    let each = work(name).ok_or("it is no loss that is known")?;
    let each = match event.get("reduction") {
        Argument::Int(0) => unreduced(each),
        _ => each,
    };
    let input = event.require_any(&["self", "input"])?;
    Ok(event.moving(each.over(input)))
}

/// All ways to align labels with steps; the backward goes through them from the other end, and
/// adds up the gradient of each.
fn alignment(event: &Event, times: u64) -> Counted {
    let lengths = |name: &str| {
        let lengths = event
            .ints(name)
            .ok_or("how long its sequences are is data")?;
        let lengths = lengths
            .iter()
            .map(|&length| u128::try_from(length).unwrap_or(0));
        Ok::<Vec<u128>, String>(lengths.collect())
    };
    let (steps, labels) = (lengths("input_lengths")?, lengths("target_lengths")?);
    let states = steps
        .into_iter()
        .zip(labels)
        .fold(0, |all: u128, (steps, labels)| {
            all.saturating_add(loss::alignments(steps, labels))
        });
    let input = event.require("log_probs")?;
    Ok(event.moving(loss::ALIGNMENT.on(states, input.dtype).times(times)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::family::by_hand::{assert_costs, call, f32, i64};

    #[test]
    fn every_call_by_hand() {
        let loss = |name: &str, reduction: i64| {
            let arguments = [
                ("self", f32(&[10])),
                ("target", f32(&[10])),
                ("reduction", Argument::Int(reduction)),
            ];
            call(name, &arguments, &[&[1]])
        };
        // 5 rows of 2 classes; 5 targets of 8 bytes.
        let targets = |name: &str, more: &[(&str, Argument)]| {
            let arguments = [&[("self", f32(&[5, 2])), ("target", i64(&[5]))], more].concat();
            call(name, &arguments, &[&[1]])
        };
        let gradient = [
            ("grad_output", f32(&[1])),
            ("self", f32(&[5, 2])),
            ("target", i64(&[5])),
        ];
        let lengths = |name: &str| {
            let arguments = [
                ("log_probs", f32(&[10, 2, 5])),
                ("input_lengths", Argument::Ints(vec![10, 4])),
                ("target_lengths", Argument::Ints(vec![3, 1])),
            ];
            call(name, &arguments, &[&[2]])
        };
        assert_costs(&[
            (
                "10 · (difference, square, sum)",
                loss("aten::mse_loss", 1),
                &[("flop", 30), ("read", 80), ("written", 4)],
            ),
            (
                "10 · (difference, square)",
                loss("aten::mse_loss", 0),
                &[("flop", 20), ("read", 80), ("written", 4)],
            ),
            (
                "5 · sum",
                targets("aten::nll_loss", &[]),
                &[("flop", 5), ("read", 80), ("written", 4)],
            ),
            (
                "5 · (weight, sum, sum of weights)",
                targets("aten::nll_loss", &[("weight", f32(&[2]))]),
                &[("flop", 15), ("read", 88), ("written", 4)],
            ),
            (
                "5 products; the input isn't read",
                call("aten::nll_loss_backward", &gradient, &[&[5, 2]]),
                &[("flop", 5), ("read", 44), ("written", 40)],
            ),
            (
                "10 of a log-softmax's 3, 5 · sum",
                targets("aten::cross_entropy_loss", &[]),
                &[
                    ("flop", 35),
                    ("transcendental", 10),
                    ("compare", 10),
                    ("read", 80),
                    ("written", 4),
                ],
            ),
            (
                "10 · 7 + 4 · 3 = 82 states, of 7, 4 and 2",
                lengths("aten::_ctc_loss"),
                &[
                    ("flop", 574),
                    ("transcendental", 328),
                    ("compare", 164),
                    ("read", 400),
                    ("written", 8),
                ],
            ),
        ]);
        let back = lengths("aten::_ctc_loss_backward");
        assert_eq!(
            (back.other_flop, back.transcendental, back.compare),
            (1148, 656, 328)
        );
    }
}
