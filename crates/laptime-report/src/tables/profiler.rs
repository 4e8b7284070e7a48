//! Operators by lap: below each lap those that took most of it, then the rest in one row, and kernels.

use laptime_analysis::{KernelTime, LapOperators, OperatorTime, Operators, Pattern, Summary};
use laptime_core::{Total, Unavailable};

use crate::document::column::Column;
use crate::document::view::View;
use crate::document::{Cell, Content, Row, Section, Table};
use crate::quantity::{self, Precision};
use crate::tables::functions::function_rows::{below_lap, lap_name, lap_row};

/// Number of operators shown of a lap, where nobody asks for more.
const FEW: usize = 8;
/// Code of the note that says why nothing was profiled.
const UNAVAILABLE: &str = "kernels.unavailable";
/// Reason why a lap's time is not the sum of its operators' times.
const NOT_PROFILED: &str = "the lap also ran without the profiler";

/// Note that profiled steps ran slower.
pub const SLOWER: &str = "These steps ran slower than others: the profiler looks at each operator";

/// Makes the tables: of operators and, where a device worked, of its kernels.
pub fn sections(summary: &Summary, view: &View) -> Vec<Section> {
    let Some(all) = &summary.operators else {
        return vec![nothing(summary)];
    };
    let pattern = view.filter.as_deref().map(Pattern::new);
    let is_asked = |lap: &&LapOperators| {
        let matches = pattern.as_ref().map(|pattern| pattern.matches(&lap.names));
        matches.unwrap_or(true)
    };
    let laps: Vec<&LapOperators> = all.laps.iter().filter(is_asked).collect();
    let most = view.top.unwrap_or(FEW);
    let on_host = Section::headed("operators", Content::Table(of_operators(all, &laps, most)))
        .remarked(remark(all));
    let works = laps.iter().any(|lap| !lap.kernels.is_empty());
    let on_device = works.then(|| {
        Section::headed(
            "kernels and copies",
            Content::Table(of_kernels(&laps, most)),
        )
        .remarked(of_devices(all))
    });
    [on_host].into_iter().chain(on_device).collect()
}

fn nothing(summary: &Summary) -> Section {
    let said = summary.warnings.iter().any(|one| one.code() == UNAVAILABLE);
    let why = if said {
        "no step was profiled, as the warnings say"
    } else {
        "no step was profiled: `laptime run --kernels 10:13 train.py` profiles three of them"
    };
    Section::headed("operators", Content::Remark).remarked(why)
}

fn remark(all: &Operators) -> String {
    let within = all.within_ns.map_or_else(String::new, |ns| {
        format!("; moments are known to {}", quantity::exact(ns))
    });
    format!(
        "{} took {} by themselves{within}. {SLOWER}",
        quantity::plural(all.call_count, "operator", "operators"),
        quantity::exact(all.self_ns),
    )
}

fn time(ns: u64) -> Cell {
    Cell::Time(ns, Precision::Exact)
}

fn ratio(part: u64, whole: u64) -> Cell {
    Cell::Share(part as f64 / whole.max(1) as f64)
}

fn of_operators(all: &Operators, laps: &[&LapOperators], most: usize) -> Table {
    let mut rows = Vec::new();
    for lap in laps.iter().filter(|lap| lap.call_count > 0) {
        let cells = vec![
            Cell::Count(lap.call_count, 0),
            time(lap.self_ns),
            Cell::Blank,
            of_lap(lap.self_ns, lap),
            ratio(lap.self_ns, all.self_ns),
        ];
        rows.push(named(lap, laps, cells));
        let (shown, rest) = lap.operators.split_at(most.min(lap.operators.len()));
        rows.extend(shown.iter().map(|one| of_operator(one, lap)));
        rows.extend(rest_of(rest, lap));
    }
    Table {
        lead: "lap, operators that began in it".into(),
        columns: vec![
            Column::FUNCTION_CALLS,
            Column::SELF_TIME,
            Column::TOTAL,
            Column::OF_PARENT,
            Column::SHARE,
        ],
        rows,
        notes: vec![
            "self is time in the operator itself, total also in what it called; of parent is the self time's \
             share of the lap's self time; share is the lap's of all operators"
                .to_owned(),
        ],
        reasons: vec![Unavailable(NOT_PROFILED.to_owned())],
        ..Table::default()
    }
}

