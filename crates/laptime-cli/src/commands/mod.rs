//! One file per command: each turns its typed arguments into work and an exit code.

mod baselines;
mod bench;
mod browser;
mod clean;
mod compare;
mod completions;
mod config;
mod doctor;
mod export;
mod list;
mod man;
pub mod next;
mod ops;
mod output;
mod pack;
mod ranks;
pub mod report;
mod run;

use crate::args::{Cli, Command};
use crate::error::CliError;
use crate::outlet::Outlet;

/// Runs the command that was typed.
pub fn dispatch(cli: &Cli, out: &mut Outlet<'_>, err: &mut Outlet<'_>) -> Result<i32, CliError> {
    match &cli.command {
        Command::Run(args) => run::run(args, err),
        Command::Report(args) => report::run(args, out, err),
        Command::Compare(args) => compare::run(args, out, err),
        Command::Ranks(args) => ranks::run(args, out, err),
        Command::Bench(args) => bench::run(args, out, err),
        Command::Export(args) => export::run(args, out, err),
        Command::List(args) => list::run(args, out),
        Command::Clean(args) => clean::run(args, out, err),
        Command::Ops(args) => ops::run(args, out, err),
        Command::Pack(args) => pack::run(args, out, err),
        Command::Doctor(args) => doctor::run(args, out, err),
        Command::Completions(args) => completions::run(args, out),
        Command::Man => man::run(out),
    }
}
