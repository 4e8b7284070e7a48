//! What a benchmark found, in words: a line with the figures, then a line for each doubt.

use laptime_analysis::benchmark::{Doubt, Ending, Outcome};
use laptime_core::Unavailable;

use crate::document::column::{Column, headed};
use crate::document::{Cell, Content, Row, Table};
use crate::quantity::{self, ABSENT, plural};
use crate::sentences::step_changes;
use crate::{markdown, text};

/// Median of what was measured.
pub(crate) const MEDIAN: Column = headed("median");
/// Mean and standard deviation of the samples.
const MEAN: Column = headed("mean ± σ");
/// Shortest and longest sample.
const RANGE: Column = headed("min to max");
/// Time on a CPU, of all threads.
const CPU: Column = headed("CPU time");
/// How often it ran.
const RUNS: Column = headed("runs");

/// The figures as one line: `12.3 µs (95 %: 12.2 to 12.4, 84 samples of 100 runs after 3 of warm-up)`.
pub fn line(outcome: &Outcome) -> String {
    let digits = quantity::measured(outcome.median_ns);
    let interval = match &outcome.interval_ns {
        Ok(both) => format!(
            "95 %: {}, ",
            quantity::interval_like(Some(both), outcome.median_ns)
        ),
        Err(_) => String::new(),
    };
    format!("{} ({interval}{})", digits.inline(), counted(outcome))
}

/// How many samples there are, and what of warm-up.
pub fn counted(outcome: &Outcome) -> String {
    let count = outcome.samples_ns.len() as u64;
    let samples = match outcome.iterations {
        1 => plural(count, "run", "runs"),
        runs => format!(
            "{} of {}",
            plural(count, "sample", "samples"),
            plural(runs, "run", "runs")
        ),
    };
    let warmup = match outcome.warmup {
        0 => "without warm-up".to_owned(),
        count => format!("after {} of warm-up", quantity::thousands(count as u64)),
    };
    format!("{samples} {warmup}")
}

/// How the samples are spread: `mean 12.3 ms ± 420 µs, 11.9 to 14.0 ms`. `None` of a single one.
pub fn spread(outcome: &Outcome) -> Option<String> {
    let [mean, range] = mean_and_range(outcome)?;
    Some(format!("mean {mean}, {range}"))
}

/// `12.3 ms ± 420 µs` and `11.9 to 14.0 ms`.
fn mean_and_range(outcome: &Outcome) -> Option<[String; 2]> {
    let (mean_ns, deviation_ns) = outcome.mean_ns();
    let (least_ns, most_ns) = outcome.range_ns();
    let time = |ns| quantity::measured(ns).inline();
    Some([
        format!("{} ± {}", time(mean_ns), time(deviation_ns?)),
        format!(
            "{} to {}",
            quantity::measured_like(least_ns, most_ns),
            time(most_ns)
        ),
    ])
}

/// A table of what took turns: how the samples of each are spread, with its CPU time in nanoseconds.
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

/// Mean and range; the mean alone where there is nothing to tell the spread by.
fn spread_cells(outcome: &Outcome) -> [Cell; 2] {
    let alone = || quantity::measured(outcome.mean_ns().0).inline();
    let both = mean_and_range(outcome).unwrap_or_else(|| [alone(), ABSENT.to_owned()]);
    both.map(Cell::from)
}

/// A table of benchmarks with their names and CPU times in nanoseconds, for a pull request, and notes below it.
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
    markdown::sections(&[Content::Table(table).into()])
}

/// A median with its interval.
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

/// Why it ended early and what makes it doubtful, one sentence each. `asked` is how a budget is asked
/// for, such as `--budget {}`.
pub fn doubts(outcome: &Outcome, asked: &str) -> Vec<String> {
    let is_short = outcome.ending == Some(Ending::Budget) && !outcome.is_precise();
    let ended = is_short.then(|| budget(outcome, asked));
    let noun = outcome.noun();
    let doubts = outcome.doubts.iter().map(|one| doubt(one, noun));
    ended.into_iter().chain(doubts).collect()
}

fn budget(outcome: &Outcome, asked: &str) -> String {
    let seconds = outcome.budget_ns / 1e9;
    let known = match (outcome.precision_ratio(), &outcome.interval_ns) {
        (Some(ratio), _) => format!("the median is known to ±{:.1} %", ratio * 100.0),
        (None, Err(why)) => why.to_string(),
        (None, Ok(_)) => "the median is 0".to_owned(),
    };
    format!(
        "The budget of {} s is used up: {known}. {} measures longer.",
        quantity::plain(seconds),
        asked_for(outcome.larger_budget_ns(), asked),
    )
}

/// A budget, as it is asked for.
pub fn asked_for(budget_ns: f64, asked: &str) -> String {
    asked.replace("{}", &quantity::plain(budget_ns / 1e9))
}

