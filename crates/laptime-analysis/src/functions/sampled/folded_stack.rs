//! A stack as a person tells it: functions of the program, and between them what of packages they call.
//!
//! Frames of packages that follow each other are one step, named by the outermost: that is the one which the program
//! calls. The import system and the code of the module that it imports are one step as well. A function of the program
//! that comes again is left out: it counts once, however often it recurs, by the line that it is in innermost. Functions
//! that the recorder left out of a deep stack are no step. Below an event loop each installed package that it calls is a
//! step of its own: a server's framework is no part of asyncio.

use laptime_core::{FileOrigin, file_origin, module_below, module_of_file, package_of_file};

use super::own_code::{MODULE, OwnCode, is_laptime};
use crate::functions::stack_records::Function;
use crate::summary::call_tree::{CallKind, script_folder};
use crate::summary::code_line::CodePlace;

/// Start of the file names of Python's import system: it is part of the interpreter.
const MACHINERY: &str = "<frozen importlib._bootstrap";
/// The name of what stands for functions in the midst of a deep stack, which the recorder left out.
const LEFT_OUT: &str = "<functions left out>";

/// The package whose functions every thread begins with.
const THREADS: &str = "threading";
/// The file of the code that a process begins with which isn't forked.
const SPAWNED: &str = "<string>";
/// The function that a process of `multiprocessing` does its work in, and its package.
const PROCESS_RUN: (&str, &str) = ("BaseProcess.run", "multiprocessing");
/// The function that a process of `multiprocessing` begins with, and the end of its file's name.
const PROCESS_START: (&str, &str) = ("BaseProcess._bootstrap", "multiprocessing/process.py");

/// The function by which asyncio's loop calls what is scheduled, by its name with and without its class, and its file.
const LOOP_CALL: ([&str; 2], &str) = (["Handle._run", "_run"], "asyncio/events.py");
/// Names that packages give to what they put around other functions: no program calls these.
const WRAPPERS: [&str; 7] = [
    "wrapper",
    "wrapped",
    "inner",
    "fn",
    "_fn",
    "decorate_context",
    "__call__",
];

/// One step of a stack.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Step {
    /// The function or the import.
    pub call: CallKind,
    /// The line of a function of the program, else the program's line that called it; 0 where that isn't known.
    pub line: u32,
    /// Number of frames that it stands for.
    pub frame_count: u32,
}

/// The import that a stack is in: the outermost one of a package, or else one of the program's own.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Import {
    /// The module that is imported.
    pub module: String,
    /// The function of a package that imports it, called by the program; `None` where the program itself does.
    pub by: Option<String>,
    /// File and line of the program that import it, or call what does.
    pub place: Option<(String, u32)>,
}

/// Returns the steps of a stack, whose functions and lines stand with the outermost first.
pub fn fold<'f>(
    own: &OwnCode,
    outermost_first: impl IntoIterator<Item = (&'f Function, u32)>,
) -> Vec<Step> {
    let mut steps: Vec<Step> = Vec::new();
    let mut is_importing = false;
    // The program's line that was left last.
    let mut caller_line = 0;
    // Whether an event loop was entered since.
    let mut is_in_loop = false;
    for (function, line) in outermost_first {
        if is_laptime(function) || function.name == LEFT_OUT {
            continue;
        }
        if is_machinery(function) {
            is_importing = true;
            continue;
        }
        if is_process_start(function) {
            // What stands above in a forked process is its parent's.
            steps.clear();
            caller_line = 0;
            is_in_loop = false;
            continue;
        }
        let is_spawn = steps.is_empty() && function.file == SPAWNED;
        if is_spawn && !own.is_own(function) {
            continue;
        }
        let imports = std::mem::take(&mut is_importing) && function.name == MODULE;
        if own.is_own(function) {
            add_own(&mut steps, function, line, imports);
            caller_line = line;
            is_in_loop = false;
        } else if imports {
            add_import(&mut steps, function, caller_line);
        } else if is_in_loop {
            add_called_by_loop(&mut steps, function);
        } else {
            add_library(&mut steps, function, caller_line);
            is_in_loop = is_loop_call(function);
        }
    }
    for step in &mut steps {
        step.name_by_line();
    }
    steps
}

