//! A command to measure: from what was typed, with its name and its parameters, to a run with its times.

use std::io;
use std::mem::MaybeUninit;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use super::complaints::Complaints;
use super::timeout;

use crate::args::BenchArgs;
use crate::error::CliError;

/// A command, and what it is called.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Contender {
    /// What is shown.
    pub name: String,
    /// What a shell runs.
    pub command: String,
    /// What a shell runs before every run of it, untimed.
    pub prepare: Option<String>,
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

/// The contenders that were typed: every command with every value of its parameters.
///
/// **Errors** where there are more names than commands, and where no command has a parameter's place.
pub fn contenders(args: &BenchArgs) -> Result<Vec<Contender>, CliError> {
    for pair in args.parameters.chunks_exact(2) {
        let place = format!("{{{}}}", pair[0]);
        let mut commands = args.commands.iter().chain(&args.prepare);
        if !commands.any(|command| command.contains(&place)) {
            return Err(CliError::NoPlace { place });
        }
    }
    let mut all: Vec<(String, Option<String>)> = args
        .commands
        .iter()
        .map(|command| (module_command(command), args.prepare.clone()))
        .collect();
    for pair in args.parameters.chunks_exact(2) {
        let place = format!("{{{}}}", pair[0]);
        let each = |(command, prepare): &(String, Option<String>)| {
            let values = pair[1].split(',');
            let filled = values.map(|value| {
                let prepare = prepare.as_ref().map(|text| text.replace(&place, value));
                (command.replace(&place, value), prepare)
            });
            filled.collect::<Vec<_>>()
        };
        all = all.iter().flat_map(each).collect();
    }
    if args.names.len() > all.len() {
        return Err(CliError::TooManyNames {
            names: args.names.len(),
            commands: all.len(),
        });
    }
    let contenders = all.into_iter().enumerate().map(|(at, (command, prepare))| {
        let typed = args.commands.get(at).filter(|_| args.parameters.is_empty());
        let name = args.names.get(at).or(typed).unwrap_or(&command).clone();
        Contender {
            name,
            command,
            prepare,
            timeout: args
                .timeout
                .map(|seconds| Duration::try_from_secs_f64(seconds).unwrap_or(Duration::MAX)),
        }
    });
    Ok(contenders.collect())
}

/// `module:function` is a call in an interpreter of its own; everything else is a command as it is.
fn module_command(typed: &str) -> String {
    let is_name = |name: &str| {
        let is_word = |word: &str| {
            !word.is_empty()
                && !word.starts_with(|first: char| first.is_ascii_digit())
                && word.chars().all(|one| one.is_alphanumeric() || one == '_')
        };
        name.split('.').all(is_word)
    };
    match typed.split_once(':') {
        Some((module, function)) if is_name(module) && is_name(function) => {
            let first = function.split('.').next().unwrap_or(function);
            format!("python -c 'from {module} import {first}; {function}()'")
        }
        _ => typed.to_owned(),
    }
}

impl Contender {
    /// Runs it once, and tells what it took. Its output goes nowhere.
    ///
    /// **Errors** where it can't be started, or fails and that isn't to be ignored.
    pub fn run(&self, ignore_failure: bool) -> Result<Took, CliError> {
        let begun = Instant::now();
        if let Some(prepare) = &self.prepare {
            checked(prepare, false, None)?;
        }
        let prepare_ns = begun.elapsed().as_secs_f64() * 1e9;
        let took = checked(&self.command, ignore_failure, self.timeout)?;
        Ok(Took { prepare_ns, ..took })
    }
}

/// Runs a command in a shell, for so long at most.
pub fn checked(
    command: &str,
    ignore_failure: bool,
    most: Option<Duration>,
) -> Result<Took, CliError> {
    let failed = |source| CliError::Start {
        program: command.into(),
        source,
    };
    let (complaints, end) = Complaints::new().map_err(failed)?;
    // `exec` would make one process less, but fails on what is more than one command.
    let mut shell = Command::new("sh");
    shell
        .args(["-c", command])
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(end);
    let before = children().map_err(failed)?;
    let begun = Instant::now();
    let (status, wall) = match most {
        None => (shell.status().map_err(failed)?, begun.elapsed()),
        Some(most) => {
            let (mut child, was_killed) = timeout::run(&mut shell, most).map_err(failed)?;
            let wall = begun.elapsed();
            let status = child.wait().map_err(failed)?;
            if was_killed {
                return Err(CliError::BenchTimeout {
                    command: command.to_owned(),
                    seconds: most.as_secs_f64(),
                });
            }
            (status, wall)
        }
    };
    let after = children().map_err(failed)?;
    // The end of the pipe that the shell had is closed with it.
    drop(shell);
    if !status.success() && !ignore_failure {
        return Err(CliError::BenchFailed {
            command: command.to_owned(),
            status,
            said: complaints.last_line(),
        });
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
    fn a_function_of_a_module_is_a_command_of_python() {
        assert_eq!(
            module_command("my.mod:run"),
            "python -c 'from my.mod import run; run()'"
        );
        for plain in ["sleep 1", "echo a:b", "./x:y", ":", "a:", "curl http://x"] {
            assert_eq!(module_command(plain), plain);
        }
    }

    #[test]
    fn what_a_command_leaves_running_is_not_waited_for() {
        let took = checked("sleep 30 &", false, None).unwrap();
        assert!(took.wall_ns < 20e9, "{took:?}");
    }

    #[test]
    fn cpu_time_of_a_command_is_its_own() {
        let took = checked(
            "i=0; while [ $i -lt 20000 ]; do i=$((i+1)); done",
            false,
            None,
        )
        .unwrap();
        assert!(took.user_ns + took.system_ns > 0.0);
        assert!(took.wall_ns > 0.0);
    }
}
