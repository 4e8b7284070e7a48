//! Convolutions in any number of dimensions, plain and transposed, grouped or not.
//!
//! Source: Dumoulin and Visin, *A guide to convolution arithmetic for deep learning* (2016). Each
//! result of a plain convolution is a sum over `C_in / groups · prod(kernel)` taps, padding
//! included; a transposed one is the gradient of a plain one, so that each of its *inputs* meets
//! `C_out / groups · prod(kernel)` taps. Stride, padding and dilation are in the sizes already.

use laptime_core::Cost;

use super::matmul::macs;
use crate::tensor::{Tensor, product};

/// The sizes that a convolution's arithmetic depends on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Convolution {
    /// Elements on the side where every element meets every tap: of the output, or of the input
    /// of a transposed convolution; batch and channels included.
    pub elements: u128,
    /// Taps each element meets: channels of the other side in its group, times the kernel's size;
    /// that is all sizes of the weight but the first.
    pub taps: u128,
}

impl Convolution {
    /// Every element of a side meets every tap of a weight.
    pub fn of(side: &Tensor, weight: &Tensor) -> Result<Self, String> {
        match &weight.shape[..] {
            [_, rest @ ..] if !rest.is_empty() => Ok(Self {
                elements: side.held(),
                taps: product(rest),
            }),
            _ => Err("its weight has too few dimensions".into()),
        }
    }

    /// Multiply-accumulates of the forward, and of each of the gradients.
    pub fn mac(self) -> u128 {
        self.elements.saturating_mul(self.taps)
    }

    /// The forward.
    pub fn forward(self) -> Cost {
        macs(self.mac())
    }

    /// The gradients that are wanted: of the input, of the weight. Groups divide both.
    pub fn backward(self, input: bool, weight: bool) -> Cost {
        let gradients = u128::from(input) + u128::from(weight);
        macs(self.mac().saturating_mul(gradients))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::family::by_hand::assert_costs;

    #[test]
    fn a_grouped_convolution_and_its_gradients_by_hand() {
        // 64 channels of 32 × 32 results; 8 channels of a group and a kernel of 3 × 3: 65 536 · 72.
        let weight = Tensor::f32([64, 8, 3, 3]);
        let grouped = Convolution::of(&Tensor::f32([1, 64, 32, 32]), &weight).unwrap();
        assert_costs(&[
            ("forward", grouped.forward(), &[("mac", 4_718_592)]),
            ("dx", grouped.backward(true, false), &[("mac", 4_718_592)]),
            ("dw", grouped.backward(false, true), &[("mac", 4_718_592)]),
            ("both", grouped.backward(true, true), &[("mac", 9_437_184)]),
            ("neither", grouped.backward(false, false), &[]),
        ]);
        assert!(Convolution::of(&Tensor::f32([4, 4]), &Tensor::f32([4])).is_err());
    }
}
