//! The time from the start of one step to that of the next, in words.
//!
//! `From step to step it takes 1.5 ms, 1.05 ms (234 %) longer: 963 µs of it pass between the steps, outside
//! of their laps.`

use laptime_analysis::benchmark::verdict::Verdict;
use laptime_analysis::compare::{ComparisonRow, Pair};

use super::no_break_quantities::{percent, time};
use crate::sentences::nouns::nouns;

/// Writes the sentence; `None` where nothing is known about a change.
pub fn sentence(pair: &Pair, row: &ComparisonRow) -> Option<String> {
    let noun = &pair.noun;
    let new_ns = row.new.as_ref()?.median_ns?;
    let takes = format!("From {noun} to {noun} it takes {}", time(new_ns));
    let is_longer = match row.verdict? {
        Verdict::Slower => true,
        Verdict::Faster => false,
        Verdict::Same => return Some(format!("{takes}, as long as before.")),
        Verdict::Inconclusive | Verdict::NotComparable => return None,
    };
    let way = if is_longer { "longer" } else { "less" };
    let (all_ns, between_ns) = (row.median_difference_ns, row.own_median_difference_ns);
    let share = row.ratio.map_or_else(String::new, |ratio| {
        format!(" ({})", percent((ratio - 1.0).abs() * 100.0))
    });
    // Where the step got shorter, by more than rounding, more passes between two steps than a period is longer.
    let amount = match between_ns > 0.0 {
        true if is_longer && between_ns <= 1.02 * all_ns => "of it",
        true => "more",
        false => "less",
    };
    let nouns = nouns(noun);
    Some(format!(
        "{takes}, {}{share} {way}: {} {amount} pass between the {nouns}, outside of their laps.",
        time(all_ns.abs()),
        time(between_ns.abs()),
    ))
}
