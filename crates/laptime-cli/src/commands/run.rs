//! `laptime run`: starts a program with recording on and tells where its time went.
//!
//! Nothing that goes wrong here changes the program's result: without a place to record
//! it runs unrecorded, after one warning.

use std::env;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::Command;

use laptime_core::RunInfo;
use laptime_core::run::FORMAT_VERSION;

use crate::args::RunArgs;
use crate::error::CliError;
use crate::launch::child::{RunningProgram, exit_code};
use crate::launch::folder::{RecordingFolder, claim};
use crate::launch::interpreters::{Interpreters, is_python};
use crate::launch::moment::{Moment, boot_id};
use crate::launch::target::{Request, Target, cannot_run};
use crate::launch::watch::Watch;

/// Tells every process below where to record.
const RUN_VARIABLE: &str = "LAPTIME_RUN";
/// Tells them what to time without being asked to.
const AUTO_VARIABLE: &str = "LAPTIME_AUTO";
/// The interpreter the command is installed in, set by the Python package.
const PYTHON_VARIABLE: &str = "LAPTIME_PYTHON";

/// Runs the program and returns its exit code.
pub fn run(args: &RunArgs, err: &mut dyn Write) -> Result<i32, CliError> {
    let python = env::var_os(PYTHON_VARIABLE).map(PathBuf::from);
    let request = if args.module.is_empty() {
        Request::Program(&args.program)
    } else {
        Request::Module(&args.module)
    };
    let target = Target::resolve(request, python.as_deref())?;
    if let Some(path) = &args.output {
        claim(path, args.force).map_err(|error| CliError::BeforeStart(Box::new(error)))?;
    }
    let mut recording = Recorded::start(args.output.as_deref(), &target, err);

    let mut command = Command::new(&target.executable);
    command.args(&target.arguments).env_remove(PYTHON_VARIABLE);
    if let Some(recording) = &recording {
        command.env(RUN_VARIABLE, &recording.folder.path);
        command.env(AUTO_VARIABLE, automatic(args));
    }
    let started = Moment::now();
    let program = match RunningProgram::start(&mut command, python.is_some()) {
        Ok(program) => program,
        Err(source) => {
            if let Some(recording) = recording {
                recording.folder.discard();
            }
            return Err(cannot_run(&target.typed, source));
        }
    };
    if let Some(recording) = &mut recording {
        recording.info.started_monotonic_ns = started.monotonic_ns;
        recording.info.started_realtime_ns = started.realtime_ns;
        recording.info.pid = Some(program.pid());
        recording.save(err);
    }
    let watch = recording
        .is_some()
        .then(|| Watch::start(program.pid()))
        .flatten();
    let end = program.wait().map_err(|source| CliError::Start {
        program: target.typed.clone(),
        source,
    })?;
    let code = exit_code(&end);
    if let Some(mut recording) = recording {
        recording.info.end = Some(end);
        recording.name_unrecorded(&target, watch.map(Watch::stop));
        recording.save(err);
    }
    Ok(code)
}

/// What is timed without a lap in the program.
fn automatic(args: &RunArgs) -> &'static str {
    match (args.no_auto, args.modules) {
        (true, _) => "",
        (false, true) => "phases,modules",
        (false, false) => "phases",
    }
}

/// The recording of a run, as far as the launcher writes it.
struct Recorded {
    folder: RecordingFolder,
    info: RunInfo,
    warned: bool,
}

impl Recorded {
    /// Makes the recording; `None` after a warning when there is no place for it.
    fn start(output: Option<&Path>, target: &Target, err: &mut dyn Write) -> Option<Self> {
        let folder = match output {
            Some(path) => RecordingFolder::at(path),
            None => RecordingFolder::next(&target.stem),
        };
        let started = Moment::now();
        let info = RunInfo {
            format: FORMAT_VERSION,
            laptime: env!("CARGO_PKG_VERSION").to_owned(),
            program: target.program.clone(),
            started_monotonic_ns: started.monotonic_ns,
            started_realtime_ns: started.realtime_ns,
            boot_id: boot_id(),
            pid: None,
            end: None,
            unrecorded: Vec::new(),
        };
        let made = folder.and_then(|folder| match folder.write(&info) {
            Ok(()) => Ok(folder),
            Err(error) => {
                folder.discard();
                Err(error)
            }
        });
        match made {
            Ok(folder) => Some(Self {
                folder,
                info,
                warned: false,
            }),
            Err(error) => {
                let place = output.unwrap_or(Path::new("the current folder"));
                // The program runs either way.
                let _ = writeln!(
                    err,
                    "laptime: warning: cannot record in {}: {error}; running unrecorded",
                    place.display()
                );
                let _ = writeln!(err, "hint: pass --output FILE to record somewhere else");
                None
            }
        }
    }

    /// Names the interpreters that ran without Laptime.
    fn name_unrecorded(&mut self, target: &Target, seen: Option<Interpreters>) {
        let recorded = self.folder.recorded();
        let mut names = seen.unwrap_or_default().unrecorded(&recorded);
        let started = self.info.pid.is_some_and(|pid| recorded.contains(&pid));
        // A short program may be over before the first look.
        if names.is_empty() && recorded.is_empty() && !started && is_python(&target.executable) {
            names.push(target.executable.display().to_string());
        }
        self.info.unrecorded = names;
    }

    /// Rewrites `run.json`, with one warning when it fails.
    fn save(&mut self, err: &mut dyn Write) {
        if let Err(error) = self.folder.write(&self.info)
            && !self.warned
        {
            self.warned = true;
            let _ = writeln!(
                err,
                "laptime: warning: cannot update {}: {error}",
                self.folder.shown.display()
            );
        }
    }
}
