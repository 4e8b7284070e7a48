//! Calls in words: what a function, a package's function, or an import is called, and where it stands.

use laptime_analysis::{Beside, CallKind, CallNode, CodePlace};
use laptime_core::{COLLECTION, module_below, module_of_file, short_file};

use crate::document::names;

/// The name of the code of a module that is imported.
pub const MODULE: &str = "<module>";

/// Stands for the time from the launch of a program to the first look at it.
pub const STARTING_PYTHON: &str = "starting Python";
/// Stands for the time in which the interpreter ends, once the program's code is done.
pub const EXIT: &str = "exit";
/// Stands for a function's own time, beside what it calls.
pub const ITSELF: &str = "itself";
/// Stands for the part of it in which its thread waited.
pub const ITSELF_WAITING: &str = "itself (waiting)";

/// Writes what so many calls are together that are too short to be told.
pub fn folded(count: usize) -> String {
    match count {
        1 => "1 shorter call".to_owned(),
        count => format!("{count} shorter calls"),
    }
}

/// Writes a node of the tree of calls, whose line stands in a file, of a program whose script lies in a folder.
pub fn node(node: &CallNode, file: Option<&str>, script_folder: &str) -> String {
    let place = file.filter(|_| node.line > 0);
    let place = place.map_or_else(String::new, |file| format!(" {file}:{}", node.line));
    let name = match &node.call {
        CallKind::Own { name, .. } if name.is_empty() => {
            return waiting(place.trim_start().to_owned(), node);
        }
        CallKind::Own { name, file } if name == MODULE => {
            format!("import {}", module_below(script_folder, file))
        }
        CallKind::Own { name, .. } => function(name).to_owned(),
        CallKind::Import { module } => format!("import {module}"),
        CallKind::Library { name, .. } if name.is_empty() && !place.is_empty() => {
            return waiting(place.trim_start().to_owned(), node);
        }
        CallKind::Library { name, package } => called(name, package),
        CallKind::Collection => return COLLECTION.0.to_owned(),
    };
    waiting(format!("{name}{place}"), node)
}

/// Says behind the name of a package's function how many of the package's calls the row stands for.
pub fn frames(node: &CallNode) -> String {
    match &node.call {
        CallKind::Library { package, .. } if node.frame_count > 1 => {
            format!(", {} frames of {package}", node.frame_count)
        }
        CallKind::Library { package, .. } => format!(", {package}"),
        _ => String::new(),
    }
}

/// Says of calls that mostly wait that they do.
fn waiting(named: String, node: &CallNode) -> String {
    if node.is_waiting() {
        format!("{named} (waiting)")
    } else {
        named
    }
}

/// Says of the outermost calls beside the main thread where they run.
pub fn beside(node: &CallNode) -> &'static str {
    match node.beside {
        Beside::No => "",
        Beside::Threads => " (in threads)",
        Beside::Processes => " (in processes)",
    }
}

/// Returns what a program writes to call a function of a package: `json.dumps`, but `DataFrame.apply`; the package,
/// where its function has no name that a program knows.
pub fn called(name: &str, package: &str) -> String {
    let name = constructor(name);
    if name.is_empty() {
        return package.to_owned();
    }
    if name.contains('.') || package.is_empty() {
        return name.to_owned();
    }
    format!("{package}.{name}")
}

/// Returns a function's name without the functions that it is written in.
pub fn function(name: &str) -> &str {
    name.rsplit(".<locals>.").next().unwrap_or(name)
}

/// Returns what a program writes to call a function: the class, where it makes an object.
pub fn constructor(name: &str) -> &str {
    let name = function(name);
    name.strip_suffix(".__init__").unwrap_or(name)
}

/// Writes a line of the program: `job.py:8`.
pub fn place(place: &CodePlace) -> String {
    let file = names::visible(short_file(&place.file));
    match place.line {
        0 => file,
        line => format!("{file}:{line}"),
    }
}

/// Returns the name of a function of the program; writes one of a package as it is called, and an import.
pub fn kind_name(call: &CallKind) -> String {
    match call {
        CallKind::Own { name, .. } => name.clone(),
        CallKind::Library { name, package } => called(name, package),
        CallKind::Import { module } => format!("import {module}"),
        CallKind::Collection => COLLECTION.0.to_owned(),
    }
}

/// Writes a function with its line in brackets, a function of a package as it is called, or an import.
pub fn kind(call: &CallKind, line: u32) -> String {
    match call {
        CallKind::Own { name, file } => {
            let file = file.clone();
            named_at(name, Some(&CodePlace { file, line }))
        }
        CallKind::Library { name, package } => names::short(&called(name, package)),
        CallKind::Import { module } => format!("import {}", names::short(module)),
        CallKind::Collection => COLLECTION.0.to_owned(),
    }
}

/// Writes a name with its line in brackets; the line alone, where there is no name.
pub fn named_at(name: &str, at: Option<&CodePlace>) -> String {
    match at {
        Some(at) if name.is_empty() => place(at),
        Some(at) if name == MODULE => {
            format!("import {} ({})", module_of_file(&at.file), place(at))
        }
        Some(at) => format!("{} ({})", names::short(function(name)), place(at)),
        None => names::short(function(name)),
    }
}
