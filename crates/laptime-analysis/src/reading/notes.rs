//! Notes of a process's recorder: facts of the program and its machine, by their codes.

use std::collections::BTreeSet;
use std::str::FromStr;

use laptime_core::Live;
use laptime_core::format::record::Record;

use crate::reading::feature::{Context, Feature};

/// Most different notes that are stored.
const MOST_NOTES: usize = 256;

/// Code of the note that says when the interpreter began to exit, in ticks.
pub const EXITS: &str = "interpreter.exits";
/// Code of the note that says where inputs grow: file, function and line, one below the other.
pub const INPUTS_GROW: &str = "inputs.grow";

/// The notes of a process, each once: code and message.
#[derive(Debug, Default)]
pub struct Notes(pub BTreeSet<(String, String)>);

impl Notes {
    /// Returns when the interpreter began to exit, in ticks, if the program said so.
    pub fn exits_at(&self) -> Option<u64> {
        self.number(EXITS)
    }

    /// Returns the number that a note tells.
    pub fn number<N: FromStr>(&self, code: &str) -> Option<N> {
        let (_, number) = self.0.iter().find(|(noted, _)| noted == code)?;
        number.parse().ok()
    }
}

impl Feature for Notes {
    fn take_record(&mut self, record: &Record<'_>, _: Context<'_>) {
        if let Record::Note { code, message } = *record
            && self.0.len() < MOST_NOTES
        {
            self.0.insert((code.to_owned(), message.to_owned()));
        }
    }

    fn take_live(&mut self, live: &Live) {
        self.0.extend(live.notes.iter().cloned());
    }
}
