//! A finding for programs: the sentence that a terminal prints, what it was made of, and the command to type next.

use laptime_analysis::{Finding, Summary};
use serde::Serialize;

use crate::next_command::{Command, Origin, after_finding};
use crate::sentences::findings;

/// Something that is worth a look, as the terminal tells it.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct WordedFinding<'s> {
    /// The sentences that the report prints in a terminal: what was found, and what to try.
    pub text: String,
    /// The function that most of it is in; null where none is known.
    pub function: Option<&'s str>,
    /// The file that the function stands in.
    pub file: Option<&'s str>,
    /// The line that most of the function's own time is in, or that calls what was found; null where none is known.
    pub line: Option<u32>,
    /// The command that tells more; null where none does, or where nobody knows how the program was run.
    pub next: Option<Command>,
    /// Its kind, and the numbers that its rule saw.
    #[serde(flatten)]
    pub finding: &'s Finding,
}

impl<'s> WordedFinding<'s> {
    /// Puts all findings of a summary into words, in the order in which a terminal prints them.
    pub fn all(summary: &'s Summary, origin: &Origin) -> Vec<Self> {
        let worded = findings::in_words(summary).into_iter();
        let all = worded.map(|(finding, text)| {
            let place = findings::place(finding);
            Self {
                text,
                function: place.map(|place| place.function),
                file: place.map(|place| place.file),
                line: place.map(|place| place.line).filter(|line| *line > 0),
                next: after_finding(finding, summary, origin),
                finding,
            }
        });
        all.collect()
    }

    /// Returns the word for its kind, and the numbers that its rule saw as a JSON object.
    pub fn kind_and_evidence(&self) -> (String, String) {
        let written = serde_json::to_value(self.finding).unwrap_or_default();
        let kind = written["kind"].as_str().unwrap_or_default().to_owned();
        (kind, written["evidence"].to_string())
    }
}
