//! Every row of `tests/truth/operations.json`, whose integers were derived by hand, from the calls
//! that its model makes, forward and backward.

use laptime_ops::vocabulary;
use laptime_ops::{Argument, Cost, Event, Outcome, Signature, Tensor};

/// What a model costs so far.
#[derive(Default)]
struct Model {
    forward: Cost,
    backward: Cost,
}

fn f32(shape: impl Into<Vec<u64>>) -> Argument {
    Argument::Tensor(Tensor::f32(shape))
}

fn cost(name: &str, arguments: Vec<(&str, Argument)>, outputs: Vec<Tensor>) -> Cost {
    let names: Vec<&str> = arguments.iter().map(|(name, _)| *name).collect();
    let values = arguments.into_iter().map(|(_, value)| value).collect();
    let event = Event::new(Signature::new(name, &names), values, outputs);
    match vocabulary::outcome(&event) {
        Outcome::Counted(cost) => cost,
        other => panic!("{name} is not counted: {other:?}"),
    }
}

impl Model {
    fn product(&mut self, backward: bool, [m, k, n]: [u64; 3]) {
        let cost = cost(
            "aten::mm",
            vec![("self", f32([m, k])), ("mat2", f32([k, n]))],
            vec![Tensor::f32([m, n])],
        );
        *(if backward {
            &mut self.backward
        } else {
            &mut self.forward
        }) += cost;
    }

    /// A linear layer without a bias on so many rows; whether its input wants a gradient.
    fn linear(&mut self, rows: u64, inputs: u64, outputs: u64, dx: bool) {
        self.product(false, [rows, inputs, outputs]);
        self.product(true, [inputs, rows, outputs]);
        if dx {
            self.product(true, [rows, outputs, inputs]);
        }
    }

    /// A convolution without a bias, padded so that only its stride makes the image smaller.
    fn convolution(
        &mut self,
        channels: [u64; 2],
        groups: u64,
        kernel: &[u64],
        out: &[u64],
        dx: bool,
    ) {
        let stride_one: Vec<u64> = [&[1, channels[0]], out].concat();
        let result = [&[1, channels[1]], out].concat();
        let weight = [&[channels[1], channels[0] / groups], kernel].concat();
        self.forward += cost(
            "aten::convolution",
            vec![
                ("input", f32(stride_one.clone())),
                ("weight", f32(weight.clone())),
                ("transposed", Argument::Bool(false)),
                ("groups", Argument::Int(groups as i64)),
            ],
            vec![Tensor::f32(result.clone())],
        );
        self.backward += cost(
            "aten::convolution_backward",
            vec![
                ("grad_output", f32(result)),
                ("input", f32(stride_one)),
                ("weight", f32(weight)),
                ("transposed", Argument::Bool(false)),
                ("groups", Argument::Int(groups as i64)),
                ("output_mask", Argument::Bools(vec![dx, true, false])),
            ],
            vec![],
        );
    }

    fn square(&mut self, channels: [u64; 2], groups: u64, kernel: u64, image: u64, dx: bool) {
        self.convolution(channels, groups, &[kernel, kernel], &[image, image], dx);
    }

    fn attention(&mut self, batch: u64, heads: u64, length: u64, size: u64, causal: bool) {
        let shape = [batch, heads, length, size];
        let operands = || {
            vec![
                ("query", f32(shape)),
                ("key", f32(shape)),
                ("value", f32(shape)),
                ("is_causal", Argument::Bool(causal)),
            ]
        };
        let name = "aten::_scaled_dot_product_flash_attention_for_cpu";
        self.forward += cost(name, operands(), vec![Tensor::f32(shape)]);
        self.backward += cost(&format!("{name}_backward"), operands(), vec![]);
    }

