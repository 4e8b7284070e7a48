//! The parts of a run: its outermost rows, by what they are called.

use std::collections::HashMap;

use laptime_core::PhaseName;

use super::compiling::CompilingRows;
use super::largest_parts::OVERLAP_RATIO;
use crate::summarize::wall_time::STARTUP;
use crate::summary::headline::{Part, PartName};
use crate::summary::numbered_names::{Numbered, numbered, without_numbers};
use crate::summary::span_row::{RowKind, SpanRow};

/// Returns the outermost rows by what they are called, compiling by itself.
pub fn parts_of_run(rows: &[SpanRow], is_notebook: bool) -> Vec<Part> {
    let mut parts: Vec<Part> = Vec::new();
    let numbered = numbered(rows);
    let outermost = || rows.iter().filter(|row| row.depth() == 0);
    // A timer's segments lie over the laps: beside these they are no further part.
    let has_laps = outermost().any(|row| row.kind == RowKind::Span && row.total_ns > row.apart_ns);
    let mut compiling = 0.0;
    let compiling_rows = CompilingRows::among(rows);
    let mut places: HashMap<PartName, usize> = HashMap::new();
    for row in outermost() {
        let ratio = share(row, rows);
        let apart = row.apart_ns as f64 / row.total_ns.max(1) as f64;
        let ratio = if has_laps {
            ratio * (1.0 - apart)
        } else {
            ratio
        };
        if apart > 0.0 && ratio <= 0.0 {
            continue;
        }
        let inside = compiling_rows.inside(row);
        let compiled: f64 = inside.filter_map(|row| row.share_ratio).sum();
        let compiled = compiled.min(ratio);
        compiling += compiled;
        let ratio = ratio - compiled;
        if compiled > 0.0 && ratio <= 0.0 {
            continue;
        }
        let name = name_of_numbered(row, &numbered).unwrap_or_else(|| name(row, is_notebook));
        if let Some(at) = places.get(&name) {
            parts[*at].ratio += ratio;
            continue;
        }
        places.insert(name.clone(), parts.len());
        parts.push(Part::new(name, ratio));
    }
    if compiling > 0.0 {
        parts.push(Part::new(PartName::Compiling, compiling));
    }
    for part in &mut parts {
        part.is_several_at_once = part.ratio >= OVERLAP_RATIO;
    }
    parts
}

/// Returns the share of a row. A lap around the whole recording ends after it: what is known of it are the laps inside.
fn share(row: &SpanRow, rows: &[SpanRow]) -> f64 {
    let inside = || {
        let inside = rows.iter().filter(|inner| inner.is_child_of(&row.names));
        inside.filter_map(|inner| inner.share_ratio).sum()
    };
    row.share_ratio.unwrap_or_else(inside)
}

/// Returns the name of laps whose names differ by a number only.
fn name_of_numbered(row: &SpanRow, numbered: &[Numbered]) -> Option<PartName> {
    let (RowKind::Span, [name]) = (row.kind, &row.names[..]) else {
        return None;
    };
    let mut outermost = numbered.iter().filter(|one| one.names.len() == 1);
    let pattern = without_numbers(name);
    let laps = outermost.find(|one| one.names[0] == pattern)?;
    Some(PartName::NumberedLaps {
        pattern,
        count: laps.spans,
    })
}

/// Returns what a part of the run is called: as in the table, counted steps together with the others.
fn name(row: &SpanRow, is_notebook: bool) -> PartName {
    let name = row.names.first().map_or("", String::as_str);
    if row.kind == RowKind::Leftover {
        return if name == STARTUP && is_notebook {
            PartName::BeforeFirstLap
        } else {
            PartName::Leftover(name.to_owned())
        };
    }
    let phase = PhaseName::of_counted(name).or_else(|| PhaseName::of(name));
    PartName::Lap(match phase {
        Some(phase) => phase.text().to_owned(),
        None => name.to_owned(),
    })
}
