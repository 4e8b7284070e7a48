//! What steps did after warm-up, and how it is said.

use super::changes::Change;
use crate::summary::nouns;

/// What steps did after warm-up.
#[derive(Debug, Clone, PartialEq)]
pub enum Later {
    /// They grew longer or shorter all the time: the median of their last third over that of the first, less 1.
    Trend(f64),
    /// At these places they went to another level, in order; there is one at least.
    Changes(Vec<Change>),
}

impl Later {
    /// What is said of it; `noun` is what one step is called.
    pub fn said(&self, noun: &str) -> String {
        let nouns = nouns(noun);
        match self {
            Self::Trend(ratio) => {
                let course = if *ratio < 0.0 { "shorter" } else { "longer" };
                format!(
                    "{nouns} grew {course}: the median of their last third is {} of the first",
                    beside(*ratio)
                )
            }
            Self::Changes(changes) => {
                let each = changes.iter().enumerate().map(|(index, change)| {
                    let (from, told) =
                        (format!("from {noun} {} on", change.at), told(change.ratio));
                    let beside = if change.ratio > 1.0 { "as" } else { "than" };
                    if index == 0 {
                        format!("{from}, {nouns} were {told}")
                    } else {
                        format!("{from}, {told} {beside} just before")
                    }
                });
                each.collect::<Vec<_>>().join("; ")
            }
        }
    }
}

fn times(ratio: f64) -> String {
    let times = ratio + 1.0;
    let digits = usize::from(times < 9.95);
    format!("{times:.digits$} times")
}

/// A median beside another one.
fn beside(ratio: f64) -> String {
    if ratio > 1.0 {
        return format!("{} that", times(ratio));
    }
    let side = if ratio < 0.0 { "below" } else { "above" };
    format!("{:.0} % {side} that", ratio.abs() * 100.0)
}

fn told(ratio: f64) -> String {
    if ratio > 1.0 {
        return format!("{} as long", times(ratio));
    }
    let course = if ratio < 0.0 { "shorter" } else { "longer" };
    format!("{:.0} % {course}", ratio.abs() * 100.0)
}
