//! Likely meanings of a row's name that isn't there.

use crate::summary::span_row::SpanRow;

/// Least likeness of two names that may be meant for each other: less alike ones are different words.
const LEAST: f64 = 0.82;

/// Returns the name among rows that is most like the last one of a path or pattern.
pub fn nearest<'r>(rows: &'r [SpanRow], wanted: &str) -> Option<&'r str> {
    let names = rows.iter().filter_map(|row| row.names.last());
    nearest_name(names.map(String::as_str), wanted)
}

/// Returns the name of several that is most like the last one of a path or pattern.
pub fn nearest_name<'r>(names: impl Iterator<Item = &'r str>, wanted: &str) -> Option<&'r str> {
    let wanted = laptime_core::path::around(wanted).1.to_lowercase();
    let likeness = names.map(|name| {
        let likeness = strsim::jaro_winkler(&name.to_lowercase(), &wanted);
        (name, likeness)
    });
    let near = likeness.filter(|(_, likeness)| *likeness > LEAST);
    near.max_by(|one, other| one.1.total_cmp(&other.1))
        .map(|(name, _)| name)
}

/// Returns the path among rows that is most like a path: each of its names is like that of the other.
pub fn nearest_path<'r>(rows: &'r [SpanRow], wanted: &[String]) -> Option<&'r str> {
    let alike = |one: &String, other: &String| {
        strsim::jaro_winkler(&one.to_lowercase(), &other.to_lowercase())
    };
    let likeness = |row: &SpanRow| {
        let each = row
            .names
            .iter()
            .zip(wanted)
            .map(|(one, other)| alike(one, other));
        (row.names.len() == wanted.len()).then(|| each.fold(1.0, f64::min))
    };
    let each = rows.iter().filter_map(|row| Some((likeness(row)?, row)));
    let near = each.filter(|(likeness, _)| *likeness > LEAST);
    near.max_by(|one, other| one.0.total_cmp(&other.0))
        .map(|(_, row)| row.path.as_str())
}

/// Returns the paths of all rows, the paths first whose last name is most like the last one of a path.
pub fn by_nearness<'r>(rows: &'r [SpanRow], wanted: &str) -> Vec<&'r str> {
    let wanted = laptime_core::path::around(wanted).1.to_lowercase();
    let likeness = |row: &SpanRow| {
        let name = row.names.last().map(|name| name.to_lowercase());
        strsim::jaro_winkler(&name.unwrap_or_default(), &wanted)
    };
    let mut paths: Vec<(f64, &str)> = rows
        .iter()
        .map(|row| (likeness(row), row.path.as_str()))
        .collect();
    paths.sort_by(|(one, _), (other, _)| other.total_cmp(one));
    paths.into_iter().map(|(_, path)| path).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_misspelt_name_is_found_and_another_word_is_not() {
        let rows = ["step", "forward", "backward"].map(|name| SpanRow {
            names: vec![name.to_owned()],
            ..SpanRow::default()
        });
        assert_eq!(nearest(&rows, "**/Forwards"), Some("forward"));
        assert_eq!(nearest(&rows, "optimizer"), None);
    }

    #[test]
    fn a_misspelt_path_is_answered_with_a_path() {
        let rows = ["step", "step/forward", "evaluation/forward"].map(|path| SpanRow {
            path: path.to_owned(),
            names: path.split('/').map(str::to_owned).collect(),
            ..SpanRow::default()
        });
        let near = |wanted: [&str; 2]| nearest_path(&rows, &wanted.map(str::to_owned));
        assert_eq!(near(["step", "forwards"]), Some("step/forward"));
        assert_eq!(near(["evaluations", "forward"]), Some("evaluation/forward"));
        assert_eq!(near(["load", "forward"]), None);
    }

    #[test]
    fn the_paths_that_are_there_begin_with_the_nearest() {
        let rows = ["step", "step/forward", "step/backward"].map(|path| SpanRow {
            path: path.to_owned(),
            names: path.split('/').map(str::to_owned).collect(),
            ..SpanRow::default()
        });
        let found = by_nearness(&rows, "train/Forwards");
        assert_eq!(found[0], "step/forward");
        assert_eq!(found.len(), 3);
    }
}
