//! Rows of a neural network's modules, and the time and operations of each module by itself.
//!
//! What laps inside a module did is the module's own.

use std::collections::{BTreeMap, HashMap};

use laptime_core::{PhaseName, path};

use crate::reading::module_paths::Modules;
use crate::summary::instrumented_names::is_observed_unit;
use crate::summary::span_row::{RowKind, SpanRow};

/// Fills in which modules rows are of.
pub fn fill<'m>(rows: &mut [SpanRow], processes: impl Iterator<Item = &'m Modules>) {
    let classes: HashMap<&[String], &str> = processes
        .flat_map(|modules| &modules.classes)
        .map(|(names, class)| (names.as_slice(), class.as_str()))
        .collect();
    if classes.is_empty() {
        return;
    }
    for row in rows.iter_mut().filter(|row| row.kind == RowKind::Span) {
        let found = (0..row.names.len())
            .find_map(|from| classes.get(&row.names[from..]).map(|class| (from, *class)));
        if let Some((from, class)) = found {
            row.module = path::join(row.names[from..].iter().map(String::as_str));
            row.module_class = class.to_owned();
        }
    }
}

/// Time and operations of a module by itself, in all phases.
///
/// **Units** nanoseconds, floating-point operations.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ModuleRow {
    /// The names from the outermost module on, joined by `/`.
    pub module: String,
    /// Name of its class.
    pub class: String,
    /// Number of times that its forward ran.
    pub count: u64,
    /// Time in its forward that no module inside took.
    pub forward_ns: u64,
    /// Time in its backward that no module inside took.
    pub backward_ns: u64,
    /// Floating-point operations of forward and backward that no module inside did; `None` where they weren't
    /// counted.
    pub flop: Option<u128>,
}

impl ModuleRow {
    /// Returns the time of forward and backward together.
    pub fn own_ns(&self) -> u64 {
        self.forward_ns.saturating_add(self.backward_ns)
    }

    fn add_flop(&mut self, more: Option<u128>) {
        if let Some(more) = more {
            self.flop = Some(self.flop.unwrap_or(0).saturating_add(more));
        }
    }
}

/// Returns the time and operations of each module by itself, longest first.
pub fn by_module(rows: &[SpanRow]) -> Vec<ModuleRow> {
    let index_of: HashMap<&[String], usize> = rows
        .iter()
        .enumerate()
        .map(|(index, row)| (row.names.as_slice(), index))
        .collect();
    let around = |row: &SpanRow| index_of.get(&row.names[..row.depth()]).copied();
    let mut inside = vec![0_u128; rows.len()];
    for row in rows.iter().filter(|row| row.kind == RowKind::Span) {
        if let (Some(at), Some(flop)) = (around(row), row.work.flop) {
            inside[at] = inside[at].saturating_add(flop);
        }
    }
    let mut made: BTreeMap<&str, ModuleRow> = BTreeMap::new();
    for (index, row) in rows.iter().enumerate() {
        // The innermost module that the row is, or is in.
        let mut at = Some(index);
        while let Some(found) = at.filter(|at| rows[*at].module.is_empty()) {
            at = around(&rows[found]);
        }
        // Of a unit that was counted as it ran, the time is no one's.
        let is_told =
            row.kind == RowKind::Span && !row.names.iter().any(|name| is_observed_unit(name));
        let Some(of) = at.map(|at| &rows[at]).filter(|_| is_told) else {
            continue;
        };
        let module = made.entry(&of.module).or_insert_with(|| ModuleRow {
            module: of.module.clone(),
            class: of.module_class.clone(),
            ..ModuleRow::default()
        });
        if around_module(of)
            .iter()
            .any(|name| name == PhaseName::Backward.text())
        {
            module.backward_ns = module.backward_ns.saturating_add(row.self_ns);
        } else {
            module.forward_ns = module.forward_ns.saturating_add(row.self_ns);
            if std::ptr::eq(of, row) {
                module.count = module.count.saturating_add(row.count.unwrap_or(0));
            }
        }
        module.add_flop(row.work.flop.map(|flop| flop.saturating_sub(inside[index])));
    }
    longest_first(made.into_values())
}

/// Returns the names around a module's outermost module.
fn around_module(row: &SpanRow) -> &[String] {
    let starts = (0..row.names.len()).rev();
    let mut around = starts.map(|from| row.names.split_at(from));
    let found = around.find(|(_, own)| path::join(own.iter().map(String::as_str)) == row.module);
    found.map_or(&[], |(around, _)| around)
}

/// Returns the time and operations of the modules of each class by themselves, longest first; `module` is
/// empty.
pub fn by_class(rows: &[SpanRow]) -> Vec<ModuleRow> {
    let mut made: BTreeMap<String, ModuleRow> = BTreeMap::new();
    for module in by_module(rows) {
        let class = made
            .entry(module.class.clone())
            .or_insert_with(|| ModuleRow {
                class: module.class.clone(),
                ..ModuleRow::default()
            });
        class.count = class.count.saturating_add(module.count);
        class.forward_ns = class.forward_ns.saturating_add(module.forward_ns);
        class.backward_ns = class.backward_ns.saturating_add(module.backward_ns);
        class.add_flop(module.flop);
    }
    longest_first(made.into_values())
}

fn longest_first(rows: impl Iterator<Item = ModuleRow>) -> Vec<ModuleRow> {
    let mut rows: Vec<ModuleRow> = rows.collect();
    rows.sort_by_key(|row| std::cmp::Reverse(row.own_ns()));
    rows
}

#[cfg(test)]
#[path = "tests/modules.rs"]
mod tests;
