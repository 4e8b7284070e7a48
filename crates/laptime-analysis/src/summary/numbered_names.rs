//! Rows whose names differ by a number only, such as `iteration0` and `iteration1`: laps of one kind that
//! each have a name of their own, so that no row tells how long one of them takes.
//!
//! Layers of a network have such names too, but each of them runs once a step: only names that are used once are
//! meant here.

use std::collections::BTreeMap;

use laptime_core::{PhaseName, path};

use crate::summary::doubt::{Doubt, SpansDoubt};
use crate::summary::span_row::{RowKind, SpanRow};

/// Fewer names than this may be meant.
const LEAST_NAMES: u64 = 20;

/// Rows whose names differ by a number only.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Numbered {
    /// The names of their paths, with `#` for each number.
    pub names: Vec<String>,
    /// How many rows.
    pub rows: u64,
    /// How many spans.
    pub spans: u64,
}

/// The rows of a table that have numbers in their names, outermost first, then by how many there are.
pub fn numbered(rows: &[SpanRow]) -> Vec<Numbered> {
    let mut found: BTreeMap<Vec<String>, (u64, u64)> = BTreeMap::new();
    for row in rows.iter().filter(|row| has_number(row) && !is_layer(row)) {
        let names = row.names.iter().map(|name| without_numbers(name)).collect();
        let (rows, spans) = found.entry(names).or_default();
        *rows += 1;
        // One that never ended is one all the same.
        *spans += row.count.unwrap_or(0).max(1);
    }
    let mut found: Vec<Numbered> = found
        .into_iter()
        .map(|(names, (rows, spans))| Numbered { names, rows, spans })
        .filter(|one| one.rows >= LEAST_NAMES && one.spans < 2 * one.rows)
        .collect();
    found.sort_by_key(|one| (one.names.len(), std::cmp::Reverse(one.rows)));
    found
}

/// A name with `#` for each number in it.
pub fn without_numbers(name: &str) -> String {
    let mut pattern = String::with_capacity(name.len());
    for character in name.chars() {
        if !character.is_ascii_digit() {
            pattern.push(character);
        } else if !pattern.ends_with('#') {
            pattern.push('#');
        }
    }
    pattern
}

/// Finds rows that have numbers in their names.
pub fn doubt(rows: &[SpanRow]) -> Option<Doubt> {
    let found = numbered(rows);
    let first = found.first()?;
    Some(Doubt::Spans(SpansDoubt::NumberedNames {
        pattern: path::join(first.names.iter().map(String::as_str)),
        span_count: first.spans,
        name_count: first.rows,
        other_kind_count: found.len() as u64 - 1,
    }))
}

fn has_number(row: &SpanRow) -> bool {
    let last = row.names.last();
    row.kind == RowKind::Span
        && last.is_some_and(|name| name.bytes().any(|byte| byte.is_ascii_digit()))
}

/// A part of a network, of which a program that runs it once has one lap each.
fn is_layer(row: &SpanRow) -> bool {
    let around = &row.names[..row.names.len() - 1];
    let mut phases = around.iter().filter_map(|name| PhaseName::of(name));
    !row.module.is_empty()
        || phases.any(|phase| matches!(phase, PhaseName::Forward | PhaseName::Backward))
}

#[cfg(test)]
#[path = "tests/numbered_names.rs"]
mod tests;
