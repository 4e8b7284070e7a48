//! Spans in which calls ran whose operations are left out, by path: plain sums.

use std::collections::BTreeMap;

use laptime_core::PathId;

use super::stretch_operations::DirectOperations;
use crate::reading::feature::Feature;

/// Spans of one path with calls whose operations are unknown.
#[derive(Debug, Clone, Default)]
pub struct LeftOut {
    /// Number of the spans that began and ended.
    pub count: u64,
    /// Time of these spans.
    pub total_ns: u64,
    /// Operations that are known in these spans and in the spans inside.
    pub operations: DirectOperations,
}

impl LeftOut {
    /// Adds the spans of another process.
    pub fn merge(&mut self, other: &Self) {
        self.count += other.count;
        self.total_ns = self.total_ns.saturating_add(other.total_ns);
        self.operations.merge(&other.operations);
    }
}

/// Spans in which calls were left out, by path: of the whole run, and of the steady state.
#[derive(Debug, Default)]
pub struct LeftOutSpans {
    pub all: BTreeMap<PathId, LeftOut>,
    pub steady: BTreeMap<PathId, LeftOut>,
}

/// Filled by a pass of its own, not by records one by one.
impl Feature for LeftOutSpans {}
