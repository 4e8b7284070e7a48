//! Contests on simulated machines: they stop when they think that they know.

use laptime_analysis::benchmark::Count;
use laptime_analysis::benchmark::contest::{Contest, Limits, Next, Outcome};
use laptime_analysis::benchmark::verdict::Verdict;
use laptime_analysis::statistics::Random;

use crate::series::{Kind, Machine};

/// How much longer the slower contender takes.
const PLANTED: f64 = 1.05;
/// Runs after which a machine that drifts has done so.
const RUNS: usize = 2_000;
/// An iteration's time, in nanoseconds: long enough to be a sample alone.
const ITERATION_NS: f64 = 5e6;

/// A contest of two, the second of which takes `ratio` as long.
pub fn hold(kind: Kind, ratio: f64, seed: u64) -> Option<Outcome> {
    let mut random = Random::new(seed);
    let does_grow = random.unit() < 0.5;
    let mut machine = Machine::new(kind, RUNS, does_grow, &mut random);
    let limits = Limits {
        quantum_ns: 20.0,
        budget_ns: ITERATION_NS * RUNS as f64,
        threshold_ratio: 0.01,
        confidence: 0.95,
        seed,
        rounds: Count::Budget,
    };
    let mut contest = Contest::new(2, limits);
    while let Next::Run {
        contender,
        iterations,
    } = contest.next()
    {
        let level = if contender == 1 { ratio } else { 1.0 };
        let one = ITERATION_NS * level * machine.duration(&mut random);
        let took = one * iterations as f64;
        contest.add_run(took, took);
    }
    contest.outcome()
}

/// Prints how many contests ended rightly.
pub fn row(kind: Kind, contests: usize) {
    let verdict = |outcome: &Outcome| outcome.pairs[0].judged.verdict;
    let hold_all = |ratio: f64| -> Vec<Outcome> {
        let seeds = 0..contests as u64;
        seeds.filter_map(|seed| hold(kind, ratio, seed)).collect()
    };
    let (same, slower) = (hold_all(1.0), hold_all(PLANTED));
    let is_wrong =
        |outcome: &&Outcome| matches!(verdict(outcome), Verdict::Faster | Verdict::Slower);
    let wrong = same.iter().filter(is_wrong).count();
    let found: Vec<&Outcome> = slower
        .iter()
        .filter(|outcome| verdict(outcome) == Verdict::Slower)
        .collect();
    let holds = |outcomes: &[Outcome], ratio: f64| {
        let held = outcomes.iter().filter(|outcome| {
            let interval = outcome.pairs[0].judged.interval.as_ref();
            interval.is_ok_and(|(low, high)| (*low..=*high).contains(&ratio))
        });
        held.count()
    };
    let held = holds(&same, 1.0) + holds(&slower, PLANTED);
    let mut rounds: Vec<usize> = found.iter().map(|outcome| outcome.rounds).collect();
    rounds.sort_unstable();
    let percent = |count: usize, of: usize| 100.0 * count as f64 / of.max(1) as f64;
    println!(
        "| contest of two | {} | {:.2} % | {:.1} % | {:.1} % | {} |",
        kind.name(),
        percent(wrong, same.len()),
        percent(found.len(), slower.len()),
        percent(held, same.len() + slower.len()),
        rounds
            .get(rounds.len() / 2)
            .map_or("–".into(), usize::to_string),
    );
}
