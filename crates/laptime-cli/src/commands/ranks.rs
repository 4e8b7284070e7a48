//! `laptime ranks`: which rank of a job holds the others up, since when, and why.

use laptime::{Job, JobError};
use laptime_analysis::compare::GateOutcome;
use laptime_analysis::ranks::LimitResult;
use laptime_report::tables::job;
use laptime_report::{Format, View};

use super::output;
use super::report::{format_of, last};
use crate::args::RanksArgs;
use crate::error::{CliError, INCONCLUSIVE, OK, REGRESSION};
use crate::outlet::Outlet;
use crate::terminal::{self, Stream};

/// Reads the recordings of a job, and answers.
pub fn run(args: &RanksArgs, out: &mut Outlet<'_>, err: &mut Outlet<'_>) -> Result<i32, CliError> {
    let recordings = if args.recordings.is_empty() {
        vec![last(err)?]
    } else {
        args.recordings.clone()
    };
    for recording in &recordings {
        output::not_over_a_recording(args.output.as_deref(), recording)?;
    }
    let by_name = args.output.as_deref().map(format_of).transpose()?;
    let format = args.format.or(by_name.flatten()).unwrap_or_default();
    let job = Job {
        recordings,
        salvage: args.salvage,
    };
    let answer = job.answer().map_err(|error| match error {
        JobError::Read(error) => error.into(),
        error => CliError::Job(error),
    })?;
    let limits: Vec<LimitResult> = args
        .fail_on
        .iter()
        .map(|limit| limit.hold(&answer))
        .collect();
    let shown = job::render(&answer, &limits, format, &view(args, format));
    output::write(&shown, args.output.as_deref(), false, (out, err))?;
    Ok(code(&limits, args.strict))
}

fn view(args: &RanksArgs, format: Format) -> View {
    let to_terminal = args.output.is_none() && matches!(format, Format::Text);
    View {
        width: to_terminal.then(|| terminal::width(Stream::Out)).flatten(),
        color: to_terminal && terminal::is_coloured(Stream::Out),
        utf8: !to_terminal || terminal::is_utf8(Stream::Out),
        ..View::default()
    }
}

fn code(limits: &[LimitResult], is_strict: bool) -> i32 {
    let any = |outcome| limits.iter().any(|one| one.outcome == outcome);
    match (
        any(GateOutcome::Exceeded),
        any(GateOutcome::Unclear) && is_strict,
    ) {
        (true, _) => REGRESSION,
        (_, true) => INCONCLUSIVE,
        _ => OK,
    }
}
