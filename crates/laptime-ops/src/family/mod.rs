//! The formulas, one file for each kind of work. They know sizes, no operator's name.

pub mod matmul;
