//! The result of a benchmark, in words: a line with the figures, then a line for each doubt.

use laptime_analysis::benchmark::{Doubt, Ending, NoPercentile, Outcome};

use crate::quantity::{self, plural};
use crate::sentences::step_changes;

/// Writes the figures as one line: `12.3 µs (95 %: 12.2 to 12.4, 84 samples of 100 runs after 3 of warm-up)`.
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

/// Writes how many samples there are, and how many are warm-up.
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

/// Writes how the samples are spread: `mean 12.3 ms ± 420 µs, 11.9 to 14.0 ms`. `None` for a single one.
pub fn spread(outcome: &Outcome) -> Option<String> {
    let [mean, range] = mean_and_range(outcome)?;
    Some(format!("mean {mean}, {range}"))
}

/// Writes mean and range, as `12.3 ms ± 420 µs` and `11.9 to 14.0 ms`. `None` for a single sample.
pub(crate) fn mean_and_range(outcome: &Outcome) -> Option<[String; 2]> {
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

/// Writes why a benchmark ended early and why it is doubtful, one sentence each. `asked` is the way in which a budget is
/// asked for, such as `--budget {}`.
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

/// Writes a budget, as it is asked for.
pub fn asked_for(budget_ns: f64, asked: &str) -> String {
    asked.replace("{}", &quantity::plain(budget_ns / 1e9))
}

/// Writes why a median is doubtful, as a sentence; `noun` is the name for a sample.
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

/// Writes why the 99th percentile of single runs isn't known: a phrase in lower case, without a stop.
pub fn no_percentile(why: &NoPercentile) -> String {
    match why {
        NoPercentile::RunsTogether { iterations } => {
            format!("a sample is {iterations} runs together, which hides how long single ones took")
        }
        NoPercentile::TooFewRuns(why) => why.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use laptime_analysis::benchmark::{Count, Limits, Next, Plan};

    use super::*;

    fn measured(cost_ns: f64, noise: f64, cpu: f64) -> Outcome {
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
            plan.add_run(took, took * cpu);
        }
        plan.outcome().unwrap()
    }

    #[test]
    fn a_line_has_median_interval_samples_runs_and_warm_up() {
        let outcome = measured(12_340.0, 0.01, 1.0);
        assert_eq!(
            line(&outcome),
            "12.3 µs (95 %: 12.3 to 12.4, 30 samples of 100 runs after 2 of warm-up)"
        );
        assert_eq!(doubts(&outcome, "--budget {}"), [""; 0]);
    }

    #[test]
    fn the_spread_has_mean_deviation_and_extremes() {
        let mut outcome = measured(12_340.0, 0.01, 1.0);
        outcome.samples_ns = vec![1e6, 2e6, 3e6];
        assert_eq!(
            spread(&outcome).unwrap(),
            "mean 2.00 ms ± 1.00 ms, 1.00 to 3.00 ms"
        );
        outcome.samples_ns.truncate(1);
        assert_eq!(spread(&outcome), None);
    }

    #[test]
    fn one_long_run_says_what_is_missing() {
        let outcome = measured(3e9, 0.0, 1.0);
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
        let doubts = doubts(&measured(5e6, 0.0, 0.25), "--budget {}");
        assert_eq!(
            doubts,
            ["CPU time is 25 % of wall time: the code waited, or the machine was busy."]
        );
    }
}
