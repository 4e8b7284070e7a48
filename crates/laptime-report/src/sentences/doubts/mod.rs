//! Reasons for doubt in sentences, each with what to do about it.

mod device;
mod doubt_words;
mod operations;
mod process;
mod run;
mod spans;
mod steps;

use std::borrow::Cow;

use laptime_analysis::Doubt;
use laptime_core::Warning;

/// Puts a doubt into words.
pub fn in_words(doubt: &Doubt) -> Warning {
    let words = match doubt {
        Doubt::Process { process, doubt } => process::in_words(process, doubt),
        Doubt::Run(doubt) => run::in_words(doubt),
        Doubt::Spans(doubt) => spans::in_words(doubt),
        Doubt::Steps { pid, doubt } => steps::in_words(*pid, doubt),
        Doubt::Device(doubt) => device::in_words(doubt),
        Doubt::Operations(doubt) => operations::in_words(doubt),
        Doubt::Recording { name, doubt } => {
            let warning = in_words(doubt);
            return Warning {
                message: format!("{name}: {}", warning.message),
                ..warning
            };
        }
        Doubt::Worded(warning) => return warning.clone(),
    };
    Warning {
        code: doubt.code().to_owned(),
        message: words.message,
        hint: words.hint.map(Cow::into_owned),
    }
}

/// Puts doubts into words, one after the other.
pub fn all_in_words(doubts: &[Doubt]) -> Vec<Warning> {
    doubts.iter().map(in_words).collect()
}

#[cfg(test)]
#[path = "tests/doubts.rs"]
mod tests;
