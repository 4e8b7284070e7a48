//! What is written beside the table says the same: the struct, its JSON and the stubs.

use std::collections::BTreeSet;

use serde_json::{Map, Value, json};

use super::{Field, Number, Read, Unit, all, named, near, unavailable};
use crate::span_row::SpanRow;

const STUBS: &str = include_str!("../../../../python/laptime/_core.pyi");
/// What a row has besides numbers, and what only findings read.
const NO_NUMBERS: [&str; 11] = [
    "beyond_median_ns",
    "kind",
    "path",
    "names",
    "module",
    "module_class",
    "device",
    "memory",
    "work",
    "warnings",
    "why",
];

fn names() -> BTreeSet<&'static str> {
    all().map(|field| field.name).collect()
}

fn without_others<'a>(all: impl Iterator<Item = &'a str>) -> BTreeSet<&'a str> {
    all.filter(|name| !NO_NUMBERS.contains(name)).collect()
}

/// A row of JSON with another value in each number, and what a table reads of them.
fn filled() -> (Map<String, Value>, Vec<Number>) {
    let row = json!({"kind": "span", "path": "a", "names": ["a"]});
    let mut row = row.as_object().unwrap().clone();
    let numbers = all().zip(1_u32..).map(|(field, at)| {
        let (value, number) = match field.read {
            Read::Always(_) | Read::Whole(_) | Read::Wide(_) => {
                (json!(at), Number::Whole(at.into()))
            }
            Read::Signed(_) => (json!(-i64::from(at)), Number::Signed(-i64::from(at))),
            Read::Real(_) => (
                json!(f64::from(at) / 2.0),
                Number::Real(f64::from(at) / 2.0),
            ),
            Read::Word(_) => (json!("memory"), Number::Word("memory")),
        };
        row.insert(field.name.to_owned(), value);
        number
    });
    let numbers = numbers.collect();
    (row, numbers)
}

#[test]
fn every_number_is_read_from_the_field_of_its_name_and_written_under_it() {
    let (json, numbers) = filled();
    let row: SpanRow = serde_json::from_value(json.clone().into()).unwrap();
    for (field, number) in all().zip(numbers) {
        assert_eq!(field.of(&row), Some(number), "{}", field.name);
    }
    assert_eq!(serde_json::to_value(&row).unwrap(), Value::Object(json));
}

#[test]
fn no_field_of_a_row_is_missing_from_the_table() {
    let row = format!("{:#?}", SpanRow::default());
    let fields = row.lines().filter_map(|line| line.trim().split_once(": "));
    assert_eq!(without_others(fields.map(|(name, _)| name)), names());
}

#[test]
fn a_name_ends_in_its_unit() {
    for field in all() {
        let end = match field.unit {
            Unit::Spans => "count",
            Unit::Ns => "_ns",
            Unit::Ratio => "_ratio",
            Unit::Bytes if field.name == "bytes_moved" => "",
            Unit::Bytes => "_bytes",
            Unit::Mac => "mac",
            Unit::Flop => "flop",
            Unit::FlopRate => "flop_per_s",
            Unit::ByteRate => "bytes_moved_per_s",
            Unit::FlopPerByte => "intensity",
            Unit::Joules => "_j",
            Unit::Name => "bound",
        };
        assert!(field.name.ends_with(end), "{}", field.name);
        assert_eq!(named(field.name).map(|it| it.about), Some(field.about));
    }
}

#[test]
fn a_number_that_a_row_may_lack_has_a_reason_where_rows_give_none() {
    let reasons = unavailable();
    let given_by_rows = |name: &str| super::DURATIONS.names().any(|it| it == name);
    for field in all() {
        let is_given = given_by_rows(field.name) || ["count", "share_ratio"].contains(&field.name);
        let needs_reason = !matches!(field.read, Read::Always(_)) && !is_given;
        assert_eq!(
            reasons.contains_key(field.name),
            needs_reason,
            "{}",
            field.name
        );
    }
}

fn stub(field: &Field) -> &'static str {
    match field.read {
        Read::Always(_) => "int",
        Read::Whole(_) | Read::Signed(_) | Read::Wide(_) => "int | None",
        Read::Real(_) => "float | None",
        Read::Word(_) => "Literal[\"memory\", \"arithmetic\"] | None",
    }
}

#[test]
fn pythons_stubs_have_every_number_with_its_type() {
    let class = STUBS.split("class SpanSummary:").nth(1).unwrap();
    let class = class.split("\nclass ").next().unwrap();
    let said = class.lines().filter_map(|line| {
        let line = line.trim().strip_prefix("def ")?.strip_suffix(": ...")?;
        line.split_once("(self) -> ")
    });
    let said: Vec<(&str, &str)> = said
        .filter(|(name, _)| !NO_NUMBERS.contains(name) && !name.starts_with("__"))
        .collect();
    let wanted: Vec<(&str, &str)> = all().map(|field| (field.name, stub(field))).collect();
    assert_eq!(
        said.into_iter().collect::<BTreeSet<_>>(),
        wanted.into_iter().collect::<BTreeSet<_>>()
    );
}

#[test]
fn a_number_whose_unit_was_forgotten_is_found() {
    assert_eq!(near("p50"), ["p50_ns"]);
    assert_eq!(near("mfu"), ["mfu_ratio"]);
    assert_eq!(near("p50_sn")[0], "p50_ns");
    assert!(near("peak").contains(&"host_memory_peak_max_bytes"));
    assert!(near("colour").is_empty());
}
