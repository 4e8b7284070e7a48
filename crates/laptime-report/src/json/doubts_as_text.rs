//! Doubts of rows and of the steady state, which JSON has in words and the analysis hands out as values.

use laptime_analysis::{Doubt, SpanRow, Steady, Summary};

use crate::sentences::doubts;

/// Puts the doubts of a summary's rows into words.
pub fn summary(mut summary: Summary) -> Summary {
    rows(&mut summary.rows);
    steady(summary.steady.as_mut());
    for one in &mut summary.by_process {
        rows(&mut one.rows);
        steady(one.steady.as_mut());
    }
    summary
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
