//! A row for each batch size on each device.

use laptime_analysis::inference::{Case, Figures, Sweep};
use laptime_analysis::percentiles::Percentile;
use laptime_core::Unavailable;

use super::per_second;
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

/// The heading, then the rows.
pub fn rows(sweep: &Sweep) -> Vec<Vec<String>> {
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
    let is_one = sweep.devices().len() < 2;
    let lead = if is_one { "batch" } else { "device, batch" };
    let mut heading = vec![lead.to_owned()];
    heading.extend(columns.iter().map(|column| column.0.to_owned()));
    let row = |case: &Case| {
        let batch = quantity::thousands(case.batch);
        let lead = if is_one {
            batch
        } else {
            format!("{} {batch}", name::visible(&case.device))
        };
        let cells = columns.iter().map(|column| {
            let figures = case.found.as_ref();
            figures.map_or_else(|_| absent(), |figures| column.1(figures))
        });
        std::iter::once(lead).chain(cells).collect()
    };
    // A device that wasn't measured at all is said in the first lines.
    let cases = sweep.cases.iter();
    let measured = cases.filter(|case| sweep.is_measured(&case.device));
    let rows = measured.map(row);
    std::iter::once(heading).chain(rows).collect()
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
