//! The whole summary as JSON, as `docs/summary.schema.json` describes it: what a report says first comes first.
//!
//! Sentences in it are those of the report in a terminal. Names stand in it unchanged, escaped where JSON itself would
//! let them act on a page or a terminal.

use laptime_analysis::Summary;
use laptime_core::Warning;
use serde::Serialize;

use crate::Shown;
use crate::document::filter::narrowed;
use crate::document::view::View;
use crate::json::doubts_as_text;
use crate::json::finding::WordedFinding;
use crate::json::headline::{Headline, Stretch};
use crate::next_command::{Command, after_report};
use crate::sentences::doubts;

/// Name of the schema.
const SCHEMA: &str = "laptime-summary";
/// Version of the schema: rises when a field changes its meaning or goes.
const SCHEMA_VERSION: u32 = 1;

/// Renders a summary.
pub fn render(summary: &Summary, view: &View) -> Shown {
    let rows = doubts_as_text::summary(narrowed(summary, view).into_owned());
    let written = File::new(summary, &rows, view);
    Shown::json(serde_json::to_string_pretty(&written).unwrap_or_default())
}

/// Describes the text that [`render`] writes.
#[cfg(feature = "schema")]
pub(crate) fn schema(generator: schemars::SchemaGenerator) -> schemars::Schema {
    generator.into_root_schema_for::<File<'_>>()
}

/// Everything known about a run: the object that `laptime report -f json` and `Report.to_json()` write.
///
/// **Units** nanoseconds; ratios are of 1. A number that is null is absent for the reason in the row's `why` or in
/// `unavailable`; one that is left out is 0, or was not measured. The version rises when a field changes its meaning or
/// goes; a release may add fields, and its schema has them.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
struct File<'s> {
    /// Name of the schema, which tells a summary from other JSON.
    #[cfg_attr(feature = "schema", schemars(extend("const" = SCHEMA)))]
    schema: &'static str,
    /// Version of the schema.
    #[cfg_attr(feature = "schema", schemars(extend("const" = SCHEMA_VERSION)))]
    version: u32,
    /// Last component of the program's or script's name.
    program: &'s str,
    /// The first line of the report.
    headline: Headline,
    /// Findings in the order in which to look at them, the weightiest first; empty where nothing was found.
    findings: Vec<WordedFinding<'s>>,
    /// The command that shows more of the run; null where there is no recording, or nothing more.
    next: Option<Command>,
    /// Reasons for doubt.
    warnings: Vec<Warning>,
    /// The stretch that a step of the headline and of the findings is one of.
    stretch: Stretch,
    /// Number of stacks that were sampled; null where none were.
    sample_count: Option<u64>,
    /// The numbers.
    #[serde(flatten)]
    summary: &'s Summary,
}

impl<'s> File<'s> {
    /// Puts together what is written of a summary, with those of its rows that are shown.
    fn new(summary: &'s Summary, rows: &'s Summary, view: &View) -> Self {
        let stretch = match view.steady(summary.steady.as_ref()) {
            Some(_) => Stretch::Steady,
            None => Stretch::Whole,
        };
        Self {
            schema: SCHEMA,
            version: SCHEMA_VERSION,
            program: &summary.program,
            headline: Headline::new(summary, !view.whole),
            findings: WordedFinding::all(summary, &view.origin),
            next: after_report(summary, view),
            warnings: doubts::all_in_words(&summary.warnings),
            stretch,
            sample_count: summary
                .functions
                .as_ref()
                .map(|functions| functions.sample_count),
            summary: rows,
        }
    }
}