/// Why a median is doubtful, in a sentence; `noun` is what a sample is called.
pub fn doubt(doubt: &Doubt, noun: &str) -> String {
    match doubt {
        Doubt::Waited(ratio) => format!(
            "CPU time is {:.0} % of wall time: the code waited, or the machine was busy.",
            ratio * 100.0
        ),
        Doubt::NeverSteady => {
            "It never got steady: run times were still changing when half of the budget was used, so that the \
             median depends on how long is measured."
                .to_owned()
        }
        Doubt::Changed(later) => format!(
            "It did not stay steady: {}.",
            step_changes::in_words(later, noun)
        ),
        Doubt::Unknown(why) => format!("Warm-up may be part of it: {why}."),
    }
}

#[cfg(test)]
mod tests {
    use laptime_analysis::benchmark::{Count, Limits, Next, Plan};

    use super::*;

    fn told(cost_ns: f64, noise: f64, cpu: f64) -> Outcome {
        let mut plan = Plan::new(Limits {
            quantum_ns: 20.0,
            budget_ns: 2e9,
            precision_ratio: 0.01,
            count: Count::Budget,
        });
        let mut run = 0;
        while let Next::WarmUp(iterations) | Next::Sample(iterations) = plan.next() {
            run += 1;
            let off = 1.0 + noise * (f64::from(run * 7_919 % 101) / 50.0 - 1.0);
            let took = cost_ns * off * iterations as f64;
            plan.told(took, took * cpu);
        }
        plan.outcome().unwrap()
    }

    #[test]
    fn a_line_has_median_interval_samples_runs_and_warm_up() {
        let outcome = told(12_340.0, 0.01, 1.0);
        assert_eq!(
            line(&outcome),
            "12.3 µs (95 %: 12.3 to 12.4, 30 samples of 100 runs after 2 of warm-up)"
        );
        assert_eq!(doubts(&outcome, "--budget {}"), [""; 0]);
    }

    #[test]
    fn the_spread_has_mean_deviation_and_extremes() {
        let mut outcome = told(12_340.0, 0.01, 1.0);
        outcome.samples_ns = vec![1e6, 2e6, 3e6];
        assert_eq!(
            spread(&outcome).unwrap(),
            "mean 2.00 ms ± 1.00 ms, 1.00 to 3.00 ms"
        );
        outcome.samples_ns.truncate(1);
        assert_eq!(spread(&outcome), None);
    }

    #[test]
    fn a_table_has_the_spread_of_each() {
        let mut several = told(12_340.0, 0.01, 1.0);
        several.samples_ns = vec![1e6, 2e6, 3e6];
        (several.iterations, several.warmup) = (1, 2);
        let mut single = several.clone();
        single.samples_ns = vec![1e6];
        single.warmup = 0;
        insta::assert_snapshot!(table(&[("a", &several, 1e6), ("longer", &single, 2e6)]), @"
                         mean ± σ       min to max  CPU time       runs
        ───────────────────────────────────────────────────────────────
        a       2.00 ms ± 1.00 ms  1.00 to 3.00 ms   1.00 ms  3 after 2
        longer            1.00 ms                –   2.00 ms          1
        ");
    }

    #[test]
    fn markdown_has_a_row_for_each_and_notes() {
        let outcome = told(3e9, 0.0, 1.0);
        let notes = doubts(&outcome, "--budget {}");
        insta::assert_snapshot!(markdown(&[("a|b", &outcome, 3e9)], notes), @r"
        |  | median | 95 % | mean ± σ | min to max | CPU time | runs |
        | :--- | ---: | ---: | ---: | ---: | ---: | ---: |
        | a\|b | 3.00 s | – | 3.00 s | – | 3.00 s | 1 run without warm-up |

        The budget of 2 s is used up: 1 value is too few to tell how exact their median is; 6 are needed. --budget 22 measures longer.

        Warm-up may be part of it: 1 run is too few to tell warm-up from steady state; 12 are needed.
        ");
    }

    #[test]
    fn one_long_run_says_what_is_missing() {
        let outcome = told(3e9, 0.0, 1.0);
        assert_eq!(line(&outcome), "3.00 s (1 run without warm-up)");
        assert_eq!(
            doubts(&outcome, "--budget {}"),
            [
                "The budget of 2 s is used up: 1 value is too few to tell how exact their median is; \
                 6 are needed. --budget 22 measures longer.",
                "Warm-up may be part of it: 1 run is too few to tell warm-up from steady state; 12 are \
                 needed."
            ]
        );
    }

    #[test]
    fn waiting_is_a_doubt() {
        let doubts = doubts(&told(5e6, 0.0, 0.25), "--budget {}");
        assert_eq!(
            doubts,
            ["CPU time is 25 % of wall time: the code waited, or the machine was busy."]
        );
    }
}
