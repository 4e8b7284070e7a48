//! What may be typed, as types. What it means is decided in `commands`.
//!
//! clap derives the parser, the help, the completions and the man page from these.

#![expect(clippy::doc_markdown, reason = "these comments are printed as help")]

mod recordings;

use std::ffi::OsString;
use std::path::PathBuf;

use clap::{Args, Parser, Subcommand};
use laptime::ExportFormat;
use laptime_analysis::Until;
use laptime_analysis::benchmark::verdict::LEAST_THRESHOLD;
use laptime_analysis::compare::Gate;
use laptime_recorder::environment::Steps;
use laptime_report::tables::comparison;
use laptime_report::tables::operations::{By as OperationsBy, OperationsSort};
use laptime_report::{By, Column, Format, Sort};

use crate::bench;
use crate::formats::{FORMATS, named};
use crate::ops::sizes::{NamedSize, NamedSizes, Sizes, length};

pub use recordings::{CleanArgs, ListArgs, PackArgs, RanksArgs};

/// Tells where a program spends its time.
#[derive(Debug, Parser)]
#[command(name = "laptime", bin_name = "laptime", version)]
pub struct Cli {
    #[command(subcommand)]
    pub command: Command,
}

#[derive(Debug, Subcommand)]
pub enum Command {
    Run(RunArgs),
    Report(ReportArgs),
    Compare(CompareArgs),
    Ranks(RanksArgs),
    Bench(BenchArgs),
    Export(ExportArgs),
    List(ListArgs),
    Clean(CleanArgs),
    Ops(OpsArgs),
    Doctor(DoctorArgs),
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
                      laptime run [OPTIONS] -m <MODULE> [ARGS]...\n       \
                      laptime run [OPTIONS] -c <CODE> [ARGS]...",
    after_help = "Exit code: the program's own; a signal that ended the program ends laptime, too \
                  (128 + N in a shell). 125 wrong usage, or Laptime could not start it, 126 it is \
                  not executable, 127 it was not found. 2 is always the program's."
)]
#[expect(clippy::struct_excessive_bools, reason = "each is a flag of its own")]
pub struct RunArgs {
    /// Where to record; ends in .lap [default: .laptime/runs/<PROGRAM>-<n>.lap]
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,

    /// Replace the recording named by --output
    #[arg(long, requires = "output")]
    pub force: bool,

    /// Also write the report as an HTML page, which ends in .html; replaces what is there
    #[arg(long, value_name = "FILE")]
    pub html: Option<PathBuf>,

    /// Also time every module of the network, forward and backward
    #[arg(long)]
    pub modules: bool,

    /// Count the operations of each step once, and join them with the time: FLOP/s, MFU
    #[arg(long)]
    pub ops: bool,

    /// Don't sample which functions Python's threads are in, which is done up to a hundred times per second
    #[arg(long, conflicts_with = "stacks")]
    pub no_stacks: bool,

    /// Sample functions beside --calls, whose counting makes some of them look longer than they are
    #[arg(long, hide = true)]
    pub stacks: bool,

    /// Count every call of a function and of a builtin, as cProfile does; short functions get slower
    #[arg(long)]
    pub calls: bool,

    /// Hand laps and phases to nsys or ncu as NVTX ranges, and say so where no such tool is attached
    #[arg(long)]
    pub nvtx: bool,

    /// Profile the operators and kernels of these steps, counted from 0 and without the last: 10:13
    #[arg(long, value_name = "FIRST:END")]
    pub kernels: Option<Steps>,

    /// Count what every span allocates and frees; `objects` counts small Python objects one by one too
    #[arg(long, value_name = "WHAT", num_args = 0..=1, require_equals = true,
          default_missing_value = "1", value_parser = counting)]
    pub memory: Option<String>,

    /// Record only the program's own laps: no automatic phases
    #[arg(long, conflicts_with_all = ["modules", "ops", "kernels"])]
    pub no_auto: bool,

    /// Run a Python module, as `python -m` does; what follows is its own
    #[arg(short, value_names = ["MODULE", "ARGS"], num_args = 1.., allow_hyphen_values = true,
          conflicts_with_all = ["program", "code"])]
    pub module: Vec<OsString>,

    /// Run this code, as `python -c` does; what follows is its own
    #[arg(short, value_names = ["CODE", "ARGS"], num_args = 1.., allow_hyphen_values = true,
          conflicts_with = "program")]
    pub code: Vec<OsString>,

    /// The script or program, and its arguments
    #[arg(
        value_names = ["PROGRAM", "ARGS"],
        trailing_var_arg = true,
        allow_hyphen_values = true,
        required_unless_present_any = ["module", "code"]
    )]
    pub program: Vec<OsString>,

    /// Whether `--` stood before the program: what follows is no option, whatever it looks like.
    #[arg(skip)]
    pub is_after_dashes: bool,
}

