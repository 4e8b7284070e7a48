//! The place that a finding is about, before its sentence: what to open, or which row to look at.

use laptime_analysis::{CallSite, Finding, MainFunction};

use super::phrases::place_of;
use crate::document::names;
use crate::sentences::calls;

/// Puts the place of a finding before its sentence, which then needn't name it in brackets.
pub fn first(finding: &Finding, sentence: &str) -> String {
    let Some(place) = in_words(finding).filter(|place| !sentence.starts_with(&format!("{place} ")))
    else {
        return sentence.to_owned();
    };
    let rest = sentence.replacen(&format!(" ({place})"), "", 1);
    format!("{place}: {rest}")
}

/// A place in the program: a function, and a line of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Place<'f> {
    /// The function's qualified name.
    pub function: &'f str,
    /// The file that it stands in.
    pub file: &'f str,
    /// The line; 0 where that isn't known.
    pub line: u32,
}

/// Returns the place that a finding is about, also where its sentence has it elsewhere than at its beginning.
pub fn place(finding: &Finding) -> Option<Place<'_>> {
    if let Some(MainFunction {
        name, file, line, ..
    }) = function(finding)
    {
        return Some(Place {
            function: name,
            file,
            line: *line,
        });
    }
    let Finding::GrowingInputs {
        site: Some(CallSite {
            function,
            file,
            line,
        }),
        ..
    } = finding
    else {
        return None;
    };
    Some(Place {
        function,
        file,
        line: *line,
    })
}

/// Writes the file and line where it is known, else the lap; `None` where a finding is about no single one.
fn in_words(finding: &Finding) -> Option<String> {
    if let Some(function) = function(finding) {
        return Some(place_of(function));
    }
    let path = match finding {
        Finding::GarbageCollection { place, .. } => return place.as_ref().map(calls::place),
        Finding::DataWait { path, .. }
        | Finding::HotSpot { path, .. }
        | Finding::InFunction { path, .. }
        | Finding::Recompilation { path, .. }
        | Finding::Occasional { path, .. }
        | Finding::MemoryBound { path, .. } => path,
        Finding::HeldLoop(held) => &held.path,
        Finding::SlowSteps { cause, .. } => &cause.as_ref()?.path,
        _ => return None,
    };
    Some(names::path(path))
}

/// Returns the function that most of what was found is in.
fn function(finding: &Finding) -> Option<&MainFunction> {
    match finding {
        Finding::Startup { function, .. }
        | Finding::Exit { function, .. }
        | Finding::BetweenSteps { function, .. }
        | Finding::OutsideSteps { function, .. }
        | Finding::HotSpot { function, .. }
        | Finding::MemoryRise { function, .. } => function.as_ref(),
        Finding::DataWait {
            function,
            worker_function,
            ..
        } => function.as_ref().or(worker_function.as_ref()),
        Finding::InFunction { function, .. } => Some(function),
        Finding::ThreadsWait(wait) => wait.function.as_ref(),
        Finding::HeldLoop(held) => held.function.as_ref(),
        _ => None,
    }
}
