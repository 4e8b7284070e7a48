//! Changes of steps after warm-up, in words.

use laptime_analysis::benchmark::warm_up::Later;

use crate::sentences::nouns::nouns;

/// Says what steps did after warm-up; `noun` is what one of them is called.
pub fn in_words(later: &Later, noun: &str) -> String {
    let nouns = nouns(noun);
    match later {
        Later::Trend(ratio) => {
            let way = if *ratio < 0.0 { "shorter" } else { "longer" };
            format!(
                "{nouns} grew {way}: the median of their last third is {} of the first",
                beside(*ratio)
            )
        }
        Later::Changes(changes) => {
            let each = changes.iter().enumerate().map(|(index, change)| {
                let from = format!("from {noun} {} on", change.at);
                let than = if change.ratio > 1.0 { "as" } else { "than" };
                if index == 0 {
                    format!("{from}, {nouns} were {}", changed(change.ratio))
                } else {
                    format!("{from}, {} {than} just before", changed(change.ratio))
                }
            });
            each.collect::<Vec<_>>().join("; ")
        }
    }
}

fn times(ratio: f64) -> String {
    let times = ratio + 1.0;
    let digits = usize::from(times < 9.95);
    format!("{times:.digits$} times")
}

/// Says where a median lies beside another one.
fn beside(ratio: f64) -> String {
    if ratio > 1.0 {
        return format!("{} that", times(ratio));
    }
    let side = if ratio < 0.0 { "below" } else { "above" };
    format!("{:.0} % {side} that", ratio.abs() * 100.0)
}

fn changed(ratio: f64) -> String {
    if ratio > 1.0 {
        return format!("{} as long", times(ratio));
    }
    let way = if ratio < 0.0 { "shorter" } else { "longer" };
    format!("{:.0} % {way}", ratio.abs() * 100.0)
}

#[cfg(test)]
#[path = "tests/step_changes.rs"]
mod tests;
