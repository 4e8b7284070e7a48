//! What a report was made of, as the command to type next names it.

use std::ffi::{OsStr, OsString};
use std::path::Path;

use laptime_analysis::Summary;
use laptime_report::next_command::{Origin, RecordingWords};

use crate::runs::folder::holds;
use crate::runs::names::shortest_name;

/// The words for a recording and for the program that was recorded. `again`: the words that ran it.
///
/// A recording that is `None` is the last one here, which needs no name.
pub fn origin(recording: Option<&Path>, again: &[OsString]) -> Origin {
    Origin {
        recording: words(recording),
        program: texts(again).unwrap_or_default(),
        is_without_display: false,
    }
}

/// The words for what a program has a report of: a recording, or itself.
pub fn origin_of_report(recording: Option<&Path>, summary: &Summary) -> Origin {
    Origin {
        recording: recording.and_then(|path| words(Some(path))),
        ..origin(None, &script(summary))
    }
}

/// How to name a recording; `None` where its name is no text.
fn words(recording: Option<&Path>) -> Option<RecordingWords> {
    let Some(path) = recording else {
        return Some(RecordingWords::default());
    };
    let text = |path: &Path| path.to_str().map(str::to_owned);
    // The page of a run lies beside it.
    let page = (!holds(path)).then(|| path.with_extension("html"));
    Some(RecordingWords {
        name: Some(text(shortest_name(path))?),
        page: match page {
            Some(page) => Some(text(&page)?),
            None => None,
        },
    })
}

fn texts(words: &[OsString]) -> Option<Vec<String>> {
    let all = words.iter().map(|word| word.to_str().map(str::to_owned));
    all.collect()
}

/// The script that was recorded, where it is here: its arguments aren't known.
pub fn script(summary: &Summary) -> Vec<OsString> {
    let program = Path::new(&summary.program);
    let is_here = program.extension() == Some(OsStr::new("py")) && program.is_file();
    is_here
        .then(|| program.as_os_str().to_owned())
        .into_iter()
        .collect()
}

#[cfg(test)]
#[path = "next_tests.rs"]
mod tests;
