//! Factors in sentences: none is beyond the ratio of the longest to the shortest of its row.

use laptime_analysis::{SpanRow, Summary};

/// Tolerance for a factor that is rounded in a sentence, or taken from a mean of two middle values.
const ROUNDING: f64 = 1.02;

/// Returns a contradiction if a sentence names a factor that no row allows.
pub fn all(summary: &Summary, line: &str) -> Option<String> {
    let is_course = line.contains(" grew longer: ")
        || line.contains(" grew shorter: ")
        || (line.contains(" on, ") && (line.contains("From ") || line.contains("from ")));
    let row = summary.repeated_in_all().map(|(row, _)| row);
    let most = row.and_then(most)?;
    let factors = factors(line).into_iter();
    let beyond = factors
        .filter(|_| is_course)
        .find(|factor| *factor > ROUNDING * most);
    beyond.map(|factor| format!("{factor:.2} times, where {most:.2} is most: {line}"))
}

/// Returns the ratio of the longest to the shortest.
fn most(row: &SpanRow) -> Option<f64> {
    let (min_ns, max_ns) = (row.min_ns?, row.max_ns?);
    (min_ns > 0).then(|| max_ns as f64 / min_ns as f64)
}

/// Returns the factor of each change that a line names: `3.6 times`, `40 % longer`, `67 % below`.
fn factors(line: &str) -> Vec<f64> {
    let words: Vec<&str> = line.split_whitespace().collect();
    let number = |at: usize| words[at].parse::<f64>().ok();
    let each = (0..words.len().saturating_sub(1)).filter_map(|at| {
        let (unit, side) = (words[at + 1], words.get(at + 2).copied().unwrap_or(""));
        let side = side.trim_end_matches([',', ';', '.']);
        match (unit, side) {
            ("times", "as" | "that") => number(at),
            ("%", "longer" | "above") => Some(1.0 + number(at)? / 100.0),
            ("%", "shorter" | "below") => {
                // Rounded to a percent: of 99.6 % it says 100.
                let left = 1.0 - (number(at)? - 0.5) / 100.0;
                Some(1.0 / left.max(f64::MIN_POSITIVE))
            }
            _ => None,
        }
    });
    each.collect()
}