/// Show where the time of a recording went
#[derive(Debug, Args)]
#[command(
    after_help = "Exit code: 0 the report is written, 1 it could not be, 2 wrong usage, \
                  6 there is no recording to read: no such file, another file, or a damaged one."
)]
#[expect(clippy::struct_excessive_bools, reason = "each is a flag of its own")]
pub struct ReportArgs {
    /// The recording, or its name in .laptime/runs; a folder, a packed file or one process's file [default: the last run here]
    #[arg(value_name = "FILE")]
    pub recording: Option<PathBuf>,

    /// In which form [default: text, or what --output ends in]
    #[arg(short, long, value_parser = named(&Format::NAMES))]
    pub format: Option<Format>,

    /// Same as --format json
    #[arg(long, conflicts_with_all = ["format", "tree"])]
    pub json: bool,

    /// Write there instead of to standard output; replaces what is there
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,

    /// Show what was written in a browser; without --output a page beside the run
    #[arg(long)]
    pub open: bool,

    /// Draw the laps as a tree, and below each the functions that took its time
    #[arg(long)]
    pub tree: bool,

    /// Show the functions that each lap was in, where stacks were sampled or calls counted (same as --by function)
    #[arg(long, conflicts_with_all = ["by", "tree"])]
    pub functions: bool,

    /// Show the operators and kernels of each lap, where steps were profiled by --kernels
    #[arg(long)]
    pub kernels: bool,

    /// What a row is: a path, a path in one process, a module, a class of modules, or a function in a lap [default: path]
    #[arg(long, value_parser = named(&By::NAMES))]
    pub by: Option<By>,

    /// What comes first among the spans inside one span [default: total]
    #[arg(long, value_parser = named(&Sort::NAMES))]
    pub sort: Option<Sort>,

    /// Columns of the tables, such as `p95,max,cpu`
    #[arg(long, value_name = "COLUMN,…", value_delimiter = ',', value_parser = named(Column::NAMES))]
    pub columns: Vec<Column>,

    /// Only this many rows: the largest by --sort, with the rows around them
    #[arg(long, value_name = "ROWS", value_parser = rows, allow_hyphen_values = true)]
    pub top: Option<usize>,

    /// Only paths like this, such as `step/*` or `**/forward`
    ///
    /// `*` stands for any part of a name, `?` for one character, and `**` in place of a name for any
    /// number of names. Every other character stands for itself. A single name is found at any depth.
    #[arg(long, value_name = "PATTERN")]
    pub filter: Option<String>,

    /// Time, steps and epochs to a threshold, such as `test_acc >= 0.95`
    #[arg(long, value_name = "METRIC")]
    pub until: Vec<Until>,

    /// Show the whole run, warm-up included, where the table would be of the steps after it
    #[arg(long)]
    pub whole: bool,

    /// Read what is intact of a damaged recording
    #[arg(long)]
    pub salvage: bool,
}

/// Tell whether a program got faster or slower, and where, from recordings
///
/// The first recording is the base, and each other one is compared with it. With several runs a
/// side, the new ones follow --new: `laptime compare base-*.lap --new new-*.lap`. Only then can
/// be told how much runs of the same program differ.
#[derive(Debug, Args)]
#[command(
    after_help = "Exit code: 0 nothing got worse, 1 it could not be written, 2 wrong usage, 3 a step \
                  got slower or a limit of --fail-on is exceeded, 4 that can't be told (with --strict), \
                  5 the recordings can't be compared, 6 there is no recording to read: no such file, \
                  another file, or a damaged one."
)]
#[expect(clippy::struct_excessive_bools, reason = "each is a flag of its own")]
pub struct CompareArgs {
    /// The base, then what is compared with it
    #[arg(value_name = "FILE", required = true)]
    pub recordings: Vec<PathBuf>,

