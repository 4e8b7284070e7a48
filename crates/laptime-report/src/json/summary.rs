//! The whole summary as JSON, as `docs/summary.schema.json` describes it.
//!
//! Names stand in it unchanged, escaped where JSON itself would let them act on a page or a terminal.

use laptime_analysis::Summary;

use crate::Shown;
use crate::json::doubts_as_text;

/// Renders a summary.
pub fn render(summary: Summary) -> Shown {
    let summary = doubts_as_text::summary(summary);
    Shown::json(serde_json::to_string_pretty(&summary).unwrap_or_default())
}
