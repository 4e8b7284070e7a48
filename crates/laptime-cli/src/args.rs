//! What may be typed, as types. What it means is decided in `commands`.
//!
//! clap derives the parser, the help, the completions and the man page from these.

#![expect(clippy::doc_markdown, reason = "these comments are printed as help")]

use std::ffi::OsString;
use std::path::PathBuf;

use clap::{Args, Parser, Subcommand};

/// Tells where a program spends its time.
#[derive(Debug, Parser)]
#[command(name = "laptime", version)]
pub struct Cli {
    #[command(subcommand)]
    pub command: Command,
}

#[derive(Debug, Subcommand)]
pub enum Command {
    Run(RunArgs),
    Pack(PackArgs),
    Completions(CompletionsArgs),
    /// Print the manual page; read it with `laptime man | man -l -`
    Man,
}

/// Run a program with recording on, then print where its time went
///
/// A `.py` file runs under the interpreter that Laptime is installed in. Every Python
/// below records, however it is started; PyTorch training is split into phases without
/// an edit. The program keeps its own output and exit code; the summary goes to stderr.
#[derive(Debug, Args)]
#[command(
    override_usage = "laptime run [OPTIONS] [--] <PROGRAM> [ARGS]...\n       \
                      laptime run [OPTIONS] -m <MODULE> [ARGS]...",
    after_help = "Exit code: the program's own, 128 + N if signal N ended it; \
                  125 Laptime could not start it, 126 it is not executable, 127 it was not found."
)]
pub struct RunArgs {
    /// Where to record [default: <PROGRAM>-<n>.lap here]
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,

    /// Replace the recording named by --output
    #[arg(long, requires = "output")]
    pub force: bool,

    /// Also time every module of the network, forward and backward
    #[arg(long)]
    pub modules: bool,

    /// Record only the program's own laps: no automatic phases
    #[arg(long, conflicts_with = "modules")]
    pub no_auto: bool,

    /// Run a Python module, as `python -m` does; what follows is its own
    #[arg(short, value_names = ["MODULE", "ARGS"], num_args = 1.., allow_hyphen_values = true,
          conflicts_with = "program")]
    pub module: Vec<OsString>,

    /// The script or program, and its arguments
    #[arg(
        value_names = ["PROGRAM", "ARGS"],
        trailing_var_arg = true,
        allow_hyphen_values = true,
        required_unless_present = "module"
    )]
    pub program: Vec<OsString>,
}

/// Make one file of a recording, to send or to keep
///
/// The file is a tar archive. Every command takes it in place of the folder.
#[derive(Debug, Args)]
pub struct PackArgs {
    /// The recording
    pub recording: PathBuf,

    /// Where to write it [default: <RECORDING>.packed.lap]
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,

    /// Replace the packed recording that is there
    #[arg(long)]
    pub force: bool,
}

/// Print a script that teaches a shell Laptime's commands and flags
#[derive(Debug, Args)]
pub struct CompletionsArgs {
    /// Which shell
    pub shell: clap_complete::Shell,
}
