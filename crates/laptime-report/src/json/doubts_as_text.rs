//! Values that JSON has in words: doubts and differences, which the analysis hands out as values.

use laptime_analysis::{Doubt, Finding, RankDifference, SpanRow, Steady, Summary};

use crate::sentences::doubts;
use crate::sentences::findings::ranks;

/// Puts all doubts of a summary into words.
pub fn summary(mut summary: Summary) -> Summary {
    word(&mut summary.warnings);
    rows(&mut summary.rows);
    steady(summary.steady.as_mut());
    for one in &mut summary.by_process {
        rows(&mut one.rows);
        steady(one.steady.as_mut());
    }
    summary.findings.iter_mut().for_each(finding);
    summary
}

/// Puts what a finding says in sentences into words.
pub fn finding(finding: &mut Finding) {
    match finding {
        Finding::Unsteady { doubt, .. }
        | Finding::WarmUp {
            busy: Some(doubt), ..
        } => word(std::slice::from_mut(doubt)),
        Finding::Ranks { difference, .. } => {
            *difference = RankDifference::Worded(ranks::in_words(difference));
        }
        _ => {}
    }
}

fn rows(rows: &mut [SpanRow]) {
    for row in rows {
        word(&mut row.warnings);
    }
}

fn steady(steady: Option<&mut Steady>) {
    if let Some(steady) = steady {
        word(&mut steady.warnings);
        rows(&mut steady.rows);
    }
}

fn word(doubts: &mut [Doubt]) {
    for doubt in doubts {
        *doubt = Doubt::Worded(doubts::in_words(doubt));
    }
}
