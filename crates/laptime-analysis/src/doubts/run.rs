//! Doubts about a run: what its recorders noted, how it ended, and what was not recorded.

use std::collections::BTreeMap;

use laptime_core::{ProgramEnd, RunInfo, Unavailable, Warning};

use crate::summarize::columns::device_memory;
use crate::summarize::columns::device_time;
use crate::summarize::columns::launches;
use crate::summary::process::{ProcessState, ProcessSummary};

/// Noted where torch was there and nothing of it is a phase: of interest where no span tells more.
const NO_PHASES: &str = "phases.none";

/// Noted where laps of the program's own hold parts of its steps.
pub const TORN: &str = "phases.torn";

/// About what recorders noted. A program that failed before its first lap had no chance to call anything.
pub fn of_notes(
    notes: impl IntoIterator<Item = (String, String)>,
    has_spans: bool,
    has_failed: bool,
) -> Vec<Warning> {
    let mut by_code: BTreeMap<String, Vec<String>> = BTreeMap::new();
    let told = notes
        .into_iter()
        .filter(|(code, _)| code != NO_PHASES || !(has_spans || has_failed))
        .filter(|(code, _)| code != launches::CODE || has_spans)
        // Of interest where somebody asks.
        .filter(|(code, _)| {
            ![
                device_memory::UNAVAILABLE,
                device_time::NOT_USED,
                device_time::OFF,
            ]
            .contains(&code.as_str())
        });
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
                )).with_hint("synchronise inside the spans that matter, e.g. torch.cuda.synchronize()")
            } else if code == device_time::UNAVAILABLE {
                Warning::new(&code, format!(
                    "laps were not timed on the device ({said}): times are host times and measure when work was launched there, not how long it took"
                ))
            } else if code == device_time::SYNCHRONIZED {
                Warning::new(&code, format!(
                    "{said}: host times are the device's too, but the program ran slower than it does by itself"
                ))
                .with_hint("compare it with runs that were recorded that way only, or record without sync=True and LAPTIME_DEVICE=sync")
            } else if code == NO_PHASES {
                Warning::new(&code, format!("{said}, so there are no phases to show"))
                    .with_hint("put lt.lap(\"name\") around the parts that matter: functions such as torch.nn.functional.conv2d belong to no module")
            } else if code == TORN {
                Warning::new(&code, format!("{said}: steps are told in pieces, and their times are those of the pieces"))
                    .with_hint("put a lap around each whole step: `with lt.lap(\"step\"):`")
            } else if code == launches::CODE {
                Warning::new(&code, format!("{said}: a lap holds the work only if it waits for the result"))
                    .with_hint(launches::HINT)
            } else {
                Warning::new(&code, said)
            }
        })
        .collect()
}

/// Whether the launched program ended by an error or a signal.
pub fn has_failed(end: &ProgramEnd) -> bool {
    end.signal.is_some() || end.code.is_some_and(|code| code != 0)
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
            ProcessState::Closed | ProcessState::Replaced if run.is_none() => {
                "no launcher saw the run"
            }
            ProcessState::Closed | ProcessState::Replaced => "the launcher did not see the run end",
        };
        ("run.end", reason.to_owned())
    };
    Some((field.to_owned(), Unavailable(reason)))
}

/// About interpreters that didn't record: a process without Laptime, or one that was kept from it.
pub fn of_unrecorded(interpreters: &[String]) -> Option<Warning> {
    if interpreters.is_empty() {
        return None;
    }
    let warning = Warning::new(
        "unrecorded",
        format!(
            "Python ran here without being recorded: {}",
            interpreters.join(", ")
        ),
    );
    Some(warning.with_hint(
        "install Laptime there too: `python -m pip install laptime`. If it is installed, `laptime.pth` is missing \
         beside it (a copied environment, a folder of PYTHONPATH: let pip install it), or the process was started \
         without the program's environment, or with -S, -I or LAPTIME=0",
    ))
}
