//! Fused optimizer steps. Those of lists (`_foreach_`) are counted as the elementwise functions
//! they are made of.

use laptime_core::Cost;

use crate::event::Event;
use crate::family::movement::{bytes, moved};
use crate::family::optimizer::{Decay, Momentum, Sgd, adagrad, adam};
use crate::family::work::Work;
use crate::vocabulary::table::{Counted, Entry, formula};

pub const TABLE: &[Entry] = &[
    formula(
        "_fused_adamw",
        "12 FLOP and a root for each parameter, 14 with decay; 7 numbers moved",
        |e| {
            let decays = if positive(e, "weight_decay") {
                Decay::Decoupled
            } else {
                Decay::None
            };
            let each = adam(decays, set(e, "amsgrad"), set(e, "maximize"));
            let states = ["exp_avgs", "exp_avg_sqs", "max_exp_avg_sqs"];
            update(e, each, &states)
        },
    ),
    formula(
        "_fused_adam",
        "12 FLOP and a root for each parameter, 14 with decay",
        |e| {
            let decays = if positive(e, "weight_decay") {
                Decay::InGradient
            } else {
                Decay::None
            };
            let each = adam(decays, set(e, "amsgrad"), set(e, "maximize"));
            update(e, each, &["exp_avgs", "exp_avg_sqs", "max_exp_avg_sqs"])
        },
    ),
    formula(
        "_fused_sgd",
        "2 FLOP for each parameter, 4 with momentum",
        |e| {
            let momentum = Momentum {
                dampening: positive(e, "dampening"),
                nesterov: set(e, "nesterov"),
                first_step: set(e, "is_first_step"),
            };
            let each = Sgd {
                decay: positive(e, "weight_decay"),
                maximize: set(e, "maximize"),
                momentum: positive(e, "momentum").then_some(momentum),
            };
            update(e, each.work(), &["momentum_buffer_list"])
        },
    ),
    formula(
        "_fused_adagrad",
        "6 FLOP and a root for each parameter",
        |e| {
            let each = adagrad(positive(e, "weight_decay"), set(e, "maximize"));
            update(e, each, &["state_sums"])
        },
    ),
];

fn positive(event: &Event, name: &str) -> bool {
    event.number(name).is_some_and(|value| value > 0.0)
}

fn set(event: &Event, name: &str) -> bool {
    event.bool(name) == Some(true)
}

/// Parameters, gradients and states read; parameters and states written. The count of steps, a
/// number for each tensor, is left aside.
fn update(event: &Event, each: Work, states: &[&str]) -> Counted {
    let kept = || {
        event
            .tensors("self")
            .chain(states.iter().flat_map(|name| event.tensors(name)))
    };
    if event.tensors("self").next().is_none() {
        return Err("its parameters are no list of tensors".into());
    }
    let cost: Cost = event
        .tensors("self")
        .map(|parameter| each.on(parameter.held(), parameter.dtype))
        .sum();
    let written: u128 = bytes(kept());
    let gradients: u128 = bytes(event.tensors("grads"));
    Ok(cost + moved(written.saturating_add(gradients), written))
}
