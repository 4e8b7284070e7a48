//! The command to type after a report, which shows more than it did.

use std::path::Path;

use laptime_analysis::Summary;
use laptime_report::By;

use crate::messages::quoted;

/// The functions where stacks were sampled, the modules of a network where they were timed, then the timeline.
pub fn after(recording: &Path, summary: &Summary, by: By) -> String {
    let has_modules = summary.rows.iter().any(|row| !row.module_class.is_empty());
    let shown = quoted(recording);
    if summary.functions.is_some() && by == By::Path {
        return format!("next: laptime report {shown} --functions");
    }
    if has_modules && by == By::Path {
        return format!("next: laptime report {shown} --by module");
    }
    let page = recording.with_extension("html");
    format!("next: laptime report {shown} -o {} --open", quoted(&page))
}