    /// A layer of a transformer, four times as wide inside.
    fn transformer(
        &mut self,
        batch: u64,
        length: u64,
        size: u64,
        heads: u64,
        causal: bool,
        dx: bool,
    ) {
        let rows = batch * length;
        self.linear(rows, size, 3 * size, dx);
        self.attention(batch, heads, length, size / heads, causal);
        self.linear(rows, size, size, true);
        self.linear(rows, size, 4 * size, true);
        self.linear(rows, 4 * size, size, true);
    }

    fn lstm(&mut self, batch: u64, steps: u64, inputs: u64, units: u64, dx: bool) {
        let arguments = |weights: [&'static str; 2]| {
            let mut input = Tensor::f32([steps, batch, inputs]);
            input.needs_grad = dx;
            vec![
                ("input", Argument::Tensor(input)),
                (weights[0], f32([4 * units, inputs])),
                (weights[1], f32([4 * units, units])),
                ("hx_", f32([1, batch, units])),
                ("mode", Argument::Int(2)),
                ("hidden_size", Argument::Int(units as i64)),
            ]
        };
        let forward = arguments(["weight0", "weight1"]);
        self.forward += cost("aten::mkldnn_rnn_layer", forward, vec![]);
        let backward = arguments(["weight1", "weight2"]);
        self.backward += cost("aten::mkldnn_rnn_layer_backward", backward, vec![]);
    }
}

fn resnet50() -> Model {
    let mut model = Model::default();
    model.square([3, 64], 1, 7, 112, false);
    let mut inputs = 64;
    for (width, blocks, image) in [(64, 3, 56), (128, 4, 28), (256, 6, 14), (512, 3, 7)] {
        for block in 0..blocks {
            // The 3 × 3 convolution of a stage's first block makes the image smaller.
            let before = if block == 0 && width > 64 {
                2 * image
            } else {
                image
            };
            model.square([inputs, width], 1, 1, before, true);
            model.square([width, width], 1, 3, image, true);
            model.square([width, 4 * width], 1, 1, image, true);
            if block == 0 {
                model.square([inputs, 4 * width], 1, 1, image, true);
            }
            inputs = 4 * width;
        }
    }
    model.linear(1, 2048, 1000, true);
    model
}

fn mobilenet_v3_large() -> Model {
    // Kernel, width inside, channels out, channels of the squeeze, image.
    const BLOCKS: [[u64; 5]; 15] = [
        [3, 16, 16, 0, 112],
        [3, 64, 24, 0, 56],
        [3, 72, 24, 0, 56],
        [5, 72, 40, 24, 28],
        [5, 120, 40, 32, 28],
        [5, 120, 40, 32, 28],
        [3, 240, 80, 0, 14],
        [3, 200, 80, 0, 14],
        [3, 184, 80, 0, 14],
        [3, 184, 80, 0, 14],
        [3, 480, 112, 120, 14],
        [3, 672, 112, 168, 14],
        [5, 672, 160, 168, 7],
        [5, 960, 160, 240, 7],
        [5, 960, 160, 240, 7],
    ];
    let mut model = Model::default();
    model.square([3, 16], 1, 3, 112, false);
    let (mut inputs, mut before) = (16, 112);
    for [kernel, inside, outputs, squeezed, image] in BLOCKS {
        if inside != inputs {
            model.square([inputs, inside], 1, 1, before, true);
        }
        model.square([inside, inside], inside, kernel, image, true);
        if squeezed > 0 {
            model.square([inside, squeezed], 1, 1, 1, true);
            model.square([squeezed, inside], 1, 1, 1, true);
        }
        model.square([inside, outputs], 1, 1, image, true);
        (inputs, before) = (outputs, image);
    }
    model.square([160, 960], 1, 1, 7, true);
    model.linear(1, 960, 1280, true);
    model.linear(1, 1280, 1000, true);
    model
}

fn vit_b_16() -> Model {
    let mut model = Model::default();
    model.square([3, 768], 1, 16, 14, false);
    for _ in 0..12 {
        model.transformer(1, 197, 768, 12, false, true);
    }
    model.linear(1, 768, 1000, true);
    model
}

