//! From the merged tree to rows: self times, shares, percentiles and what is left over.

use laptime_core::{PathTally, path};

use crate::summarize::columns::device_memory;
use crate::summarize::columns::device_time;
use crate::summarize::columns::launches;
use crate::summarize::columns::memory;
use crate::summarize::columns::operations::{self, Peaks};
use crate::summarize::leftovers::Leftovers;
use crate::summarize::tree::Tree;
use crate::summary::fields::{Group, explain};
use crate::summary::span_row::{RowKind, SpanRow};

/// Rounding of each duration to whole nanoseconds may add up to this per child span.
const ROUNDING_NS_PER_SPAN: u64 = 1;

/// Rows of a tree, and the paths that did not add up.
#[derive(Debug)]
pub struct Rows {
    /// Paths in tree order, then leftovers.
    pub rows: Vec<SpanRow>,
    /// Paths whose children together ran longer than they did, and by how much in all. Children in workers,
    /// beside each other, do so rightly.
    pub overfull: Vec<(String, u64)>,
}

/// Makes the rows of a tree, as shares of `wall_ns`.
pub fn rows(tree: &Tree, wall_ns: u64, leftovers: &Leftovers, peaks: &mut Peaks) -> Rows {
    let mut rows = Vec::with_capacity(tree.len() + leftovers.with_names().count());
    let mut overfull = Vec::new();
    let worked = operations::inclusive_work(tree);
    for index in tree.in_order() {
        let node = tree.node(index);
        let total_ns = node.total_ns();
        let children = node.children.iter().map(|child| tree.node(*child));
        let (nested_ns, inner) = children.fold((0_u64, 0_u64), |(ns, spans), child| {
            (
                ns.saturating_add(child.nested_ns()),
                spans + child.tally.count + child.partial.count,
            )
        });
        let names = tree.names(index);
        let excess_ns = nested_ns.saturating_sub(total_ns);
        if node.has_spans()
            && !node.has_workers
            && excess_ns > ROUNDING_NS_PER_SPAN * (inner + node.tally.count)
        {
            overfull.push((path::join(names.iter().map(String::as_str)), excess_ns));
        }
        let mut row = SpanRow {
            count: Some(node.tally.count),
            total_ns,
            self_ns: total_ns.saturating_sub(nested_ns),
            partial_count: node.partial.count,
            partial_ns: node.partial.total_ns,
            apart_ns: total_ns.saturating_sub(node.nested_ns()),
            unbalanced_count: node.tally.unbalanced,
            process_ns: node.tally.process_ns,
            thread_ns: node.tally.thread_ns,
            suspended_wall_ns: node.tally.wall_ns,
            ..blank(RowKind::Span, names, wall_ns, total_ns)
        };
        fill_statistics(&mut row, &node.tally);
        memory::fill(&mut row, &node.tally);
        device_time::fill(&mut row, &node.on_device);
        device_memory::fill(&mut row, &node.device_memory);
        launches::fill(&mut row, &node.tally);
        let executed_ratio = operations::fill(&mut row, node, &worked[index]);
        if worked[index].is_counted {
            peaks.fill(&mut row, &worked[index], executed_ratio);
        }
        rows.push(row);
    }
    for (name, left_ns) in leftovers.with_names() {
        let mut row = SpanRow {
            total_ns: left_ns,
            self_ns: left_ns,
            ..blank(RowKind::Leftover, vec![name.to_owned()], wall_ns, left_ns)
        };
        let reason = "startup, other, after, exit and lost are gaps between laps: they have no count and no percentiles";
        explain(&mut row, Group::Durations.names().chain(["count"]), reason);
        rows.push(row);
    }
    Rows { rows, overfull }
}

/// Returns a row without statistics.
pub fn blank(kind: RowKind, names: Vec<String>, wall_ns: u64, total_ns: u64) -> SpanRow {
    SpanRow {
        kind,
        path: path::join(names.iter().map(String::as_str)),
        names,
        total_ns,
        share_ratio: (wall_ns > 0).then(|| total_ns as f64 / wall_ns as f64),
        ..SpanRow::default()
    }
}

fn fill_statistics(row: &mut SpanRow, tally: &PathTally) {
    if tally.count == 0 {
        let reason = if row.partial_count > 0 {
            "no span of this path began and ended here"
        } else {
            "no span of this path was finished, only spans inside it"
        };
        Group::Durations.explain(row, reason);
        if row.partial_count == 0 {
            row.share_ratio = None;
            explain(row, ["total_ns", "self_ns", "share_ratio"], reason);
        }
        return;
    }
    let count = tally.count as f64;
    let mean = tally.total_ns as f64 / count;
    let rest = tally.total_ns % tally.count;
    row.mean_ns = Some(tally.total_ns / tally.count + u64::from(rest >= tally.count.div_ceil(2)));
    row.min_ns = Some(tally.min_ns);
    row.max_ns = Some(tally.max_ns);
    row.p50_ns = quantile(tally, 0.5);
    row.p90_ns = quantile(tally, 0.9);
    row.p95_ns = quantile(tally, 0.95);
    row.p99_ns = quantile(tally, 0.99);
    row.beyond_median_ns = row.p50_ns.map(|usual_ns| tally.beyond_ns(usual_ns));
    if tally.count > 1 {
        let variance = (tally.square_ns2 - count * mean * mean).max(0.0) / (count - 1.0);
        row.stddev_ns = Some(variance.sqrt().round() as u64);
    } else {
        explain(row, ["stddev_ns"], "a spread needs two spans");
    }
}

/// Returns a percentile from the histogram, never beyond the shortest or longest span.
pub fn quantile(tally: &PathTally, q: f64) -> Option<u64> {
    let estimate = tally.histogram.quantile(q)?;
    Some((estimate.round() as u64).clamp(tally.min_ns, tally.max_ns))
}
