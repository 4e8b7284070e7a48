//! Doubts about one process: its clock, its paths, how its file ends and what is missing of it.

use laptime_core::{ClockKind, PathId, PathTable, Total, Warning};

use crate::reading::process::Process;
use crate::summarize::measured_processes::has_phases;
use crate::summary::process::{OpenSpanSummary, ProcessState, ProcessSummary};
use crate::summary::spoken::{called, plural, spoken};

/// Suspension shorter than this is the reading error of two clocks.
const SUSPENSION_NS: u64 = 100_000_000;

/// About one process's file.
///
/// `is_worker`: another process that was recorded started it.
pub fn of_process(process: &Process, summary: &ProcessSummary, is_worker: bool) -> Vec<Warning> {
    let mut warnings = Vec::new();
    warnings.extend(killed(process, summary, is_worker));
    warnings.extend(cut(process, summary));
    warnings.extend(empty(process, summary));
    warnings.extend(lost(process, summary));
    warnings.extend(clock(process, summary));
    warnings.extend(paths(process, summary));
    warnings
}

/// About its clock, on which all its times rest.
fn clock(process: &Process, summary: &ProcessSummary) -> Vec<Warning> {
    let mut warnings = Vec::new();
    let timeline = process.facts.anchors.timeline();
    if process.facts.header.clamped > 0 {
        warnings.push(
            Warning::new(
                "clamped-durations",
                format!(
                    "{}: {} below zero and set to zero: the clock ran backwards",
                    called(summary),
                    plural(
                        process.facts.header.clamped,
                        "duration was",
                        "durations were"
                    ),
                ),
            )
            .with_hint("`laptime doctor` shows which clock is in use and why"),
        );
    }
    if timeline.suspended_ns() >= SUSPENSION_NS {
        warnings.push(Warning::new(
            "suspended",
            format!(
                "the machine was suspended for {} while {} ran; that time is in no span",
                spoken(timeline.suspended_ns()),
                called(summary),
            ),
        ));
    }
    if process.facts.header.clock == ClockKind::Tsc
        && !timeline.is_measured()
        && summary.span_count > 0
    {
        warnings.push(Warning::new(
            "nominal-clock",
            format!(
                "{}: too short to measure the clock's rate, so durations are computed with the frequency that the CPU states",
                called(summary),
            ),
        ));
    }
    if process.facts.anchors.is_doubtful() {
        warnings.push(
            Warning::new(
                "doubtful-clock",
                format!(
                    "{}: its clock readings contradict each other, so durations and moments are doubtful",
                    called(summary),
                ),
            )
            .with_hint("its file may be damaged: copy the recording again"),
        );
    }
    if let Some((least, most)) = timeline.uneven_rate() {
        warnings.push(Warning::new(
            "uneven-clock",
            format!(
                "{}: the clock's rate changed by {:.1} % during the run; durations rest on its mean",
                called(summary),
                (most / least - 1.0) * 100.0,
            ),
        ).with_hint("a virtual machine that moved to another host does this; run again"));
    }
    warnings
}

/// About spans that have no row of their own.
fn paths(process: &Process, summary: &ProcessSummary) -> Vec<Warning> {
    let mut warnings = Vec::new();
    warnings.extend(overflowing(process, summary));
    if process.facts.recursive_spans > 0 {
        warnings.push(
            Warning::new(
                "deep-recursion",
                format!(
                    "{}: {} inside {} of the same name, and no more levels are told apart; their time is \
                     in the innermost level",
                    called(summary),
                    plural(process.facts.recursive_spans, "span ran", "spans ran"),
                    PathTable::MAX_RECURSION,
                ),
            )
            .with_hint("for a function that calls itself, open one lap around the first call"),
        );
    }
    if process.facts.folded_spans > 0 {
        warnings.push(
            Warning::new(
                "too-deep",
                format!(
                    "{}: {} more than {} levels deep; their time is in that of <deep>, which stands \
                     for level {}",
                    called(summary),
                    plural(process.facts.folded_spans, "span ran", "spans ran"),
                    PathTable::MOST_LEVELS,
                    PathTable::MOST_LEVELS + 1,
                ),
            )
            .with_hint("a lap that calls itself through others nests without an end: open it once, outside"),
        );
    }
    warnings
}

/// Spans beyond the bounds of paths: outermost ones are in `<overflow>`, others are told in what they ran inside of.
fn overflowing(process: &Process, summary: &ProcessSummary) -> Option<Warning> {
    let totals = &process.spans.totals;
    let tallies = [&totals.first, &totals.others, &process.spans.tail.tallies];
    let told = tallies.map(|all| all.count_of(PathId::OVERFLOW));
    let told: u64 = told.into_iter().total();
    let inside = process.facts.overflowed_spans;
    let are = |count, after| format!("{}{after}", plural(count, "span is", "spans are"));
    let said = match (told, inside) {
        (0, 0) => return None,
        (_, 0) => are(told, " in <overflow>"),
        (0, _) => are(
            inside,
            " part of the row around them, without one of their own",
        ),
        _ => format!(
            "{} in <overflow>, and {inside} are part of the row around them",
            are(told, "")
        ),
    };
    let message = format!(
        "{}: {said}, because there were more than {} different paths, more than {} MiB of names, or more \
         than {} KiB of names nested in each other",
        called(summary),
        PathTable::LIMIT,
        PathTable::NAMES_LIMIT >> 20,
        PathTable::CHAIN_LIMIT >> 10,
    );
    let hint = "use fixed names; put numbers and ids into metrics or marks";
    Some(Warning::new("too-many-paths", message).with_hint(hint))
}

