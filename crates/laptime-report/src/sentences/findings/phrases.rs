//! Words that several findings have: times, shares, steps and places.

use laptime_analysis::{AwaitedFunction, MainFunction, noun};
use laptime_core::short_file;

use crate::document::names;
pub use crate::quantity::{bytes, estimate as time};
use crate::sentences::nouns::nouns;

/// Writes where most of a lap's time is, as the end of a sentence; nothing where that isn't known.
pub fn also_in(function: Option<&MainFunction>) -> String {
    let Some(function) = function else {
        return String::new();
    };
    let awaited = function.awaited.as_ref().map(awaited).unwrap_or_default();
    format!(", mostly in {}{awaited}", function_at(function))
}

/// Writes what threads or processes run that a function waits for.
fn awaited(awaited: &AwaitedFunction) -> String {
    let who = if awaited.is_of_processes {
        "processes"
    } else {
        "threads"
    };
    format!(
        ", which waits for {who} that run {}",
        named_at(&awaited.name, &awaited.file, awaited.line)
    )
}

/// Writes a function with the place where most of its time is.
pub fn function_at(function: &MainFunction) -> String {
    named_at(&function.name, &function.file, function.line)
}

fn named_at(name: &str, file: &str, line: u32) -> String {
    let place = place_at(file, line);
    if name == "<module>" {
        return format!("the script itself ({place})");
    }
    format!("`{}` ({place})", names::short(name))
}

/// Writes the file of a function, and the line that most of its time is in.
pub fn place_of(function: &MainFunction) -> String {
    place_at(&function.file, function.line)
}

fn place_at(file: &str, line: u32) -> String {
    let file = names::visible(short_file(file));
    match line {
        0 => file,
        line => format!("{file}:{line}"),
    }
}

/// Returns the path that a path lies right inside of.
pub fn outer(path: &str) -> &str {
    laptime_core::path::around(path).0.unwrap_or("step")
}

/// Returns what a span of a path is called: `step`, if its name is a word.
pub fn one(path: &str) -> String {
    match noun(path) {
        "span" => format!("span of {}", names::path(path)),
        noun => noun.to_owned(),
    }
}

/// Returns what several spans of a path are called: `steps`, if its name is a word.
pub fn many(path: &str) -> String {
    match noun(path) {
        "span" => format!("spans of {}", names::path(path)),
        noun => nouns(noun),
    }
}

/// Writes a part of a whole, in percent.
pub fn share(part: u64, whole: u64) -> String {
    format!("{:.0} %", 100.0 * part as f64 / whole.max(1) as f64)
}

#[cfg(test)]
#[path = "tests/phrases.rs"]
mod tests;
