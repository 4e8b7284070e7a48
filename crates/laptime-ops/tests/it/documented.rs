//! The documentation lists every operator that is known, and what a call of it costs.

use laptime_ops::vocabulary::known;

const PAGE: &str = include_str!("../../../../docs/operators.md");
const TITLE: &str = "| family | operators | a call costs |\n|---|---|---|\n";

fn rows() -> Vec<String> {
    let rows = known().into_iter().map(|known| {
        let family = match known.dialect {
            "aten" => known.family.to_owned(),
            dialect => format!("`{dialect}`"),
        };
        let names: Vec<String> = known.names.iter().map(|name| format!("`{name}`")).collect();
        format!("| {family} | {} | {} |", names.join(" "), known.says)
    });
    rows.collect()
}

/// The rows of one side that the other lacks, each on a line with a sign before it.
fn lacking(sign: char, rows: &[&str], other: &[&str]) -> Vec<String> {
    let rows = rows.iter().filter(|row| !other.contains(row));
    rows.map(|row| format!("{sign} {row}")).collect()
}

#[test]
fn the_page_lists_every_operator_that_is_known() {
    let start = PAGE.find(TITLE).expect("the page has the table");
    let written: Vec<&str> = PAGE[start + TITLE.len()..].trim_end().lines().collect();
    let rows = rows();
    let known: Vec<&str> = rows.iter().map(String::as_str).collect();
    let differing = [
        lacking('-', &written, &known),
        lacking('+', &known, &written),
    ]
    .concat();
    assert!(
        differing.is_empty(),
        "the table at the end of docs/operators.md has other rows (-) than the formulas give (+). A number is \
         first worked out by hand in a test beside its formula.\n\n{}",
        differing.join("\n")
    );
    let place = written
        .iter()
        .zip(&known)
        .find(|(written, known)| written != known);
    assert!(
        place.is_none() && written.len() == known.len(),
        "the table at the end of docs/operators.md has its rows in another order, or twice, from here on: {place:?}"
    );
}

#[test]
fn every_operator_says_what_a_call_costs() {
    for known in known() {
        assert!(!known.says.is_empty(), "{:?}", known.names);
        assert!(!known.says.contains('|'), "{:?}", known.names);
    }
}

#[test]
fn the_page_lists_no_operator_twice() {
    let mut names: Vec<(&str, &str)> = known()
        .iter()
        .flat_map(|known| known.names.iter().map(|name| (known.dialect, *name)))
        .collect();
    let all = names.len();
    names.sort_unstable();
    names.dedup();
    assert_eq!(names.len(), all);
    assert!(all > 1000, "{all}");
}
