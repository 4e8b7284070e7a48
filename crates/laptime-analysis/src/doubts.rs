//! Reasons for doubt about a run, as warnings with what to do about them.
//!
//! Each function looks at one kind of evidence. Durations and counts in a message are
//! the few numbers that this crate writes as text: a message is a sentence.

use std::collections::BTreeMap;

use laptime_core::{ClockKind, PathTable, ProgramEnd, RunInfo, Unavailable, Warning, path};

use crate::launches;
use crate::process::Process;
use crate::process_summary::{OpenSpanSummary, ProcessState, ProcessSummary};
use crate::wall::has_phases;

/// Suspension shorter than this is the reading error of two clocks.
const SUSPENSION_NS: u64 = 100_000_000;

/// A duration with three digits, such as `3.2 s`.
pub fn spoken(ns: u64) -> String {
    let ns = ns as f64;
    let (value, unit) = match ns {
        _ if ns < 1e3 => (ns, "ns"),
        _ if ns < 1e6 => (ns / 1e3, "µs"),
        _ if ns < 1e9 => (ns / 1e6, "ms"),
        _ => (ns / 1e9, "s"),
    };
    if value < 99.95 && unit != "ns" {
        format!("{value:.1} {unit}")
    } else {
        format!("{value:.0} {unit}")
    }
}

fn plural(count: u64, singular: &str, plural: &str) -> String {
    format!("{count} {}", if count == 1 { singular } else { plural })
}

/// How a process is called in a message.
fn called(process: &ProcessSummary) -> String {
    if process.program.is_empty() {
        format!("process {}", process.pid)
    } else {
        format!("{} (process {})", process.program, process.pid)
    }
}

