//! Why something was not counted, with the way out.

use std::io;
use std::path::{Path, PathBuf};

use laptime_onnx::OnnxError;
use laptime_report::json::operations::ReadError;

use super::python_file;
use crate::exit_code::{ERROR, UNREADABLE, USAGE};
use crate::messages::quoted;

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
    #[error("{}: {source}", path.display())]
    Onnx {
        /// As typed.
        path: PathBuf,
        /// What is wrong.
        source: OnnxError,
    },
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
    /// A file or folder of a kind that nothing can be counted from.
    #[error("cannot count {target}: {why}")]
    NotATarget {
        /// As typed.
        target: String,
        /// What it is instead.
        why: &'static str,
        /// The way out.
        hint: String,
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
    /// A signal has ended Python while it built or counted a model.
    #[error("cannot count {target}: its Python was ended by signal {signal}")]
    Ended {
        /// As typed.
        target: String,
        /// Which.
        signal: i32,
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

/// What can be counted.
const TARGETS: &str = "TARGET is package.module:factory, a torchvision model's name, or a file: \
                       config.json, .pt2, .onnx; nothing is downloaded";

impl OpsError {
    /// A path, by what is there.
    pub fn other(target: &str) -> Self {
        let path = Path::new(target);
        let is_python = path.extension().is_some_and(|ending| ending == "py");
        let (why, hint) = if is_python {
            let why = "a Python file does not say which of its classes or functions is the model";
            (why, format!("name it: {}", python_file::hint(path)))
        } else if path.is_dir() {
            ("this folder has no config.json", TARGETS.to_owned())
        } else if path.exists() {
            ("no kind of file that holds a model", TARGETS.to_owned())
        } else {
            let why =
                "no such file; a module takes the name of what builds the model after a colon";
            (why, TARGETS.to_owned())
        };
        let target = target.to_owned();
        Self::NotATarget { target, why, hint }
    }

    /// A file of Python and a name in it, where its module should stand; none for anything else.
    pub fn file_for_module(target: &str) -> Option<Self> {
        let (file, name) = target.split_once(".py:")?;
        let file = PathBuf::from(format!("{file}.py"));
        let (why, hint) = if file.is_file() {
            let why = "before the colon stands a module, not its file";
            (why, python_file::command(&file, name))
        } else {
            ("no such file", TARGETS.to_owned())
        };
        Some(Self::NotATarget {
            target: target.to_owned(),
            why,
            hint,
        })
    }

    /// An error about a model of torchvision, which may have been meant as a module that is here.
    pub fn or_module_here(self, target: &str) -> Self {
        let file = PathBuf::from(format!("{target}.py"));
        match self {
            Self::NotCounted {
                message, is_usage, ..
            } if message.contains("torchvision") && file.is_file() => Self::NotCounted {
                message,
                hint: Some(format!(
                    "for the file {} here: {}",
                    file.display(),
                    python_file::hint(&file)
                )),
                is_usage,
            },
            other => other,
        }
    }

    /// The exit code it leads to.
    pub fn code(&self) -> i32 {
        match self {
            Self::Interrupted { .. } => INTERRUPTED,
            Self::NotOfKind { .. }
            | Self::Untrusted { .. }
            | Self::Weights { .. }
            | Self::NotATarget { .. }
            | Self::NotCounted { is_usage: true, .. }
            | Self::Onnx {
                source: OnnxError::OpenDims { .. } | OnnxError::UnknownDim { .. },
                ..
            } => USAGE,
            Self::Missing { .. } | Self::Read { .. } | Self::Saved { .. } | Self::Onnx { .. } => {
                UNREADABLE
            }
            Self::NotCounted { .. }
            | Self::NoPython { .. }
            | Self::Start { .. }
            | Self::Ended { .. }
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
            Self::Ended { .. } => Some(
                "the model may need more memory or time than there is: try it with smaller sizes"
                    .to_owned(),
            ),
            Self::NotATarget { hint, .. } => Some(hint.clone()),
            Self::Missing { .. } | Self::Read { .. } => Some(TARGETS.to_owned()),
            Self::Untrusted { target } => Some(format!(
                "if you trust whoever made it: laptime ops {} --trust; an .onnx file runs none",
                quoted(Path::new(target))
            )),
            Self::Weights { .. } => Some(
                "name the class or function that builds the model, its weights are not needed: \
                 laptime ops package.module:factory; or its config.json"
                    .to_owned(),
            ),
            Self::Onnx {
                source: OnnxError::OpenDims { open },
                ..
            } => {
                let given: Vec<String> = open
                    .iter()
                    .map(|dim| format!("--dim {}", quoted(Path::new(&format!("{}=1", dim.name)))))
                    .collect();
                Some(format!("give them: {}", given.join(" ")))
            }
            Self::Onnx { .. } => {
                Some("export the model anew: torch.onnx.export writes such files".to_owned())
            }
            Self::NotOfKind { .. } | Self::Interrupted { .. } | Self::Saved { .. } => None,
        }
    }
}
