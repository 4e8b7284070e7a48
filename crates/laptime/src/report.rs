//! The report of this process so far.

use laptime_analysis::{Summary, summarize_live};
use laptime_report::{Format, View, render};

/// What this process recorded so far. Printing it gives the table.
#[derive(Debug, Clone)]
pub struct Report {
    summary: Summary,
}

/// The report of this process so far. Recording goes on.
pub fn report() -> Report {
    Report {
        summary: summarize_live(&laptime_recorder::live(), None),
    }
}

impl Report {
    /// The numbers.
    pub fn summary(&self) -> &Summary {
        &self.summary
    }

    /// In any format.
    pub fn render(&self, format: Format) -> String {
        render(&self.summary, format, &View::default())
    }
}

impl std::fmt::Display for Report {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str(&self.render(Format::Text))
    }
}
