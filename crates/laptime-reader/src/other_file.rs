//! What a file is that isn't what was asked for, so that an error can say it: other JSON of Laptime, a
//! recording where benchmarks are expected, or nothing of Laptime's.

use std::fmt;
use std::path::Path;

use serde::Deserialize;

use crate::json_file::object;

/// What a path holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum OtherFile {
    /// Nothing is in it.
    Empty,
    /// A folder that is no recording.
    Folder,
    /// A recording, perhaps a damaged one.
    Recording,
    /// Samples of functions or commands.
    Benchmarks,
    /// What `laptime compare` found.
    Comparison,
    /// How fast a model answers.
    Inference,
    /// Counts of operations.
    Operations,
    /// A report.
    Summary,
    /// Another program's JSON.
    Json,
    /// Anything else.
    Bytes,
}

/// The schemas of Laptime's JSON.
const SCHEMAS: [(&str, OtherFile); 5] = [
    ("laptime-benchmark", OtherFile::Benchmarks),
    ("laptime-comparison", OtherFile::Comparison),
    ("laptime-inference", OtherFile::Inference),
    ("laptime-operations", OtherFile::Operations),
    ("laptime-summary", OtherFile::Summary),
];

/// The name of a schema; the rest of the file is skipped.
#[derive(Deserialize)]
struct Named {
    schema: String,
}

impl OtherFile {
    /// Which JSON of Laptime's it is; `None` where it is none.
    pub fn of_schema(path: &Path) -> Option<Self> {
        let text = object(path).ok().flatten()?;
        let named: Named = serde_json::from_str(&text).ok()?;
        let mut known = SCHEMAS.into_iter();
        known
            .find(|(schema, _)| *schema == named.schema)
            .map(|(_, kind)| kind)
    }
}

impl fmt::Display for OtherFile {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        to.write_str(match self {
            Self::Empty => "empty",
            Self::Folder => "a folder",
            Self::Recording => "a recording",
            Self::Benchmarks => "a file of benchmarks",
            Self::Comparison => "a comparison, which `laptime compare -f json` wrote",
            Self::Inference => "a measurement of a model's answers, from lt.bench_inference",
            Self::Operations => "a count of operations, which `laptime ops -f json` wrote",
            Self::Summary => "a report, which `laptime report -f json` wrote",
            Self::Json => "JSON of something else",
            Self::Bytes => "neither benchmarks nor a recording",
        })
    }
}
