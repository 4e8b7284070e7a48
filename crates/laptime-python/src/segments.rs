//! A timer's history as a report: one table per context.

use std::sync::Arc;

use laptime_analysis::{RowKind, Summary, WallSource, summarize_live};
use laptime_core::anchor::Rate;
use laptime_core::{Anchor, ClockKind, Live, PathId, PathTable, Span, Tallies, path};

use crate::fast::timer::{Clock, Context};
use crate::report::Report;

/// The report of a timer. Paths are context and segment.
pub fn report(timer: &str, contexts: &[Arc<Context>]) -> Report {
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
    let clock = summarize_live(&live, None).clock;
    let mut paths = PathTable::new();
    let mut tallies = Tallies::new();
    let mut sum_ns = 0;
    for segment in context.segments.borrow().iter() {
        let path = paths.intern(PathId::ROOT, segment.site.name());
        for ns in &segment.elapsed_ns {
            sum_ns += ns;
            tallies.fold(&Span::plain(path, 0, *ns, 1), Rate::new(1.0));
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
        anchors: vec![Anchor::default(), end],
        paths,
        head: Vec::new(),
        tail: tallies,
        open: Vec::new(),
        notes: Vec::new(),
        ..live
    };
    let mut summary = summarize_live(&live, None);
    summary.rows.retain(|row| row.kind == RowKind::Span);
    summary.warnings.clear();
    // Folded as nanoseconds above, whatever they were measured by.
    summary.clock = clock;
    summary.wall_source = match context.clock {
        Clock::Wall => WallSource::Segments,
        Clock::Process => WallSource::ProcessTimeSegments,
        Clock::Thread => WallSource::ThreadTimeSegments,
    };
    summary
}
