//! A flame graph, as data: bars of laps and functions, each below the one that called it.

/// A bar.
#[derive(Debug, Clone, PartialEq)]
pub struct Bar {
    /// The lap's path, or the function's name.
    pub name: String,
    /// The function's file; empty for a lap.
    pub file: String,
    /// Row, from the top.
    pub depth: usize,
    /// Where it begins, as a part of the whole.
    pub from: f64,
    /// How wide it is, likewise.
    pub width: f64,
    /// Its time.
    pub ns: u64,
}

/// A flame graph.
#[derive(Debug, Clone, PartialEq)]
pub struct Flame {
    /// The bars, each after the one above it.
    pub bars: Vec<Bar>,
}
