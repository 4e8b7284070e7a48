//! Models whose costs are known by hand, from `tests/truth/operations.json`: those that burn can
//! express. burn's autodiff computes no gradient that nobody asked for, so that its backward runs
//! the same products as the derivations there.

use burn::module::{Module, Param};
use burn::nn::conv::{Conv2d, Conv2dConfig, Conv3d, Conv3dConfig};
use burn::nn::transformer::{TransformerEncoderConfig, TransformerEncoderInput};
use burn::nn::{Embedding, EmbeddingConfig, Linear, LinearConfig, LstmConfig};
use burn::nn::{PaddingConfig2d, PaddingConfig3d};
use burn::tensor::activation::{relu, softmax};
use burn::tensor::module::attention;
use burn::tensor::ops::AttentionModuleOptions;
use burn::tensor::{Device, Int, Tensor};
use laptime_burn::{Tape, count};
use laptime_ops::Phase;

/// The figures of a model.
fn truth(model: &str) -> serde_json::Value {
    let path = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../../tests/truth/operations.json"
    );
    let text = std::fs::read_to_string(path).expect("the table of known costs");
    let rows: Vec<serde_json::Value> = serde_json::from_str(&text).expect("JSON");
    let row = rows.into_iter().find(|row| row["model"] == model);
    row.unwrap_or_else(|| panic!("no row {model}"))
}

/// Forward and backward are as the table has them, and nothing is left uncounted.
fn check(model: &str, program: impl FnOnce(&Tape)) {
    let counts = count(program).expect("a complete recording");
    let truth = truth(model);
    let figure = |name: &str| u128::from(truth[name].as_u64().expect("a figure"));
    let forward = counts.total.phase(Phase::Forward).cost;
    assert_eq!(
        forward.flop(),
        figure("forward_flops_matmul_conv_sdpa_only"),
        "{model}: forward"
    );
    let all = counts.total.total();
    assert_eq!(
        all.cost.flop(),
        figure("fwd_bwd_flops_model"),
        "{model}: with backward"
    );
    assert_eq!(counts.uncounted, [], "{model}");
    assert_eq!(counts.warnings, [], "{model}");
    if let Some(params) = counts.params {
        assert_eq!(u128::from(params), figure("params"), "{model}: parameters");
    }
}

fn linear(device: &Device, input: usize, output: usize) -> Linear {
    LinearConfig::new(input, output)
        .with_bias(false)
        .init(device)
}

#[derive(Module, Debug)]
struct Mlp {
    first: Linear,
    second: Linear,
}

#[test]
fn mlp() {
    check("mlp", |tape| {
        let device = tape.device();
        let model = tape.model(Mlp {
            first: linear(&device, 256, 1024),
            second: linear(&device, 1024, 256),
        });
        let x = Tensor::<2>::zeros([64, 256], &device);
        let y = model.second.forward(relu(model.first.forward(x)));
        tape.backward(y.sum());
    });
}

#[derive(Module, Debug)]
struct Kernels {
    pointwise: Conv2d,
    grouped: Conv2d,
    depthwise: Conv2d,
}

#[test]
fn grouped_convolutions() {
    check("grouped_conv", |tape| {
        let device = tape.device();
        let around = PaddingConfig2d::Explicit(1, 1, 1, 1);
        let grouped = |groups| {
            Conv2dConfig::new([64, 64], [3, 3])
                .with_groups(groups)
                .with_padding(around.clone())
                .with_bias(false)
                .init(&device)
        };
        let model = tape.model(Kernels {
            pointwise: Conv2dConfig::new([3, 64], [1, 1])
                .with_bias(false)
                .init(&device),
            grouped: grouped(8),
            depthwise: grouped(64),
        });
        let x = Tensor::<4>::zeros([1, 3, 32, 32], &device);
        let y = model.grouped.forward(model.pointwise.forward(x));
        tape.backward(model.depthwise.forward(y).sum());
    });
}

#[derive(Module, Debug)]
struct Volume {
    first: Conv3d,
    scale: Param<Tensor<1>>,
    shift: Param<Tensor<1>>,
    second: Conv3d,
    head: Linear,
}

