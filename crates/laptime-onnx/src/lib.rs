//! Counts an ONNX file: from its bytes to an account, without Python and without its weights.
//!
//! `read` takes from the file what sizes depend on and seeks over the rest. The `walk` goes over
//! the nodes as they run: `infer` finds the sizes of what each gives, branches and loops are
//! followed, the file's functions are expanded, and each node becomes an event in the dialect
//! `onnx`, or that of its own domain. Nothing is opened: a door hands the bytes, and what a file
//! says of other files is never followed.

#![forbid(unsafe_code)]

mod error;
mod infer;
mod inputs;
mod model;
mod read;
mod value;
mod walk;

use std::collections::HashMap;
use std::io::{Read, Seek};

use laptime_core::{Counts, Warning};
use laptime_ops::{Formulas, Ledger};

pub use error::{OnnxError, OpenDim};

/// Counts a model.
///
/// `dims` gives the sizes that the file leaves open, by name; one without a name goes by its input
/// and axis, such as `x[0]`.
///
/// **Errors**: what is wrong with the file; [`OnnxError::OpenDims`] lists the sizes that are to be
/// given.
///
/// ```no_run
/// use laptime_ops::Formulas;
///
/// # fn file() -> std::io::Cursor<Vec<u8>> { unimplemented!() }
/// let dims = [("batch".to_owned(), 8)];
/// let counts = laptime_onnx::count(file(), &dims, Formulas::standard())?;
/// println!("{}", counts.total.total().cost.flop());
/// # Ok::<(), laptime_onnx::OnnxError>(())
/// ```
pub fn count(
    source: impl Read + Seek,
    dims: &[(String, u64)],
    formulas: Formulas,
) -> Result<Counts, OnnxError> {
    let model = read::model(source)?;
    let dims: HashMap<String, u64> = dims.iter().cloned().collect();
    let inputs = inputs::values(&model, &dims)?;
    let mut counts = walk::Walk::new(&model, &dims, Ledger::new(formulas)).run(inputs)?;
    if counts.params.is_none() && model.graph.inputs.len() > 1 {
        let message = "the file holds no weights, so the number of parameters is not known";
        counts.warnings.push(Warning::new("no-parameters", message));
    }
    Ok(counts)
}

/// The sizes that a model leaves open, by the names that [`count`] takes.
pub fn open_dims(source: impl Read + Seek) -> Result<Vec<OpenDim>, OnnxError> {
    let model = read::model(source)?;
    Ok(inputs::open(&model.graph))
}
