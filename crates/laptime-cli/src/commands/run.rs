//! `laptime run`: starts a program with recording on and tells where its time went.
//!
//! Nothing that goes wrong here changes the program's result: without a place to record
//! it runs unrecorded, after one warning; a report that fails costs its message.

use std::env;
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use std::process::Command;

use laptime_recorder::environment::{
    AUTO_VARIABLE, Asked, Automatic, MEMORY_VARIABLE, PYTHON_VARIABLE, RUN_VARIABLE,
    STACKS_VARIABLE,
};
use laptime_recorder::{clock, folder};
use laptime_report::next_command::{Origin, after_report};
use laptime_report::{Format, Shown, View, render};

use clap::Args;

use super::report::format_of;
use super::{browser, next, output};

use crate::args::RunArgs;
use crate::error::CliError;
use crate::internal_error;
use crate::launch::child::RunningProgram;
use crate::launch::ending;
use crate::launch::folder::claim;
use crate::launch::masks::Blocked;
use crate::launch::peaks;
use crate::launch::recorded::{Recorded, Recording};
use crate::launch::target::{Request, Target, cannot_start};
use crate::launch::watch::Watch;
use crate::messages::say;
use crate::outlet::Outlet;
use crate::recordings;
use crate::runs;
use crate::terminal::{self, Stream};
use crate::usage;

/// Runs the program and returns its exit code.
pub fn run(args: &RunArgs, err: &mut Outlet<'_>) -> Result<i32, CliError> {
    // In the background of a terminal a message is no reason to stop.
    let background = Blocked::one(libc::SIGTTOU);
    if let Some(error) = no_option(args) {
        return Err(before_start(error));
    }
    may_write(args).map_err(before_start)?;
    let python = env::var_os(PYTHON_VARIABLE).map(PathBuf::from);
    let target = Target::resolve(args.request(), python.as_deref())?;
    if let Some(path) = &args.output {
        claim(path, args.force).map_err(before_start)?;
    }
    if args.ops {
        peaks::measure_once(&target, err);
    }
    let recording = Recorded::make(args.output.as_deref(), &target, err);

    let mut command = Command::new(&target.executable);
    command.args(&target.arguments).env_remove(PYTHON_VARIABLE);
    for meaningless in Asked::here().warnings {
        // Told once: every process below would say it too.
        command.env_remove(meaningless.variable);
        say(
            err,
            format_args!("laptime: warning: {}", meaningless.ignored()),
        );
    }
    match &recording {
        Recording::Own(recording) => {
            command.env(RUN_VARIABLE, &recording.folder.path);
            command.env(AUTO_VARIABLE, automatic(args));
            if args.stacks {
                // What is typed counts, in every process below.
                command.env_remove(STACKS_VARIABLE);
            }
            if let Some(memory) = &args.memory {
                command.env(MEMORY_VARIABLE, memory);
            }
        }
        Recording::Outer => {}
        Recording::Nowhere => {
            // It may name a recording that is over.
            command.env_remove(RUN_VARIABLE);
        }
    }
    let mut recording = match recording {
        Recording::Own(recording) => Some(recording),
        Recording::Outer | Recording::Nowhere => None,
    };
    if let Some(given_away) = usage::given_away(args) {
        // Before a run that may take hours, not after it.
        say(err, format_args!("laptime: {given_away}"));
    }
    drop(background);
    let at = clock::anchor();
    let program =
        match RunningProgram::start(&mut command, target.called.as_deref(), python.is_some()) {
            Ok(program) => program,
            Err(source) => {
                if let Some(recording) = recording {
                    folder::discard(&recording.folder.path);
                }
                return Err(cannot_start(&target, source));
            }
        };
    let watch = recording.as_mut().and_then(|recording| {
        recording.started(at, program.pid(), err);
        Watch::start(program.pid())
    });
    let ended = program.wait().map_err(|source| CliError::Start {
        program: target.typed.clone(),
        source,
    })?;
    let _background = Blocked::one(libc::SIGTTOU);
    let seen = watch.map(Watch::stop).unwrap_or_default();
    if let Some(recording) = &mut recording {
        recording.ended(ended.end.clone(), &target, &seen, err);
    }
    ending::is(&ended.end);
    if let Some(recording) = &recording
        && let Err(error) = internal_error::caught(|| tell(recording, args, err))
    {
        say(err, format_args!("laptime: warning: no summary: {error}"));
    }
    Ok(ending::exit_code(&ended.end))
}

/// What stands where the program should and begins as options do: a typing mistake.
fn no_option(args: &RunArgs) -> Option<CliError> {
    let typed = args.program.first()?.to_str()?;
    if args.is_after_dashes || !typed.starts_with('-') || ["-", "-m", "-c"].contains(&typed) {
        return None;
    }
    let option = typed.split('=').next().unwrap_or(typed).to_owned();
    let known = RunArgs::augment_args(clap::Command::new("run"));
    let likeness = |name: &str| strsim::jaro(name, option.trim_start_matches('-'));
    let near = known
        .get_arguments()
        .filter_map(clap::Arg::get_long)
        .filter(|name| likeness(name) > 0.7)
        .max_by(|one, other| likeness(one).total_cmp(&likeness(other)))
        .map(|name| format!("--{name}"));
    Some(CliError::NoSuchOption { option, near })
}

