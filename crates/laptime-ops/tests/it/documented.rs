//! The documentation lists every operator that is known, and what a call of it costs.

use laptime_ops::vocabulary::known;

const PAGE: &str = include_str!("../../../../docs/operators.md");
const TITLE: &str = "| family | operators | a call costs |\n|---|---|---|\n";

fn table() -> String {
    let rows = known().into_iter().map(|known| {
        let family = match known.dialect {
            "aten" => known.family.to_owned(),
            dialect => format!("`{dialect}`"),
        };
        let names: Vec<String> = known.names.iter().map(|name| format!("`{name}`")).collect();
        format!("| {family} | {} | {} |\n", names.join(" "), known.says)
    });
    TITLE.to_owned() + &rows.collect::<String>()
}

#[test]
fn the_page_lists_every_operator_that_is_known() {
    let start = PAGE.find(TITLE).expect("the page has the table");
    let written = PAGE[start..].trim_end();
    let expected = table();
    assert!(
        written == expected.trim_end(),
        "the table at the end of docs/operators.md should be:\n\n{expected}"
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
