//! Short facts about a run as a whole, which stand above its tables.

use laptime_analysis::{ClockSummary, ProcessState, RowKind, Summary, WallSource};
use laptime_core::ClockKind;

use crate::quantity::{self, plural};

/// Returns short facts about a run, the most telling first.
pub fn of_run(summary: &Summary) -> Vec<String> {
    let mut facts = Vec::new();
    let has_laps = summary.rows.iter().any(|row| row.kind == RowKind::Span);
    if summary.span_count > 0 || has_laps {
        facts.push(plural(summary.span_count, "span", "spans"));
    } else {
        let functions = summary.functions.as_ref();
        let samples = functions.map_or(0, |functions| functions.sample_count);
        // The calls say how many samples they are of.
        if samples == 0 {
            facts.push("no laps".to_owned());
        }
    }
    facts.extend(processes(summary));
    facts.extend(peak_memory(summary));
    let functions = summary.functions.as_ref();
    if functions.is_some_and(|functions| functions.exact.is_some()) {
        facts.push("times include counting every call".to_owned());
    }
    if let Some(code) = summary
        .run
        .as_ref()
        .and_then(|run| run.end.as_ref())
        .and_then(|end| end.code)
    {
        // That a run went well is no news by itself.
        if code != 0 || !facts.is_empty() {
            facts.push(format!("exit code {code}"));
        }
    } else if let Some(why) = summary.unavailable.get("run.end")
        && summary
            .processes
            .iter()
            .any(|main| main.is_main && main.state == ProcessState::Killed)
    {
        facts.push(format!("exit code –: {why}"));
    }
    facts
}

/// Returns how many processes there were, where there was more than one program. A process that turned into another
/// program by `exec` is one, though each program that it ran has a file.
fn processes(summary: &Summary) -> Option<String> {
    let each = summary.processes.iter();
    let replaced = each.filter(|one| one.state == ProcessState::Replaced);
    let replaced = replaced.count();
    let count = summary.processes.len().saturating_sub(replaced);
    let execs = (replaced > 0).then(|| {
        let times = plural(replaced as u64, "time", "times");
        format!("replaced by `exec` {times}")
    });
    match (count, execs) {
        (0 | 1, None) => None,
        (count, None) => Some(plural(count as u64, "process", "processes")),
        (count, Some(execs)) => {
            let processes = plural(count as u64, "process", "processes");
            Some(format!("{processes}, {execs}"))
        }
    }
}

/// Returns the peak of the main process's counted allocations; other processes have theirs in their own laps.
fn peak_memory(summary: &Summary) -> Option<String> {
    let main = summary.processes.first()?;
    let was_counted = summary.unavailable.contains_key("host_memory_peak_bytes");
    if was_counted && main.state == ProcessState::Killed {
        // Short, to fit the line: the row `other` has the whole reason.
        return Some("peak memory – (cut off)".to_owned());
    }
    let whose = if summary.processes.len() > 1 {
        "peak of counted allocations in the main process"
    } else {
        "peak of counted allocations"
    };
    let peak_bytes = main.host_memory_peak_bytes?;
    Some(format!("{whose} {}", quantity::bytes(peak_bytes)))
}

/// Says how the times were measured.
pub fn measured(summary: &Summary) -> String {
    let wall = match summary.wall_source {
        WallSource::Launcher => "from launch to exit",
        WallSource::Process => "from the start of the process, accurate to 10 ms",
        // What runs and has no file tells of itself: it was asked to forget what came before.
        WallSource::Recording if reports_itself(summary) => "since lt.reset()",
        WallSource::Recording => "from the start of the recording",
        WallSource::Segments => "summed over segments",
        WallSource::ProcessTimeSegments => {
            return "CPU time of the process, summed over segments".to_owned();
        }
        WallSource::ThreadTimeSegments => {
            return "CPU time of the thread, summed over segments".to_owned();
        }
        WallSource::DeviceTimeSegments => {
            return "device time between events on its streams, summed over segments".to_owned();
        }
    };
    format!("host time {wall}; {}", clock(summary.clock))
}

/// Tells whether times were measured as they mostly are: then a first look needs no word of it.
pub fn is_measured_as_usual(summary: &Summary) -> bool {
    let clock = summary.clock;
    let is_clock_sure = clock.kind == ClockKind::Monotonic || clock.is_measured;
    summary.wall_source == WallSource::Launcher && is_clock_sure
}

/// Tells whether a process reports itself, so that there is no recording.
fn reports_itself(summary: &Summary) -> bool {
    let main = summary.processes.first();
    main.is_some_and(|main| main.file.is_empty())
}

fn clock(clock: ClockSummary) -> String {
    match (clock.kind, clock.is_measured) {
        (ClockKind::Monotonic, _) => "CLOCK_MONOTONIC".to_owned(),
        (ClockKind::Tsc, true) => "TSC clock".to_owned(),
        (ClockKind::Tsc, false) => "TSC clock at the rate that the CPU states".to_owned(),
    }
}
