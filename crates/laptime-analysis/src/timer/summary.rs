//! A timer's contexts as summaries: a table each, and all of them as one.
//!
//! A timer knows how long its segments took, not when they ran, so the wall time is the sum of the
//! segments and nothing is left over of it. The statistics are those of any path's spans.

use laptime_core::anchor::Rate;
use laptime_core::{PathId, PathTally, Span, SpanFlags, Total, Unavailable, path};

use super::SegmentRuns;
use crate::analyzer::{Analyzer, Options};
use crate::summarize::columns::operations::Peaks;
use crate::summarize::leftovers::Leftovers;
use crate::summarize::rows::rows as all_rows;
use crate::summarize::tree::Tree;
use crate::summary::device_row::DeviceRow;
use crate::summary::doubt::{DeviceDoubt, Doubt};
use crate::summary::fields::Group;
use crate::summary::process::ProcessSummary;
use crate::summary::span_row::SpanRow;
use crate::summary::{Summary, WallSource};

/// Reason why a timer has no steady state.
const NO_MOMENTS: &str = "a timer keeps how long its segments took, not when they ran";

/// A timer, with the clock of its durations.
#[derive(Debug, Clone, Copy)]
pub struct Timer<'a> {
    /// The timer's name.
    pub name: &'a str,
    /// The time that host durations are sums of.
    pub source: WallSource,
    /// Reason why there is no device time, where it was asked for.
    pub no_device: Option<&'a str>,
}

/// A context: its name, and its segments with their names.
type Context<'a> = (&'a str, Vec<(&'a str, &'a SegmentRuns)>);

/// A timer's history, every duration that a device owed filled in.
#[derive(Debug)]
pub struct TimerSummary {
    /// All contexts; paths are context and segment.
    pub whole: Summary,
    /// Each context with finished segments, under its title.
    pub tables: Vec<(String, Summary)>,
}

impl TimerSummary {
    /// Sums up all contexts. `process` is the summary of the process that they were measured in.
    pub fn new(timer: Timer<'_>, contexts: &[Context<'_>], process: &Summary) -> Self {
        let blank = blank(timer, process);
        let (mut tables, mut all, mut whole) = (Vec::new(), Vec::new(), Vec::new());
        for (name, segments) in contexts {
            let rows = rows(segments);
            if rows.is_empty() {
                continue;
            }
            whole.extend(rows.iter().cloned().map(|mut row| {
                row.names.insert(0, (*name).to_owned());
                row.path = path::join(row.names.iter().map(String::as_str));
                row
            }));
            let runs: Vec<&SegmentRuns> = segments.iter().map(|(_, runs)| *runs).collect();
            let title = format!("{}: {name}", timer.name);
            tables.push((title, filled(blank.clone(), rows, &runs)));
            all.extend(runs);
        }
        let mut whole = filled(blank, whole, &all);
        for row in &mut whole.rows {
            let share = row.total_ns as f64 / whole.wall_ns as f64;
            row.share_ratio = (whole.wall_ns > 0).then_some(share);
        }
        Self { whole, tables }
    }
}

/// Returns the summary of a timer that measured nothing.
fn blank(timer: Timer<'_>, process: &Summary) -> Summary {
    let own = process.processes.iter().take(1).cloned();
    let own = own.map(|own| ProcessSummary {
        program: timer.name.to_owned(),
        span_count: 0,
        lost_count: 0,
        clamped_count: 0,
        open: Vec::new(),
        ..own
    });
    let mut unavailable = process.unavailable.clone();
    if let Some(reason) = timer.no_device {
        let reason = |field: &str| (field.to_owned(), Unavailable(reason.to_owned()));
        unavailable.extend(
            Group::DeviceTime
                .names()
                .chain(Group::DeviceMemory.names())
                .map(reason),
        );
    }
    Summary {
        program: timer.name.to_owned(),
        processes: own.collect(),
        clock: process.clock,
        wall_source: timer.source,
        steady_why: Some(Unavailable(NO_MOMENTS.to_owned())),
        unavailable,
        ..Analyzer::new(Options::default()).finish()
    }
}

