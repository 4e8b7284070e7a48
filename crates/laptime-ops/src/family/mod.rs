//! The formulas, one file for each kind of work. They know sizes, no operator's name.

pub mod attention;
pub mod convolution;
pub mod elementwise;
pub mod matmul;
pub mod movement;
pub mod normalization;
pub mod pooling;
pub mod reduction;
pub mod softmax;
pub mod work;
