//! Which functions are the program's own.
//!
//! Code that is in no package and not in Python's library. Where a program has none, or nothing but a script of a line
//! or two that starts a package, as the commands that packages install, it is the package that it starts.

use std::collections::{HashMap, HashSet};

use laptime_core::{FileOrigin, file_origin, package_of_file};

use crate::functions::stack_records::{Function, Stacks};
use crate::reading::process::Process;

/// Packages of Python's library that start programs, threads and processes: what is called by them is meant.
const STARTERS: [&str; 7] = [
    "runpy",
    "threading",
    "multiprocessing",
    "concurrent",
    "importlib",
    "asyncio",
    "contextlib",
];
/// The name of a module's code.
pub const MODULE: &str = "<module>";
/// Laptime's own package: no part of the program.
const LAPTIME: &str = "laptime";

/// Files of code that was typed.
const TYPED: [&str; 2] = ["<string>", "<stdin>"];

/// Tells whose code a function is.
#[derive(Debug, Default)]
pub struct OwnCode {
    /// The packages that are taken for the program itself.
    packages: HashSet<String>,
    /// Whether the program is code that was typed, as with `python -c`.
    is_typed: bool,
}

impl OwnCode {
    /// Finds what is the program's own of all that was sampled.
    pub fn of_processes(processes: &[Process]) -> Self {
        let all = || processes.iter().map(|process| &process.features.stacks);
        let has_program = all().any(|stacks| stacks.functions.values().any(is_program));
        let is_typed = processes.first().is_some_and(is_typed);
        if has_program || is_typed {
            return Self {
                packages: HashSet::new(),
                is_typed,
            };
        }
        let mut times: HashMap<&str, u64> = HashMap::new();
        for stacks in all() {
            for sample in &stacks.samples {
                let package = outermost_package(stacks, sample.frame);
                let ns = times.entry(package.unwrap_or_default()).or_default();
                *ns = ns.saturating_add(sample.stands_for_ns);
            }
        }
        times.remove("");
        let longest = times
            .into_iter()
            .max_by_key(|(package, ns)| (*ns, *package));
        let packages = longest.map(|(package, _)| package.to_owned());
        Self {
            packages: packages.into_iter().collect(),
            is_typed,
        }
    }

    /// Tells whether a function is the program's own.
    pub fn is_own(&self, function: &Function) -> bool {
        match file_origin(&function.file) {
            FileOrigin::Program => true,
            FileOrigin::Generated => self.is_typed && TYPED.contains(&&*function.file),
            _ => self.packages.contains(package_of_file(&function.file)),
        }
    }
}

/// Tells whether a process began with code that was typed.
fn is_typed(process: &Process) -> bool {
    let stacks = &process.features.stacks;
    let mut outermost = stacks.frames.values().filter(|frame| frame.parent == 0);
    outermost.any(|frame| {
        let function = stacks.functions.get(&frame.function);
        function.is_some_and(|one| one.name == MODULE && TYPED.contains(&&*one.file))
    })
}

/// Tells whether a function is Laptime's.
pub fn is_laptime(function: &Function) -> bool {
    let is_package = || package_of_file(&function.file) == LAPTIME;
    file_origin(&function.file) == FileOrigin::Installed && is_package()
}

/// Tells whether a function is of a program that is more than a start of a package: the command of a package has no
/// function, and no ending.
fn is_program(function: &Function) -> bool {
    let is_start = function.name == MODULE && !function.file.contains('.');
    file_origin(&function.file) == FileOrigin::Program && !is_start
}

/// Returns the package of the outermost function of a stack that does more than start others.
fn outermost_package(stacks: &Stacks, innermost: u32) -> Option<&str> {
    let mut found = None;
    let mut at = innermost;
    while let Some(frame) = stacks.frames.get(&at) {
        let function = stacks.functions.get(&frame.function)?;
        let package = package_of_file(&function.file);
        let is_code = matches!(
            file_origin(&function.file),
            FileOrigin::Installed | FileOrigin::Library
        );
        if is_code && !STARTERS.contains(&package) && package != LAPTIME {
            found = Some(package);
        }
        at = frame.parent;
    }
    found
}
