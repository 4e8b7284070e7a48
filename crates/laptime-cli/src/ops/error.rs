//! Why something was not counted, with the way out.

use std::io;
use std::path::{Path, PathBuf};

use laptime_ops::onnx::OnnxError;
use laptime_report::operations::json::ReadError;

use crate::commands::quoted;
use crate::error::{ERROR, UNREADABLE, USAGE};

/// 128 and the number of the signal that Ctrl-C sends.
const INTERRUPTED: i32 = 130;

/// Why a target was not counted.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum OpsError {
    /// There is no such file.
    #[error("cannot count {target}: no such file")]
    Missing {
        /// As typed.
        target: String,
    },
    /// A file could not be read.
    #[error("cannot read {}: {source}", path.display())]
    Read {
        /// As typed.
        path: PathBuf,
        /// The system's reason.
        source: io::Error,
    },
    /// Counts that were written before are damaged or too new.
    #[error("cannot read {}: {source}", path.display())]
    Saved {
        /// As typed.
        path: PathBuf,
        /// What is wrong.
        source: ReadError,
    },
    /// An ONNX file is damaged, or leaves open what was not given.
    #[error(transparent)]
    Onnx(#[from] OnnxError),
    /// A file whose loading can run code.
    #[error("{target} is not loaded: loading a .pt2 file can run any code that is in it")]
    Untrusted {
        /// As typed.
        target: String,
    },
    /// A file without a model.
    #[error("cannot count {target}: such a file holds weights, not the model that uses them")]
    Weights {
        /// As typed.
        target: String,
    },
    /// A flag that says nothing about this kind of target.
    #[error("{flag} is for {what}")]
    NotOfKind {
        /// As typed.
        flag: &'static str,
        /// What it is for.
        what: &'static str,
    },
    /// Python says why: its own words.
    #[error("{message}")]
    NotCounted {
        /// Why.
        message: String,
        /// The way out.
        hint: Option<String>,
        /// Whether what was typed is wrong.
        is_usage: bool,
    },
    /// There is no Python.
    #[error("cannot count {target}: no `python` on PATH")]
    NoPython {
        /// As typed.
        target: String,
    },
    /// Python could not be started.
    #[error("cannot run {}: {source}", python.display())]
    Start {
        /// The interpreter.
        python: PathBuf,
        /// The system's reason.
        source: io::Error,
    },
    /// The user has ended Python.
    #[error("interrupted before {target} was counted")]
    Interrupted {
        /// As typed.
        target: String,
    },
    /// Python ended without an answer.
    #[error("{} {how} before it had counted", python.display())]
    NoAnswer {
        /// The interpreter.
        python: PathBuf,
        /// How it ended.
        how: String,
    },
}

impl OpsError {
    /// The exit code it leads to.
    pub fn code(&self) -> i32 {
        match self {
            Self::Interrupted { .. } => INTERRUPTED,
            Self::NotOfKind { .. }
            | Self::Untrusted { .. }
            | Self::Weights { .. }
            | Self::NotCounted { is_usage: true, .. }
            | Self::Onnx(OnnxError::OpenDims { .. } | OnnxError::UnknownDim { .. }) => USAGE,
            Self::Missing { .. } | Self::Read { .. } | Self::Saved { .. } | Self::Onnx(_) => {
                UNREADABLE
            }
            Self::NotCounted { .. }
            | Self::NoPython { .. }
            | Self::Start { .. }
            | Self::NoAnswer { .. } => ERROR,
        }
    }

    /// What the user can do about it.
    pub fn hint(&self) -> Option<String> {
        match self {
            Self::NotCounted { hint, .. } => hint.clone(),
            Self::Saved {
                source: ReadError::Newer { .. },
                ..
            } => Some("update Laptime to read it".to_owned()),
            Self::NoPython { .. } | Self::Start { .. } | Self::NoAnswer { .. } => Some(
                "models are built by the Python that Laptime is installed in: \
                 `python -m pip install laptime`, then `python -m laptime ops …`"
                    .to_owned(),
            ),
            Self::Missing { .. } => Some(
                "TARGET is package.module:factory, a torchvision model's name, or a file: \
                 config.json, .pt2, .onnx"
                    .to_owned(),
            ),
            Self::Untrusted { target } => Some(format!(
                "if you trust whoever made it: laptime ops {} --trust; an .onnx file runs none",
                quoted(Path::new(target))
            )),
            Self::Weights { .. } => Some(
                "name what builds the model, package.module:factory, or its config.json".to_owned(),
            ),
            Self::Onnx(OnnxError::OpenDims { open }) => {
                let given: Vec<String> = open
                    .iter()
                    .map(|dim| format!("--dim {}", quoted(Path::new(&format!("{}=1", dim.name)))))
                    .collect();
                Some(format!("give them: {}", given.join(" ")))
            }
            Self::NotOfKind { .. }
            | Self::Interrupted { .. }
            | Self::Read { .. }
            | Self::Saved { .. }
            | Self::Onnx(_) => None,
        }
    }
}