fn named(lap: &LapOperators, laps: &[&LapOperators], cells: Vec<Cell>) -> Row {
    let is_taken = laps
        .iter()
        .any(|other| other.path == lap.path && other.kind != lap.kind);
    lap_row(
        lap_name(&lap.path, lap.kind, is_taken),
        &lap.names,
        lap.kind,
        cells,
    )
}

fn of_lap(self_ns: u64, lap: &LapOperators) -> Cell {
    lap.lap_ns.map_or(Cell::Absent(0), |ns| ratio(self_ns, ns))
}

fn of_operator(one: &OperatorTime, lap: &LapOperators) -> Row {
    let cells = vec![
        Cell::Count(one.call_count, 0),
        time(one.self_ns),
        time(one.total_ns),
        of_lap(one.self_ns, lap),
        Cell::Blank,
    ];
    below_lap(one.name.clone(), cells)
}

/// Makes one row of the operators that have none.
fn rest_of(rest: &[OperatorTime], lap: &LapOperators) -> Option<Row> {
    let self_ns = rest.iter().map(|one| one.self_ns).total();
    let cells = vec![
        Cell::Count(rest.iter().map(|one| one.call_count).total(), 0),
        time(self_ns),
        Cell::Blank,
        of_lap(self_ns, lap),
        Cell::Blank,
    ];
    let kinds = rest.len() as u64;
    let name = quantity::plural(kinds, "other operator", "other operators");
    (kinds > 0).then(|| below_lap(name, cells))
}

fn of_devices(all: &Operators) -> String {
    let each = all.devices.iter().map(|device| {
        let of = [
            (device.busy_ns, "busy"),
            (device.launch_bound_ns, "launch-bound"),
            (device.waiting_ns, "waiting"),
        ];
        let of = of.map(|(ns, what)| format!("{what} {}", quantity::exact(ns)));
        format!("device {}: {}", device.device, of.join(", "))
    });
    format!(
        "{}. Launch-bound is idle time in which the host had not launched the next kernel yet, waiting that \
         in which it had",
        each.collect::<Vec<String>>().join("; ")
    )
}

fn of_kernels(laps: &[&LapOperators], most: usize) -> Table {
    let mut rows = Vec::new();
    for lap in laps.iter().filter(|lap| !lap.kernels.is_empty()) {
        let busy_ns = lap.device.map_or(0, |device| device.busy_ns);
        let all_ns: u64 = lap.kernels.iter().map(|one| one.total_ns).total();
        let count = lap.kernels.iter().map(|one| one.call_count).total();
        let cells = vec![Cell::Count(count, 0), time(busy_ns), Cell::Blank];
        rows.push(named(lap, laps, cells));
        let (shown, rest) = lap.kernels.split_at(most.min(lap.kernels.len()));
        rows.extend(shown.iter().map(|one| of_kernel(one, all_ns)));
        if !rest.is_empty() {
            let ns = rest.iter().map(|one| one.total_ns).total();
            let count = rest.iter().map(|one| one.call_count).total();
            let cells = vec![Cell::Count(count, 0), time(ns), ratio(ns, all_ns)];
            let name = quantity::plural(rest.len() as u64, "other kernel", "other kernels");
            rows.push(below_lap(name, cells));
        }
    }
    Table {
        lead: "lap, what it launched".into(),
        columns: vec![Column::FUNCTION_CALLS, Column::DEVICE, Column::OF_PARENT],
        rows,
        notes: vec![
            "a lap's device time is that in which at least one of its kernels or copies ran"
                .to_owned(),
        ],
        ..Table::default()
    }
}

fn of_kernel(one: &KernelTime, all_ns: u64) -> Row {
    let cells = vec![
        Cell::Count(one.call_count, 0),
        time(one.total_ns),
        ratio(one.total_ns, all_ns),
    ];
    below_lap(one.name.clone(), cells)
}
