//! A command of Laptime's: its words, and the line that a shell understands.

use serde::Serialize;

/// Characters of words that a shell takes as they are, beside letters and digits.
const PLAIN: &str = "/._-+=:@%,";

/// A command to type.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Command {
    /// Its words, `laptime` first: to be run without a shell.
    pub argv: Vec<String>,
    /// The line for a shell.
    pub text: String,
    /// The purpose, where its words don't say it.
    #[serde(skip)]
    pub remark: Option<&'static str>,
}

impl Command {
    /// Makes a command of the words after `laptime`.
    pub(super) fn new<'w>(words: impl Iterator<Item = &'w str>) -> Self {
        let argv: Vec<String> = std::iter::once("laptime")
            .chain(words)
            .map(str::to_owned)
            .collect();
        let text = argv
            .iter()
            .map(|word| quoted(word))
            .collect::<Vec<_>>()
            .join(" ");
        Self {
            argv,
            text,
            remark: None,
        }
    }

    /// Returns the command with what it is for.
    pub(super) fn remarked(self, remark: &'static str) -> Self {
        Self {
            remark: Some(remark),
            ..self
        }
    }

    /// Writes the line that ends a report.
    pub fn line(&self) -> String {
        match self.remark {
            Some(remark) => format!("next: {}  # {remark}", self.text),
            None => format!("next: {}", self.text),
        }
    }
}

/// Writes a word as it can be typed in a shell.
pub fn quoted(word: &str) -> String {
    let is_plain = |one: char| one.is_alphanumeric() || PLAIN.contains(one);
    if !word.is_empty() && word.chars().all(is_plain) {
        return word.to_owned();
    }
    format!("'{}'", word.replace('\'', "'\\''"))
}
