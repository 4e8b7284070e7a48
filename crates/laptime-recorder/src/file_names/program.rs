//! Which script or module a Python runs, by the words that it was started with.
//!
//! A process that `multiprocessing` spawns is started with `-c`, and runs what its parent runs.

use std::fs;

/// Parents that are asked at most.
const MOST_PARENTS: usize = 4;

/// What a Python runs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Program {
    /// A file, or a folder or an archive with a `__main__.py`.
    Script(String),
    /// A module by its name (`-m`).
    Module(String),
    /// A command (`-c`), or what is typed.
    Other,
}

impl Program {
    /// Returns what a process runs, or the first of its parents that runs a script or a module.
    pub fn of_process(words: &[String], parent: i32) -> Self {
        let (mut program, mut pid) = (of_words(words), parent);
        for _ in 0..MOST_PARENTS {
            if program != Self::Other {
                break;
            }
            let Some(words) = words_of(pid) else {
                break;
            };
            program = of_words(&words);
            let Some(next) = parent_of(pid) else {
                break;
            };
            pid = next;
        }
        program
    }
}

/// What stands behind Python's own options.
fn of_words(words: &[String]) -> Program {
    let mut words = words.iter();
    while let Some(word) = words.next() {
        if word == "--check-hash-based-pycs" {
            words.next();
            continue;
        }
        let Some(letters) = word.strip_prefix('-') else {
            return Program::Script(word.clone());
        };
        if letters.is_empty() {
            return Program::Other;
        }
        if letters.starts_with('-') {
            continue;
        }
        for (at, letter) in letters.char_indices() {
            let rest = &letters[at + letter.len_utf8()..];
            let mut value = || match rest {
                "" => words.next().cloned(),
                rest => Some(rest.to_owned()),
            };
            match letter {
                'c' => return Program::Other,
                'm' => return value().map_or(Program::Other, Program::Module),
                'W' | 'X' => {
                    value();
                    break;
                }
                _ => {}
            }
        }
    }
    Program::Other
}

/// The words that a Python was started with, without its own name; `None` for what is none, or is gone.
fn words_of(pid: i32) -> Option<Vec<String>> {
    let bytes = fs::read(format!("/proc/{pid}/cmdline")).ok()?;
    let text = String::from_utf8_lossy(&bytes);
    let mut words = text.trim_end_matches('\0').split('\0').map(str::to_owned);
    let name = words.next()?;
    let name = name.rsplit('/').next().unwrap_or(&name);
    name.contains("python").then(|| words.collect())
}

fn parent_of(pid: i32) -> Option<i32> {
    let stat = fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    // The name in parentheses may hold anything; fields count from behind it: the state, then the parent.
    let (_, fields) = stat.rsplit_once(") ")?;
    fields.split(' ').nth(1)?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(words: &str) -> Program {
        let words: Vec<String> = words.split(' ').map(str::to_owned).collect();
        of_words(&words)
    }

    fn script(path: &str) -> Program {
        Program::Script(path.to_owned())
    }

    fn module(name: &str) -> Program {
        Program::Module(name.to_owned())
    }

    #[test]
    fn a_script_stands_behind_the_options() {
        assert_eq!(of("train.py -m fit"), script("train.py"));
        assert_eq!(
            of("-bu -W error -Xdev -X importtime train.py"),
            script("train.py")
        );
        assert_eq!(
            of("--check-hash-based-pycs always --x train.py"),
            script("train.py")
        );
        assert_eq!(of("-Werror train.py -c x"), script("train.py"));
    }

    #[test]
    fn a_module_stands_behind_its_option_or_in_it() {
        assert_eq!(of("-m fit.train --lr 1"), module("fit.train"));
        assert_eq!(of("-Im fit x.py"), module("fit"));
        assert_eq!(of("-Imfit x.py"), module("fit"));
    }

    #[test]
    fn commands_and_what_is_typed_are_neither() {
        assert_eq!(of("-c pass train.py"), Program::Other);
        assert_eq!(of("-uc pass"), Program::Other);
        assert_eq!(of("- train.py"), Program::Other);
        assert_eq!(of("-m"), Program::Other);
        assert_eq!(of_words(&[]), Program::Other);
    }

    #[test]
    fn a_process_that_is_no_python_says_nothing() {
        assert_eq!(Program::of_process(&["-c".to_owned()], 0), Program::Other);
    }
}
