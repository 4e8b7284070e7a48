//! What sides are called.

use laptime_analysis::compare::SideSummary;

/// A side: its recording or, of several, the first and the last.
pub fn side(side: &SideSummary) -> String {
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

/// A recording's name without the folders around it.
fn short(path: &str) -> String {
    let name = path.trim_end_matches('/').rsplit('/').next();
    name.unwrap_or(path).to_owned()
}
