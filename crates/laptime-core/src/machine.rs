//! What a benchmark ran on. Filled by the recorder (`laptime bench -o`) or by Python (`Benchmark.save`), kept
//! in files of benchmarks, read by the reader, and held against another machine's by the comparison.

use serde::{Deserialize, Serialize};

/// What times of one machine depend on, and those of another don't share. What a file doesn't tell is absent.
///
/// Kernel versions are left out: an update of the system doesn't make it another machine.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
// Files of others may lack what Laptime writes in all of its own.
#[cfg_attr(
    feature = "schema",
    derive(schemars::JsonSchema),
    schemars(extend("required" = ["processor", "cores", "system"]))
)]
pub struct Machine {
    /// What the processor is called.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schemars(required))]
    pub processor: Option<String>,
    /// How many processors the program may use.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schemars(required, range(min = 1)))]
    pub cores: Option<u64>,
    /// System and architecture: `Linux x86_64`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schemars(required))]
    pub system: Option<String>,
    /// Python's version; absent for a command, which may be anything.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub python: Option<String>,
}