fn gpt2() -> Model {
    let mut model = Model::default();
    for _ in 0..12 {
        model.transformer(1, 512, 768, 12, true, true);
    }
    model.linear(512, 768, 50_257, true);
    model
}

fn fft() -> Model {
    let mut model = Model::default();
    let (signal, spectrum) = ([4, 8, 512], [4, 8, 257]);
    let complex = laptime_ops::Dtype::complex(64);
    let spectra = || Tensor::new(spectrum, complex);
    let last = || ("dim", Argument::Ints(vec![2]));
    model.forward += cost(
        "aten::_fft_r2c",
        vec![("self", f32(signal)), last()],
        vec![spectra()],
    );
    let weight = Tensor::new([1, 1, 257], complex);
    let product = vec![
        ("self", Argument::Tensor(spectra())),
        ("other", Argument::Tensor(weight)),
    ];
    model.forward += cost("aten::mul", product, vec![spectra()]);
    let back = vec![("self", Argument::Tensor(spectra())), last()];
    model.forward += cost("aten::_fft_c2r", back, vec![Tensor::f32(signal)]);
    model
}

fn model(name: &str) -> Model {
    let mut model = Model::default();
    match name {
        "resnet50" => model = resnet50(),
        "mobilenet_v3_large" => model = mobilenet_v3_large(),
        "vit_b_16" => model = vit_b_16(),
        "gpt2_sdpa" => model = gpt2(),
        "fft" => model = fft(),
        "lstm" => {
            model.lstm(4, 64, 256, 512, false);
            model.lstm(4, 64, 512, 512, true);
            model.linear(4, 512, 10, true);
        }
        "conv3d" => {
            model.convolution([3, 32], 1, &[3, 3, 3], &[16, 56, 56], false);
            model.convolution([32, 64], 1, &[3, 3, 3], &[8, 28, 28], true);
            model.linear(1, 64, 10, true);
        }
        "einsum" => model.linear(8 * 64, 128, 4 * 32, false),
        "sdpa" => model.attention(2, 8, 128, 64, false),
        "sdpa_causal" => model.attention(2, 8, 128, 64, true),
        "grouped_conv" => {
            model.square([3, 64], 1, 1, 32, false);
            model.square([64, 64], 8, 3, 32, true);
            model.square([64, 64], 64, 3, 32, true);
        }
        "embedding" => model.linear(4 * 128, 256, 256, true),
        "mlp" => {
            model.linear(64, 256, 1024, false);
            model.linear(64, 1024, 256, true);
        }
        "encoder_layer" => model.transformer(2, 128, 256, 8, false, false),
        _ => panic!("{name} is a new row: write its calls here"),
    }
    model
}

#[test]
fn every_row_is_exact() {
    let rows: serde_json::Value =
        serde_json::from_str(include_str!("../../../../tests/truth/operations.json")).unwrap();
    let rows = rows.as_array().unwrap();
    assert_eq!(rows.len(), 14);
    for row in rows {
        let name = row["model"].as_str().unwrap();
        let integer = |field: &str| row[field].as_u64().map(u128::from);
        let model = model(name);
        let both = model.forward + model.backward;
        assert_eq!(Some(model.forward.mac), integer("macs"), "{name}, forward");
        if name == "fft" {
            let flop =
                integer("fft_flops_convention").unwrap() + integer("cplx_mul_flops").unwrap();
            assert_eq!(model.forward.other_flop, flop, "{name}");
            continue;
        }
        assert_eq!(
            Some(both.flop()),
            integer("fwd_bwd_flops_model"),
            "{name}, with backward"
        );
        assert_eq!(
            Some(both.executed_flop()),
            integer("fwd_bwd_flops_flash_executed"),
            "{name}, executed"
        );
        if let Some(active) = integer("causal_exact_macs") {
            assert_eq!(model.forward.active_mac, active, "{name}, active");
        }
        if let Some(active) = integer("forward_flops_causal_discounted") {
            assert_eq!(model.forward.active_flop(), active, "{name}, active");
        }
    }
}
