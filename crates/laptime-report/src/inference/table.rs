//! A row for each batch size on each device, and in a table of its own what it does under load.

use laptime_analysis::inference::{Case, Figures, Load, Sweep};
use laptime_analysis::percentiles::Percentile;
use laptime_core::Unavailable;

use super::words::{asked, per_second};
use crate::grid::{Rows, Table};
use crate::{name, quantity};

/// What stands where a number is absent.
const ABSENT: &str = "–";

/// A column: its heading, and what it shows of a case.
type Column = (&'static str, fn(&Figures) -> String);

const ALWAYS: [Column; 7] = [
    ("p50", |one| value(&one.latency.p50)),
    ("95 %", |one| interval(&one.latency.p50)),
    ("p90", |one| value(&one.latency.p90)),
    ("p99", |one| value(&one.latency.p99)),
    ("95 %", |one| interval(&one.latency.p99)),
    ("samples/s", |one| per_second(one.samples_per_s.per_s)),
    ("first call", |one| {
        quantity::measured(one.first_ns).inline()
    }),
];
const TOKENS: Column = ("tokens/s", |one| {
    let rate = one.tokens_per_s.as_ref();
    rate.map_or_else(absent, |rate| per_second(rate.per_s))
});
const TRANSFERS: [Column; 3] = [
    ("in", |one| {
        let both = one.transfers.as_ref();
        both.map_or_else(absent, |both| value(&both.into.p50))
    }),
    ("out", |one| {
        let both = one.transfers.as_ref();
        both.map_or_else(absent, |both| value(&both.out.p50))
    }),
    ("p50 with both", |one| value(&one.total().p50)),
];
const CALLS: Column = ("calls", |one| {
    let calls = quantity::thousands(one.latency.count as u64);
    format!("{calls} after {}", quantity::thousands(one.warmup as u64))
});

/// Columns in the order in which they give way to a narrow terminal.
const GIVE_WAY: [&str; 8] = [
    "95 % of p99",
    "p90",
    "calls",
    "first call",
    "95 % of p50",
    "in",
    "out",
    "p99",
];

/// Latency, and then the load if there is one.
pub fn tables(sweep: &Sweep) -> Vec<Table> {
    let latency = Table {
        rows: latency(sweep),
        give_way: &GIVE_WAY,
    };
    let load = load(sweep).map(|rows| Table {
        rows,
        give_way: &LOAD_GIVES_WAY,
    });
    // No row: no device was measured, and the first lines say why.
    let tables = std::iter::once(latency).chain(load);
    tables.filter(|table| table.rows.len() > 1).collect()
}

fn latency(sweep: &Sweep) -> Rows {
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
    let mut heading = vec![lead(sweep)];
    heading.extend(columns.iter().map(|column| column.0.to_owned()));
    let row = |case: &Case| {
        let cells = columns.iter().map(|column| {
            let figures = case.found.as_ref();
            figures.map_or_else(|_| absent(), |figures| column.1(figures))
        });
        std::iter::once(name_of(sweep, case)).chain(cells).collect()
    };
    // A device that wasn't measured at all is said in the first lines.
    let cases = sweep.cases.iter();
    let measured = cases.filter(|case| sweep.is_measured(&case.device));
    std::iter::once(heading).chain(measured.map(row)).collect()
}

/// What the first column is called.
fn lead(sweep: &Sweep) -> String {
    let is_one = sweep.devices().len() < 2;
    if is_one { "batch" } else { "device, batch" }.to_owned()
}

fn name_of(sweep: &Sweep, case: &Case) -> String {
    let batch = quantity::thousands(case.batch);
    if sweep.devices().len() < 2 {
        return batch;
    }
    format!("{} {batch}", name::visible(&case.device))
}

/// How near a load is to 100 % where a decimal tells on which side it is.
const NEAR_RATIO: f64 = 0.05;

/// Columns of the load.
const LOAD: [&str; 6] = ["p50", "p90", "p99", "requests", "busy", "kept up"];
/// Those that give way, as above.
const LOAD_GIVES_WAY: [&str; 3] = ["p90", "p50", "requests"];

fn load(sweep: &Sweep) -> Option<Rows> {
    let cases = sweep.cases.iter();
    let loads: Vec<(&Case, &Load)> = cases
        .filter_map(|case| Some((case, case.found.as_ref().ok()?.load.as_ref()?)))
        .collect();
    let rate = loads.first()?.1.rate_per_s;
    let mut heading = vec![format!("{}, {} requests/s", lead(sweep), asked(rate))];
    heading.extend(LOAD.map(str::to_owned));
    let rows = loads.iter().map(|(case, load)| {
        let all = &load.latency;
        let at_least = |found: &Result<Percentile, Unavailable>| match value(found) {
            text if load.is_at_least() && found.is_ok() => format!("≥ {text}"),
            text => text,
        };
        let requests = quantity::thousands(load.arrived as u64);
        let left = load.arrived - load.served;
        vec![
            name_of(sweep, case),
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
        ]
    });
    Some(std::iter::once(heading).chain(rows).collect())
}

/// With a decimal where 100 % are near: below it a rate is kept up with, above it is not.
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

/// In the unit of its percentile.
fn interval(percentile: &Result<Percentile, Unavailable>) -> String {
    let Ok(found) = percentile else {
        return absent();
    };
    let Ok((low, high)) = &found.interval_ns else {
        return absent();
    };
    let like = |ns| quantity::measured_like(ns, found.value_ns);
    format!("{} to {}", like(*low), like(*high))
}