    /// Runs of the new side: all before are runs of the base
    #[arg(long, value_name = "FILE", num_args = 1..)]
    pub new: Vec<PathBuf>,

    /// Keep the recordings beside the project, under a name to compare with later; replaces what it named
    #[arg(long, value_name = "NAME", conflicts_with_all = ["new", "baseline"])]
    pub save_baseline: Option<String>,

    /// Compare with what --save-baseline kept under this name; all recordings are runs of the new side
    #[arg(long, value_name = "NAME", conflicts_with = "new")]
    pub baseline: Option<String>,

    /// Fail if a lap got worse by more than a limit, such as `step:p50 > 5%` or `step/forward:mean > 2 ms`
    ///
    /// Statistics are p50, mean, p90, p95, p99, max, peak and kept (both of host memory). Without this
    /// a step that is slower fails.
    #[arg(long, value_name = "LIMIT")]
    pub fail_on: Vec<Gate>,

    /// Fail where it can't be told whether it got worse
    #[arg(long)]
    pub strict: bool,

    /// Smaller changes are none; at least 1% [default: 1%]
    #[arg(long, value_name = "PERCENT", value_parser = threshold)]
    pub threshold: Option<f64>,

    /// Compare although the machine, the device, the types or the work of a step differ
    #[arg(long)]
    pub allow_different: bool,

    /// Show laps without a clear change too
    #[arg(long)]
    pub all: bool,

    /// In which form [default: text, or what --output ends in]
    #[arg(short, long, value_parser = named(&comparison::FORMATS))]
    pub format: Option<Format>,

    /// Same as --format json
    #[arg(long, conflicts_with = "format")]
    pub json: bool,

    /// Write there instead of to standard output; replaces what is there
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,

    /// Show what was written in a browser
    #[arg(long, requires = "output")]
    pub open: bool,

    /// Read what is intact of damaged recordings
    #[arg(long)]
    pub salvage: bool,
}

/// Tell which command is faster: run them in turns until it's clear
///
/// Every COMMAND is run by a shell, or is `module:function` of Python. The first one is the base that the
/// others are compared with. Warm-up is found and left out. The start of the shell is part of every time,
/// about a millisecond; --no-shell runs commands without one.
#[derive(Debug, Args)]
#[command(
    after_help = "Exit code: 0 measured, 1 a command failed, 2 wrong usage, 3 one is slower than the first \
                  (with --fail-if-slower), 4 that can't be told (with --strict)."
)]
#[expect(clippy::struct_excessive_bools, reason = "each is a flag of its own")]
pub struct BenchArgs {
    /// What to run
    #[arg(value_name = "COMMAND", required = true)]
    pub commands: Vec<String>,

    /// Run the commands without a shell, whose start takes time too
    #[arg(short = 'N', long)]
    pub no_shell: bool,

    /// Untimed runs of each command before the first timed one, which count as warm-up
    #[arg(short, long, value_name = "RUNS", default_value_t = 0)]
    pub warmup: u32,

    /// Time so many runs of each command, no more and no less
    #[arg(short, long, value_name = "RUNS", value_parser = runs, conflicts_with = "budget")]
    pub runs: Option<usize>,

    /// What a command is called; once for each
    #[arg(short = 'n', long = "name", value_name = "NAME")]
    pub names: Vec<String>,

    /// Values for `{NAME}` in the commands, such as `-L threads 1,2,4`
    #[arg(short = 'L', long = "parameter", value_names = ["NAME", "VALUES"], num_args = 2)]
    pub parameters: Vec<String>,

    /// Run this once before all
    #[arg(long, value_name = "COMMAND")]
    pub setup: Option<String>,

    /// Run this before every run, untimed
    #[arg(long, value_name = "COMMAND")]
    pub prepare: Option<String>,

    /// Run this after all runs; once for each value of a parameter that is in it
    #[arg(long, value_name = "COMMAND")]
    pub cleanup: Option<String>,

