//! Recurrent layers: LSTM, GRU and the plain ones, and their gradients.
//!
//! Source: Hochreiter and Schmidhuber (1997) and Cho et al. (2014), in the form that cuDNN
//! documents. Each weight matrix meets each step of each sequence once; the rest is elementwise on
//! the hidden units. The backward multiplies by each matrix again for what comes before it, and
//! adds up each matrix's gradient: twice the forward, less what nobody wants of the first layer's
//! input and of the first hidden state.

use laptime_core::Cost;

use super::matmul::macs;
use super::work::Work;
use crate::tensor::Dtype;

/// Kinds of cells.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Cell {
    /// One gate with a rectifier.
    Relu,
    /// One gate with a hyperbolic tangent.
    Tanh,
    /// Four gates and a cell state.
    Lstm,
    /// Three gates.
    Gru,
}

impl Cell {
    /// The cell of the number that `PyTorch` and cuDNN give it.
    pub fn from_mode(mode: i64) -> Option<Self> {
        let cells = [Self::Relu, Self::Tanh, Self::Lstm, Self::Gru];
        cells.get(usize::try_from(mode).ok()?).copied()
    }

    /// Rows of its matrices for each hidden unit.
    pub const fn gates(self) -> u32 {
        match self {
            Self::Relu | Self::Tanh => 1,
            Self::Lstm => 4,
            Self::Gru => 3,
        }
    }

    /// Each hidden unit of each step: both products and the biases added up, and the gates.
    ///
    /// LSTM: 3 sigmoids, 2 tangents, `f c + i g` and `o tanh(c)`. GRU: 2 sigmoids, a tangent, the
    /// product with the reset gate, and `n + z (h − n)`.
    pub const fn unit(self, biases: bool) -> Work {
        let biases = if biases { 2 } else { 0 };
        match self {
            Self::Relu => Work::arithmetic(1 + biases).and(Work::compare(1)),
            Self::Tanh => Work::arithmetic(1 + biases).and(Work::transcendental(1)),
            Self::Lstm => {
                Work::arithmetic(4 * (1 + biases) + 3 * 2 + 4).and(Work::transcendental(5))
            }
            Self::Gru => {
                Work::arithmetic(3 * (1 + biases) + 2 * 2 + 4).and(Work::transcendental(3))
            }
        }
    }

    /// Each hidden unit of each step of the backward, biases' gradients included.
    ///
    /// A sigmoid's slope `y (1 − y)` and its product take 3, a tangent's `1 − y²` too. LSTM: 4 for
    /// each of four gates, 5 for the cell's gradient with its tangent again, 1 to pass it on. GRU:
    /// 5, 5 and 4 for the gates, 1 for the reset product, 2 for the hidden state.
    pub const fn unit_backward(self, biases: bool) -> Work {
        let biases = if biases { 2 * self.gates() } else { 0 };
        let gates = match self {
            Self::Relu => Work::compare(1),
            Self::Tanh => Work::arithmetic(3),
            Self::Lstm => Work::arithmetic(22).and(Work::transcendental(1)),
            Self::Gru => Work::arithmetic(17),
        };
        gates.and(Work::arithmetic(biases))
    }
}

/// One layer in one direction.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Layer {
    /// What the layer is made of.
    pub cell: Cell,
    /// Steps of all sequences together.
    pub steps: u128,
    /// Sequences: each has a first hidden state.
    pub sequences: u128,
    /// Hidden units.
    pub units: u128,
    /// Elements of the matrix that meets the input.
    pub input_weight: u128,
    /// Elements of the matrix that meets the hidden state.
    pub hidden_weight: u128,
    /// Elements of the matrix that makes the hidden state smaller; 0 without one.
    pub projection_weight: u128,
    /// Whether there are biases, two for each gate.
    pub biases: bool,
}

/// Gradients that are wanted of a layer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Wanted {
    /// The gradient of the layer's input.
    pub input: bool,
    /// The gradient of the first hidden state.
    pub hidden: bool,
    /// The gradients of the layer's matrices.
    pub weight: bool,
}

impl Layer {
    /// What all steps cost.
    pub fn forward(&self, dtype: Dtype) -> Cost {
        let units = self.steps.saturating_mul(self.units);
        let products = self.steps.saturating_mul(self.weights());
        macs(products) + self.cell.unit(self.biases).on(units, dtype)
    }

    /// The gradients of all steps.
    pub fn backward(&self, wanted: Wanted, dtype: Dtype) -> Cost {
        let of_weights = if wanted.weight { self.weights() } else { 0 };
        let of_input = if wanted.input { self.input_weight } else { 0 };
        let first = if wanted.hidden { 0 } else { self.sequences };
        let earlier = self.steps.saturating_sub(first);
        let each = of_weights
            .saturating_add(of_input)
            .saturating_add(self.projection_weight);
        let products = self
            .steps
            .saturating_mul(each)
            .saturating_add(earlier.saturating_mul(self.hidden_weight));
        let units = self.steps.saturating_mul(self.units);
        let biases = self.biases && wanted.weight;
        macs(products) + self.cell.unit_backward(biases).on(units, dtype)
    }

    fn weights(&self) -> u128 {
        self.input_weight
            .saturating_add(self.hidden_weight)
            .saturating_add(self.projection_weight)
    }
}

#[cfg(test)]
mod tests;
