//! The processes of a run as plain values: who each was, how it ended, and what it had open then.

use laptime_core::{ClockKind, path};

use crate::reading::process::Process;
use crate::summary::ClockSummary;
use crate::summary::process::{OpenSpanSummary, ProcessState, ProcessSummary};

/// Sums up the processes, the first `measured` of which are measured.
pub fn all(processes: &mut [Process], ends: &[u64], measured: usize) -> Vec<ProcessSummary> {
    let each = (processes.iter_mut().zip(ends)).enumerate();
    each.map(|(index, (process, end_ns))| ProcessSummary {
        is_main: index == 0,
        is_measured: index < measured,
        ..one(process, *end_ns)
    })
    .collect()
}

fn one(process: &mut Process, end_ns: u64) -> ProcessSummary {
    let state = if process.facts.is_live {
        ProcessState::Running
    } else if process.facts.header.closed.is_some() {
        ProcessState::Closed
    } else if process.facts.replaced_ns.is_some() {
        ProcessState::Replaced
    } else {
        ProcessState::Killed
    };
    // What was noted last was noted before its last allocations.
    let noted = process
        .features
        .host_memory
        .latest
        .map(|(_, memory)| memory);
    let counted = noted.filter(|_| state != ProcessState::Killed);
    ProcessSummary {
        file: process.facts.file.clone(),
        pid: process.facts.header.pid,
        parent_pid: process.facts.header.parent_pid,
        program: process.facts.header.program.clone(),
        is_main: false,
        is_measured: false,
        state,
        started_monotonic_ns: process.facts.started_ns,
        ended_monotonic_ns: end_ns,
        span_count: process.span_count(),
        lost_count: process.facts.lost,
        clamped_count: process.facts.header.clamped,
        unsealed_windows: if process.facts.is_live {
            0
        } else {
            process.facts.unsealed
        },
        resident_peak_bytes: process.features.host_memory.resident_peak_bytes,
        host_memory_net_bytes: counted.map(|memory| memory.bytes),
        host_memory_peak_bytes: counted.map(|memory| memory.peak_bytes),
        open: open_spans(process, end_ns),
    }
}

/// Returns the clock of the main process.
pub fn clock(main: Option<&Process>) -> ClockSummary {
    main.map_or(
        ClockSummary {
            kind: ClockKind::Monotonic,
            ns_per_tick: 1.0,
            is_measured: false,
        },
        |main| ClockSummary {
            kind: main.facts.header.clock,
            ns_per_tick: main.facts.anchors.mean_ns_per_tick(),
            is_measured: main.facts.anchors.timeline().is_measured(),
        },
    )
}

/// Returns the open spans of a process, with how long they had been open at `end_ns`.
fn open_spans(process: &Process, end_ns: u64) -> Vec<OpenSpanSummary> {
    let timeline = process.facts.anchors.timeline();
    let open: Vec<_> = process
        .facts
        .open
        .iter()
        .filter(|open| process.paths.get(open.path).is_some())
        .collect();
    open.iter()
        .enumerate()
        .map(|(index, span)| OpenSpanSummary {
            path: path::join(process.paths.names(span.path)),
            track: span.track,
            age_ns: end_ns.saturating_sub(timeline.monotonic_ns(span.start)),
            is_innermost: open
                .get(index + 1)
                .is_none_or(|next| next.track != span.track),
        })
        .collect()
}
