//! The options of a notebook's cell, `%%laptime [OPTIONS] [NAME]`: those of `laptime run` that
//! make sense inside a program that runs already, parsed by the same parser.

use std::ffi::OsString;
use std::path::PathBuf;

use clap::{Arg, ArgAction, Args, Command};

use crate::args::RunArgs;

/// Options that a cell shares with `laptime run`, by their names there.
const SHARED: [&str; 7] = [
    "output", "force", "memory", "modules", "ops", "stacks", "calls",
];

/// What is asked of a cell's measurement.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
#[expect(clippy::struct_excessive_bools, reason = "each is a flag of its own")]
pub struct CellOptions {
    /// What the cell's lap is called.
    pub name: Option<String>,
    /// Where to keep the recording.
    pub output: Option<PathBuf>,
    /// Replace the recording there.
    pub force: bool,
    /// Count memory: `1` or `objects`.
    pub memory: Option<String>,
    /// Split a training into phases.
    pub phases: bool,
    /// Time every module.
    pub modules: bool,
    /// Count operations.
    pub ops: bool,
    /// Sample functions.
    pub stacks: bool,
    /// Count calls.
    pub calls: bool,
}

/// Parses the words after `%%laptime`.
///
/// **Errors** What is wrong with them, or the help they ask for, as text.
pub fn cell_options(words: Vec<OsString>) -> Result<CellOptions, String> {
    let found = command().try_get_matches_from(words);
    let found = found.map_err(|error| error.to_string().trim_end().to_owned())?;
    Ok(CellOptions {
        name: found.get_one("name").cloned(),
        output: found.get_one("output").cloned(),
        force: found.get_flag("force"),
        memory: found.get_one("memory").cloned(),
        phases: found.get_flag("phases"),
        modules: found.get_flag("modules"),
        ops: found.get_flag("ops"),
        stacks: found.get_flag("stacks"),
        calls: found.get_flag("calls"),
    })
}

fn command() -> Command {
    let run = RunArgs::augment_args(Command::new("run"));
    let is_shared = |argument: &&Arg| SHARED.contains(&argument.get_id().as_str());
    let shared: Vec<Arg> = run.get_arguments().filter(is_shared).cloned().collect();
    Command::new("%%laptime")
        .no_binary_name(true)
        // clap's own shows what was typed as if it were required.
        .override_usage("%%laptime [OPTIONS] [NAME]")
        .about("Measure this cell: its time, and its laps as a table")
        .args(shared)
        .mut_arg("output", |output| output.help("Keep the recording there"))
        .arg(
            Arg::new("phases")
                .long("phases")
                .action(ArgAction::SetTrue)
                .help("Split a PyTorch training into data, forward, backward and optimizer"),
        )
        .arg(
            Arg::new("name")
                .value_name("NAME")
                .help("What the cell's lap is called"),
        )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(line: &str) -> Result<CellOptions, String> {
        cell_options(line.split_whitespace().map(OsString::from).collect())
    }

    #[test]
    fn options_of_the_command_mean_the_same_in_a_cell() {
        let options = parsed("fit --memory --stacks -o fit.lap --force --phases").unwrap();
        let expected = CellOptions {
            name: Some("fit".to_owned()),
            output: Some("fit.lap".into()),
            memory: Some("1".to_owned()),
            force: true,
            stacks: true,
            phases: true,
            ..CellOptions::default()
        };
        assert_eq!(options, expected);
        assert_eq!(parsed("").unwrap(), CellOptions::default());
        assert_eq!(
            parsed("--memory=objects").unwrap().memory.unwrap(),
            "objects"
        );
    }

    #[test]
    fn a_mistyped_option_is_told_with_its_neighbour() {
        let message = parsed("--memry").unwrap_err();
        assert!(message.contains("'--memry'"), "{message}");
        assert!(message.contains("'--memory'"), "{message}");
        let message = parsed("oops --memry").unwrap_err();
        assert!(
            message.contains("Usage: %%laptime [OPTIONS] [NAME]"),
            "{message}"
        );
        assert!(parsed("--force").is_err());
        assert!(parsed("two words").is_err());
    }

    #[test]
    fn every_shared_option_is_one_of_the_command() {
        let known = command();
        for name in SHARED {
            assert!(
                known.get_arguments().any(|known| known.get_id() == name),
                "{name}"
            );
        }
        assert!(parsed("--help").unwrap_err().contains("--phases"));
    }
}
