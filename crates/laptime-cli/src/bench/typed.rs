//! What was typed, as commands to measure: each with its name, its parameters and what is run around it.

use std::time::Duration;

use super::command::{Contender, Started};
use super::error::BenchError;
use crate::args::BenchArgs;

/// A command whose parameters' places are filled, with those values.
#[derive(Clone)]
struct Filled {
    command: String,
    prepare: Option<String>,
    cleanup: Option<String>,
    parameters: Vec<(String, String)>,
}

impl Filled {
    fn with(&self, name: &str, value: &str) -> Self {
        let place = place(name);
        let mut parameters = self.parameters.clone();
        parameters.push((name.to_owned(), value.to_owned()));
        let filled = |text: &String| text.replace(&place, value);
        Self {
            command: filled(&self.command),
            prepare: self.prepare.as_ref().map(filled),
            cleanup: self.cleanup.as_ref().map(filled),
            parameters,
        }
    }
}

/// The contenders that were typed: every command with every value of its parameters.
///
/// **Errors** where there are more names than commands, where no command has a parameter's place, where a
/// command is empty, and where one that no shell runs can't be split into words.
pub fn contenders(args: &BenchArgs) -> Result<Vec<Contender>, BenchError> {
    for pair in args.parameters.chunks_exact(2) {
        let place = place(&pair[0]);
        let mut commands = (args.commands.iter())
            .chain(&args.prepare)
            .chain(&args.cleanup);
        if !commands.any(|command| command.contains(&place)) {
            return Err(BenchError::NoPlace { place });
        }
    }
    let mut all: Vec<Filled> = args
        .commands
        .iter()
        .map(|command| Filled {
            command: module_command(command),
            prepare: args.prepare.clone(),
            cleanup: args.cleanup.clone(),
            parameters: Vec::new(),
        })
        .collect();
    for pair in args.parameters.chunks_exact(2) {
        let each = |one: &Filled| {
            let values = pair[1].split(',');
            let filled = values.map(|value| one.with(&pair[0], value));
            filled.collect::<Vec<_>>()
        };
        all = all.iter().flat_map(each).collect();
    }
    if args.names.len() > all.len() {
        return Err(BenchError::TooManyNames {
            names: args.names.len(),
            commands: all.len(),
        });
    }
    let contenders = all.into_iter().enumerate().map(|(at, filled)| {
        let command = filled.command;
        let typed = args.commands.get(at).filter(|_| args.parameters.is_empty());
        let name = args.names.get(at).or(typed).unwrap_or(&command).clone();
        Ok(Contender {
            name,
            started: started(&command, args.no_shell)?,
            command,
            prepare: filled.prepare,
            cleanup: filled.cleanup,
            shows_output: args.show_output,
            parameters: filled.parameters,
            timeout: args
                .timeout
                .map(|seconds| Duration::try_from_secs_f64(seconds).unwrap_or(Duration::MAX)),
        })
    });
    contenders.collect()
}

/// How a parameter's place is written.
fn place(name: &str) -> String {
    format!("{{{name}}}")
}

/// What starts a command. An empty one would be measured as the start of a shell, which nobody means.
fn started(command: &str, no_shell: bool) -> Result<Started, BenchError> {
    if command.trim().is_empty() {
        return Err(BenchError::EmptyCommand);
    }
    if !no_shell {
        return Ok(Started::ByShell);
    }
    match shlex::split(command) {
        None => Err(BenchError::Unsplit {
            command: command.to_owned(),
        }),
        // All of it was a comment.
        Some(words) if words.is_empty() => Err(BenchError::EmptyCommand),
        Some(words) => Ok(Started::Alone(words)),
    }
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
    fn without_a_shell_a_command_is_split_as_one_would() {
        let words = |command| match started(command, true).unwrap() {
            Started::Alone(words) => words,
            Started::ByShell => unreachable!(),
        };
        assert_eq!(
            words(r"a 'b c' d\ e $HOME | f"),
            ["a", "b c", "d e", "$HOME", "|", "f"]
        );
        assert_eq!(
            words(&module_command("m:f")),
            ["python", "-c", "from m import f; f()"]
        );
        assert!(matches!(started("a | b", false), Ok(Started::ByShell)));
    }

    #[test]
    fn what_is_no_command_is_refused() {
        for (command, no_shell) in [("", false), ("  ", false), (" ", true), ("# a", true)] {
            let refused = started(command, no_shell);
            assert!(
                matches!(refused, Err(BenchError::EmptyCommand)),
                "{command}"
            );
        }
        for command in ["echo 'a", "echo \"a", "echo a\\"] {
            let refused = started(command, true);
            assert!(
                matches!(refused, Err(BenchError::Unsplit { .. })),
                "{command}"
            );
        }
    }
}
