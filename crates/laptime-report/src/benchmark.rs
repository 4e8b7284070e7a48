//! What a benchmark found, in words: a line with the figures, then a line for each doubt.

use laptime_analysis::benchmark::{Doubt, Ending, Outcome};

use crate::quantity::{self, plural};

/// The figures as one line: `12.3 µs (95 %: 12.2 to 12.4, 84 samples of 100 runs after 3 of warm-up)`.
pub fn line(outcome: &Outcome) -> String {
    let digits = quantity::measured(outcome.median_ns);
    let interval = match &outcome.interval_ns {
        Ok((low, high)) => {
            let scaled = |ns| quantity::measured_like(ns, outcome.median_ns);
            format!("95 %: {} to {}, ", scaled(*low), scaled(*high))
        }
        Err(_) => String::new(),
    };
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
    format!("{} ({interval}{samples} {warmup})", digits.inline())
}

/// Why it ended early and what makes it doubtful, one sentence each. `asked` is how a budget is asked
/// for, such as `--budget {}`.
pub fn doubts(outcome: &Outcome, asked: &str) -> Vec<String> {
    let is_short = outcome.ending == Some(Ending::Budget) && !outcome.is_precise();
    let ended = is_short.then(|| budget(outcome, asked));
    let doubts = outcome.doubts.iter().map(doubt);
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

/// Why a median is doubtful, in a sentence.
pub fn doubt(doubt: &Doubt) -> String {
    match doubt {
        Doubt::Waited(ratio) => format!(
            "CPU time is {:.0} % of wall time: the code waited, or the machine was busy.",
            ratio * 100.0
        ),
        Doubt::NeverSteady => {
            "It never got steady: run times were still changing when half of the budget was used. \
             The median is of the steadiest part."
                .to_owned()
        }
        Doubt::Changed(later) => format!("It did not stay steady: {}.", later.said("sample")),
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
    fn one_long_run_says_what_is_missing() {
        let outcome = told(3e9, 0.0, 1.0);
        assert_eq!(line(&outcome), "3.00 s (1 run without warm-up)");
        assert_eq!(
            doubts(&outcome, "--budget {}"),
            [
                "The budget of 2 s is used up: 1 value is too few to tell how exact their median is; \
                 6 are needed. --budget 22 measures longer.",
                "Warm-up may be part of it: 1 step is too few to tell warm-up from steady state; 12 are \
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
