//! Words that several findings have: times, shares, steps and places.

use laptime_analysis::{MainFunction, noun};
use laptime_core::short_file;

use crate::document::names;
pub use crate::quantity::{bytes, estimate as time};
use crate::sentences::nouns::nouns;

/// Writes where most of a lap's time is, as the end of a sentence; nothing where that isn't known.
pub fn also_in(function: Option<&MainFunction>) -> String {
    let Some(function) = function else {
        return String::new();
    };
    format!(", mostly in {}", function_at(function))
}

/// Writes a function with the place where most of its time is.
pub fn function_at(function: &MainFunction) -> String {
    let place = place_of(function);
    if function.name == "<module>" {
        return format!("the script itself ({place})");
    }
    format!("`{}` ({place})", names::short(&function.name))
}

/// Writes the file of a function, and the line that most of its time is in.
pub fn place_of(function: &MainFunction) -> String {
    let file = names::visible(short_file(&function.file));
    match function.line {
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
