//! `laptime list`: the recordings of the working folder, by what their `run.json` tells.

use std::path::PathBuf;

use laptime_report::quantity::{ABSENT, ago, bytes, estimate};
use laptime_report::{Shown, aligned, visible};
use serde::Serialize;

use crate::args::ListArgs;
use crate::error::{CliError, OK};
use crate::outlet::Outlet;
use crate::runs::found::{FoundRecording, Outcome};
use crate::runs::listing;

/// A recording as JSON has it.
#[derive(Debug, Serialize)]
pub struct ListedRecording {
    path: PathBuf,
    program: Option<String>,
    started_realtime_ns: u64,
    duration_ns: Option<u64>,
    outcome: &'static str,
    exit_code: Option<i32>,
    signal: Option<i32>,
    size_bytes: Option<u64>,
}

/// Prints all of them, the newest first.
pub fn run(args: &ListArgs, out: &mut Outlet<'_>) -> Result<i32, CliError> {
    let found = listing::here();
    let text = if args.json {
        let listed: Vec<ListedRecording> = found.iter().map(listed).collect();
        Shown::json(serde_json::to_string_pretty(&listed).unwrap_or_default())
    } else if found.is_empty() {
        Shown::lines("no recordings are here; `laptime run SCRIPT` makes one\n")
    } else {
        Shown::lines(&table(&found))
    };
    out.show(&text).map_err(CliError::from_output)?;
    Ok(OK)
}

/// A recording, ready to be written as JSON.
pub fn listed(one: &FoundRecording) -> ListedRecording {
    ListedRecording {
        path: one.path.clone(),
        program: one.run.as_ref().map(|run| run.program.clone()),
        started_realtime_ns: one.started_ns,
        duration_ns: one.duration_ns(),
        outcome: name(one.outcome),
        exit_code: match one.outcome {
            Outcome::Exit(code) => Some(code),
            _ => None,
        },
        signal: match one.outcome {
            Outcome::Signal(signal) => Some(signal),
            _ => None,
        },
        size_bytes: one.size_bytes(),
    }
}

/// What became of a run, as JSON has it.
const fn name(outcome: Outcome) -> &'static str {
    match outcome {
        Outcome::Exit(_) => "exit",
        Outcome::Signal(_) => "signal",
        Outcome::Finished => "finished",
        Outcome::Running => "running",
        Outcome::EndUnseen => "end-unseen",
        Outcome::Reference => "reference",
        Outcome::Undescribed => "undescribed",
    }
}

fn table(found: &[FoundRecording]) -> String {
    let absent = || ABSENT.to_owned();
    let heads = ["recording", "started", "took", "program", "ended", "size"];
    let mut rows = vec![heads.map(str::to_owned)];
    rows.extend(found.iter().map(|one| {
        [
            visible(&one.path.display().to_string()),
            ago(one.age_ns()),
            one.duration_ns().map_or_else(absent, estimate),
            one.run
                .as_ref()
                .map_or_else(absent, |run| visible(&run.program)),
            ended(one.outcome),
            one.size_bytes().map_or_else(absent, bytes),
        ]
    }));
    let cells: Vec<[&str; 6]> = rows
        .iter()
        .map(|row| row.each_ref().map(String::as_str))
        .collect();
    aligned(&cells, "  ", &[])
}

fn ended(outcome: Outcome) -> String {
    match outcome {
        Outcome::Exit(code) => format!("exit code {code}"),
        Outcome::Signal(signal) => format!("signal {signal}"),
        Outcome::Finished => "finished".to_owned(),
        Outcome::Running => "still running".to_owned(),
        Outcome::EndUnseen => "end not seen".to_owned(),
        Outcome::Reference => "part of another run".to_owned(),
        Outcome::Undescribed => "run.json can't be read".to_owned(),
    }
}
