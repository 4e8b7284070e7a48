//! What the tape tells apart, and what it refuses.

use burn::module::Module;
use burn::nn::{BatchNormConfig, Linear, LinearConfig, Relu};
use burn::tensor::module::attention;
use burn::tensor::{Device, Tensor};
use laptime_burn::{Tape, count, count_with};
use laptime_ops::{Cost, Counts, Formulas, Phase};

#[derive(Module, Debug)]
struct Mlp {
    first: Linear,
    act: Relu,
    second: Linear,
}

fn mlp(device: &Device, size: usize) -> Mlp {
    Mlp {
        first: LinearConfig::new(size, size).init(device),
        act: Relu::new(),
        second: LinearConfig::new(size, size).init(device),
    }
}

fn forward(tape: &Tape, model: &Mlp, x: Tensor<2>) -> Tensor<2> {
    let y = tape.module("first", || model.first.forward(x));
    let y = tape.module("act", || model.act.forward(y));
    tape.module("second", || model.second.forward(y))
}

fn phase(counts: &Counts, phase: Phase) -> Cost {
    counts.total.phase(phase).cost
}

#[test]
fn modules_and_phases_are_those_that_the_tape_was_told() {
    let counts = count(|tape| {
        let device = tape.device();
        let model = tape.model(mlp(&device, 32));
        let x = Tensor::<2>::zeros([4, 32], &device);
        let y = tape.module("net", || forward(tape, &model, x));
        tape.backward(y.sum());
    })
    .expect("a recording");
    let product = 4 * 32 * 32;
    assert_eq!(phase(&counts, Phase::Forward).mac, 2 * product);
    // Both weights' gradients, and that of what stands between the layers.
    assert_eq!(phase(&counts, Phase::Backward).mac, 3 * product);
    assert_eq!(counts.params, Some(2 * (32 * 32 + 32)));
    let rows: Vec<(&str, u64, u128)> = counts
        .by_module
        .iter()
        .map(|row| {
            (
                &row.path[..],
                row.calls,
                row.inclusive.phase(Phase::Forward).cost.mac,
            )
        })
        .collect();
    assert_eq!(
        rows,
        [
            ("", 0, 2 * product),
            ("net", 1, 2 * product),
            ("net.first", 1, product),
            ("net.act", 1, 0),
            ("net.second", 1, product),
        ]
    );
}

#[test]
fn making_the_weights_is_no_part_of_the_count() {
    let names = |is_told: bool| -> Vec<String> {
        let counts = count(|tape| {
            let device = tape.device();
            let mut model = mlp(&device, 16);
            if is_told {
                model = tape.model(model);
            }
            let _ = model.first.forward(Tensor::<2>::zeros([4, 16], &device));
        });
        let by_op = counts.expect("a recording").by_op;
        by_op.into_iter().map(|op| op.name).collect()
    };
    assert!(!names(true).contains(&"burn::random".into()));
    assert!(names(false).contains(&"burn::random".into()));
}

#[test]
fn a_model_larger_than_any_memory_is_counted() {
    // 4 PB of weights.
    let size = 1 << 25;
    let counts = count(|tape| {
        let device = tape.device();
        let config = LinearConfig::new(size, size).with_bias(false);
        let model = tape.model(config.init(&device));
        tape.backward(model.forward(Tensor::<2>::zeros([8, size], &device)).sum());
    })
    .expect("a recording");
    assert_eq!(counts.total.total().cost.mac, 2 * 8 * (1 << 50));
}

#[test]
fn attention_without_gradients_is_one_operation_with_its_mask() {
    let counts = count(|tape| {
        let device = tape.device().inner();
        let q = Tensor::<4>::zeros([2, 8, 128, 64], &device);
        let options = burn::tensor::ops::AttentionModuleOptions {
            is_causal: true,
            ..Default::default()
        };
        let _ = attention(q.clone(), q.clone(), q, None, None, options);
    })
    .expect("a recording");
    let cost = counts.total.total().cost;
    assert_eq!((cost.mac, cost.active_mac), (33_554_432, 16_908_288));
}

#[test]
fn a_formula_of_the_users_counts_instead() {
    let mut formulas = Formulas::standard();
    formulas.register("burn::exp", |event| {
        Ok(Cost {
            other_flop: 20 * event.output_elements(),
            ..Cost::default()
        })
    });
    let counts = count_with(formulas, |tape| {
        let _ = Tensor::<1>::zeros([10], &tape.device()).exp();
    })
    .expect("a recording");
    assert_eq!(counts.total.total().cost.other_flop, 200);
}

#[test]
#[should_panic(expected = "has no concrete value")]
fn values_of_what_was_computed_do_not_exist() {
    let _ = count(|tape| {
        let x = Tensor::<1>::ones([3], &tape.device());
        let _ = x.sum().into_data();
    });
}

#[test]
fn what_is_expanded_is_read_once() {
    let counts = count(|tape| {
        let row = Tensor::<2>::zeros([1, 100], &tape.device());
        let _ = row.expand([50, 100]).exp();
    })
    .expect("a recording");
    let exp = counts.by_op.iter().find(|op| op.name == "burn::exp");
    let cost = exp.expect("a row").tallies.total().cost;
    assert_eq!((cost.bytes_read, cost.bytes_written), (400, 20_000));
    assert_eq!(cost.transcendental, 5_000);
}

#[test]
#[should_panic(expected = "not on the same device")]
fn tensors_of_another_count_are_refused() {
    let mut kept = None;
    count(|tape| kept = Some(Tensor::<1>::zeros([3], &tape.device()))).expect("a recording");
    let kept = kept.expect("a tensor");
    let _ = count(|tape| {
        let _ = Tensor::<1>::zeros([3], &tape.device()) + kept;
    });
}

#[test]
fn batch_normalisation_is_counted_forward() {
    let counts = count(|tape| {
        let device = tape.device().inner();
        let norm = tape.model(BatchNormConfig::new(8).init(&device));
        let _ = norm.forward(Tensor::<4>::zeros([2, 8, 5, 5], &device));
    })
    .expect("a recording");
    let norm = counts.by_op.iter().find(|op| op.name == "burn::batch_norm");
    let cost = norm.expect("a row").tallies.total().cost;
    // A scale and a shift of 400 elements.
    assert_eq!(cost.other_flop, 800);
    // As burn counts them, with the running statistics.
    assert_eq!(counts.params, Some(32));
}

#[test]
fn batch_normalisation_in_training_is_refused_by_burn() {
    // In words that depend on how burn was built. The guide says so: where this fails, it may stop.
    let outcome = std::panic::catch_unwind(|| {
        count(|tape| {
            let device = tape.device();
            let norm = BatchNormConfig::new(8).init(&device);
            let _ = norm.forward(Tensor::<4>::zeros([2, 8, 5, 5], &device));
        })
    });
    assert!(outcome.is_err());
}
