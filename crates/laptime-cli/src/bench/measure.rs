//! Runs contenders in turns, as the plan of a contest says, and keeps what they took.

use laptime_analysis::benchmark::contest::{self, Contest, LEAST_ROUNDS, Limits};
use laptime_analysis::benchmark::{self, Count, Doubt, Next, Plan};

use super::command::{Contender, Took};
use super::plain_signals::PlainSignals;
use super::progress::Progress;
use crate::error::CliError;

/// Smallest step of the clock, in nanoseconds: what a command takes is a million times that.
const QUANTUM_NS: f64 = 100.0;

/// Samples of a command that is alone, where no budget is asked for.
const LEAST_SAMPLES: usize = 10;

/// How long to measure.
#[derive(Debug, Clone, Copy)]
pub struct Asked {
    /// Nanoseconds that all runs may take together.
    pub budget_ns: f64,
    /// Whether the budget was typed. If not, a few runs are taken of what takes long.
    pub is_strict: bool,
    /// So many runs, whatever they take.
    pub runs: Option<usize>,
    /// Smaller differences are none.
    pub threshold_ratio: f64,
    /// Runs that fail count too.
    pub ignore_failure: bool,
    /// Untimed runs of each command before, which are warm-up.
    pub warmup: usize,
}

impl Asked {
    fn count(&self, least: usize) -> Count {
        match self.runs {
            Some(runs) => Count::Exactly(runs),
            None if self.is_strict => Count::Budget,
            None => Count::AtLeast(least),
        }
    }
}

/// What the runs of a sample took together.
#[derive(Debug, Clone, Copy, Default)]
#[expect(clippy::struct_field_names, reason = "a time has its unit in its name")]
struct Sum {
    wall_ns: f64,
    cpu_ns: f64,
    prepare_ns: f64,
}

/// What is known of a command beside its wall time: medians in nanoseconds, and how often it failed.
#[derive(Debug, Clone, Copy)]
pub struct Beside {
    /// Both together, which systems know better than the parts.
    pub all_ns: f64,
    pub user_ns: f64,
    pub system_ns: f64,
    pub failures: usize,
    pub runs: usize,
}

/// What was found.
pub enum Found {
    /// Of one command.
    One(benchmark::Outcome),
    /// Of several.
    Several(contest::Outcome),
}

/// Runs all until it's clear which are faster, or as long as is asked for, after the warm-up that was asked
/// for. The CPU time of each comes with it. `None` where the budget ended before each had run.
///
/// **Errors** where a run fails.
pub fn measure(
    contenders: &[Contender],
    asked: &Asked,
) -> Result<Option<(Found, Vec<Beside>)>, CliError> {
    let _signals = PlainSignals::new();
    let mut took: Vec<Vec<Took>> = vec![Vec::new(); contenders.len()];
    // Where the commands' own output is shown, a line of ours would stand in the middle of it.
    let mut progress = Progress::new(contenders.iter().any(|one| one.shows_output));
    for contender in contenders {
        for _ in 0..asked.warmup {
            progress.begins(&contender.name, None);
            contender.run(asked.ignore_failure)?;
        }
    }
    let mut run = |contender: usize, iterations: u64, expected_ns| -> Result<Sum, CliError> {
        let mut sum = Sum::default();
        for _ in 0..iterations {
            progress.begins(&contenders[contender].name, expected_ns);
            let one = contenders[contender].run(asked.ignore_failure)?;
            sum.wall_ns += one.wall_ns;
            sum.cpu_ns += one.user_ns + one.system_ns;
            sum.prepare_ns += one.prepare_ns;
            took[contender].push(one);
        }
        Ok(sum)
    };
    let found = if contenders.len() == 1 {
        let mut plan = Plan::new(benchmark::Limits {
            quantum_ns: QUANTUM_NS,
            budget_ns: asked.budget_ns,
            precision_ratio: asked.threshold_ratio,
            count: asked.count(LEAST_SAMPLES),
        });
        while let Next::WarmUp(iterations) | Next::Sample(iterations) = plan.next() {
            let sum = run(0, iterations, plan.expected_ns())?;
            plan.spend(sum.prepare_ns);
            plan.add_run(sum.wall_ns, sum.cpu_ns);
        }
        plan.outcome().map(Found::One)
    } else {
        let mut contest = Contest::new(
            contenders.len(),
            Limits {
                quantum_ns: QUANTUM_NS,
                budget_ns: asked.budget_ns,
                threshold_ratio: asked.threshold_ratio,
                confidence: 0.95,
                seed: u64::from(std::process::id()),
                rounds: asked.count(LEAST_ROUNDS),
            },
        );
        while let contest::Next::Run {
            contender,
            iterations,
        } = contest.next()
        {
            let sum = run(contender, iterations, contest.expected_ns())?;
            contest.spend(sum.prepare_ns);
            contest.add_run(sum.wall_ns, sum.cpu_ns);
        }
        contest.outcome().map(Found::Several)
    };
    let cpu = took.iter().map(|runs| Beside {
        all_ns: median(runs.iter().map(|one| one.user_ns + one.system_ns)),
        user_ns: median(runs.iter().map(|one| one.user_ns)),
        system_ns: median(runs.iter().map(|one| one.system_ns)),
        failures: runs.iter().filter(|one| one.has_failed).count(),
        runs: runs.len(),
    });
    Ok(found.map(|found| (found.of_commands(asked.warmup), cpu.collect())))
}

impl Found {
    /// The figures of each command, in the order of the contenders.
    pub fn outcomes(&self) -> &[benchmark::Outcome] {
        match self {
            Self::One(outcome) => std::slice::from_ref(outcome),
            Self::Several(outcome) => &outcome.contenders,
        }
    }

    /// With the warm-up that was asked for, and without the doubts that commands don't raise: their CPU time
    /// stands beside, and few of their runs are enough, as processes don't warm each other up. Whoever
    /// asked for warm-up runs knows how many it takes.
    fn of_commands(mut self, warmup: usize) -> Self {
        let outcomes = match &mut self {
            Self::One(outcome) => std::slice::from_mut(outcome),
            Self::Several(outcome) => &mut outcome.contenders[..],
        };
        for outcome in outcomes {
            let has_interval = outcome.interval_ns.is_ok();
            outcome.warmup += warmup;
            outcome.doubts.retain(|doubt| match doubt {
                Doubt::Waited(_) => false,
                Doubt::Unknown(_) => !has_interval && warmup == 0,
                Doubt::NeverSteady | Doubt::Changed(_) => true,
            });
        }
        self
    }
}

fn median(values: impl Iterator<Item = f64>) -> f64 {
    laptime_analysis::statistics::quantiles::median_of(values, &mut Vec::new())
}