impl Volume {
    /// By the batch's statistics. burn's own layer moves its running ones to the device, which one
    /// that records refuses in training.
    fn normalised(&self, x: Tensor<5>) -> Tensor<5> {
        let (variance, mean) = x.clone().swap_dims(0, 1).reshape([32, -1]).var_mean_bias(1);
        let channels = |of: Tensor<2>| of.reshape([1, 32, 1, 1, 1]);
        let x = (x - channels(mean)) / channels(variance).add_scalar(1e-5).sqrt();
        x * self.scale.val().reshape([1, 32, 1, 1, 1]) + self.shift.val().reshape([1, 32, 1, 1, 1])
    }
}

#[test]
fn convolutions_of_a_volume() {
    check("conv3d", |tape| {
        let device = tape.device();
        let conv = |channels, stride| {
            Conv3dConfig::new(channels, [3, 3, 3])
                .with_stride([stride; 3])
                .with_padding(PaddingConfig3d::Explicit(1, 1, 1))
                .with_bias(false)
                .init(&device)
        };
        let model = tape.model(Volume {
            first: conv([3, 32], 1),
            scale: Param::from_tensor(Tensor::ones([32], &device)),
            shift: Param::from_tensor(Tensor::zeros([32], &device)),
            second: conv([32, 64], 2),
            head: linear(&device, 64, 10),
        });
        let x = Tensor::<5>::zeros([1, 3, 16, 56, 56], &device);
        let y = relu(model.normalised(model.first.forward(x)));
        let y = relu(model.second.forward(y)).mean_dims(&[2, 3, 4]);
        tape.backward(model.head.forward(y.reshape([1, 64])).sum());
    });
}

#[derive(Module, Debug)]
struct Words {
    table: Embedding,
    linear: Linear,
}

#[test]
fn a_look_up_and_a_product() {
    check("embedding", |tape| {
        let device = tape.device();
        let model = tape.model(Words {
            table: EmbeddingConfig::new(50_000, 256).init(&device),
            linear: linear(&device, 256, 256),
        });
        let words = Tensor::<2, Int>::zeros([4, 128], &device);
        let y = model.linear.forward(model.table.forward(words));
        tape.backward(y.sum());
    });
}

#[test]
fn einsum() {
    check("einsum", |tape| {
        let device = tape.device();
        let x = Tensor::<3>::zeros([8, 64, 128], &device);
        let w = Tensor::<3>::zeros([128, 4, 32], &device).require_grad();
        let y: Tensor<4> = burn::tensor::einsum!("bsd,dhk->bhsk", x, w);
        tape.backward(y.sum());
    });
}

/// Queries, keys and values that are the input times one number, as the table's.
fn scaled(tape: &Tape) -> Tensor<4> {
    let device = tape.device();
    let scale = Param::from_tensor(Tensor::<1>::ones([1], &device));
    let x = Tensor::<4>::zeros([2, 8, 128, 64], &device);
    x * scale.val().unsqueeze()
}

#[test]
fn attention_written_out() {
    check("sdpa", |tape| {
        let q = scaled(tape);
        let scores = q.clone().matmul(q.clone().swap_dims(2, 3)).div_scalar(8.0);
        tape.backward(softmax(scores, 3).matmul(q).sum());
    });
}

#[test]
fn attention_as_one_function() {
    // With gradients burn writes it out: the products are those of the model, no fused kernel's.
    check("sdpa_causal", |tape| {
        let q = scaled(tape);
        let options = AttentionModuleOptions {
            is_causal: true,
            ..AttentionModuleOptions::default()
        };
        let y = attention(q.clone(), q.clone(), q, None, None, options);
        tape.backward(y.sum());
    });
}

#[test]
fn an_encoder_layer() {
    check("encoder_layer", |tape| {
        let device = tape.device();
        let model = TransformerEncoderConfig::new(256, 1024, 8, 1).init(&device);
        let model = tape.model(model);
        let x = Tensor::<3>::zeros([2, 128, 256], &device);
        let y = model.forward(TransformerEncoderInput::new(x));
        tape.backward(y.sum());
    });
}

#[test]
fn a_recurrent_network() {
    // burn keeps a bias for each gate where others keep two: its parameters are its own.
    check("lstm", |tape| {
        let device = tape.device();
        let layer = |input| LstmConfig::new(input, 512, true).init(&device);
        let (first, second) = (layer(256), layer(512));
        let head = linear(&device, 512, 10);
        let x = Tensor::<3>::zeros([4, 64, 256], &device);
        let (y, _) = first.forward(x, None);
        let (_, last) = second.forward(y, None);
        tape.backward(head.forward(last.hidden).sum());
    });
}
