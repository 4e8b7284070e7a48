//! Names of the sides of a comparison.

use laptime_analysis::compare::SideSummary;

/// Names a side by its recording or, of several, by the first and the last.
pub fn side_name(side: &SideSummary) -> String {
    match &side.recordings[..] {
        [] => "nothing".to_owned(),
        [one] => short(&one.name),
        [first, .., last] => format!(
            "{} … {} ({} runs)",
            short(&first.name),
            short(&last.name),
            side.recordings.len()
        ),
    }
}

/// Returns a recording's name without the folders around it.
fn short(path: &str) -> String {
    let name = path.trim_end_matches('/').rsplit('/').next();
    name.unwrap_or(path).to_owned()
}
