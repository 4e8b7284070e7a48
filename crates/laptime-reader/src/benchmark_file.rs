//! Files of benchmarks, as `laptime bench -o` and `Benchmark.save` write them: JSON with each benchmark's samples.

use std::path::Path;

use laptime_core::Machine;
use serde::Deserialize;

use crate::error::ReadError;
use crate::json_file::object;

/// Name of the JSON schema.
const SCHEMA: &str = "laptime-benchmark";
/// Version of the JSON schema that is understood.
const VERSION: u32 = 1;

/// Benchmarks and their samples.
#[derive(Debug, Clone, PartialEq, Deserialize)]
pub struct Benchmarks {
    schema: String,
    version: u32,
    /// In the order of the file.
    pub benchmarks: Vec<BenchmarkSamples>,
}

/// One benchmark.
#[derive(Debug, Clone, PartialEq, Deserialize)]
pub struct BenchmarkSamples {
    /// Its name.
    pub name: String,
    /// How long an iteration took in each sample, in nanoseconds.
    pub samples_ns: Vec<f64>,
    /// What it ran on; `None` where the file doesn't tell, as earlier ones don't.
    #[serde(default)]
    pub machine: Option<Machine>,
}

/// The benchmarks of a file; `None` where it is something else, such as a recording.
///
/// **Errors** where it is JSON of benchmarks that cannot be read.
pub fn benchmarks(path: &Path) -> Result<Option<Benchmarks>, ReadError> {
    let wrong = |why: String| ReadError::Benchmarks {
        path: path.to_owned(),
        why,
    };
    let Some(text) = object(path).map_err(|source| ReadError::Read {
        path: path.to_owned(),
        offset: 0,
        source,
    })?
    else {
        return Ok(None);
    };
    let found: Benchmarks = match serde_json::from_str(&text) {
        Ok(found) => found,
        Err(_) if !text.contains(SCHEMA) => return Ok(None),
        Err(error) => return Err(wrong(error.to_string())),
    };
    if found.schema != SCHEMA {
        return Ok(None);
    }
    if found.version > VERSION {
        let version = found.version;
        return Err(wrong(format!("version {version} is later than {VERSION}")));
    }
    let is_time = |ns: &f64| ns.is_finite() && *ns >= 0.0;
    let mut each = found.benchmarks.iter();
    if let Some(one) = each.find(|one| !one.samples_ns.iter().all(is_time)) {
        return Err(wrong(format!("{}: a sample is no time", one.name)));
    }
    Ok(Some(found))
}
