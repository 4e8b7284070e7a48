//! Files of benchmarks, as `laptime bench -o` and `Benchmark.save` write them: JSON with each benchmark's samples.

use std::io::{ErrorKind, Read};
use std::path::Path;

use serde::Deserialize;

use crate::error::ReadError;

/// Name of the JSON schema.
const SCHEMA: &str = "laptime-benchmark";
/// Version of the JSON schema that is understood.
const VERSION: u32 = 1;
/// Larger files are none that Laptime wrote.
const MOST_BYTES: u64 = 1 << 30;

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

/// The text of a file that begins as an object of JSON does.
fn object(path: &Path) -> std::io::Result<Option<String>> {
    let file = match std::fs::File::open(path) {
        Ok(file) => file,
        // The recordings' own reader says what is wrong with a path.
        Err(_) => return Ok(None),
    };
    let kind = file.metadata()?;
    if !kind.is_file() || kind.len() > MOST_BYTES {
        return Ok(None);
    }
    let mut text = String::new();
    let mut head = [0; 1];
    let mut reader = std::io::BufReader::new(file);
    if reader.read(&mut head)? == 0 || head[0] != b'{' {
        return Ok(None);
    }
    text.push('{');
    match reader.read_to_string(&mut text) {
        Ok(_) => Ok(Some(text)),
        Err(error) if error.kind() == ErrorKind::InvalidData => Ok(None),
        Err(error) => Err(error),
    }
}