    /// Count runs that fail too
    #[arg(long)]
    pub ignore_failure: bool,

    /// Kill a run that takes longer, with everything it started, and end with an error
    #[arg(long, value_name = "SECONDS", value_parser = seconds)]
    pub timeout: Option<f64>,

    /// Exit with 3 where a command is slower than the first
    #[arg(long)]
    pub fail_if_slower: bool,

    /// With --fail-if-slower, exit with 4 where it can't be told
    #[arg(long, requires = "fail_if_slower")]
    pub strict: bool,

    /// Seconds that all runs may take together [default: 5 for each command, and what a few runs take]
    #[arg(long, value_name = "SECONDS", value_parser = seconds)]
    pub budget: Option<f64>,

    /// Smaller differences are none; at least 1% [default: 1%]
    #[arg(long, value_name = "PERCENT", value_parser = threshold)]
    pub threshold: Option<f64>,

    /// Show what the commands print, on standard error; else it is dropped
    #[arg(long)]
    pub show_output: bool,

    /// In which form to print [default: text]
    #[arg(short, long, value_parser = named(&bench::FORMATS))]
    pub format: Option<Format>,

    /// Same as --format json
    #[arg(long, conflicts_with = "format")]
    pub json: bool,

    /// Also write JSON there, with every sample; replaces what is there
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,
}

/// Write a recording in the format of another tool: Perfetto, speedscope, data frames
///
/// chrome and perfetto are timelines, speedscope and collapsed are flame graphs, parquet is spans as
/// rows, and pstats is calls that --calls counted. docs/export.md shows each viewer.
#[derive(Debug, Args)]
#[command(
    after_help = "Exit code: 0 the file is written, 1 it could not be, 2 wrong usage, \
                  6 there is no recording to read: no such file, or another one. \
                  Of a damaged recording what is intact is written."
)]
pub struct ExportArgs {
    /// The recording, or its name in .laptime/runs; a folder, a packed file or one process's file
    #[arg(value_name = "FILE")]
    pub recording: PathBuf,

    /// In which format [default: what --output ends in]
    #[arg(short, long, value_parser = named(&ExportFormat::NAMES))]
    pub format: Option<ExportFormat>,

    /// Write there instead of to standard output; replaces what is there
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,
}

/// Count what a model costs: parameters, MAC, FLOP and bytes, from shapes alone
///
/// TARGET is `package.module:factory` (or a model, or a function), a torchvision model's name, a
/// Hugging Face `config.json`, a `.pt2` file of torch.export (with --trust), an `.onnx` file (without Python), or counts
/// that `-f json` wrote. Models are built without weights where that can be.
#[derive(Debug, Args)]
#[command(
    after_help = "Exit code: 0 counted, whatever is listed as not counted; 1 it could not be, with the \
                  framework's own message; 2 wrong usage; 6 a file that cannot be read."
)]
#[expect(clippy::struct_excessive_bools, reason = "each is a flag of its own")]
pub struct OpsArgs {
    /// What to count
    pub target: String,

    /// Sizes of an input, in order, such as `1,3,224,224` or `1,128:int64`
    #[arg(short, long, value_name = "SIZES[:TYPE]", allow_hyphen_values = true)]
    pub input: Vec<Sizes>,

    /// Sizes of an input that is passed by name
    #[arg(long, value_name = "NAME=SIZES[:TYPE]")]
    pub kwarg: Vec<NamedSizes>,

    /// A size that an ONNX file leaves open, such as `batch=8`
    #[arg(long, value_name = "NAME=SIZE")]
    pub dim: Vec<NamedSize>,

    /// Load a `.pt2` file: that can run whatever code its author put into it
    #[arg(long)]
    pub trust: bool,

    /// Tokens of the input, for a model that takes tokens [default: the longest that its `config.json` allows]
    #[arg(long, value_name = "LENGTH", value_parser = length, allow_hyphen_values = true)]
    pub seq: Option<u64>,

    /// Count the backward too, from the output's loss or its sum
    #[arg(long)]
    pub backward: bool,

    /// Which table [default: modules where there are some; HTML has both]
    #[arg(long, value_parser = named(&OperationsBy::NAMES))]
    pub by: Option<OperationsBy>,

