//! A file of benchmarks: results of functions or commands, with every sample.
//!
//! `laptime bench` fills it; Python writes one for functions (`benchmarks/_saved.py`). The reader takes the samples from
//! it for a comparison.

use std::collections::BTreeMap;

use laptime_core::Machine;
use serde::Serialize;

use crate::benchmark::verdict::Verdict;

/// Name of the JSON schema.
pub const SCHEMA: &str = "laptime-benchmark";
/// Version of the JSON schema: rises when a field changes its meaning or goes.
pub const SCHEMA_VERSION: u32 = 1;

/// The samples of functions or commands, which `laptime bench -o`, `Benchmark.save()` and the pytest plug-in write.
///
/// **Units** nanoseconds and bytes. A field that is absent was not measured. The version rises when a field changes its
/// meaning or goes; a release may add fields, and its schema has them.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct BenchmarkFile {
    /// The word that tells the file from other JSON.
    #[cfg_attr(feature = "schema", schemars(extend("const" = SCHEMA)))]
    pub schema: String,
    /// Version of the schema.
    #[cfg_attr(feature = "schema", schemars(extend("const" = SCHEMA_VERSION)))]
    pub version: u32,
    /// The benchmarks, in the order in which they were typed or measured.
    pub benchmarks: Vec<Benchmark>,
    /// The verdict on each pair of benchmarks that took turns.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub verdicts: Option<Vec<PairVerdict>>,
}

/// One function or command.
#[derive(Debug, Clone, PartialEq, Default, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Benchmark {
    /// The name by which benchmarks of two files are matched.
    pub name: String,
    /// The command, as it was typed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub command: Option<String>,
    /// Whether a shell ran the command, whose start is part of the times then.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub shell: Option<bool>,
    /// Values of the parameters of a command, by their names.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub parameters: BTreeMap<String, String>,
    /// Median of the samples.
    #[cfg_attr(feature = "schema", schemars(range(min = 0)))]
    pub median_ns: f64,
    /// The median's 95 % interval, low and high; `None` where too few samples were taken.
    pub ci_ns: Option<[f64; 2]>,
    /// Iterations that one sample is the mean of.
    #[cfg_attr(feature = "schema", schemars(range(min = 1)))]
    pub iterations: u64,
    /// Samples left out as warm-up; for a command also the runs before them that were asked for.
    pub warmup: usize,
    /// Time per iteration of each sample, in the order they were taken.
    #[cfg_attr(feature = "schema", schemars(inner(range(min = 0))))]
    pub samples_ns: Vec<f64>,
    /// The reason why no more samples were taken.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ending: Option<String>,
    /// Facts that a reader must know before the numbers are believed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub warnings: Option<Vec<String>>,
    /// CPU time of a run: user and system.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cpu_ns: Option<f64>,
    /// CPU time of a run in the program.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub user_ns: Option<f64>,
    /// CPU time of a run in the kernel.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub system_ns: Option<f64>,
    /// Runs that failed and were counted.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub failures: Option<usize>,
    /// The machine that it ran on: a file may hold benchmarks of several.
    pub machine: Machine,
    /// Host memory that an iteration left allocated.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub host_memory_net_bytes: Option<i64>,
    /// Host memory that an iteration had at most beyond what it found.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub host_memory_peak_bytes: Option<i64>,
    /// Device memory that an iteration left allocated.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub device_memory_net_bytes: Option<i64>,
    /// Device memory that an iteration had at most beyond what it found.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub device_memory_peak_bytes: Option<i64>,
}

/// The verdict on two benchmarks that took turns.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct PairVerdict {
    /// Name of the base, with which the other is compared.
    pub base: String,
    /// Name of the other.
    pub new: String,
    /// The verdict.
    pub verdict: Verdict,
    /// New median over base median.
    pub ratio: Option<f64>,
    /// The ratio's 95 % interval, low and high.
    pub interval: Option<[f64; 2]>,
    /// The reason of the verdict, as a sentence.
    pub reason: String,
}
