//! The launcher's part of a recording: the folder and `run.json`, from start to end.
//!
//! Trouble here is one warning and no more: the program runs either way.

use std::env;
use std::io;
use std::path::{Path, PathBuf};

use laptime_core::{Anchor, ProgramEnd, RunInfo};
use laptime_recorder::environment::{Asked, SWITCH_VARIABLE, Switch};
use laptime_recorder::folder;

use super::folder::RecordingFolder;
use super::interpreters::{Interpreters, is_python};
use super::target::Target;
use crate::messages::say;
use crate::outlet::Outlet;
use crate::runs::folder::{RUNS, make_next};

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
    pub fn make(output: Option<&Path>, target: &Target, err: &mut Outlet<'_>) -> Recording {
        let asked = Asked::here();
        if asked.switch == Switch::Off {
            let switch = SWITCH_VARIABLE;
            let typed = env::var_os(switch).unwrap_or_default();
            say(
                err,
                format_args!(
                    "laptime: warning: {switch}={} turns recording off; running unrecorded",
                    typed.display()
                ),
            );
            say(err, format_args!("hint: unset {switch} to record"));
            return Recording::Nowhere;
        }
        if let Some(own) = target.own_laptime() {
            say(
                err,
                format_args!(
                    "laptime: warning: {} is a module of the program's own, called as Laptime is; running unrecorded",
                    own.display()
                ),
            );
            say(err, format_args!("hint: rename it to record"));
            return Recording::Nowhere;
        }
        if let Some(outer) = asked.run {
            refer_to(&outer, output, target, err);
            return Recording::Outer;
        }
        let folder = match output {
            Some(path) => RecordingFolder::at(path),
            None => next(&target.stem, err, folder::make).and_then(RecordingFolder::made),
        };
        let info = folder::new_run(target.program.clone());
        let made = folder.and_then(|made| match folder::write_run(&made.path, &info) {
            Ok(()) => Ok(made),
            Err(error) => {
                folder::discard(&made.path);
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
                let place = output.unwrap_or(Path::new(RUNS));
                say(
                    err,
                    format_args!(
                        "laptime: warning: cannot record in {}: {error}; running unrecorded",
                        place.display()
                    ),
                );
                let hint = match output {
                    Some(_) => "name a file with --output in a folder that can be written to",
                    None => "pass --output FILE to record somewhere else",
                };
                say(err, format_args!("hint: {hint}"));
                Recording::Nowhere
            }
        }
    }

    /// Notes the program's start.
    pub fn started(&mut self, at: Anchor, pid: u32, err: &mut Outlet<'_>) {
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
        err: &mut Outlet<'_>,
    ) {
        let recorded = self.folder.recorded();
        let mut names = seen.unrecorded(&recorded.iter().copied().collect());
        // A short program may be over before the first look.
        if names.is_empty() && recorded.is_empty() && is_python(&target.executable) {
            names.push(target.executable.display().to_string());
        }
        self.info.unrecorded = names;
        self.info.processes = Some(recorded.len() as u64);
        self.info.end = Some(end);
        self.save(err);
    }

    fn save(&mut self, err: &mut Outlet<'_>) {
        if let Err(error) = folder::write_run(&self.folder.path, &self.info)
            && !self.warned
        {
            self.warned = true;
            say(
                err,
                format_args!(
                    "laptime: warning: cannot update {}: {error}",
                    self.folder.shown.display()
                ),
            );
        }
    }
}

/// Makes something under the next free name, and says where that isn't where recordings lie.
fn next(
    stem: &str,
    err: &mut Outlet<'_>,
    make: impl Fn(&Path) -> io::Result<()>,
) -> io::Result<PathBuf> {
    let place = make_next(stem, make)?;
    if let Some(why) = place.elsewhere_why {
        let path = place.path.display();
        say(
            err,
            format_args!("laptime: warning: cannot record in {RUNS}: {why}; recording into {path}"),
        );
    }
    Ok(place.path)
}

/// Leaves a file that refers to the enclosing recording, which takes everything below too.
fn refer_to(outer: &Path, output: Option<&Path>, target: &Target, err: &mut Outlet<'_>) {
    let leave = |path: &Path| folder::refer(path, outer);
    let left = match output {
        Some(path) => leave(path).map(|()| path.to_owned()),
        None => next(&target.stem, err, leave),
    };
    let told = match left {
        Ok(at) => format!("{} refers to it", at.display()),
        Err(error) => format!("a reference to it could not be left: {error}"),
    };
    say(
        err,
        format_args!(
            "laptime: inside a recorded run, so recording into {}; {told}",
            outer.display()
        ),
    );
}
