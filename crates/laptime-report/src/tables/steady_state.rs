//! The section of a steady state: where it begins, its table, and reasons to doubt it.

use laptime_analysis::{Doubt, Finding, SpanRow, Steady, Summary};
use laptime_core::Unavailable;

use crate::document::view::View;
use crate::document::{Content, Section};
use crate::quantity::{self, plural};
use crate::sentences::doubts::in_words;
use crate::sentences::nouns::nouns;
use crate::tables::spans;
use crate::text::wrap;

/// Makes the section of `rows`, or says why there is none; `None` where nobody asked.
pub fn section(
    summary: &Summary,
    (steady, why): (Option<&Steady>, Option<&Unavailable>),
    rows: &[SpanRow],
    view: &View,
) -> Option<Section> {
    if !view.steady {
        return None;
    }
    if let Some(steady) = steady {
        return Some(steady_section(summary, steady, view));
    }
    // Without steps nobody asked for a steady state.
    let is_step = |row: &SpanRow| row.names.last().is_some_and(|name| name == "step");
    let why = why.filter(|_| rows.iter().any(is_step))?;
    Some(Section::headed("no steady state", Content::Remark).remarked(why.to_string()))
}

fn steady_section(summary: &Summary, steady: &Steady, view: &View) -> Section {
    let whole = quantity::exact(steady.wall_ns);
    let noun = steady.noun();
    let warmup = match steady.skipped_count {
        0 if steady.from_step == 0 => "no warm-up found".to_owned(),
        0 => format!(
            "no warm-up found after {}, in which operations were counted or kernels profiled",
            match steady.from_step {
                1 => format!("{noun} 0"),
                count => format!("{} 0 to {}", nouns(noun), count - 1),
            }
        ),
        steps => format!(
            "after {} of warm-up ({})",
            plural(steps, noun, &nouns(noun)),
            quantity::exact(steady.skipped_ns),
        ),
    };
    // Those of the run stand above all tables, as a finding.
    let is_unsteady = |finding: &Finding| matches!(finding, Finding::Unsteady { .. });
    let is_found = summary.by_process.is_empty() && summary.findings.iter().any(is_unsteady);
    Section::headed(
        format!("steady state from {noun} {}", steady.from_step),
        Content::Table(spans::table(summary, &steady.rows, view)),
    )
    .remarked(format!(
        "{warmup}; shares are of the {whole} from there to the last span{}",
        doubts(if is_found { &[] } else { &steady.warnings }),
    ))
}

/// Writes the sentences after a remark that give reasons to doubt.
fn doubts(doubts: &[Doubt]) -> String {
    let said = doubts.iter().map(|doubt| {
        let warning = in_words(doubt);
        let hint = warning.hint.as_deref().unwrap_or_default();
        format!(". But {}. {}", warning.message, wrap::capitalised(hint))
    });
    said.collect()
}

#[cfg(test)]
#[path = "tests/steady_state.rs"]
mod tests;
