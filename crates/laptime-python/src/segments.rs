//! A timer's history as a report: one table per context.

use std::sync::Arc;

use laptime::summarize_live;
use laptime_analysis::{DeviceRow, RowKind, Summary, WallSource};
use laptime_core::anchor::Rate;
use laptime_core::{
    Anchor, ClockKind, Live, PathId, PathTable, Span, SpanFlags, Tallies, Unavailable, Warning,
    path,
};

use crate::fast::history::Segment;
use crate::fast::timer::{Clock, Context};
use crate::report::Report;

/// Fields that only a device fills.
const DEVICE_FIELDS: [&str; 5] = [
    "device_ns",
    "device_memory_net_min_bytes",
    "device_memory_net_max_bytes",
    "device_memory_peak_min_bytes",
    "device_memory_peak_max_bytes",
];

/// The report of a timer. Paths are context and segment; `no_device` is why there is no device time.
///
/// Every duration that a device owes has been filled in.
pub fn report(timer: &str, contexts: &[Arc<Context>], no_device: Option<&str>) -> Report {
    let summary = |timer: &str, context: &Context| {
        let mut summary = summary(timer, context);
        if let Some(reason) = no_device {
            for field in DEVICE_FIELDS {
                let reason = Unavailable(reason.to_owned());
                summary.unavailable.insert(field.to_owned(), reason);
            }
        }
        summary
    };
    let tables: Vec<(String, Summary)> = contexts
        .iter()
        .map(|context| {
            (
                format!("{timer}: {}", context.name),
                summary(timer, context),
            )
        })
        .filter(|(_, summary)| !summary.rows.is_empty())
        .collect();
    let mut whole = tables
        .first()
        .map_or_else(|| summary(timer, &contexts[0]), |(_, first)| first.clone());
    whole.rows.clear();
    whole.wall_ns = tables.iter().map(|(_, table)| table.wall_ns).sum();
    whole.span_count = tables.iter().map(|(_, table)| table.span_count).sum();
    let named = contexts
        .iter()
        .filter(|one| !one.segments.borrow().is_empty());
    for (context, (_, table)) in named.zip(&tables) {
        for row in &table.rows {
            let mut row = row.clone();
            row.names.insert(0, context.name.clone());
            row.path = path::join(row.names.iter().map(String::as_str));
            row.share_ratio =
                (whole.wall_ns > 0).then(|| row.total_ns as f64 / whole.wall_ns as f64);
            whole.rows.push(row);
        }
    }
    Report::with_tables(whole, tables)
}

/// One context. Shares are of the sum of its segments.
fn summary(timer: &str, context: &Context) -> Summary {
    let mut live = laptime_recorder::live();
    let clock = summarize_live(&live).clock;
    let mut paths = PathTable::new();
    let mut tallies = Tallies::new();
    let mut sum_ns = 0;
    for segment in context.segments.borrow().iter() {
        let path = paths.intern(PathId::ROOT, segment.site.name());
        for (at, ns) in segment.elapsed_ns.iter().enumerate() {
            sum_ns += ns;
            let mut span = Span::plain(path, 0, *ns, 1);
            if let Some((process_ns, thread_ns)) = segment.cpu_ns.get(at) {
                span.flags = SpanFlags::PROCESS_TIME.with(SpanFlags::THREAD_TIME);
                span.process_ns = Some(*process_ns);
                span.thread_ns = Some(*thread_ns);
            }
            tallies.fold(&span, Rate::new(1.0));
        }
    }
    let end = Anchor {
        ticks: sum_ns,
        monotonic_ns: sum_ns,
        ..Anchor::default()
    };
    live.header.clock = ClockKind::Monotonic;
    live.header.nominal_ns_per_tick = 1.0;
    timer.clone_into(&mut live.header.program);
    live.header.anchor = Anchor::default();
    live.header.closed = Some(end);
    live.header.process_started_boottime_ns = None;
    live.header.lost = 0;
    live.header.clamped = 0;
    let live = Live {
        ran: std::collections::BTreeMap::new(),
        anchors: vec![Anchor::default(), end],
        paths,
        head: Vec::new(),
        tail: tallies,
        open: Vec::new(),
        notes: Vec::new(),
        ..live
    };
    let mut summary = summarize_live(&live);
    summary.rows.retain(|row| row.kind == RowKind::Span);
    summary.warnings.clear();
    // Folded as nanoseconds above, whatever they were measured by.
    summary.clock = clock;
    let segments = context.segments.borrow();
    for row in &mut summary.rows {
        let of_row = |one: &&Segment| row.names.last().is_some_and(|name| one.site.name() == name);
        let segment = segments.iter().find(of_row);
        row.device = segment.map(device).unwrap_or_default();
        row.delayed_ns = segment.and_then(|segment| segment.delayed_ns);
    }
    let on_device: u64 = segments.iter().map(|one| one.on_device).sum();
    if on_device > 0 && on_device < summary.span_count {
        summary.warnings.push(mixed(summary.span_count - on_device));
    }
    summary.wall_source = match context.settings.clock {
        Clock::Wall if on_device > 0 => WallSource::DeviceTimeSegments,
        Clock::Wall => WallSource::Segments,
        Clock::Process => WallSource::ProcessTimeSegments,
        Clock::Thread => WallSource::ThreadTimeSegments,
    };
    summary
}

/// What a device said of a segment.
fn device(segment: &Segment) -> DeviceRow {
    if segment.on_device == 0 {
        return DeviceRow::default();
    }
    let memory = || (0..segment.elapsed_ns.len()).filter_map(|at| segment.memory(at));
    let net = || memory().map(|memory| memory.after - memory.before);
    let peak = || memory().map(|memory| memory.most - memory.before);
    DeviceRow {
        device_ns: Some(segment.device_ns()),
        device_memory_net_min_bytes: net().min(),
        device_memory_net_max_bytes: net().max(),
        device_memory_peak_min_bytes: peak().min(),
        device_memory_peak_max_bytes: peak().max(),
    }
}

fn mixed(count: u64) -> Warning {
    let message = format!(
        "{count} segments ran before the device was in use, or while a graph was captured: \
         theirs is host time, in the same rows"
    );
    Warning::new("mixed-clocks", message).with_hint("begin to time after the device's first use")
}
