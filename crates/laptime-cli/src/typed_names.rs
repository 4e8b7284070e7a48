//! Recordings by the names that were typed: every command is handed paths.

use std::path::PathBuf;

use crate::args::{Cli, Command};
use crate::runs::names::found;

/// The parsed arguments, with every recording's path in the place of its name.
pub fn with_paths(mut cli: Cli) -> Cli {
    match &mut cli.command {
        Command::Report(args) => args.recording.iter_mut().for_each(find),
        Command::Export(args) => find(&mut args.recording),
        Command::Pack(args) => find(&mut args.recording),
        Command::Compare(args) => {
            let both = args.recordings.iter_mut().chain(&mut args.new);
            both.for_each(find);
        }
        _ => {}
    }
    cli
}

fn find(typed: &mut PathBuf) {
    *typed = found(typed);
}
