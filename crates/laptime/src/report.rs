//! The report of this process so far.

use laptime_analysis::Summary;
use laptime_core::Unavailable;
pub use laptime_report::Format;
use laptime_report::{View, render};

use crate::recorded::summarize_live;

/// What a process recorded so far, or a recording on disk holds. Printing it gives the table.
#[derive(Debug, Clone)]
pub struct Report {
    summary: Summary,
}

/// The report of this process so far. Recording goes on.
pub fn report() -> Report {
    let mut summary = summarize_live(&laptime_recorder::live());
    if summary.span_count == 0 && !laptime_recorder::is_on() {
        let why = "recording was off. `laptime::record(\"run.lap\")` or `laptime::enable()` at the \
                   start of the program switches it on, or `laptime run PROGRAM` from outside";
        summary
            .unavailable
            .insert("spans".to_owned(), Unavailable(why.to_owned()));
    }
    Report::new(summary)
}

impl Report {
    /// The report of a summary.
    pub(crate) fn new(summary: Summary) -> Self {
        Self { summary }
    }

    /// The numbers.
    pub fn summary(&self) -> &Summary {
        &self.summary
    }

    /// In any format.
    pub fn render(&self, format: Format) -> String {
        render(&self.summary, format, &View::default()).into_string()
    }
}

impl std::fmt::Display for Report {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str(&self.render(Format::Text))
    }
}
