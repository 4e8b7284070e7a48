//! Trains a network on handwritten digits with burn.
//!
//! The laps `step`, `forward`, `backward` and `optimizer` are written here. Memory is counted by the
//! allocator. What a step computes is counted once, from shapes alone, and said to the laps.
//!
//! ```sh
//! laptime run --memory target/release/digits-burn digits.csv
//! ```

use std::error::Error;
use std::path::PathBuf;

use burn::module::Module;
use burn::nn::loss::CrossEntropyLossConfig;
use burn::nn::{Linear, LinearConfig};
use burn::optim::{AdamWConfig, GradientsParams, ModuleOptimizer};
use burn::tensor::activation::relu;
use burn::tensor::{Device, Int, Tensor, TensorData};
use laptime::count::Phase;
use laptime::lap;

#[path = "../../digits/digits.rs"]
mod digits;
use digits::{CLASSES, Digits, PIXELS};

#[global_allocator]
static ALLOCATOR: laptime::alloc::Tally = laptime::alloc::Tally::system();

const HIDDEN: usize = 256;
const BATCH: usize = 64;
const EPOCHS: usize = 10;
const TRAIN: usize = 1_437;
const RATE: f64 = 3e-3;

#[derive(Module, Debug)]
struct Network {
    hidden: Linear,
    output: Linear,
}

impl Network {
    fn new(device: &Device) -> Self {
        Self {
            hidden: LinearConfig::new(PIXELS, HIDDEN).init(device),
            output: LinearConfig::new(HIDDEN, CLASSES).init(device),
        }
    }

    fn forward(&self, images: Tensor<2>) -> Tensor<2> {
        self.output.forward(relu(self.hidden.forward(images)))
    }

    fn loss(&self, images: Tensor<2>, labels: Tensor<1, Int>) -> Tensor<1> {
        let loss = CrossEntropyLossConfig::new().init(&images.device());
        loss.forward(self.forward(images), labels)
    }
}

/// FLOP of one step, forward and backward.
struct Work {
    forward: u128,
    backward: u128,
}

/// Counts a step on a device that records operations and computes nothing.
fn count() -> Result<Work, laptime_burn::CountError> {
    let counts = laptime_burn::count(|tape| {
        let device = tape.device();
        let network = tape.model(Network::new(&device));
        let labels = Tensor::zeros([BATCH], &device);
        tape.backward(network.loss(Tensor::zeros([BATCH, PIXELS], &device), labels));
    })?;
    Ok(Work {
        forward: counts.total.phase(Phase::Forward).cost.flop(),
        backward: counts.total.phase(Phase::Backward).cost.flop(),
    })
}

fn tensors(images: &[f32], labels: &[u32], device: &Device) -> (Tensor<2>, Tensor<1, Int>) {
    let numbers: Vec<i32> = labels.iter().map(|label| *label as i32).collect();
    let images = TensorData::new(images.to_vec(), [labels.len(), PIXELS]);
    let labels = TensorData::new(numbers, [labels.len()]);
    (
        Tensor::from_data(images, device),
        Tensor::from_data(labels, device),
    )
}

fn train(
    mut network: Network,
    optimizer: &mut ModuleOptimizer,
    digits: &Digits,
    work: &Work,
    device: &Device,
) -> Network {
    let batches = digits.batches(BATCH);
    let batches = batches.map(|(images, labels)| tensors(images, labels, device));
    // What making a batch takes is `step/data`.
    for (images, labels) in laptime::track(batches, "step") {
        let loss = {
            let _lap = lap!("forward", flop = work.forward);
            network.loss(images, labels)
        };
        let gradients = {
            let _lap = lap!("backward", flop = work.backward);
            GradientsParams::from_grads(loss.backward(), &network)
        };
        {
            let _lap = lap!("optimizer");
            network = optimizer.step(RATE, network, gradients);
        }
        laptime::metric("loss", loss.into_scalar::<f64>());
    }
    network
}

fn accuracy(network: &Network, digits: &Digits, device: &Device) -> f64 {
    let _lap = lap!("evaluation");
    let (images, labels) = tensors(&digits.images, &digits.labels, device);
    let found: Tensor<1, Int> = network.forward(images).argmax(1).squeeze_dim(1);
    found.equal(labels).float().mean().into_scalar::<f64>()
}

fn main() -> Result<(), Box<dyn Error>> {
    let path = std::env::args_os().nth(1).map(PathBuf::from);
    let path = path.ok_or("which file? digits-burn digits.csv")?;
    let (training, test) = Digits::read(&path)?.split(TRAIN);
    let work = count()?;
    let device = Device::flex().autodiff();
    let mut network = Network::new(&device);
    let mut optimizer = AdamWConfig::new().init();
    for _ in laptime::track(0..EPOCHS, "epoch") {
        network = train(network, &mut optimizer, &training, &work, &device);
        laptime::metric("accuracy", accuracy(&network, &test, &device));
    }
    println!("accuracy {:.3}", accuracy(&network, &test, &device));
    Ok(())
}
