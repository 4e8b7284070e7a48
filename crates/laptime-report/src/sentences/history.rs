//! Places where the steps of a series of recordings changed, in words.

use laptime_analysis::compare::{Change, Comparison};

use crate::document::{Content, Section};
use crate::quantity;
use crate::sentences::nouns::one_of;

/// Returns the section of changes; none where nothing changed, or too few recordings tell.
pub fn section(comparison: &Comparison) -> Option<Section> {
    if comparison.changes.is_empty() {
        return None;
    }
    let noun = comparison
        .pairs
        .first()
        .map_or("step", |pair| pair.noun.as_str());
    let lines = comparison.changes.iter().map(|change| line(change, noun));
    Some(Section::headed(
        "changes in the order of the recordings",
        Content::Lines(lines.collect()),
    ))
}

fn line(change: &Change, noun: &str) -> String {
    let time = |ns| quantity::measured(ns).inline();
    format!(
        "From {} on {} takes {}, before it took {} ({}).",
        change.recording,
        one_of(noun),
        time(change.after_ns),
        time(change.before_ns),
        quantity::change(change.after_ns / change.before_ns - 1.0).inline(),
    )
}
