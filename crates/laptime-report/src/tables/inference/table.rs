//! Tables of a sweep: a row for each batch size on each device, and a second table for latency under load.

use laptime_analysis::benchmark::inference::{Case, Figures, Load, Sweep};
use laptime_analysis::statistics::percentiles::Percentile;
use laptime_core::Unavailable;

use crate::document::column::{Column, headed};
use crate::document::{Cell, Row, Table};
use crate::quantity::{self, ABSENT};
use crate::sentences::inference_labels::{asked, per_second};

const P50: Column = headed("p50");
const P99: Column = headed("p99");

/// A column, and the function that writes its cell of a case.
type Shown = (Column, fn(&Figures) -> String);

const ALWAYS: [Shown; 7] = [
    (P50, |one| value(&one.latency.p50)),
    (Column::interval_of(P50).gives_way(4), |one| {
        interval(&one.latency.p50)
    }),
    (headed("p90").gives_way(1), |one| value(&one.latency.p90)),
    (P99.gives_way(7), |one| value(&one.latency.p99)),
    (Column::interval_of(P99).gives_way(0), |one| {
        interval(&one.latency.p99)
    }),
    (headed("samples/s"), |one| {
        per_second(one.samples_per_s.per_s)
    }),
    (headed("first call").gives_way(3), |one| {
        quantity::measured(one.first_ns).inline()
    }),
];
const TOKENS: Shown = (headed("tokens/s"), |one| {
    let rate = one.tokens_per_s.as_ref();
    rate.map_or_else(absent, |rate| per_second(rate.per_s))
});
const TRANSFERS: [Shown; 3] = [
    (headed("in").gives_way(5), |one| {
        let both = one.transfers.as_ref();
        both.map_or_else(absent, |both| value(&both.into.p50))
    }),
    (headed("out").gives_way(6), |one| {
        let both = one.transfers.as_ref();
        both.map_or_else(absent, |both| value(&both.out.p50))
    }),
    (headed("p50 with both"), |one| value(&one.total().p50)),
];
const CALLS: Shown = (headed("calls").gives_way(2), |one| {
    let calls = quantity::thousands(one.latency.count as u64);
    format!("{calls} after {}", quantity::thousands(one.warmup as u64))
});

/// Makes the table of latency, and then that of the load if there is one.
pub fn tables(sweep: &Sweep) -> impl Iterator<Item = Table> {
    let tables = std::iter::once(latency(sweep)).chain(load(sweep));
    // No row: no device was measured, and the first lines say why.
    tables.filter(|table| !table.rows.is_empty())
}

fn latency(sweep: &Sweep) -> Table {
    let figures = || {
        sweep
            .cases
            .iter()
            .filter_map(|case| case.found.as_ref().ok())
    };
    let mut columns = ALWAYS.to_vec();
    if figures().any(|one| one.tokens_per_s.is_some()) {
        columns.insert(6, TOKENS);
    }
    if figures().any(|one| one.transfers.is_some()) {
        columns.splice(columns.len() - 1..columns.len() - 1, TRANSFERS);
    }
    columns.push(CALLS);
    let row = |case: &Case| {
        let cells = columns.iter().map(|column| {
            let figures = case.found.as_ref();
            figures
                .map_or_else(|_| absent(), |figures| column.1(figures))
                .into()
        });
        Row::new(name_of(sweep, case), cells.collect())
    };
    // A device that wasn't measured at all is said in the first lines.
    let cases = sweep.cases.iter();
    let measured = cases.filter(|case| sweep.is_measured(&case.device));
    Table {
        lead: lead(sweep).into(),
        rows: measured.map(row).collect(),
        columns: columns.iter().map(|column| column.0).collect(),
        ..Table::default()
    }
}

/// Returns the heading of the first column.
fn lead(sweep: &Sweep) -> &'static str {
    let is_one = sweep.devices().len() < 2;
    if is_one { "batch" } else { "device, batch" }
}

fn name_of(sweep: &Sweep, case: &Case) -> String {
    let batch = quantity::thousands(case.batch);
    if sweep.devices().len() < 2 {
        return batch;
    }
    format!("{} {batch}", case.device)
}

/// Distance of a load from 100 % within which a decimal tells on which side it is.
const NEAR_RATIO: f64 = 0.05;

/// Columns of the table of the load.
const LOAD: [Column; 6] = [
    P50.gives_way(1),
    headed("p90").gives_way(0),
    P99,
    headed("requests").gives_way(2),
    headed("busy"),
    headed("kept up"),
];

fn load(sweep: &Sweep) -> Option<Table> {
    let cases = sweep.cases.iter();
    let loads: Vec<(&Case, &Load)> = cases
        .filter_map(|case| Some((case, case.found.as_ref().ok()?.load.as_ref()?)))
        .collect();
    let rate = loads.first()?.1.rate_per_s;
    let rows = loads.iter().map(|(case, load)| {
        let all = &load.latency;
        let at_least = |found: &Result<Percentile, Unavailable>| match value(found) {
            text if load.is_at_least() && found.is_ok() => format!("≥ {text}"),
            text => text,
        };
        let requests = quantity::thousands(load.arrived as u64);
        let left = load.arrived - load.served;
        let cells = [
            at_least(&all.p50),
            at_least(&all.p90),
            at_least(&all.p99),
            match left {
                0 => requests,
                left => format!("{requests}, {} left", quantity::thousands(left as u64)),
            },
            busy(load.busy_ratio),
            match load.kept_up() {
                Ok(true) => "yes",
                Ok(false) => "no",
                Err(_) => "can't tell",
            }
            .to_owned(),
        ];
        Row::new(name_of(sweep, case), cells.map(Cell::from).to_vec())
    });
    Some(Table {
        lead: format!("{}, {} requests/s", lead(sweep), asked(rate)).into(),
        columns: LOAD.to_vec(),
        rows: rows.collect(),
        ..Table::default()
    })
}

/// Writes a load, with a decimal where 100 % are near: below it a rate is kept up with, above it is not.
fn busy(ratio: f64) -> String {
    let percent = ratio * 100.0;
    if (ratio - 1.0).abs() < NEAR_RATIO {
        return format!("{percent:.1} %");
    }
    format!("{percent:.0} %")
}

fn absent() -> String {
    ABSENT.to_owned()
}

fn value(percentile: &Result<Percentile, Unavailable>) -> String {
    let found = percentile.as_ref();
    found.map_or_else(
        |_| absent(),
        |found| quantity::measured(found.value_ns).inline(),
    )
}

/// Writes the interval of a percentile in the percentile's unit.
fn interval(percentile: &Result<Percentile, Unavailable>) -> String {
    let found = percentile.as_ref();
    found.map_or_else(
        |_| absent(),
        |found| quantity::interval_like(found.interval_ns.as_ref().ok(), found.value_ns),
    )
}
