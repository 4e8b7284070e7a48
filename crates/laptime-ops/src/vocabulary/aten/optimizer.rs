//! Fused optimizer steps. Those of lists (`_foreach_`) are counted as the elementwise functions
//! they are made of.

use laptime_core::Cost;

use crate::event::Event;
use crate::family::movement::{bytes, moved};
use crate::family::optimizer::{Momentum, Sgd, adagrad, adam};
use crate::family::work::Work;
use crate::vocabulary::table::{Counted, Entry, formula};

pub const TABLE: &[Entry] = &[
    formula(
        "_fused_adamw",
        "12 FLOP and a root for each parameter, 14 with decay; 7 numbers moved",
        adam_step,
    ),
    formula(
        "_fused_adam",
        "12 FLOP and a root for each parameter, 14 with decay",
        adam_step,
    ),
    formula(
        "_fused_sgd",
        "2 FLOP for each parameter, 4 with momentum",
        |e| {
            let momentum = Momentum {
                dampening: positive(e, "dampening"),
                nesterov: e.is_set("nesterov"),
                first_step: e.is_set("is_first_step"),
            };
            let each = Sgd {
                decay: positive(e, "weight_decay"),
                maximize: e.is_set("maximize"),
                momentum: positive(e, "momentum").then_some(momentum),
            };
            update(e, each.work(), &["momentum_buffer_list"])
        },
    ),
    formula(
        "_fused_adagrad",
        "6 FLOP and a root for each parameter",
        |e| {
            let each = adagrad(positive(e, "weight_decay"), e.is_set("maximize"));
            update(e, each, &["state_sums"])
        },
    ),
];

fn adam_step(event: &Event) -> Counted {
    let decays = positive(event, "weight_decay");
    let each = adam(decays, event.is_set("amsgrad"), event.is_set("maximize"));
    update(event, each, &["exp_avgs", "exp_avg_sqs", "max_exp_avg_sqs"])
}

fn positive(event: &Event, name: &str) -> bool {
    event.number(name).is_some_and(|value| value > 0.0)
}

/// Parameters, gradients and states read; parameters and states written. The count of steps, a
/// number for each tensor, is left aside.
fn update(event: &Event, each: Work, states: &[&str]) -> Counted {
    let parameters = || event.tensors("self");
    if parameters().next().is_none() {
        return Err("its parameters are no list of tensors".into());
    }
    let cost: Cost = parameters().map(|parameter| each.over(parameter)).sum();
    let states = states.iter().flat_map(|name| event.tensors(name));
    let written: u128 = bytes(parameters().chain(states));
    let gradients: u128 = bytes(event.tensors("grads"));
    Ok(cost + moved(written.saturating_add(gradients), written))
}

#[cfg(test)]
mod tests {
    use crate::event::Argument;
    use crate::family::by_hand::{assert_costs, call};
    use crate::tensor::Tensor;

    #[test]
    fn every_step_by_hand() {
        let list = || Argument::Tensors(vec![Some(Tensor::f32([4])), Some(Tensor::f32([6]))]);
        let step = |name: &str, states: &[&'static str], settings: &[&'static str]| {
            let lists = ["self", "grads"]
                .iter()
                .chain(states)
                .map(|name| (*name, list()));
            let settings = settings.iter().map(|name| (*name, Argument::Float(0.1)));
            call(name, &lists.chain(settings).collect::<Vec<_>>(), &[])
        };
        let adam = ["exp_avgs", "exp_avg_sqs"];
        // 4 and 6 parameters, of 4 bytes: parameters, gradients and states in, parameters and states out.
        assert_costs(&[
            (
                "12 and a root; 4 lists in, 3 out",
                step("aten::_fused_adam_", &adam, &[]),
                &[
                    ("flop", 120),
                    ("transcendental", 10),
                    ("read", 160),
                    ("written", 120),
                ],
            ),
            (
                "14 and a root",
                step("aten::_fused_adamw_", &adam, &["weight_decay"]),
                &[
                    ("flop", 140),
                    ("transcendental", 10),
                    ("read", 160),
                    ("written", 120),
                ],
            ),
            (
                "2; 2 lists in, 1 out",
                step("aten::_fused_sgd_", &[], &[]),
                &[("flop", 20), ("read", 80), ("written", 40)],
            ),
            (
                "4 with momentum, 2 for decay, 1 for dampening",
                step(
                    "aten::_fused_sgd_",
                    &["momentum_buffer_list"],
                    &["momentum", "weight_decay", "dampening"],
                ),
                &[("flop", 70), ("read", 120), ("written", 80)],
            ),
            (
                "6 and a root",
                step("aten::_fused_adagrad_", &["state_sums"], &[]),
                &[
                    ("flop", 60),
                    ("transcendental", 10),
                    ("read", 120),
                    ("written", 80),
                ],
            ),
        ]);
    }
}