    /// Levels of modules, or `all` [default: 2]
    #[arg(long, value_name = "LEVELS", value_parser = levels, allow_hyphen_values = true)]
    pub depth: Option<u32>,

    /// What comes first [default: operators by MAC, modules as they stand in the model]
    #[arg(long, value_parser = named(&OperationsSort::NAMES))]
    pub sort: Option<OperationsSort>,

    /// Every digit instead of k, M, G
    #[arg(long)]
    pub exact: bool,

    /// Draw what each part can reach on this machine, and what holds it back
    #[arg(long)]
    pub roofline: bool,

    /// Whose ceilings the roofline has, such as `cuda:0`
    #[arg(long, default_value = "cpu", requires = "roofline")]
    pub device: String,

    /// Tensors with shapes alone, or with values; auto tries the former first
    #[arg(long, default_value = "auto", value_parser = ["auto", "fake", "real"])]
    pub mode: String,

    /// In which form [default: text, or what --output ends in]
    #[arg(short, long, value_parser = named(&FORMATS))]
    pub format: Option<Format>,

    /// Same as --format json
    #[arg(long, conflicts_with = "format")]
    pub json: bool,

    /// Write there instead of to standard output; replaces what is there
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,

    /// Show what was written in a browser
    #[arg(long, requires = "output")]
    pub open: bool,
}

/// A budget.
fn seconds(typed: &str) -> Result<f64, String> {
    let seconds = typed.parse().ok();
    let seconds = seconds.filter(|seconds: &f64| *seconds > 0.0 && seconds.is_finite());
    seconds.ok_or_else(|| "it takes a number of seconds above 0".to_owned())
}

/// A number of levels, or all.
fn levels(typed: &str) -> Result<u32, String> {
    match typed {
        "all" => Ok(u32::MAX),
        number => number
            .parse()
            .map_err(|_| "levels are a number from 0 (the model alone), or all".to_owned()),
    }
}

/// A share such as `5%` or `0.5 %`.
fn percent(typed: &str) -> Result<f64, String> {
    let digits = typed.trim().trim_end_matches('%').trim();
    let percent: Option<f64> = digits.parse().ok();
    let percent = percent.filter(|percent| (0.0..=1_000.0).contains(percent));
    let ratio = percent.map(|percent| percent / 100.0);
    ratio.ok_or_else(|| "it takes a percentage from 0, such as 2%".to_owned())
}

/// A threshold, as a part of the base.
fn threshold(typed: &str) -> Result<f64, String> {
    let ratio = percent(typed)?;
    if ratio < LEAST_THRESHOLD {
        return Err(
            "it takes 1% or more: where code lies in memory alone changes times by as much"
                .to_owned(),
        );
    }
    Ok(ratio)
}

/// A number of runs.
fn runs(typed: &str) -> Result<usize, String> {
    let runs = typed.parse().ok().filter(|runs| *runs > 0);
    runs.ok_or_else(|| "it takes a number of runs from 1".to_owned())
}

/// A number of rows.
fn rows(typed: &str) -> Result<usize, String> {
    let rows = typed.parse().ok().filter(|rows| *rows > 0);
    rows.ok_or_else(|| "it takes a number of rows from 1".to_owned())
}

/// What `--memory` counts, as `LAPTIME_MEMORY` takes it.
fn counting(typed: &str) -> Result<String, String> {
    match typed {
        "1" | "objects" => Ok(typed.to_owned()),
        _ => Err("it is --memory, or --memory=objects".to_owned()),
    }
}

/// Show the clock and why, what a span costs here, and what the system allows
#[derive(Debug, Args)]
pub struct DoctorArgs {
    /// Print JSON
    #[arg(long)]
    pub json: bool,

    /// Show every setting and where its value came from, instead
    #[arg(long)]
    pub config: bool,

    /// Measure what arithmetic and memory reach here at most, and keep that, instead
    #[arg(long, conflicts_with = "config")]
    pub ceilings: bool,
}

/// Print a script that teaches a shell Laptime's commands and flags
#[derive(Debug, Args)]
pub struct CompletionsArgs {
    /// Which shell
    pub shell: clap_complete::Shell,
}
