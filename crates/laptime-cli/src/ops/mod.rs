//! What `laptime ops` counts: a target by its kind, and who counts it.
//!
//! An ONNX file and counts that were written before are read here; everything else is built by
//! Python ([`python`]). Whoever counts hands over [`Counts`] and what they are of.

pub mod error;
mod instead;
mod onnx;
mod python;
mod python_file;
mod saved;
pub mod sizes;

use std::path::Path;

use laptime_core::Counts;
use laptime_report::tables::operations::{By, Subject};

use error::OpsError;
pub use instead::instead_of;

use crate::args::OpsArgs;

/// Endings of files that hold no model, or one that only a pickle's code brings back.
const WEIGHTS: [&str; 7] = ["pt", "pth", "ckpt", "bin", "pkl", "pickle", "safetensors"];

/// What was named.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Onnx,
    /// A file or folder with a configuration, or counts.
    Json,
    Export,
    /// A file with weights alone, or with anything that a pickle holds.
    Weights,
    Torchvision,
    Factory,
    /// A path to something else.
    Other,
}

/// **Errors** where an option says how a model is called, as the target is something else: the
/// option is for `what`.
fn without_inputs(args: &OpsArgs, what: &'static str) -> Result<(), OpsError> {
    let given = [
        ("--input", !args.input.is_empty()),
        ("--kwarg", !args.kwarg.is_empty()),
        ("--seq", args.seq.is_some()),
        ("--backward", args.backward),
    ];
    match given.into_iter().find(|(_, is_given)| *is_given) {
        Some((flag, _)) => Err(OpsError::NotOfKind { flag, what }),
        None => Ok(()),
    }
}

/// Counts a target.
///
/// **Errors** when it can't be found, read, built or run.
pub fn count(args: &OpsArgs) -> Result<(Counts, Subject), OpsError> {
    let target = args.target.as_str();
    let kind = kind(target);
    if args.depth.is_some() && args.by == Some(By::Operator) {
        return Err(OpsError::NotOfKind {
            flag: "--depth",
            what: "the table of modules; --by op shows operators, which have no levels",
        });
    }
    if kind != Kind::Onnx && !args.dim.is_empty() {
        return Err(OpsError::NotOfKind {
            flag: "--dim",
            what: "an ONNX file; other models take sizes by --input, such as --input 8,3,224,224",
        });
    }
    if args.trust && kind != Kind::Export {
        return Err(OpsError::NotOfKind {
            flag: "--trust",
            what: "a .pt2 file",
        });
    }
    if matches!(kind, Kind::Onnx | Kind::Json | Kind::Export) && !Path::new(target).exists() {
        return Err(OpsError::Missing {
            target: target.to_owned(),
        });
    }
    match kind {
        Kind::Onnx => {
            let what = "models of Python; an ONNX file has its own inputs, and open sizes by --dim";
            without_inputs(args, what)?;
            onnx::count(target, args)
        }
        Kind::Json => match saved::read(Path::new(target))? {
            Some(found) => {
                without_inputs(args, "a model; this file holds what was counted before")?;
                Ok(found)
            }
            None => python::count("config", target, args),
        },
        Kind::Export if args.trust => python::count("export", target, args),
        Kind::Export => Err(OpsError::Untrusted {
            target: target.to_owned(),
        }),
        Kind::Weights => Err(OpsError::Weights {
            target: target.to_owned(),
        }),
        Kind::Torchvision => {
            let name = target.strip_prefix("torchvision:").unwrap_or(target);
            python::count("torchvision", name, args).map_err(|error| error.or_module_here(target))
        }
        Kind::Factory => match OpsError::file_for_module(target) {
            Some(error) => Err(error),
            None => python::count("factory", target, args),
        },
        Kind::Other => Err(OpsError::other(target)),
    }
}

/// The kind of a target, by what it looks like.
fn kind(target: &str) -> Kind {
    let path = Path::new(target);
    let ends_in = |ending: &str| {
        path.extension()
            .is_some_and(|extension| extension.eq_ignore_ascii_case(ending))
    };
    if ends_in("onnx") {
        Kind::Onnx
    } else if ends_in("pt2") {
        Kind::Export
    } else if !target.contains(':') && WEIGHTS.iter().any(|ending| ends_in(ending)) {
        Kind::Weights
    } else if ends_in("json") || path.join("config.json").exists() {
        Kind::Json
    } else if target.starts_with("torchvision:") {
        Kind::Torchvision
    } else if !target.contains(':') {
        // Names of torchvision are words.
        let is_path = target.contains(['.', '/', '\\']) || path.is_file();
        if is_path {
            Kind::Other
        } else {
            Kind::Torchvision
        }
    } else {
        Kind::Factory
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_target_is_known_by_what_it_looks_like() {
        assert_eq!(kind("folder/model.onnx"), Kind::Onnx);
        assert_eq!(kind("model.ONNX"), Kind::Onnx);
        assert_eq!(kind("model.pt2"), Kind::Export);
        assert_eq!(kind("model.PT"), Kind::Weights);
        assert_eq!(kind("model.safetensors"), Kind::Weights);
        assert_eq!(kind("config.json"), Kind::Json);
        assert_eq!(kind("resnet50"), Kind::Torchvision);
        assert_eq!(kind("torchvision:resnet50"), Kind::Torchvision);
        assert_eq!(kind("package.module:Net"), Kind::Factory);
        for path in ["notes.txt", "net.py", "models/net", "package.module", "."] {
            assert_eq!(kind(path), Kind::Other);
        }
    }
}
