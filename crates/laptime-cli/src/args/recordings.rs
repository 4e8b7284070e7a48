//! What may be typed of commands that deal with recordings as a whole: list, delete, pack.

use std::path::PathBuf;

use clap::Args;
use laptime_analysis::ranks::Limit;
use laptime_report::Format;

use crate::formats::{FORMATS, named};

/// List the recordings of this folder, the newest first
///
/// They are those of .laptime/runs and the .lap files here. Nothing of them is read but how the run
/// began and ended.
#[derive(Debug, Args)]
#[command(after_help = "Exit code: 0 listed, also where there are none; 2 wrong usage.")]
pub struct ListArgs {
    /// Print JSON
    #[arg(long)]
    pub json: bool,
}

/// Delete all recordings of .laptime/runs but the newest
///
/// Shows what it is about to delete, and asks. Whatever lies elsewhere, is still recorded or is no
/// recording stays.
#[derive(Debug, Args)]
#[command(
    after_help = "Exit code: 0 deleted, or there is nothing to delete; 1 something could not be deleted, \
                  or the answer was no; 2 wrong usage, or nobody could be asked and --yes isn't given."
)]
pub struct CleanArgs {
    /// How many of the newest recordings stay
    #[arg(long, value_name = "N")]
    pub keep: usize,

    /// Don't ask
    #[arg(short, long)]
    pub yes: bool,

    /// Print what is deleted as JSON
    #[arg(long)]
    pub json: bool,
}

/// Make one file of a recording, to send or to keep
///
/// The file is a tar archive. Every command takes it in place of the folder.
#[derive(Debug, Args)]
#[command(
    after_help = "Exit code: 0 the file is written, 1 it could not be, 2 wrong usage, \
                  6 there is no recording to read: no such file, another file, or a damaged one."
)]
pub struct PackArgs {
    /// The recording, or its name in .laptime/runs
    pub recording: PathBuf,

    /// Where to write it [default: <RECORDING>.packed.lap]
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,

    /// Replace the packed recording that is there
    #[arg(long)]
    pub force: bool,
}

/// Tell which rank of a job holds the others up, since when, and why
///
/// Takes the recording of `laptime run torchrun …`, or one of each machine. Steps of ranks are
/// compared with the same step of their peers, those that do the same work.
#[derive(Debug, Args)]
#[command(
    after_help = "Exit code: 0 answered, 1 it could not be written, 2 wrong usage, or no process is a rank that takes \
                  steps, 3 a limit of --fail-on is exceeded, 4 that can't be told (with --strict), 6 there is no \
                  recording to read: no such file, another file, or a damaged one."
)]
pub struct RanksArgs {
    /// The recordings, or their names in .laptime/runs [default: the last one here]
    #[arg(value_name = "RECORDING")]
    pub recordings: Vec<PathBuf>,

    /// Fail if the job loses more of its time than that: `standing > 2 %` to slow ranks, `jitter > 10 %` to whoever
    /// happens to be last
    #[arg(long, value_name = "LIMIT")]
    pub fail_on: Vec<Limit>,

    /// Fail where it can't be told whether a limit is kept
    #[arg(long, requires = "fail_on")]
    pub strict: bool,

    /// In which form [default: text, or what --output ends in]
    #[arg(short, long, value_parser = named(&FORMATS))]
    pub format: Option<Format>,

    /// Write there instead of to standard output; replaces what is there
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,

    /// Read what is intact of damaged recordings
    #[arg(long)]
    pub salvage: bool,
}
