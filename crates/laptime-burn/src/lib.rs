//! Counts what a burn model's operations cost, forward and backward, without running them.
//!
//! burn 0.22 chooses its backend by device. [`count`] hands out one that records operations and
//! holds no elements, so a model of any size fits: weights have shapes, and random ones are never
//! drawn. What is recorded, burn's own intermediate representation, becomes events that
//! `laptime_ops` counts by its `burn` vocabulary.
//!
//! ```
//! use burn::nn::LinearConfig;
//! use burn::tensor::Tensor;
//!
//! let counts = laptime_burn::count(|tape| {
//!     let device = tape.device();
//!     let layer = tape.model(LinearConfig::new(256, 1024).with_bias(false).init(&device));
//!     let x = Tensor::<2>::zeros([64, 256], &device);
//!     tape.backward(layer.forward(x).sum());
//! })?;
//! // The forward, and the gradient of the weight; x needs none.
//! assert_eq!(counts.total.total().cost.flop(), 2 * (2 * 64 * 256 * 1024));
//! assert_eq!(counts.params, Some(256 * 1024));
//! # Ok::<(), laptime_burn::CountError>(())
//! ```
//!
//! Values don't exist: reading one of a computed tensor (`into_data`, `into_scalar`) panics and
//! says so. Control flow that depends on data can't be counted this way. burn also refuses to move
//! tensors on a device that records and tracks gradients, as its `BatchNorm` does in training:
//! such a model is counted forward, on `tape.device().inner()`.

mod operation;
mod tape;

use laptime_ops::{Counts, Formulas, Ledger};

pub use burn_capture::CaptureError;
pub use tape::Tape;

/// Why a program's operations are not counted.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum CountError {
    /// The recording has no sense.
    #[error(
        "burn's recording is not complete ({reason}): make the model and its inputs on tape.device(), in the same count"
    )]
    Recording {
        /// What burn says.
        reason: CaptureError,
    },
    /// burn describes an operation in a way that is not known.
    #[error("an operation of burn's can't be read: {operation}")]
    Operation {
        /// The operation, as burn shows it.
        operation: String,
    },
}

/// Counts the operations that a program does on [`Tape::device`].
///
/// Operations are the forward's, but those of [`Tape::backward`] and [`Tape::phase`].
pub fn count(program: impl FnOnce(&Tape)) -> Result<Counts, CountError> {
    count_with(Formulas::standard(), program)
}

/// Counts with formulas of the user's, such as for a custom operation `burn::name`.
pub fn count_with(formulas: Formulas, program: impl FnOnce(&Tape)) -> Result<Counts, CountError> {
    let tape = Tape::new();
    let recorded = tape
        .record(program)
        .map_err(|reason| CountError::Recording { reason })?;

    let mut ledger = Ledger::new(formulas);
    let mut reader = operation::Reader::default();
    let (params, placed) = tape.placed(recorded, &mut ledger.modules);
    for (operation, place) in &placed {
        let mut event = reader
            .event(operation)
            .ok_or_else(|| CountError::Operation {
                operation: format!("{operation:?}"),
            })?;
        event.module = place.module;
        event.phase = place.phase;
        if place.is_counted {
            ledger.add(&event);
        }
    }

    let mut counts = ledger.finish();
    counts.params = params;
    Ok(counts)
}