/// A file that was closed and has fewer bytes now, such as one that was copied half.
fn cut(process: &Process, summary: &ProcessSummary) -> Option<Warning> {
    let length = process.facts.header.length?;
    if process.facts.header.loss_reason.is_some() {
        return None; // It couldn't be written whole, which is said.
    }
    let there = process.facts.file_bytes?;
    (there < length).then(|| {
        let message = format!(
            "{}: its file is cut off: {} of {length} bytes are there, so spans are missing",
            called(summary),
            there,
        );
        Warning::new("truncated", message).with_hint("copy the recording again")
    })
}

/// A file of which windows were overwritten by nothing, as by a machine that lost power.
fn empty(process: &Process, summary: &ProcessSummary) -> Option<Warning> {
    let is_whole = !process.facts.is_live && process.facts.header.loss_reason.is_none();
    (is_whole && process.facts.empty_windows > 0).then(|| {
        let message = format!(
            "{}: {} of its file {} empty, so spans are missing",
            called(summary),
            plural(process.facts.empty_windows, "window", "windows"),
            if process.facts.empty_windows == 1 {
                "is"
            } else {
                "are"
            },
        );
        Warning::new("empty-windows", message).with_hint("copy the recording again")
    })
}

/// About workers that were ended in the midst of a lap: one line for all of them.
///
/// Leaving `with Pool()` terminates its workers, so this is no damage, and has a code of its own.
pub fn of_workers<'s>(ended: impl Iterator<Item = &'s ProcessSummary>) -> Option<Warning> {
    let is_killed = |worker: &&ProcessSummary| worker.state == ProcessState::Killed;
    let innermost = |worker: &'s ProcessSummary| worker.open.iter().find(|open| open.is_innermost);
    let open: Vec<&OpenSpanSummary> = ended.filter(is_killed).filter_map(innermost).collect();
    let longest = open.iter().max_by_key(|open| open.age_ns)?;
    let (workers, most) = match open.len() {
        1 => ("a worker process was".to_owned(), "for at least"),
        count => (
            format!("{count} worker processes were"),
            "the longest for at least",
        ),
    };
    let message = format!(
        "{workers} ended in the midst of work: in {}, {most} {}",
        longest.path,
        spoken(longest.age_ns),
    );
    Some(Warning::new("workers-ended", message).with_hint(
        "leaving `with Pool()` does that; close() and join() let workers finish. If nothing ended them, \
         they were killed, called os._exit or became another program (exec). Every span that finished before is counted",
    ))
}

fn killed(process: &Process, summary: &ProcessSummary, is_worker: bool) -> Option<Warning> {
    if summary.state != ProcessState::Killed {
        return None;
    }
    let innermost: Vec<&OpenSpanSummary> = summary
        .open
        .iter()
        .filter(|open| open.is_innermost)
        .collect();
    let cut = process.facts.truncated > 0;
    if !cut && is_worker {
        // Workers end without closing as a matter of course; `of_workers` tells what they were in.
        return None;
    }
    let mut message = format!("{} ended without closing its recording", called(summary));
    if let Some(first) = innermost.first() {
        let age = spoken(first.age_ns);
        message.extend(["; it was in ", &first.path, " for ", &age]);
        if innermost.len() > 1 {
            let more = plural(innermost.len() as u64 - 1, "other track", "other tracks");
            message.extend([", and ", &more, " had open spans"]);
        }
    }
    if cut {
        message += "; its file is cut off, so spans after the cut are missing";
    }
    let hint = (!cut).then(|| {
        let device = if process.spans.totals.on_devices.is_empty() {
            ""
        } else {
            "; device times of the last ones may be missing"
        };
        let but = if has_phases(process) {
            "; automatic phases of the last batch may be missing: their time is then in the self time of the row around them"
        } else {
            ""
        };
        let stacks = if process.features.stacks.is_empty() {
            ""
        } else {
            "; what its threads did last is in no sample, at most a second of it"
        };
        format!(
            "it was killed, called os._exit or became another program (exec); every span that finished before is \
             counted{device}{but}{stacks}"
        )
    });
    let warning = Warning::new(if cut { "truncated" } else { "not-closed" }, message);
    Some(match hint {
        Some(hint) => warning.with_hint(hint),
        None => warning,
    })
}

fn lost(process: &Process, summary: &ProcessSummary) -> Option<Warning> {
    if process.facts.lost == 0 && process.facts.header.loss_reason.is_none() {
        return None;
    }
    let (reason, hint) = match process.facts.header.loss_reason {
        Some(28) => (
            "the disk was full",
            "free some space, or record elsewhere with -o",
        ),
        Some(122) => ("the disk quota was used up", "record elsewhere with -o"),
        Some(27) => ("the file-size limit was reached", "raise `ulimit -f`"),
        Some(5) => ("the disk reported an error", "look at the system's log"),
        Some(30) => ("the file system is read-only", "record elsewhere with -o"),
        Some(_) => (
            "the recording could not be written",
            "record elsewhere with -o",
        ),
        None => (
            "they came faster than they could be written",
            "time larger pieces of work: each span costs about 20 ns and 7 bytes",
        ),
    };
    let number = process
        .facts
        .header
        .loss_reason
        .map(|errno| format!(" (error {errno})"));
    let what = match process.facts.lost {
        0 => "recording stopped".to_owned(),
        lost => plural(lost, "span was lost", "spans were lost"),
    };
    let message = format!(
        "{}: {what}: {reason}{}",
        called(summary),
        number.unwrap_or_default(),
    );
    Some(Warning::new("lost-spans", message).with_hint(hint))
}
