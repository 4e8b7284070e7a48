//! Doubts about a run: what its recorders noted, how it ended, and what was not recorded.

use std::collections::BTreeMap;

use laptime_core::{ProgramEnd, RunInfo, Unavailable};

use crate::functions::stack_records::NO_STACKS;
use crate::summarize::columns::device_memory;
use crate::summarize::columns::device_time;
use crate::summary::doubt::{Doubt, LAUNCHES, RunDoubt};
use crate::summary::process::{ProcessState, ProcessSummary};

/// Code of the note that torch was there and nothing of it is a phase: of interest where no span tells more.
pub const NO_PHASES: &str = "phases.none";

/// Code of the note that laps of the program's own hold parts of its steps.
pub const TORN_STEPS: &str = "phases.torn";

/// Finds what recorders noted. A program that failed before its first lap had no chance to call anything.
pub fn of_notes(
    notes: impl IntoIterator<Item = (String, String)>,
    has_spans: bool,
    has_failed: bool,
) -> Vec<Doubt> {
    let mut by_code: BTreeMap<String, Vec<String>> = BTreeMap::new();
    let notes = notes
        .into_iter()
        .filter(|(code, _)| code != NO_PHASES || !(has_spans || has_failed))
        .filter(|(code, _)| code != LAUNCHES || has_spans)
        // Of interest where somebody asks.
        .filter(|(code, _)| {
            ![
                device_memory::UNAVAILABLE,
                device_time::NOT_USED,
                device_time::OFF,
                NO_STACKS,
            ]
            .contains(&code.as_str())
        });
    for (code, message) in notes {
        let messages = by_code.entry(code).or_default();
        if !messages.contains(&message) {
            messages.push(message);
        }
    }
    by_code
        .into_iter()
        .map(|(code, messages)| Doubt::Run(RunDoubt::Noted { code, messages }))
        .collect()
}

/// Whether the launched program ended by an error or a signal.
pub fn has_failed(end: &ProgramEnd) -> bool {
    end.signal.is_some() || end.code.is_some_and(|code| code != 0)
}

/// Finds a signal that ended the launched program.
pub fn of_end(end: &ProgramEnd) -> Option<Doubt> {
    let signal = end.signal?;
    Some(Doubt::Run(RunDoubt::Signal { signal }))
}

/// Says why the way in which a run ended is not known, by field name.
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
            ProcessState::Closed | ProcessState::Replaced if run.is_none() => {
                "no launcher saw the run"
            }
            ProcessState::Closed | ProcessState::Replaced => "the launcher did not see the run end",
        };
        ("run.end", reason.to_owned())
    };
    Some((field.to_owned(), Unavailable(reason)))
}

/// Finds interpreters that didn't record: a process without Laptime, or one that was kept from it.
pub fn of_unrecorded(interpreters: &[String]) -> Option<Doubt> {
    (!interpreters.is_empty()).then(|| {
        Doubt::Run(RunDoubt::Unrecorded {
            interpreters: interpreters.to_vec(),
        })
    })
}
