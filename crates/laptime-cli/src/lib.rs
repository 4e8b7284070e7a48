//! The `laptime` command, as a function from arguments and streams to an exit code.
//!
//! [`run`] parses ([`args`]), hands over to one file per command (`commands`) and turns
//! an error into a message, a hint and a code ([`error`]). Data goes to `out`, messages
//! go to `err`. The Python package calls the same function, so `pip install` and `cargo
//! install` give the same program.

mod args;
mod cell;
mod commands;
pub mod error;
mod exit_code;
mod formats;
mod launch;
mod machine;
mod messages;
mod ops;
mod own_code;
mod recordings;
mod settings;
mod terminal;

#[cfg(test)]
#[path = "../tests/recording/mod.rs"]
mod recording;

use std::ffi::OsString;
use std::io::Write;
use std::path::Path;

use clap::Parser;
use clap::error::{ContextKind, ContextValue, ErrorKind};

pub use cell::{CellOptions, cell_options};
pub use error::CliError;
use terminal::Stream;

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
    let args: Vec<OsString> = args.into_iter().collect();
    let is_ops = args.get(1).is_some_and(|command| command == "ops");
    let cli = match args::Cli::try_parse_from(args) {
        Ok(cli) => cli,
        Err(usage) => return show_usage(usage, is_ops, out, err),
    };
    let result = commands::dispatch(&cli, out, err).and_then(|code| {
        out.flush().map_err(CliError::from_output)?;
        Ok(code)
    });
    match result {
        Ok(code) => code,
        Err(error) => {
            error.show(err);
            error.code()
        }
    }
}

/// Help and version are data, wrong usage is a message.
fn show_usage<'a>(
    mut usage: clap::Error,
    is_ops: bool,
    out: &'a mut dyn Write,
    err: &'a mut dyn Write,
) -> i32 {
    let mut hint = forgotten_run(&usage);
    if usage.kind() == ErrorKind::UnknownArgument {
        // That a target could have such a name helps nobody.
        usage.remove(ContextKind::Suggested);
        if is_ops {
            hint = ops::instead_of(&mut usage);
        }
    }
    let (target, stream) = if usage.use_stderr() {
        (err, Stream::Err)
    } else {
        (out, Stream::Out)
    };
    let rendered = usage.render();
    let text = if terminal::is_coloured(stream) {
        rendered.ansi().to_string()
    } else {
        rendered.to_string()
    };
    // Nowhere is left to say that the message could not be written.
    let _ = target.write_all(text.as_bytes());
    if let Some(hint) = hint {
        let _ = writeln!(target, "hint: {hint}");
    }
    let _ = target.flush();
    usage.exit_code()
}

/// The command for somebody who typed `laptime train.py`.
fn forgotten_run(usage: &clap::Error) -> Option<String> {
    match usage.get(ContextKind::InvalidSubcommand)? {
        ContextValue::String(typed) if Path::new(typed).exists() => Some(format!(
            "laptime run {}",
            messages::quoted(Path::new(typed))
        )),
        _ => None,
    }
}
