//! Phases that turn out to be of no step are divided into evaluations, each with its batches and forwards.

use laptime_core::{PhaseName, SpanFlags};

use super::part::{Entry, Part};
use super::write_unit::write;
use crate::laps::{Held, Laps};

/// Between two of them a program computes for so long, or for as long as the evaluation took so far. More
/// than what another process takes of the CPU now and then: counts must not depend on that.
pub const SHORT_NS: u64 = 50_000_000;

/// An evaluation that is over.
#[derive(Debug)]
pub struct Evaluation {
    entries: Vec<Entry>,
    /// When the next began, or something else; the last phase's end where nothing did.
    end: u64,
    /// Something else lies between its phases so far and the next one.
    is_split: bool,
}

impl Evaluation {
    fn new(entry: Entry) -> Self {
        Self {
            end: entry.end(),
            entries: vec![entry],
            is_split: false,
        }
    }

    fn has_data(&self) -> bool {
        self.entries.iter().any(|entry| entry.part.is_data())
    }

    fn has_call(&self) -> bool {
        self.entries.iter().any(Entry::is_call)
    }

    /// Whether a phase goes on with it.
    fn goes_on_with(&self, part: &Part) -> bool {
        match part {
            Part::Start(_) | Part::Batch(_) => !self.has_call(),
            Part::Forward(called) => !called.begins || self.has_data(),
            Part::End(_) => self.has_data(),
            Part::Other => true,
            Part::Zero => false,
        }
    }

    fn push(&mut self, entry: Entry) {
        self.end = entry.end();
        let is_apart = entry.is_apart || std::mem::take(&mut self.is_split);
        self.entries.push(Entry { is_apart, ..entry });
    }

    /// Writes it. Forwards without a batch are pieces of one, and what lies between them is in none.
    pub fn write(&self, laps: &dyn Laps, parent: u32) {
        let kind = PhaseName::Evaluation;
        let mut flags = SpanFlags::NONE;
        if self.has_data() {
            let together = |one: &Entry, next: &Entry| !one.is_piece() && !next.is_piece();
            let mut pieces = self.entries.chunk_by(together).peekable();
            while let Some(piece) = pieces.next() {
                let [.., last] = piece else { continue };
                let is_inside = pieces.peek().is_some() || last.is_piece();
                let end = if is_inside { last.end() } else { self.end };
                write(laps, kind, parent, piece, end, flags);
                flags = SpanFlags::CONTINUES;
            }
            return;
        }
        for entry in &self.entries {
            let held = Held {
                name: kind,
                flags: entry.held.flags.with(flags),
                ..entry.held
            };
            let path = laps.emit_around(&held, parent);
            laps.emit(&entry.held, path);
            flags = SpanFlags::CONTINUES;
        }
    }
}

/// Divides phases into evaluations, and what is of none. `end`: when the last of them is over, if not with its last
/// phase.
pub fn divide(entries: Vec<Entry>, end: Option<u64>) -> (Vec<Evaluation>, Vec<Entry>) {
    let (mut all, mut rest): (Vec<Evaluation>, Vec<Entry>) = (Vec::new(), Vec::new());
    let mut is_open = false;
    for entry in entries {
        if let Some(last) = all.last_mut().filter(|_| is_open) {
            if last.goes_on_with(&entry.part) {
                last.push(entry);
                continue;
            }
            if last.has_call() {
                last.end = entry.held.start;
                is_open = false;
            }
            last.is_split = true;
        }
        if let Part::End(_) | Part::Other | Part::Zero = entry.part {
            rest.push(entry);
        } else {
            all.push(Evaluation::new(entry));
            is_open = true;
        }
    }
    if let Some(last) = all.last_mut().filter(|_| is_open) {
        last.end = end.unwrap_or(last.end);
    }
    // A batch that was given to no module is of none.
    let unused = all.extract_if(.., |one| !one.has_call());
    rest.extend(unused.flat_map(|one| one.entries));
    rest.sort_by_key(|entry| entry.held.start);
    for evaluation in &mut all {
        let mut calls = evaluation
            .entries
            .iter_mut()
            .filter(|entry| entry.is_call());
        if let Some(first) = calls.next() {
            first.goes_on_if(false);
        }
    }
    (all, rest)
}
