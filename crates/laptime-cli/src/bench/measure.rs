//! Runs contenders in turns, as the plan of a contest says, and keeps what they took.

use laptime_analysis::benchmark::{self, Next, Plan};
use laptime_analysis::contest::{self, Contest, Limits};

use super::command::{Contender, Took};
use crate::error::CliError;

/// Smallest step of the clock, in nanoseconds: what a command takes is a million times that.
const QUANTUM_NS: f64 = 100.0;

/// Of each command, medians of user and system time in nanoseconds.
pub type CpuTimes = Vec<[f64; 2]>;

/// What was found.
pub enum Found {
    /// Of one command.
    One(benchmark::Outcome),
    /// Of several.
    Several(contest::Outcome),
}

/// Runs all until it's clear which are faster, or the budget is used up. Medians of user and system time
/// for each of them come with it.
///
/// **Errors** where a run fails.
pub fn measure(
    contenders: &[Contender],
    budget_ns: f64,
    threshold_ratio: f64,
    ignore_failure: bool,
) -> Result<Option<(Found, CpuTimes)>, CliError> {
    let mut took: Vec<Vec<Took>> = vec![Vec::new(); contenders.len()];
    let mut run = |contender: usize, iterations: u64| -> Result<(f64, f64), CliError> {
        let mut sum = (0.0, 0.0);
        for _ in 0..iterations {
            let one = contenders[contender].run(ignore_failure)?;
            sum.0 += one.wall_ns;
            sum.1 += one.user_ns + one.system_ns;
            took[contender].push(one);
        }
        Ok(sum)
    };
    let found = if contenders.len() == 1 {
        let mut plan = Plan::new(benchmark::Limits {
            quantum_ns: QUANTUM_NS,
            budget_ns,
            precision_ratio: threshold_ratio,
        });
        while let Next::WarmUp(iterations) | Next::Sample(iterations) = plan.next() {
            let (wall_ns, cpu_ns) = run(0, iterations)?;
            plan.told(wall_ns, cpu_ns);
        }
        plan.outcome().map(Found::One)
    } else {
        let mut contest = Contest::new(
            contenders.len(),
            Limits {
                quantum_ns: QUANTUM_NS,
                budget_ns,
                threshold_ratio,
                confidence: 0.95,
                seed: u64::from(std::process::id()),
            },
        );
        while let contest::Next::Run {
            contender,
            iterations,
        } = contest.next()
        {
            let (wall_ns, cpu_ns) = run(contender, iterations)?;
            contest.told(wall_ns, cpu_ns);
        }
        contest.outcome().map(Found::Several)
    };
    let cpu = took.iter().map(|runs| {
        [
            median(runs.iter().map(|one| one.user_ns)),
            median(runs.iter().map(|one| one.system_ns)),
        ]
    });
    Ok(found.map(|found| (found, cpu.collect())))
}

fn median(values: impl Iterator<Item = f64>) -> f64 {
    laptime_analysis::quantiles::median_of(values, &mut Vec::new())
}
