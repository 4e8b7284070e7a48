//! The `laptime` command, as a function from arguments and streams to an exit code.
//!
//! [`run`] parses ([`args`]), hands over to one file per command (`commands`) and turns
//! an error into a message, a hint and a code ([`error`]). Data goes to `out`, messages
//! go to `err`. The Python package calls the same function, so `pip install` and `cargo
//! install` give the same program.

mod args;
mod bench;
mod cell;
mod commands;
pub mod error;
mod exit_code;
mod formats;
mod glob;
mod internal_error;
mod launch;
mod machine;
mod messages;
mod near_name;
mod ops;
mod outlet;
mod own_code;
mod recordings;
mod runs;
mod scripts;
mod terminal;
mod typed_names;
mod usage;

#[cfg(test)]
#[path = "../tests/it/recording.rs"]
mod recording;

use std::ffi::OsString;
use std::io::{Write, stderr, stdout};

use clap::Parser;

use outlet::Outlet;

pub use cell::{CellOptions, cell_options};
pub use commands::next::origin_of_report;
pub use error::CliError;

/// Runs the command line of this process (the program's name first) and returns its exit code, or ends by
/// the signal that ended the program it ran.
///
/// The process is the command's alone: what it starts takes over the streams, and a mistake of the command's own is a
/// message.
pub fn of_process(args: impl IntoIterator<Item = OsString>) -> i32 {
    launch::streams::are_ours();
    internal_error::are_quiet();
    let done = internal_error::caught(|| run(args, &mut stdout(), &mut stderr()));
    let code = done.unwrap_or_else(|error| {
        messages::say(
            &mut Outlet::new(&mut stderr()),
            format_args!("laptime: {error}"),
        );
        exit_code::INTERNAL
    });
    launch::ending::by_the_programs_signal();
    code
}

/// Runs the command line `args` (the program's name first) and returns its exit code.
///
/// A pipe that its reader closed is no error: the output ends quietly with code 0.
///
/// ```
/// let (mut out, mut err) = (Vec::new(), Vec::new());
/// let code = laptime_cli::run(["laptime".into(), "--version".into()], &mut out, &mut err);
/// assert_eq!(code, 0);
/// assert!(out.starts_with(b"laptime "));
/// ```
pub fn run(
    args: impl IntoIterator<Item = OsString>,
    out: &mut dyn Write,
    err: &mut dyn Write,
) -> i32 {
    let (mut out, mut err) = (Outlet::new(out), Outlet::new(err));
    let args: Vec<OsString> = args.into_iter().collect();
    let result = match args::Cli::try_parse_from(&args) {
        Ok(cli) => {
            let cli = typed_names::with_paths(usage::with_dashes(cli, &args));
            commands::dispatch(&cli, &mut out, &mut err).and_then(|code| {
                out.unseen().flush().map_err(CliError::from_output)?;
                Ok(code)
            })
        }
        Err(error) => usage::show(error, &args, &mut out, &mut err),
    };
    match result {
        Ok(code) => code,
        Err(error) => {
            error.show(&mut err);
            error.code()
        }
    }
}
