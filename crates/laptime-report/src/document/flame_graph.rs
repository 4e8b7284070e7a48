//! A flame graph, as data: bars of laps and functions, each below the one that called it.

/// A bar.
#[derive(Debug, Clone, PartialEq)]
pub struct Bar {
    /// The lap's path, or the function's name.
    pub name: String,
    /// The function's file; empty for a lap.
    pub file: String,
    /// Number of bars above it.
    pub depth: usize,
    /// Left end, as a share of the whole width.
    pub from: f64,
    /// Width, as a share of the whole width.
    pub width: f64,
    /// The time that it stands for, in nanoseconds.
    pub ns: u64,
}

/// A flame graph.
#[derive(Debug, Clone, PartialEq)]
pub struct FlameGraph {
    /// The bars, each after the one above it.
    pub bars: Vec<Bar>,
}
