//! Files of benchmarks as a comparison takes them in: read by others, samples by name.

use laptime_core::Machine;

/// One file of benchmarks.
#[derive(Debug, Clone, PartialEq)]
pub struct Measured {
    /// What the file is called.
    pub name: String,
    /// In the file's order.
    pub benchmarks: Vec<Benchmark>,
}

/// One benchmark of a file.
#[derive(Debug, Clone, PartialEq)]
pub struct Benchmark {
    /// What it is called.
    pub name: String,
    /// Its samples in nanoseconds.
    pub samples_ns: Vec<f64>,
    /// What it ran on, where the file tells.
    pub machine: Option<Machine>,
}

impl Measured {
    pub(super) fn benchmark(&self, name: &str) -> Option<&Benchmark> {
        self.benchmarks.iter().find(|one| one.name == name)
    }
}