/// About one process's file.
///
/// `is_worker`: another process that was recorded started it.
pub fn of_process(process: &Process, summary: &ProcessSummary, is_worker: bool) -> Vec<Warning> {
    let mut warnings = Vec::new();
    warnings.extend(killed(process, summary, is_worker));
    warnings.extend(cut(process, summary));
    warnings.extend(lost(process, summary));
    let timeline = process.anchors.timeline();
    if process.header.clamped > 0 {
        warnings.push(
            Warning::new(
                "clamped-durations",
                format!(
                    "{}: {} below zero and set to zero: the clock ran backwards",
                    called(summary),
                    plural(process.header.clamped, "duration was", "durations were"),
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
    if process.header.clock == ClockKind::Tsc && !timeline.is_measured() && summary.span_count > 0 {
        warnings.push(Warning::new(
            "nominal-clock",
            format!(
                "{}: too short to measure the clock's rate, so durations rest on the frequency the CPU states",
                called(summary),
            ),
        ));
    }
    if process.anchors.is_doubtful() {
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
    if process.paths.get(laptime_core::PathId::OVERFLOW).is_some() {
        let spans = overflowing(process);
        if spans > 0 {
            warnings.push(
                Warning::new(
                    "too-many-paths",
                    format!(
                        "{}: {} in <overflow>, because there were more than {} different paths, more \
                         than {} MiB of names, or more than {} KiB of names nested in each other",
                        called(summary),
                        plural(spans, "span is", "spans are"),
                        PathTable::LIMIT,
                        PathTable::NAMES_LIMIT >> 20,
                        PathTable::CHAIN_LIMIT >> 10,
                    ),
                )
                .with_hint("use fixed names; put numbers and ids into metrics or marks"),
            );
        }
    }
    if process.folded_spans > 0 {
        warnings.push(
            Warning::new(
                "too-deep",
                format!(
                    "{}: {} more than {} levels deep; their time is in that of <deep>, which stands \
                     for level {}",
                    called(summary),
                    plural(process.folded_spans, "span ran", "spans ran"),
                    PathTable::MOST_LEVELS,
                    PathTable::MOST_LEVELS + 1,
                ),
            )
            .with_hint("a lap that calls itself through others nests without an end: open it once, outside"),
        );
    }
    warnings
}

fn overflowing(process: &Process) -> u64 {
    let mut totals = process.totals.clone();
    let overflow = |tallies: &mut laptime_core::Tallies| {
        tallies
            .settled()
            .find(|(id, _)| *id == laptime_core::PathId::OVERFLOW)
            .map_or(0, |(_, tally)| tally.count)
    };
    overflow(&mut totals.first) + overflow(&mut totals.others)
}

/// A file that was closed and has fewer bytes now, such as one that was copied half.
fn cut(process: &Process, summary: &ProcessSummary) -> Option<Warning> {
    let length = process.header.length?;
    if process.header.loss_reason.is_some() {
        return None; // It couldn't be written whole, which is said.
    }
    let there = process.file_bytes?;
    (there < length).then(|| {
        let message = format!(
            "{}: its file is cut off: {} of {length} bytes are there, so spans are missing",
            called(summary),
            there,
        );
        Warning::new("truncated", message).with_hint("copy the recording again")
    })
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
    let cut = process.truncated > 0;
    if innermost.is_empty() && !cut && is_worker {
        // Workers end without closing as a matter of course, and nothing of them is missing.
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
        let but = if has_phases(process) {
            "; of the last batch, automatic phases may be missing: their time is self time of what they are in"
        } else {
            ""
        };
        format!("it was killed, left by os._exit, or still runs; every span finished before is counted{but}")
    });
    let warning = Warning::new(if cut { "truncated" } else { "not-closed" }, message);
    Some(match hint {
        Some(hint) => warning.with_hint(hint),
        None => warning,
    })
}

fn lost(process: &Process, summary: &ProcessSummary) -> Option<Warning> {
    if process.lost == 0 && process.header.loss_reason.is_none() {
        return None;
    }
    let (reason, hint) = match process.header.loss_reason {
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
        .header
        .loss_reason
        .map(|errno| format!(" (error {errno})"));
    let what = match process.lost {
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

/// Noted where torch was there and nothing of it is a phase: of interest where no span tells more.
const NO_PHASES: &str = "phases.none";

/// About what recorders noted.
pub fn of_notes(
    notes: impl IntoIterator<Item = (String, String)>,
    has_spans: bool,
) -> Vec<Warning> {
    let mut by_code: BTreeMap<String, Vec<String>> = BTreeMap::new();
    let told = notes
        .into_iter()
        .filter(|(code, _)| code != if has_spans { NO_PHASES } else { launches::CODE }); // of interest where there are spans
    for (code, message) in told {
        let messages = by_code.entry(code).or_default();
        if !messages.contains(&message) {
            messages.push(message);
        }
    }
    by_code
        .into_iter()
        .map(|(code, messages)| {
            let said = messages.join("; ");
            if code == "device-active" {
                Warning::new(&code, format!(
                    "{said}: times are host times and measure when work was launched there, not how long it took"
                )).with_hint("synchronise inside the spans that matter, e.g. torch.cuda.synchronize(); device time comes with a later version")
            } else if code == NO_PHASES {
                Warning::new(&code, format!("{said}, so there are no phases to show"))
                    .with_hint("put lt.lap(\"name\") around the parts that matter: functions such as torch.nn.functional.conv2d belong to no module")
            } else if code == launches::CODE {
                Warning::new(&code, format!("{said}: a lap holds the work only if it waits for the result"))
                    .with_hint(launches::HINT)
            } else {
                Warning::new(&code, said)
            }
        })
        .collect()
}

/// About how the launched program ended.
pub fn of_end(end: &ProgramEnd) -> Option<Warning> {
    let signal = end.signal?;
    let name = match signal {
        1 => " (SIGHUP)",
        2 => " (SIGINT)",
        3 => " (SIGQUIT)",
        4 => " (SIGILL)",
        6 => " (SIGABRT)",
        7 => " (SIGBUS)",
        8 => " (SIGFPE)",
        9 => " (SIGKILL)",
        11 => " (SIGSEGV)",
        13 => " (SIGPIPE)",
        15 => " (SIGTERM)",
        _ => "",
    };
    let warning = Warning::new("signal", format!("signal {signal}{name} ended the program"));
    Some(if signal == 9 {
        warning.with_hint("if nobody killed it, the machine ran out of memory: look at `dmesg`")
    } else {
        warning
    })
}

/// Why the way in which a run ended is not known, by field name.
pub fn of_outcome(
    run: Option<&RunInfo>,
    main: Option<&ProcessSummary>,
) -> Option<(String, Unavailable)> {
    let (field, reason) = if let Some(end) = run.and_then(|run| run.end.as_ref()) {
        let reason = match (end.code, end.signal) {
            (Some(_), _) => return None,
            (None, Some(signal)) => format!("signal {signal} ended the program"),
            (None, None) => "the program recorded itself, and nobody saw its exit".to_owned(),
        };
        ("run.end.code", reason)
    } else {
        let reason = match main?.state {
            ProcessState::Running => "the run has not ended",
            ProcessState::Killed => "the run did not end normally",
            ProcessState::Closed if run.is_none() => "no launcher saw the run",
            ProcessState::Closed => "the launcher did not see the run end",
        };
        ("run.end", reason.to_owned())
    };
    Some((field.to_owned(), Unavailable(reason)))
}

/// About interpreters without Laptime.
pub fn of_unrecorded(interpreters: &[String]) -> Option<Warning> {
    if interpreters.is_empty() {
        return None;
    }
    let warning = Warning::new(
        "unrecorded",
        format!(
            "not recorded, because Laptime is not installed there: {}",
            interpreters.join(", ")
        ),
    );
    Some(warning.with_hint("install it in that environment too: `python -m pip install laptime`"))
}

/// About rows whose children ran longer than they did.
pub fn of_overfull(overfull: &[(String, u64)]) -> Option<Warning> {
    let (path, excess_ns) = overfull.iter().max_by_key(|(_, excess_ns)| *excess_ns)?;
    let more = match overfull.len() {
        1 => String::new(),
        n => format!(" ({} in all)", plural(n as u64, "path", "paths")),
    };
    Some(Warning::new(
        "children-exceed",
        format!(
            "the spans inside {path} ran {} longer than it did{more}, so its self time is shown as zero",
            spoken(*excess_ns),
        ),
    ).with_hint("spans were closed out of order, or lost"))
}

/// About spans that cover more than the wall time.
pub fn of_excess(excess_ns: u64, wall_ns: u64) -> Option<Warning> {
    // The launcher's and the recorder's anchors are read at different moments.
    (excess_ns > 1_000_000 + wall_ns / 1_000).then(|| {
        Warning::new(
            "overlap",
            format!("spans cover {} more than the wall time", spoken(excess_ns)),
        )
        .with_hint("spans that overlap on one thread were closed out of order")
    })
}

/// Spans closed out of order.
pub fn of_unbalanced<'a>(rows: impl Iterator<Item = (&'a str, u64)>) -> Option<Warning> {
    let unbalanced: Vec<(&str, u64)> = rows.filter(|(_, count)| *count > 0).collect();
    let (path, _) = unbalanced.iter().max_by_key(|(_, count)| *count)?;
    let count: u64 = unbalanced.iter().map(|(_, count)| count).sum();
    Some(
        Warning::new(
            "unbalanced",
            format!(
                "{} closed out of order, most of them in {path}",
                plural(count, "span was", "spans were"),
            ),
        )
        .with_hint("use `with` or a decorator, which close in order"),
    )
}

/// Open spans of a process, with how long they had been open at `end_ns`.
pub fn open_spans(process: &Process, end_ns: u64) -> Vec<OpenSpanSummary> {
    let timeline = process.anchors.timeline();
    let open: Vec<_> = process
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