/// Refuses names that the files can't have: a slip of the hand must not cost a script, nor a long run its page.
fn may_write(args: &RunArgs) -> Result<(), CliError> {
    if let Some(path) = &args.output
        && path.extension() != Some(OsStr::new("lap"))
    {
        let program = match args.request() {
            Request::Program(words) | Request::Module(words) => words.first(),
            Request::Code(_) => None,
        };
        let program = Path::new(program.map_or(OsStr::new("run"), OsString::as_os_str));
        let stem = program.file_stem().unwrap_or_default().to_string_lossy();
        return Err(CliError::NoRecordingName {
            path: path.clone(),
            near: recordings::name_near(path, &stem),
        });
    }
    let Some(path) = &args.html else {
        return Ok(());
    };
    if !matches!(format_of(path), Ok(Some(Format::Html))) {
        return Err(CliError::NoPageName { path: path.clone() });
    }
    output::may_write(path).map_err(|source| CliError::Output {
        target: path.display().to_string(),
        source,
    })
}

/// Without a start the exit code must not look like the program's.
fn before_start(error: CliError) -> CliError {
    CliError::BeforeStart(Box::new(error))
}

/// The words that run the program again; none where they can't be typed on one line.
fn again(args: &RunArgs) -> Vec<OsString> {
    let (flag, words) = match args.request() {
        Request::Program(words) => (None, words),
        Request::Module(words) => (Some("-m"), words),
        Request::Code(words) => (Some("-c"), words),
    };
    let has_lines = |word: &OsString| word.as_encoded_bytes().contains(&b'\n');
    if words.iter().any(has_lines) {
        // On one line it would be something else.
        return Vec::new();
    }
    let flag = flag.map(OsString::from).into_iter();
    flag.chain(words.iter().cloned()).collect()
}

/// What is timed without a lap in the program.
fn automatic(args: &RunArgs) -> String {
    let chosen = Asked::here().automatic.unwrap_or(Automatic {
        phases: true,
        ..Automatic::default()
    });
    let (phases, modules) = if args.no_auto {
        (false, args.modules)
    } else {
        (chosen.phases, chosen.modules || args.modules)
    };
    let automatic = Automatic {
        phases: phases || modules || args.ops || args.kernels.is_some(),
        modules,
        ops: args.ops,
        stacks: has_stacks(args),
        calls: args.calls,
        nvtx: args.nvtx,
        kernels: args.kernels,
    };
    automatic.names().join(",")
}

/// Whether functions are sampled: by default, but not beside the counting of their calls, which makes short ones
/// longer.
fn has_stacks(args: &RunArgs) -> bool {
    let is_usual = !args.calls && Asked::here().stacks != Some(false);
    args.stacks || (is_usual && !args.no_stacks)
}

/// Prints the summary and the next command to type, and writes the page if one is wanted. A
/// closed standard error is no error here.
fn tell(recording: &Recorded, args: &RunArgs, err: &mut Outlet<'_>) {
    let shown = &recording.folder.shown;
    let recorded = laptime::Recorded {
        salvage: true,
        ..laptime::Recorded::new(&recording.folder.path)
    };
    let summary = match recorded.summary() {
        Ok(summary) => summary,
        Err(error) => {
            say(err, format_args!("laptime: warning: no summary: {error}"));
            return;
        }
    };
    let is_ours = runs::folder::holds(shown);
    let is_last = is_ours && runs::listing::last().is_some_and(|last| last.path == *shown);
    let named = (!is_last).then_some(shown.as_path());
    let view = View {
        origin: Origin {
            is_without_display: browser::is_without_display(),
            ..next::origin(named, &again(args))
        },
        width: terminal::width(Stream::Err),
        color: terminal::is_coloured(Stream::Err),
        utf8: terminal::is_utf8(Stream::Err),
        ..View::default()
    };
    let text = render(&summary, Format::Text, &view);
    let _ = err.show(&Shown::lines("\n"));
    let _ = err.show(&text);
    let _ = err.show(&Shown::lines("\n"));
    say(err, format_args!("recording: {}", shown.display()));
    if let Some(path) = &args.html {
        let page = recorded.page(&summary, &View::default());
        let written = page.map_err(|error| error.to_string()).and_then(|page| {
            laptime_recorder::output::write(path, &*page).map_err(|error| error.to_string())
        });
        let path = path.display();
        match written {
            Ok(()) => say(err, format_args!("page: {path}")),
            Err(error) => say(
                err,
                format_args!("laptime: warning: cannot write {path}: {error}"),
            ),
        }
    }
    if is_ours && let Some(many) = runs::reminder::sentence() {
        say(err, many);
    }
    if let Some(next) = after_report(&summary, &view) {
        say(err, next.line());
    }
}
