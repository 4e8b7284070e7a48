//! Doubts about one process: its clock, its paths, how its file ends and what is missing of it.

use laptime_core::{ClockKind, PathId, Total};

use crate::reading::process::Process;
use crate::summarize::measured_processes::has_phases;
use crate::summary::doubt::{
    ClockDoubt, Doubt, LastRecords, NotClosed, OpenLap, PathsDoubt, ProcessDoubt, ProcessName,
    RunDoubt,
};
use crate::summary::process::{OpenSpanSummary, ProcessState, ProcessSummary};

/// Suspension shorter than this is the reading error of two clocks.
const SUSPENSION_NS: u64 = 100_000_000;

/// Finds what there is to doubt about one process's file.
///
/// `is_worker`: another process that was recorded started it.
pub fn of_process(process: &Process, summary: &ProcessSummary, is_worker: bool) -> Vec<Doubt> {
    let doubts = not_closed(process, summary, is_worker)
        .map(ProcessDoubt::NotClosed)
        .into_iter()
        .chain(cut_off(process))
        .chain(empty_windows(process))
        .chain(lost(process))
        .chain(
            of_clock(process, summary)
                .into_iter()
                .map(ProcessDoubt::Clock),
        )
        .chain(of_paths(process).into_iter().map(ProcessDoubt::Paths));
    let name = || ProcessName {
        program: summary.program.clone(),
        pid: summary.pid,
    };
    doubts
        .map(|doubt| Doubt::Process {
            process: name(),
            doubt,
        })
        .collect()
}

/// Finds what there is to doubt about its clock, on which all its times rest.
fn of_clock(process: &Process, summary: &ProcessSummary) -> Vec<ClockDoubt> {
    let timeline = process.facts.anchors.timeline();
    let (count, suspended_ns) = (process.facts.header.clamped, timeline.suspended_ns());
    let is_nominal = process.facts.header.clock == ClockKind::Tsc
        && !timeline.is_measured()
        && summary.span_count > 0;
    let uneven = timeline.uneven_rate();
    [
        (count > 0).then_some(ClockDoubt::Clamped { count }),
        (suspended_ns >= SUSPENSION_NS).then_some(ClockDoubt::Suspended { suspended_ns }),
        is_nominal.then_some(ClockDoubt::Nominal),
        (process.facts.anchors.is_doubtful()).then_some(ClockDoubt::Contradicting),
        uneven.map(|(least, most)| ClockDoubt::Uneven {
            change_ratio: most / least - 1.0,
        }),
    ]
    .into_iter()
    .flatten()
    .collect()
}

/// Finds spans that have no row of their own.
fn of_paths(process: &Process) -> Vec<PathsDoubt> {
    let (recursive, folded) = (process.facts.recursive_spans, process.facts.folded_spans);
    [
        too_many(process),
        (recursive > 0).then_some(PathsDoubt::DeepRecursion { count: recursive }),
        (folded > 0).then_some(PathsDoubt::TooDeep { count: folded }),
    ]
    .into_iter()
    .flatten()
    .collect()
}

/// Finds spans beyond the bounds of paths: outermost ones are in `<overflow>`, others in what they ran inside of.
fn too_many(process: &Process) -> Option<PathsDoubt> {
    let totals = &process.spans.totals;
    let tallies = [&totals.first, &totals.others, &process.spans.tail.tallies];
    let outermost = tallies.map(|all| all.count_of(PathId::OVERFLOW));
    let outermost_count: u64 = outermost.into_iter().total();
    let inside_count = process.facts.overflowed_spans;
    (outermost_count > 0 || inside_count > 0).then_some(PathsDoubt::TooMany {
        outermost_count,
        inside_count,
    })
}

/// Finds a file that was closed and has fewer bytes now, such as one that was copied half.
fn cut_off(process: &Process) -> Option<ProcessDoubt> {
    let written_bytes = process.facts.header.length?;
    if process.facts.header.loss_reason.is_some() {
        return None; // It couldn't be written whole, which is said.
    }
    let there_bytes = process.facts.file_bytes?;
    (there_bytes < written_bytes).then_some(ProcessDoubt::CutOff {
        there_bytes,
        written_bytes,
    })
}

/// Finds a file of which windows were overwritten by nothing, as by a machine that lost power.
fn empty_windows(process: &Process) -> Option<ProcessDoubt> {
    let is_whole = !process.facts.is_live && process.facts.header.loss_reason.is_none();
    let count = process.facts.empty_windows;
    (is_whole && count > 0).then_some(ProcessDoubt::EmptyWindows { count })
}

/// Finds workers that were ended in the midst of a lap: one doubt for all of them.
///
/// Leaving `with Pool()` terminates its workers, so this is no damage, and has a code of its own.
pub fn of_workers<'s>(ended: impl Iterator<Item = &'s ProcessSummary>) -> Option<Doubt> {
    let is_killed = |worker: &&ProcessSummary| worker.state == ProcessState::Killed;
    let open: Vec<&OpenSpanSummary> = ended
        .filter(is_killed)
        .filter_map(|worker| innermost(worker).next())
        .collect();
    let longest = open.iter().max_by_key(|open| open.age_ns)?;
    Some(Doubt::Run(RunDoubt::WorkersEnded {
        count: open.len() as u64,
        path: longest.path.clone(),
        age_ns: longest.age_ns,
    }))
}

fn innermost(process: &ProcessSummary) -> impl Iterator<Item = &OpenSpanSummary> {
    process.open.iter().filter(|open| open.is_innermost)
}

/// Finds a file that nobody closed.
fn not_closed(process: &Process, summary: &ProcessSummary, is_worker: bool) -> Option<NotClosed> {
    let is_cut = process.facts.truncated > 0;
    // Workers end without closing as a matter of course; `of_workers` tells what they were in.
    if summary.state != ProcessState::Killed || is_worker && !is_cut {
        return None;
    }
    let mut innermost = innermost(summary);
    let open = innermost.next().map(|open| OpenLap {
        path: open.path.clone(),
        age_ns: open.age_ns,
    });
    Some(NotClosed {
        open,
        other_track_count: innermost.count() as u64,
        is_cut,
        may_lack: may_lack(process),
    })
}

fn may_lack(process: &Process) -> Vec<LastRecords> {
    let has_device_times = !process.spans.totals.on_devices.is_empty();
    [
        has_device_times.then_some(LastRecords::DeviceTimes),
        has_phases(process).then_some(LastRecords::Phases),
        (!process.features.stacks.is_empty()).then_some(LastRecords::Samples),
    ]
    .into_iter()
    .flatten()
    .collect()
}

fn lost(process: &Process) -> Option<ProcessDoubt> {
    let (count, errno) = (process.facts.lost, process.facts.header.loss_reason);
    (count > 0 || errno.is_some()).then_some(ProcessDoubt::LostSpans { count, errno })
}
