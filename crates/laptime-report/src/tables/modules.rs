//! The modules of a network: a row each, or a row a class, forward and backward together.

use laptime_analysis::summarize::device_steps;
use laptime_analysis::{ModuleRow, Pattern, SpanRow, Summary, by_class, by_module};
use laptime_core::{Phase, path};

use crate::document::column::Column;
use crate::document::view::{By, View};
use crate::document::{Cell, Content, Row, Section, Table};
use crate::quantity::{self, Precision};

/// Number of modules on a page.
const TOP_OF_PAGE: usize = 12;

/// Makes the table that the view asks for.
pub fn section(summary: &Summary, view: &View) -> Section {
    let steady = view.steady(summary.steady.as_ref());
    let rows = steady.map_or(&summary.rows, |steady| &steady.rows);
    // Where a device did the work of the steps, what is outside of them matters little.
    let is_of_steps = steady.is_some() || summary.steady.is_none();
    let repeated = summary.repeated().filter(|_| is_of_steps);
    let seen = repeated.and_then(|(step, among)| device_steps::by_device(step, among));
    let rows = seen.as_deref().unwrap_or(rows);
    let modules = match view.by {
        By::Class => by_class(rows),
        _ => by_module(rows),
    };
    let clock = seen.as_ref().map_or("", |_| " on the device");
    let all = modules.len();
    let modules: Vec<ModuleRow> = modules
        .into_iter()
        .filter(|row| is_wanted(row, view))
        .collect();
    if modules.is_empty() {
        let nothing = if all > 0 {
            format!(
                "None of {} matches the filter.",
                quantity::plural(all as u64, "row", "rows")
            )
        } else {
            "No module was timed. `laptime run --modules` times each layer of a PyTorch network."
                .to_owned()
        };
        return Section::remark(nothing);
    }
    let since = steady.map_or_else(String::new, |steady| {
        format!(", from {} {} on", steady.noun(), steady.from_step)
    });
    let of = if view.by == By::Class {
        "the modules of a class"
    } else {
        "each module"
    };
    Section::from(Content::Table(table(&modules, view))).remarked(format!(
        "time{clock} that {of} took without the modules inside{since}; shares are of these rows together"
    ))
}

/// Makes the table of the modules that take most time, for a page: forward and backward of each stand together here,
/// and apart in the tables below.
pub fn of_page(summary: &Summary, view: &View) -> Section {
    let view = View {
        by: By::Module,
        top: Some(view.top.unwrap_or(TOP_OF_PAGE)),
        ..view.clone()
    };
    Section {
        heading: Some("modules".to_owned()),
        ..section(summary, &view)
    }
}

/// Tells whether a filter, which is about the names of modules or classes here, lets a row through.
fn is_wanted(row: &ModuleRow, view: &View) -> bool {
    let names = match view.by {
        By::Class => vec![row.class.clone()],
        _ => path::split(&row.module),
    };
    let pattern = view.filter.as_deref().map(Pattern::new);
    pattern.is_none_or(|pattern| pattern.matches(&names))
}

fn table(modules: &[ModuleRow], view: &View) -> Table {
    let self_ns = modules.iter().map(ModuleRow::own_ns);
    let all_ns = self_ns.fold(0, u64::saturating_add);
    let has_flop = modules.iter().any(|module| module.flop.is_some());
    let shown = &modules[..modules.len().min(view.top.unwrap_or(modules.len()))];
    let mut columns = vec![
        Column::CALLS,
        Column::CODE_SELF_TIME,
        Column::phase(Phase::Forward),
        Column::phase(Phase::Backward),
    ];
    if has_flop {
        columns.extend([Column::FLOP, Column::FLOP_RATE]);
    }
    columns.push(Column::SHARE);
    let hidden = modules.len() - shown.len();
    let more = (hidden > 0).then(|| {
        let some = quantity::plural(hidden as u64, "row comes", "rows come");
        format!(
            "{some} after these and are not shown; `--by module --top {all}` shows all",
            all = modules.len()
        )
    });
    Table {
        lead: if view.by == By::Class {
            "class"
        } else {
            "module"
        }
        .into(),
        rows: shown
            .iter()
            .map(|module| row(module, all_ns, has_flop, view.by))
            .collect(),
        columns,
        notes: more.into_iter().collect(),
        ..Table::default()
    }
}

fn row(module: &ModuleRow, all_ns: u64, has_flop: bool, by: By) -> Row {
    let time = |ns: u64| Cell::Time(ns, Precision::Exact);
    let self_ns = module.own_ns();
    let mut cells = vec![
        Cell::Scaled(module.count.into()),
        time(self_ns),
        time(module.forward_ns),
        match module.backward_ns {
            0 => Cell::Blank,
            ns => time(ns),
        },
    ];
    if has_flop {
        let rate = module.flop.filter(|flop| *flop > 0 && self_ns > 0);
        cells.push(module.flop.map_or(Cell::Blank, Cell::Scaled));
        cells.push(rate.map_or(Cell::Blank, |flop| {
            Cell::Rate(flop as f64 * 1e9 / self_ns as f64)
        }));
    }
    cells.push(Cell::Share(self_ns as f64 / all_ns.max(1) as f64));
    Row::new(
        match by {
            By::Class => module.class.clone(),
            _ => named(&module.module, &module.class),
        },
        cells,
    )
}

/// Returns a row's name, with the class of the module that it is.
pub fn shown(row: &SpanRow) -> String {
    let name = row.names.last().cloned().unwrap_or_default();
    named(&name, &row.module_class)
}

/// Returns a module's name with its class; an outermost module is named by its class already.
fn named(name: &str, class: &str) -> String {
    let is_said = name == class
        || name
            .strip_prefix(class)
            .is_some_and(|rest| rest.starts_with('#'));
    match class {
        "" => name.to_owned(),
        _ if is_said => name.to_owned(),
        class => format!("{name} ({class})"),
    }
}
