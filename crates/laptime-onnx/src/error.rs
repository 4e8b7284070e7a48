//! Why an ONNX file can't be counted.

use std::fmt;
use std::io;

/// What reading and walking a file gives, unless something is wrong with it.
pub(crate) type Result<T, E = OnnxError> = std::result::Result<T, E>;

/// What is wrong with an ONNX file, or with what was said about it.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum OnnxError {
    /// The file's bytes can't be had.
    #[error("cannot read the ONNX file: {source}")]
    Read {
        /// What the reader said.
        #[from]
        source: io::Error,
    },
    /// The file ends inside a field.
    #[error(
        "the ONNX file is cut off: a field at byte {offset} needs {expected} bytes, {found} are left"
    )]
    Truncated {
        /// Where the field's content begins.
        offset: u64,
        /// Length of the field's content.
        expected: u64,
        /// Bytes that are left of the file.
        found: u64,
    },
    /// The file's bytes are not what the format allows.
    #[error("the ONNX file is damaged at byte {offset}: {reason}")]
    Damaged {
        /// Where the file is damaged.
        offset: u64,
        /// What is wrong, a phrase in lower case.
        reason: &'static str,
    },
    /// The file parses, but holds no model.
    #[error("not an ONNX model: the file holds no {missing}")]
    NoModel {
        /// What every model has.
        missing: &'static str,
    },
    /// Reading or walking the file would take more than a model needs.
    #[error("the ONNX file is refused: {what} exceeds {limit}")]
    TooLarge {
        /// Which quantity.
        what: &'static str,
        /// How much there may be, with its unit.
        limit: String,
    },
    /// Something is in itself, or a node waits for its own result.
    #[error("the ONNX graph has a cycle: {at} needs its own result")]
    Cycle {
        /// The node or function.
        at: String,
    },
    /// Two things have one name.
    #[error("the ONNX graph gives {name:?} twice")]
    Duplicate {
        /// The name.
        name: String,
    },
    /// A node reads what nothing gives.
    #[error("the ONNX graph has no {name:?}, which {node} reads")]
    Missing {
        /// The name of the value.
        name: String,
        /// Who reads it.
        node: String,
    },
    /// Sizes contradict each other, or are no sizes.
    #[error("{node}: {reason}")]
    Shape {
        /// Which node or value.
        node: String,
        /// What is wrong, a phrase in lower case.
        reason: String,
    },
    /// Sizes that the file leaves open must be given.
    #[error("the ONNX file leaves sizes open: {}", Listed(.open))]
    OpenDims {
        /// All sizes that are left open.
        open: Vec<OpenDim>,
    },
    /// A size was given that the file doesn't leave open.
    #[error("the ONNX file leaves no size {name:?} open; {}", open_or_none(.open))]
    UnknownDim {
        /// The name that was given.
        name: String,
        /// The sizes that are open.
        open: Vec<OpenDim>,
    },
}

/// A size that the file leaves open.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OpenDim {
    /// The size's name: the file's own, or `input[axis]` where it has none.
    pub name: String,
    /// The inputs that have the size.
    pub inputs: Vec<String>,
}

/// Open sizes in a sentence.
struct Listed<'a>(&'a [OpenDim]);

impl fmt::Display for Listed<'_> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, dim) in self.0.iter().enumerate() {
            if index > 0 {
                formatter.write_str(", ")?;
            }
            write!(formatter, "{:?}", dim.name)?;
            for (index, input) in dim.inputs.iter().enumerate() {
                let before = if index == 0 { " (of " } else { ", " };
                write!(formatter, "{before}{input:?}")?;
            }
            formatter.write_str(if dim.inputs.is_empty() { "" } else { ")" })?;
        }
        Ok(())
    }
}

fn open_or_none(open: &[OpenDim]) -> String {
    if open.is_empty() {
        "all its sizes are fixed".into()
    } else {
        format!("open are {}", Listed(open))
    }
}
