//! Trains a network on handwritten digits with candle.
//!
//! The laps `step`, `forward`, `backward` and `optimizer` are written here; the spans that
//! candle-transformers' layers enter become laps through `laptime::layer`. Memory is counted by the
//! allocator, and the products of matrices, which candle doesn't tell, are said where they run.
//!
//! ```sh
//! laptime run --memory target/release/digits-candle digits.csv
//! ```

use std::error::Error;
use std::path::PathBuf;

use candle_core::{D, DType, Device, Module, Tensor};
use candle_nn::{AdamW, Optimizer, VarBuilder, VarMap, loss};
use candle_transformers::models::with_tracing::{Linear, linear};
use laptime::lap;
use tracing_subscriber::layer::SubscriberExt;

#[path = "../../digits/digits.rs"]
mod digits;
use digits::{CLASSES, Digits, PIXELS};

#[global_allocator]
static ALLOCATOR: laptime::alloc::Tally = laptime::alloc::Tally::system();

const HIDDEN: usize = 256;
const BATCH: usize = 64;
const EPOCHS: usize = 10;
const TRAIN: usize = 1_437;

struct Network {
    hidden: Linear,
    output: Linear,
}

impl Network {
    fn new(weights: VarBuilder) -> candle_core::Result<Self> {
        Ok(Self {
            hidden: linear(PIXELS, HIDDEN, weights.pp("hidden"))?,
            output: linear(HIDDEN, CLASSES, weights.pp("output"))?,
        })
    }

    fn forward(&self, images: &Tensor) -> candle_core::Result<Tensor> {
        self.output.forward(&self.hidden.forward(images)?.relu()?)
    }

    /// FLOP of the products of one forward: a multiplication and an addition for each weight and image.
    const fn forward_flop(images: usize) -> usize {
        2 * images * (PIXELS * HIDDEN + HIDDEN * CLASSES)
    }

    /// Those of one backward: each weight's gradient, and the hidden layer's; images need none.
    const fn backward_flop(images: usize) -> usize {
        Self::forward_flop(images) + 2 * images * HIDDEN * CLASSES
    }
}

fn tensors(
    images: &[f32],
    labels: &[u32],
    device: &Device,
) -> candle_core::Result<(Tensor, Tensor)> {
    let images = Tensor::from_slice(images, (labels.len(), PIXELS), device)?;
    Ok((images, Tensor::from_slice(labels, labels.len(), device)?))
}

fn train(network: &Network, optimizer: &mut AdamW, digits: &Digits) -> candle_core::Result<()> {
    let batches = digits.batches(BATCH);
    let batches = batches.map(|(images, labels)| tensors(images, labels, &Device::Cpu));
    // What making a batch takes is `step/data`.
    for batch in laptime::track(batches, "step") {
        let (images, labels) = batch?;
        let loss = {
            let _lap = lap!("forward", flop = Network::forward_flop(BATCH));
            loss::cross_entropy(&network.forward(&images)?, &labels)?
        };
        let gradients = {
            let _lap = lap!("backward", flop = Network::backward_flop(BATCH));
            loss.backward()?
        };
        {
            let _lap = lap!("optimizer");
            optimizer.step(&gradients)?;
        }
        laptime::metric("loss", f64::from(loss.to_scalar::<f32>()?));
    }
    Ok(())
}

fn accuracy(network: &Network, digits: &Digits) -> candle_core::Result<f64> {
    let _lap = lap!("evaluation");
    let (images, labels) = tensors(&digits.images, &digits.labels, &Device::Cpu)?;
    let found = network.forward(&images)?.argmax(D::Minus1)?;
    let right = found.eq(&labels)?.to_dtype(DType::F64)?;
    right.mean_all()?.to_scalar::<f64>()
}

fn main() -> Result<(), Box<dyn Error>> {
    tracing::subscriber::set_global_default(tracing_subscriber::registry().with(laptime::layer()))?;
    let path = std::env::args_os().nth(1).map(PathBuf::from);
    let path = path.ok_or("which file? digits-candle digits.csv")?;
    let (training, test) = Digits::read(&path)?.split(TRAIN);
    let weights = VarMap::new();
    let network = Network::new(VarBuilder::from_varmap(&weights, DType::F32, &Device::Cpu))?;
    let mut optimizer = AdamW::new_lr(weights.all_vars(), 3e-3)?;
    for _ in laptime::track(0..EPOCHS, "epoch") {
        train(&network, &mut optimizer, &training)?;
        laptime::metric("accuracy", accuracy(&network, &test)?);
    }
    println!("accuracy {:.3}", accuracy(&network, &test)?);
    Ok(())
}