impl Step {
    /// Takes the name from a call of the program whose functions are all of a package's inside: the line tells more.
    fn name_by_line(&mut self) {
        if self.line == 0 || !is_inner(&self.call) {
            return;
        }
        if let CallKind::Library { name, .. } = &mut self.call
            && !name.ends_with("__")
        {
            name.clear();
        }
    }
}

/// Adds a frame of the program, unless its function is on the way already.
fn add_own(steps: &mut Vec<Step>, function: &Function, line: u32, is_imported: bool) {
    let name = if is_imported {
        MODULE
    } else {
        written_in(&function.name)
    };
    // Before Python 3.11 a comprehension doesn't say in which function it stands.
    let is_part = name.is_empty() && function.name != MODULE;
    let is_inside = |step: &Step| {
        step.call
            .own()
            .is_some_and(|(_, file)| file == function.file)
    };
    if is_part && steps.last().is_some_and(is_inside) {
        return;
    }
    let call = CallKind::Own {
        name: name.to_owned(),
        file: function.file.clone(),
    };
    match steps.iter().position(|step| step.call == call) {
        None => steps.push(Step {
            call,
            line,
            frame_count: 1,
        }),
        // Where it is now, and not where it called itself.
        Some(at) if at + 1 == steps.len() => steps[at].line = line,
        Some(_) => {}
    }
}

/// Adds the code of a module of a package, unless it is imported by another import.
fn add_import(steps: &mut Vec<Step>, function: &Function, caller_line: u32) {
    let is_inside = |step: &Step| matches!(step.call, CallKind::Import { .. });
    if steps.last().is_some_and(is_inside) {
        return;
    }
    let module = module_of_file(&function.file);
    steps.push(Step {
        call: CallKind::Import { module },
        line: caller_line,
        frame_count: 1,
    });
}

/// Adds a frame of a package: to the step that it goes on, or as one of its own.
fn add_library(steps: &mut Vec<Step>, function: &Function, caller_line: u32) {
    let is_outermost = steps.len() == 1;
    match steps.last_mut() {
        Some(last) if is_outermost && is_start(&last.call) => {
            // What a thread or a process does says more than how it started.
            last.call = library(function);
        }
        Some(last) if last.call.own().is_none() => {
            last.frame_count += 1;
            let call = library(function);
            if is_inner(&last.call) && !is_inner(&call) {
                last.call = call;
            }
        }
        _ => {
            steps.push(Step {
                call: library(function),
                line: caller_line,
                frame_count: 1,
            });
        }
    }
}

/// Adds a frame of a package below an event loop: to a step of its package, or as one of its own where none was there.
/// No line of the program calls it.
fn add_called_by_loop(steps: &mut Vec<Step>, function: &Function) {
    let call = library(function);
    let package = |step: &Step| match &step.call {
        CallKind::Library { package, .. } => Some(package.clone()),
        _ => None,
    };
    let is_installed = file_origin(&function.file) == FileOrigin::Installed;
    let own = package_of_file(&function.file);
    let mut since_own = (steps.iter().rev()).take_while(|step| step.call.own().is_none());
    let is_known = since_own.any(|step| package(step).is_none_or(|package| package == own));
    match steps.last_mut() {
        Some(last) if is_known || !is_installed => {
            last.frame_count += 1;
            let is_same = package(last).is_some_and(|package| package == own);
            if is_same && is_inner(&last.call) && !is_inner(&call) {
                last.call = call;
            }
        }
        _ => steps.push(Step {
            call,
            line: 0,
            frame_count: 1,
        }),
    }
}

/// Returns a function of a package as what was called. One of a package that is private by its name is told with its
/// module: the package alone would be called as if it were a module with that function.
fn library(function: &Function) -> CallKind {
    let package = package_of_file(&function.file);
    let name = written_in(&function.name);
    let is_bare = !name.is_empty() && !name.contains('.');
    let name = if package.starts_with('_') && is_bare {
        [&module_of_file(&function.file), name].join(".")
    } else {
        name.to_owned()
    };
    CallKind::Library {
        name,
        package: package.to_owned(),
    }
}

