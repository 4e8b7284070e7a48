//! An ONNX file: read here, without Python and without its weights.
//!
//! Only the file itself is opened; what it says of other files is not followed.

use std::io::BufReader;
use std::path::Path;

use laptime_core::Counts;
use laptime_ops::Formulas;
use laptime_reader::named_file;
use laptime_report::tables::operations::Subject;

use super::error::OpsError;
use crate::args::OpsArgs;

/// Counts a file.
///
/// **Errors** when it can't be read, is damaged, or leaves sizes open that were not given.
pub fn count(target: &str, args: &OpsArgs) -> Result<(Counts, Subject), OpsError> {
    let path = Path::new(target).to_owned();
    let file = match named_file::open(&path) {
        Ok(file) => file,
        Err(source) => return Err(OpsError::Read { path, source }),
    };
    for (at, dim) in args.dim.iter().enumerate() {
        if args.dim[..at].iter().any(|other| other.name == dim.name) {
            return Err(OpsError::NotCounted {
                message: format!("--dim {} is given twice", dim.name),
                hint: None,
                is_usage: true,
            });
        }
    }
    let given: Vec<(String, u64)> = args
        .dim
        .iter()
        .map(|dim| (dim.name.clone(), dim.size))
        .collect();
    let counts = laptime_onnx::count(BufReader::new(file), &given, Formulas::standard());
    let counts = counts.map_err(|source| OpsError::Onnx {
        path: path.clone(),
        source,
    })?;
    let dims: Vec<String> = given
        .iter()
        .map(|(name, size)| format!("{name} = {size}"))
        .collect();
    let with = if dims.is_empty() { "" } else { ", with " };
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let subject = Subject {
        name: name.into_owned(),
        inputs: Vec::new(),
        how: format!("from the sizes in the file{with}{}", dims.join(", ")),
    };
    Ok((counts, subject))
}
