//! From sampled stacks to functions by lap.
//!
//! A third pass over the records ([`join`]) finds for each sample the innermost lap that was open on its
//! thread, and [`tree`] adds them up by lap and function.

mod imports;
mod join;
mod tree;

use std::collections::BTreeMap;

use laptime_core::Unavailable;

use crate::process::Process;

pub use join::StackPass;
pub use tree::functions;

/// Code of the note that says why no stack was sampled.
const UNAVAILABLE: &str = "stacks-unavailable";

/// Says why functions are missing, where the recorder knew.
pub fn with_reason(
    mut unavailable: BTreeMap<String, Unavailable>,
    processes: &[Process],
) -> BTreeMap<String, Unavailable> {
    let mut notes = processes.iter().flat_map(|process| &process.notes);
    if let Some((_, why)) = notes.find(|(code, _)| code == UNAVAILABLE) {
        unavailable.insert("functions".to_owned(), Unavailable(why.clone()));
    }
    unavailable
}

#[cfg(test)]
mod tests;
