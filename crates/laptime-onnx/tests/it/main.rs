//! ONNX files, from bytes to counts.

mod control;
mod damage;
mod file;
mod operators;
mod shapes;

use std::io::Cursor;

use laptime_onnx::{OnnxError, count};
use laptime_ops::{Cost, Counts, Formulas};

/// Counts a file whose sizes are all known.
fn counted(file: Vec<u8>) -> Result<Counts, OnnxError> {
    count(Cursor::new(file), &[], Formulas::standard())
}

/// What a graph costs, all of it counted.
fn cost(graph: &[Vec<u8>]) -> Cost {
    let counts = counted(file::model(graph, &[])).expect("a good file");
    assert_eq!(counts.uncounted, vec![]);
    counts.total.total().cost
}

/// The error of a file.
fn error(file: Vec<u8>) -> OnnxError {
    counted(file).expect_err("a bad file")
}
