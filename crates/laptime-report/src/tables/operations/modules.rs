//! The tree of modules: each with its cost and that of the modules in it, to a depth.

use laptime_core::operations::{Counts, ModuleCount};

use super::cells::{Cells, Work, is_nothing, sort_rows};
use super::subject::Subject;
use super::view::{DEFAULT_DEPTH, OperationsSort, OperationsView};
use crate::document::column::Column;
use crate::document::{Cell, Content, Row, Section, Table};
use crate::quantity::plural;

const COLUMNS: [Column; 10] = [
    Column::PARAMS,
    Column::CALLS,
    Column::MAC,
    Column::SELF_MAC,
    Column::FLOP,
    Column::OTHER_FLOP,
    Column::BYTES,
    Column::INTENSITY,
    Column::COVERAGE,
    Column::SHARE,
];

/// Tells whether the model has parts.
pub fn has_parts(counts: &Counts) -> bool {
    counts.by_module.len() > 1
}

/// Makes the section of the module tree.
pub fn section(counts: &Counts, subject: &Subject, view: &OperationsView) -> Section {
    let work = Work::most_telling(&counts.total.total().cost);
    let depth = view.depth.unwrap_or(DEFAULT_DEPTH);
    let tree = Tree::new(counts, view.sort.unwrap_or(OperationsSort::Model), depth);
    let shown = &tree.shown;
    let columns: Vec<Column> = COLUMNS
        .into_iter()
        .filter(|column| match *column {
            Column::COVERAGE => shown.iter().any(|row| row.inclusive.total().uncounted > 0),
            Column::SELF_MAC => shown.iter().any(|row| is_mixed(row)),
            Column::CALLS => shown.iter().any(|row| row.calls > 0),
            Column::SHARE => work.is_some(),
            Column::PARAMS => counts.params.is_some(),
            _ => true,
        })
        .collect();
    let mut cells = Cells::new(view.exact, work);
    let rows = shown.iter().map(|module| {
        let tally = module.inclusive.total();
        let cell = |column: &Column| match *column {
            Column::PARAMS => cells.number(module.params.into()),
            Column::CALLS if module.calls == 0 => Cell::Blank,
            Column::CALLS => Cell::Exact(module.calls.into()),
            Column::SELF_MAC => cells.tally(&module.own.total(), Column::MAC),
            column => cells.tally(&tally, column),
        };
        Row {
            depth: module.depth as usize,
            ..Row::new(
                name(counts, module, subject),
                columns.iter().map(cell).collect(),
            )
        }
    });
    let rows = rows.collect();
    let mut notes: Vec<String> = work
        .map(|work| {
            format!(
                "share is of all {}; a module's numbers hold those of the modules in it",
                work.noun()
            )
        })
        .into_iter()
        .collect();
    if tree.deeper > 0 {
        let some = plural(tree.deeper as u64, "module", "modules");
        notes.push(format!(
            "{some} below depth {depth} not shown; --depth all shows all"
        ));
    }
    if tree.idle > 0 {
        let some = plural(tree.idle as u64, "module", "modules");
        notes.push(format!(
            "{some} without parameters and operations not shown"
        ));
    }
    Section::headed(
        "by module",
        Content::Table(Table {
            lead: "module".into(),
            columns,
            rows,
            notes,
            reasons: cells.reasons,
            ..Table::default()
        }),
    )
}

/// Tells whether a module computes by itself and by its parts.
fn is_mixed(module: &ModuleCount) -> bool {
    let own = module.own.total().cost.mac;
    own > 0 && own < module.inclusive.total().cost.mac
}

/// Returns a module's last name, with its class.
pub fn name(counts: &Counts, module: &ModuleCount, subject: &Subject) -> String {
    let above = module
        .parent
        .map_or("", |index| counts.by_module[index].path.as_str());
    let last = match module.path.strip_prefix(above) {
        Some(rest) => rest.strip_prefix('.').unwrap_or(rest),
        None => &module.path,
    };
    match (last, module.kind.as_str()) {
        ("", "") if subject.name.is_empty() => "model".to_owned(),
        ("", "") => subject.name.clone(),
        ("", kind) => kind.to_owned(),
        (last, "") => last.to_owned(),
        (last, kind) => format!("{last} ({kind})"),
    }
}

/// The modules that are shown, parents before children.
struct Tree<'a> {
    shown: Vec<&'a ModuleCount>,
    deeper: usize,
    idle: usize,
}

impl<'a> Tree<'a> {
    fn new(counts: &'a Counts, sort: OperationsSort, depth: u32) -> Self {
        let modules = &counts.by_module;
        let mut children: Vec<Vec<usize>> = vec![Vec::new(); modules.len()];
        let mut tree = Self {
            shown: Vec::new(),
            deeper: 0,
            idle: 0,
        };
        // A module with children is kept for their sake, so children are judged first.
        let mut is_kept = vec![false; modules.len()];
        let mut roots = Vec::new();
        for (index, module) in modules.iter().enumerate().rev() {
            let has_any = !children[index].is_empty();
            let is_idle = module.params == 0 && is_nothing(&module.inclusive.total());
            is_kept[index] = module.depth <= depth && (has_any || !is_idle || index == 0);
            if module.depth > depth {
                tree.deeper += 1;
            } else if !is_kept[index] {
                tree.idle += 1;
            }
            if is_kept[index] {
                match module.parent {
                    Some(parent) => children[parent].push(index),
                    None => roots.push(index),
                }
            }
        }
        for siblings in children.iter_mut().chain([&mut roots]) {
            siblings.reverse();
            sort_rows(
                siblings,
                sort,
                |index| modules[*index].inclusive.total(),
                |index| &modules[*index].path,
            );
        }
        // A model may be nested deeper than a stack is: no recursion.
        let mut open: Vec<usize> = roots.into_iter().rev().collect();
        while let Some(index) = open.pop() {
            open.extend(children[index].iter().rev());
            tree.shown.push(&modules[index]);
        }
        tree
    }
}
