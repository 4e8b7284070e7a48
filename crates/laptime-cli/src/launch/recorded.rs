//! The launcher's part of a recording: the folder and `run.json`, from start to end.
//!
//! Trouble here is one warning and no more: the program runs either way.

use std::env;
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};

use laptime_core::run::FORMAT_VERSION;
use laptime_core::{Anchor, ProgramEnd, RunInfo};
use laptime_recorder::clock;

use super::folder::{self, RecordingFolder};
use super::interpreters::{Interpreters, is_python};
use super::target::Target;
use crate::variables;

/// A run that is being recorded.
#[derive(Debug)]
pub struct Recorded {
    /// Where.
    pub folder: RecordingFolder,
    info: RunInfo,
    warned: bool,
}

/// Where a run is recorded.
#[derive(Debug)]
pub enum Recording {
    /// Into a recording of its own.
    Own(Box<Recorded>),
    /// Into the one that this launcher itself runs in.
    Outer,
    /// Nowhere; the user was told.
    Nowhere,
}

impl Recorded {
    /// Makes the recording, or says why there is none.
    pub fn make(output: Option<&Path>, target: &Target, err: &mut dyn Write) -> Recording {
        if env::var_os(variables::SWITCH).is_some_and(|switch| switch == "0") {
            let switch = variables::SWITCH;
            let _ = writeln!(
                err,
                "laptime: warning: {switch}=0 turns recording off; running unrecorded"
            );
            let _ = writeln!(err, "hint: unset {switch} to record");
            return Recording::Nowhere;
        }
        if let Some(outer) = enclosing() {
            refer_to(&outer, output, target, err);
            return Recording::Outer;
        }
        let folder = match output {
            Some(path) => RecordingFolder::at(path),
            None => RecordingFolder::next(&target.stem),
        };
        let now = clock::anchor();
        let info = RunInfo {
            format: FORMAT_VERSION,
            laptime: env!("CARGO_PKG_VERSION").to_owned(),
            program: target.program.clone(),
            started_monotonic_ns: now.monotonic_ns,
            started_realtime_ns: now.realtime_ns,
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
            Ok(folder) => Recording::Own(Box::new(Self {
                folder,
                info,
                warned: false,
            })),
            Err(error) => {
                let place = output.unwrap_or(Path::new("the current folder"));
                let _ = writeln!(
                    err,
                    "laptime: warning: cannot record in {}: {error}; running unrecorded",
                    place.display()
                );
                let _ = writeln!(err, "hint: pass --output FILE to record somewhere else");
                Recording::Nowhere
            }
        }
    }

    /// Notes the program's start.
    pub fn started(&mut self, at: Anchor, pid: u32, err: &mut dyn Write) {
        self.info.started_monotonic_ns = at.monotonic_ns;
        self.info.started_realtime_ns = at.realtime_ns;
        self.info.pid = Some(pid);
        self.save(err);
    }

    /// Notes the program's end, and the interpreters that ran without Laptime.
    pub fn ended(
        &mut self,
        end: ProgramEnd,
        target: &Target,
        seen: &Interpreters,
        err: &mut dyn Write,
    ) {
        let recorded = self.folder.recorded();
        let mut names = seen.unrecorded(&recorded);
        // A short program may be over before the first look.
        if names.is_empty() && recorded.is_empty() && is_python(&target.executable) {
            names.push(target.executable.display().to_string());
        }
        self.info.unrecorded = names;
        self.info.end = Some(end);
        self.save(err);
    }

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

/// The recording that this launcher itself runs in, unless that is over.
fn enclosing() -> Option<PathBuf> {
    let folder = PathBuf::from(env::var_os(variables::RUN)?);
    let bytes = fs::read(folder.join(RunInfo::FILE_NAME)).ok()?;
    let run = RunInfo::from_json(&bytes).ok()?;
    // A shell that outlived a recorded run still has the variable; its launcher may have been killed.
    let is_alive = |pid: u32| Path::new(&format!("/proc/{pid}")).exists();
    // Without an id it is only just being started.
    let is_running = run.end.is_none() && run.boot_id == boot_id() && run.pid.is_none_or(is_alive);
    is_running.then_some(folder)
}

/// Leaves a file that refers to the enclosing recording, which takes everything below too.
fn refer_to(outer: &Path, output: Option<&Path>, target: &Target, err: &mut dyn Write) {
    let told = match folder::refer(outer, output, &target.stem) {
        Ok(at) => format!("{} refers to it", at.display()),
        Err(error) => format!("a reference to it could not be left: {error}"),
    };
    let _ = writeln!(
        err,
        "laptime: inside a recorded run, so recording into {}; {told}",
        outer.display()
    );
}

/// The boot that monotonic times count from, as 32 hexadecimal digits; empty where the system
/// doesn't tell.
pub fn boot_id() -> String {
    fs::read_to_string("/proc/sys/kernel/random/boot_id")
        .map(|text| text.trim().replace('-', ""))
        .unwrap_or_default()
}
