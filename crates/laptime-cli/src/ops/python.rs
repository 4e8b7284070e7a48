//! Python builds a model and counts it; here it is asked, and its answer read.
//!
//! The request goes as an argument, with the folders of the user's own modules after it; the answer comes through the standard output, which the Python
//! side keeps for it alone: what a model's code prints is a message.

use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::{ExitStatus, Stdio};

use laptime_core::Counts;
use laptime_recorder::environment::PYTHON_VARIABLE;
use laptime_report::json::operations;
use laptime_report::tables::operations::Subject;
use serde::{Deserialize, Serialize};

use super::error::OpsError;
use super::sizes::{NamedSizes, Sizes};
use crate::args::OpsArgs;
use crate::exit_code::USAGE;
use crate::launch::target::interpreter;
use crate::own_code;

/// What Python runs.
const CODE: &str = "from laptime.operations.command.answer import main; main()";

/// What is asked; `python/laptime/operations/command/request.py` reads it.
#[derive(Serialize)]
struct Request<'a> {
    kind: &'a str,
    target: &'a str,
    inputs: &'a [Sizes],
    kwargs: &'a [NamedSizes],
    sequence: Option<u64>,
    backward: bool,
    mode: &'a str,
    roofline: bool,
}

/// The answer where there are no counts.
#[derive(Deserialize)]
struct Failure {
    error: String,
    hint: Option<String>,
    code: i32,
}

/// Counts a target of a kind.
pub fn count(kind: &str, target: &str, args: &OpsArgs) -> Result<(Counts, Subject), OpsError> {
    let request = Request {
        kind,
        target,
        inputs: &args.input,
        kwargs: &args.kwarg,
        sequence: args.seq,
        backward: args.backward,
        mode: &args.mode,
        roofline: args.roofline,
    };
    let typed = Path::new(target);
    let named = std::env::var_os(PYTHON_VARIABLE).map(PathBuf::from);
    let python = interpreter(named.as_deref(), typed).map_err(|_| OpsError::NoPython {
        target: target.to_owned(),
    })?;
    let request = serde_json::to_string(&request).unwrap_or_default();
    let mut command = own_code::command(&python, CODE);
    command.arg(&request);
    if kind == "factory" {
        // The user's own code, wherever they have it; what others have written is data.
        command.args(own_code::left_out());
    }
    let output = command
        .stdin(Stdio::null())
        .stderr(Stdio::inherit())
        .output();
    let output = match output {
        Ok(output) => output,
        Err(source) => return Err(OpsError::Start { python, source }),
    };
    let answer = String::from_utf8_lossy(&output.stdout);
    if let Ok(found) = operations::read(&answer) {
        return Ok(found);
    }
    Err(match serde_json::from_str::<Failure>(&answer) {
        Ok(failure) => OpsError::NotCounted {
            message: failure.error,
            hint: failure.hint,
            is_usage: failure.code == USAGE,
        },
        Err(_) if output.status.signal() == Some(libc::SIGINT) => OpsError::Interrupted {
            target: target.to_owned(),
        },
        Err(_) => unanswered(target, python, output.status),
    })
}

fn unanswered(target: &str, python: PathBuf, status: ExitStatus) -> OpsError {
    let how = match (status.code(), status.signal()) {
        (_, Some(signal)) => {
            let target = target.to_owned();
            return OpsError::Ended { target, signal };
        }
        (Some(code), None) => format!("ended with exit code {code}"),
        (None, None) => "ended".to_owned(),
    };
    OpsError::NoAnswer { python, how }
}
