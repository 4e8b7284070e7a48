//! Files of benchmarks as a comparison takes them in: samples by the name of their benchmark.
//!
//! The reader fills them; [`super::benchmarks`] compares them.

use laptime_core::Machine;

/// One file of benchmarks.
#[derive(Debug, Clone, PartialEq)]
pub struct SampleFile {
    /// The file's name.
    pub name: String,
    /// The benchmarks, in the file's order.
    pub benchmarks: Vec<Benchmark>,
}

/// One benchmark of a file.
#[derive(Debug, Clone, PartialEq)]
pub struct Benchmark {
    /// The benchmark's name.
    pub name: String,
    /// Time of each sample in nanoseconds.
    pub samples_ns: Vec<f64>,
    /// The machine that it ran on, where the file tells.
    pub machine: Option<Machine>,
}

impl SampleFile {
    /// Returns the benchmark of a name.
    pub(super) fn benchmark(&self, name: &str) -> Option<&Benchmark> {
        self.benchmarks.iter().find(|one| one.name == name)
    }
}
