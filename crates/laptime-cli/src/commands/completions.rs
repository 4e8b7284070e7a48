//! `laptime completions`: a script that teaches a shell the commands and flags.

use clap::CommandFactory;

use crate::args::{Cli, CompletionsArgs};
use crate::error::{CliError, OK};
use crate::outlet::Outlet;

/// Writes the script for a shell.
pub fn run(args: &CompletionsArgs, out: &mut Outlet<'_>) -> Result<i32, CliError> {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut Cli::command(), "laptime", &mut script);
    out.unseen()
        .write_all(&script)
        .map_err(CliError::from_output)?;
    Ok(OK)
}