/// Fills in the rows of a summary, and all numbers that follow from them.
fn filled(mut summary: Summary, rows: Vec<SpanRow>, runs: &[&SegmentRuns]) -> Summary {
    summary.span_count = rows.iter().filter_map(|row| row.count).total();
    for process in &mut summary.processes {
        process.span_count = summary.span_count;
    }
    summary.wall_ns = rows.iter().map(|row| row.total_ns).total();
    summary.measured_ns = summary.wall_ns;
    summary.rows = rows;
    let on_device: u64 = runs.iter().map(|runs| runs.on_device).total();
    if on_device > 0 {
        summary.wall_source = WallSource::DeviceTimeSegments;
        let count = summary.span_count - on_device;
        let mixed = Doubt::Device(DeviceDoubt::MixedClocks { count });
        summary.warnings.extend((count > 0).then_some(mixed));
    }
    summary
}

/// Returns the rows of segments that have finished runs, each under its name, as shares of the sum of all.
fn rows(segments: &[(&str, &SegmentRuns)]) -> Vec<SpanRow> {
    let used = segments.iter();
    let used: Vec<_> = used
        .filter(|(_, runs)| !runs.elapsed_ns.is_empty())
        .collect();
    let wall_ns = used.iter().map(|(_, runs)| runs.total_ns()).total();
    let tallies = used
        .iter()
        .map(|(name, runs)| ((*name).to_owned(), tally(runs)));
    let tree = Tree::of_outermost(tallies);
    let leftovers = Leftovers::default();
    let mut rows = all_rows(&tree, wall_ns, &leftovers, &mut Peaks::from_notes(&[])).rows;
    for (row, (_, runs)) in rows.iter_mut().zip(used) {
        fill(row, runs);
        row.delayed_ns = runs.delayed_ns;
    }
    rows
}

/// Tallies the runs of a segment as spans, in nanoseconds whatever they were measured by.
fn tally(runs: &SegmentRuns) -> PathTally {
    let mut tally = PathTally::default();
    for (at, ns) in runs.elapsed_ns.iter().enumerate() {
        let mut span = Span::plain(PathId::ROOT, 0, *ns, 0);
        if let Some((process_ns, thread_ns)) = runs.cpu_ns.get(at) {
            span.flags = SpanFlags::PROCESS_TIME.with(SpanFlags::THREAD_TIME);
            span.process_ns = Some(*process_ns);
            span.thread_ns = Some(*thread_ns);
        }
        tally.fold(&span, Rate::new(1.0));
    }
    tally
}

/// Fills in the numbers of a segment from the device, or those of its memory from the host.
fn fill(row: &mut SpanRow, runs: &SegmentRuns) {
    let (net, peak) = (runs.net_bytes(), runs.peak_bytes());
    let (net_min, net_max) = (net.map(|net| net.0), net.map(|net| net.1));
    if runs.on_device == 0 {
        let bytes = |peak: i64| u64::try_from(peak).unwrap_or(0);
        row.memory.host_memory_net_min_bytes = net_min;
        row.memory.host_memory_net_max_bytes = net_max;
        row.memory.host_memory_peak_min_bytes = peak.map(|peak| bytes(peak.0));
        row.memory.host_memory_peak_max_bytes = peak.map(|peak| bytes(peak.1));
        return;
    }
    row.device = DeviceRow {
        device_ns: Some(runs.device_ns),
        device_count: Some(runs.on_device),
        launch_bound_count: None,
        device_memory_net_min_bytes: net_min,
        device_memory_net_max_bytes: net_max,
        device_memory_peak_min_bytes: peak.map(|peak| peak.0),
        device_memory_peak_max_bytes: peak.map(|peak| peak.1),
        device_memory_reserved_bytes: None,
    }
    .into();
}

#[cfg(test)]
#[path = "tests/summary.rs"]
mod tests;
