//! Spans in which calls ran whose operations are left out, by path: plain sums.

use std::collections::BTreeMap;

use laptime_core::PathId;

use super::stretches::Own;
use crate::reading::feature::Feature;

/// Spans of a path in which calls were left out.
#[derive(Debug, Clone, Default)]
pub struct LeftOut {
    /// How many, those that began and ended.
    pub count: u64,
    /// Their time.
    pub total_ns: u64,
    /// What is known of the operations in them and in the spans inside.
    pub own: Own,
}

impl LeftOut {
    /// Adds those of another process.
    pub fn merge(&mut self, other: &Self) {
        self.count += other.count;
        self.total_ns = self.total_ns.saturating_add(other.total_ns);
        self.own.merge(&other.own);
    }
}

/// By path: of all spans, and of those of the steady state.
#[derive(Debug, Default)]
pub struct LeftOutSpans {
    pub all: BTreeMap<PathId, LeftOut>,
    pub steady: BTreeMap<PathId, LeftOut>,
}

/// Filled by a pass of its own, not by records one by one.
impl Feature for LeftOutSpans {}
