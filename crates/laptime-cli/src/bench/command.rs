//! A command to measure, and a run of it with its times: by a shell, or directly by its words.

use std::io;
use std::mem::MaybeUninit;
use std::os::fd::AsFd;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use super::complaints::Complaints;
use super::error::BenchError;
use super::timeout;

use crate::error::CliError;

/// What starts a command.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Started {
    /// A shell, whose own start is part of the time.
    ByShell,
    /// Nothing: these are the program and its arguments.
    Alone(Vec<String>),
}

/// A command, and what it is called.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Contender {
    /// What is shown.
    pub name: String,
    /// As it was typed, with the values of its parameters.
    pub command: String,
    /// What starts it.
    pub started: Started,
    /// What a shell runs before every run of it, untimed.
    pub prepare: Option<String>,
    /// What a shell runs after all runs of it.
    pub cleanup: Option<String>,
    /// Whether what it prints is shown.
    pub shows_output: bool,
    /// Its parameters' names and values, in the order in which they were typed.
    pub parameters: Vec<(String, String)>,
    /// After how long a run is killed.
    pub timeout: Option<Duration>,
}

/// What one run took.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Took {
    pub wall_ns: f64,
    pub user_ns: f64,
    pub system_ns: f64,
    /// What was run before it, untimed.
    pub prepare_ns: f64,
    pub has_failed: bool,
}

impl Contender {
    /// Runs it once, and tells what it took. Its output goes nowhere.
    ///
    /// **Errors** where it can't be started, or fails and that isn't to be ignored.
    pub fn run(&self, ignore_failure: bool) -> Result<Took, CliError> {
        let begun = Instant::now();
        if let Some(prepare) = &self.prepare {
            in_shell(prepare)?;
        }
        let prepare_ns = begun.elapsed().as_secs_f64() * 1e9;
        let (process, is_alone) = match &self.started {
            Started::ByShell => (shell(&self.command), false),
            Started::Alone(words) => (alone(words), true),
        };
        let how = How {
            ignore_failure,
            most: self.timeout,
            shows_output: self.shows_output,
        };
        let took = timed(process, &self.command, &how);
        let took = took.map_err(|error| match error {
            CliError::Start { source, .. } if is_alone => BenchError::Start {
                command: self.command.clone(),
                source,
            }
            .into(),
            other => other,
        })?;
        Ok(Took { prepare_ns, ..took })
    }

    /// Whether a shell runs it.
    pub fn has_shell(&self) -> bool {
        self.started == Started::ByShell
    }
}

/// Runs a command in a shell, untimed, whatever it takes.
///
/// **Errors** where it can't be started, or fails.
pub fn in_shell(command: &str) -> Result<(), CliError> {
    timed(shell(command), command, &How::default()).map(|_| ())
}

/// `exec` would make one process less, but fails on what is more than one command.
fn shell(command: &str) -> Command {
    let mut shell = Command::new("sh");
    shell.args(["-c", command]);
    shell
}

fn alone(words: &[String]) -> Command {
    let [program, arguments @ ..] = words else {
        return Command::new("");
    };
    let mut process = Command::new(program);
    process.args(arguments);
    process
}

/// How a process is run.
#[derive(Default)]
struct How {
    ignore_failure: bool,
    /// After how long it is killed.
    most: Option<Duration>,
    shows_output: bool,
}

/// Runs a process, which is called like its command.
fn timed(mut process: Command, command: &str, how: &How) -> Result<Took, CliError> {
    let failed = |source| CliError::Start {
        program: command.into(),
        source,
    };
    let (complaints, end) = Complaints::new().map_err(failed)?;
    let (out, err): (Stdio, Stdio) = if how.shows_output {
        // Standard output has the result, which may be read by a program.
        drop(end);
        let both = io::stderr().as_fd().try_clone_to_owned();
        let both = both.map_err(failed)?;
        (both.try_clone().map_err(failed)?.into(), both.into())
    } else {
        (Stdio::null(), end.into())
    };
    process.stdin(Stdio::null()).stdout(out).stderr(err);
    let before = children().map_err(failed)?;
    let begun = Instant::now();
    let (mut child, was_killed) = timeout::run(&mut process, how.most).map_err(failed)?;
    let wall = begun.elapsed();
    let status = child.wait().map_err(failed)?;
    if let Some(most) = how.most
        && was_killed
    {
        return Err(BenchError::Timeout {
            command: command.to_owned(),
            seconds: most.as_secs_f64(),
        }
        .into());
    }
    let after = children().map_err(failed)?;
    // The end of the pipe that the process had is closed with it.
    drop(process);
    if !status.success() && !how.ignore_failure {
        return Err(BenchError::Failed {
            command: command.to_owned(),
            status,
            said: complaints.last_line(),
        }
        .into());
    }
    let ns = |time: Duration| time.as_secs_f64() * 1e9;
    Ok(Took {
        wall_ns: ns(wall),
        user_ns: ns(after.0.saturating_sub(before.0)),
        system_ns: ns(after.1.saturating_sub(before.1)),
        prepare_ns: 0.0,
        has_failed: !status.success(),
    })
}

/// CPU time of all children that have ended: user and system.
fn children() -> io::Result<(Duration, Duration)> {
    let mut usage = MaybeUninit::<libc::rusage>::zeroed();
    // SAFETY: the system fills in all of it, and says whether it did.
    let usage = unsafe {
        if libc::getrusage(libc::RUSAGE_CHILDREN, usage.as_mut_ptr()) != 0 {
            return Err(io::Error::last_os_error());
        }
        usage.assume_init()
    };
    let time = |of: libc::timeval| {
        let seconds = Duration::from_secs(of.tv_sec.unsigned_abs());
        seconds + Duration::from_micros(of.tv_usec.unsigned_abs())
    };
    Ok((time(usage.ru_utime), time(usage.ru_stime)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_command_leaves_running_is_not_waited_for() {
        let took = timed(shell("sleep 30 &"), "", &How::default()).unwrap();
        assert!(took.wall_ns < 20e9, "{took:?}");
    }

    #[test]
    fn cpu_time_of_a_command_is_its_own() {
        let counts = shell("i=0; while [ $i -lt 20000 ]; do i=$((i+1)); done");
        let took = timed(counts, "", &How::default()).unwrap();
        assert!(took.user_ns + took.system_ns > 0.0);
        assert!(took.wall_ns > 0.0);
    }
}
