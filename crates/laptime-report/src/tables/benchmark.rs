//! Results of benchmarks as tables: how the samples of each are spread, with its CPU time.

use laptime_analysis::benchmark::Outcome;
use laptime_core::Unavailable;

use crate::document::column::{Column, headed};
use crate::document::{Cell, Content, Row, Table};
use crate::quantity::{self, ABSENT};
use crate::sentences::benchmark::{counted, mean_and_range};
use crate::{markdown as pages, text};

/// Median of the samples.
pub(crate) const MEDIAN: Column = headed("median");
/// Mean and standard deviation of the samples.
const MEAN: Column = headed("mean ± σ");
/// Shortest and longest sample.
const RANGE: Column = headed("min to max");
/// CPU time of all threads.
const CPU: Column = headed("CPU time");
/// Number of runs.
const RUNS: Column = headed("runs");

/// Renders a table of benchmarks that took turns: how the samples of each are spread, with its CPU time in nanoseconds.
pub fn table(all: &[(&str, &Outcome, f64)]) -> String {
    let rows = all.iter().map(|(name, one, cpu_ns)| {
        let [mean, range] = spread_cells(one);
        let count = quantity::thousands(one.samples_ns.len() as u64 * one.iterations);
        let runs = match one.warmup {
            0 => count,
            warmup => format!("{count} after {}", quantity::thousands(warmup as u64)),
        };
        let cpu = quantity::measured(*cpu_ns).inline();
        Row::new(*name, vec![mean, range, cpu.into(), runs.into()])
    });
    let table = Table {
        columns: vec![MEAN, RANGE, CPU, RUNS],
        rows: rows.collect(),
        ..Table::default()
    };
    text::sections(&[Content::Table(table).into()], None)
}

/// Makes cells of mean and range; the mean alone where a single sample tells no spread.
fn spread_cells(outcome: &Outcome) -> [Cell; 2] {
    let alone = || quantity::measured(outcome.mean_ns().0).inline();
    let both = mean_and_range(outcome).unwrap_or_else(|| [alone(), ABSENT.to_owned()]);
    both.map(Cell::from)
}

/// Renders a table of benchmarks with their names and CPU times in nanoseconds, for a pull request, and notes below it.
pub fn markdown(all: &[(&str, &Outcome, f64)], notes: Vec<String>) -> String {
    let rows = all.iter().map(|(name, one, cpu_ns)| {
        let [mean, range] = spread_cells(one);
        let [median, interval] = median_cells(one.median_ns, &one.interval_ns);
        let cpu = quantity::measured(*cpu_ns).inline();
        let runs = counted(one);
        Row::new(
            *name,
            vec![median, interval, mean, range, cpu.into(), runs.into()],
        )
    });
    let median = [MEDIAN, Column::interval_of(MEDIAN)];
    let table = Table {
        columns: [&median[..], &[MEAN, RANGE, CPU, RUNS]].concat(),
        rows: rows.collect(),
        notes,
        ..Table::default()
    };
    pages::sections(&[Content::Table(table).into()])
}

/// Makes cells of a median and its interval.
pub(crate) fn median_cells(
    median_ns: f64,
    interval_ns: &Result<(f64, f64), Unavailable>,
) -> [Cell; 2] {
    let interval = quantity::interval_like(interval_ns.as_ref().ok(), median_ns);
    [
        quantity::measured(median_ns).inline().into(),
        interval.into(),
    ]
}

#[cfg(test)]
#[path = "tests/benchmark.rs"]
mod tests;