/// Tells whether a function is asyncio's that calls what is scheduled.
fn is_loop_call(function: &Function) -> bool {
    let (names, file) = LOOP_CALL;
    names.contains(&&*function.name) && function.file.ends_with(file)
}

/// Tells whether a call only starts a thread or a process.
fn is_start(call: &CallKind) -> bool {
    matches!(call, CallKind::Library { name, package }
        if &**package == THREADS || (&**name, &**package) == PROCESS_RUN)
}

/// Tells whether a call is of a package's inside: a private function, or one that a decorator put around another. No
/// program calls these by name: what they call says more, as `SGD.step` does than `wrapper`.
fn is_inner(call: &CallKind) -> bool {
    let CallKind::Library { name, .. } = call else {
        return false;
    };
    let own_name = name.rsplit('.').next().unwrap_or_default();
    let is_private = own_name.starts_with('_') && !own_name.ends_with("__");
    let is_wrapper = WRAPPERS.contains(&own_name);
    is_private || is_wrapper || own_name.is_empty() || name.contains(".<locals>.")
}

/// Tells whether a function is where a process of `multiprocessing` begins, whichever way it was started.
fn is_process_start(function: &Function) -> bool {
    PROCESS_START.0 == function.name && function.file.ends_with(PROCESS_START.1)
}

/// Tells whether steps are in the import of a package.
pub fn imports_package(steps: &[Step]) -> bool {
    let mut steps = steps.iter();
    steps.any(|step| matches!(step.call, CallKind::Import { .. }))
}

/// Returns the innermost line of the program on the way.
pub fn own_place(steps: &[Step]) -> Option<CodePlace> {
    let mut innermost_first = steps.iter().rev();
    innermost_first.find_map(|step| {
        let (_, file) = step.call.own()?;
        Some(CodePlace {
            file: file.to_owned(),
            line: step.line,
        })
    })
}

/// Returns the import that steps are in: the outermost of a package, else the innermost of the program's own modules.
pub fn import_of(steps: &[Step]) -> Option<Import> {
    let is_package = |step: &Step| matches!(step.call, CallKind::Import { .. });
    let is_own = |step: &Step| step.call.own().is_some_and(|(name, _)| name == MODULE);
    let at = steps.iter().position(is_package);
    let at = at.or_else(|| steps.iter().rposition(is_own))?;
    let module = match &steps[at].call {
        CallKind::Import { module } => module.clone(),
        CallKind::Own { file, .. } => {
            let calls = steps.iter().map(|step| &step.call);
            module_below(script_folder(calls), file)
        }
        CallKind::Library { .. } | CallKind::Collection => return None,
    };
    let by = match steps[..at].last() {
        Some(Step {
            call: CallKind::Library { name, package },
            ..
        }) if at > 1 => Some(if name.is_empty() { package } else { name }.clone()),
        _ => None,
    };
    let mut callers = steps[..at].iter().rev();
    let place = callers.find_map(|step| Some((step.call.own()?.1.to_owned(), step.line)));
    Some(Import { module, by, place })
}

/// Returns the function that stands for all of the import system on a way of calls.
pub fn machinery() -> Function {
    Function {
        name: "import".to_owned(),
        file: "<frozen importlib>".to_owned(),
    }
}

/// Tells whether a function is the import system's.
pub fn is_machinery(function: &Function) -> bool {
    function.file.starts_with(MACHINERY)
}

/// Returns the function that one without a name of its own is written in, such as a comprehension; an empty name for
/// what stands in a module outside of functions.
fn written_in(name: &str) -> &str {
    let outer = name.split(".<locals>.<").next().unwrap_or(name);
    if outer.starts_with('<') { "" } else { outer }
}

#[cfg(test)]
#[path = "tests/folded_stack.rs"]
mod tests;
