//! The formulas, one file for each kind of work. They know sizes, no operator's name.

pub mod antialias;
pub mod attention;
#[cfg(test)]
pub(crate) mod by_hand;
pub mod collective;
pub mod convolution;
pub mod elementwise;
pub mod fourier;
pub mod linear_algebra;
pub mod loss;
pub mod matmul;
pub mod movement;
pub mod normalization;
pub mod optimizer;
pub mod pooling;
pub mod recurrent;
pub mod reduction;
pub mod softmax;
pub mod sorting;
pub mod work;
