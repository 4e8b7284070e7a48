//! One file per command: each turns its typed arguments into work and an exit code.

mod run;

use std::io::Write;

use crate::args::{Cli, Command};
use crate::error::CliError;

/// Runs the command that was typed.
pub fn dispatch(cli: &Cli, _out: &mut dyn Write, err: &mut dyn Write) -> Result<i32, CliError> {
    match &cli.command {
        Command::Run(args) => run::run(args, err),
    }
}
