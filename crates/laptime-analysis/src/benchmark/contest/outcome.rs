//! What a contest found: each contender's figures, and a verdict for each pair.

use super::{Contest, Ending, LEAST_ROUNDS, LOOKS};
use crate::benchmark::verdict::{Asked, Judged, Side, Verdict, control_false_discoveries, judge};
use crate::benchmark::{self, Count, Plan, larger_ns};

/// About how many rounds take as long as warm-up.
const WARM_UP_ROUNDS: usize = 4;

/// What a contest found.
#[derive(Debug, Clone, PartialEq)]
pub struct Outcome {
    /// Each contender's own figures, the base first: of the rounds, once there are enough for a verdict.
    pub contenders: Vec<benchmark::Outcome>,
    /// Each pair of contenders, those with the base first.
    pub pairs: Vec<Pair>,
    /// The base against itself, in the same rounds.
    pub control: Judged,
    /// How much the base differed from itself; absent before the first round.
    pub noise_ratio: Option<f64>,
    /// Rounds, in each of which every contender had one sample or two.
    pub rounds: usize,
    /// Time that all runs may take together, in nanoseconds.
    pub budget_ns: f64,
    /// Time that all runs took, in nanoseconds.
    pub spent_ns: f64,
    /// Why it ended; `None` while it runs.
    pub ending: Option<Ending>,
}

/// Two contenders.
#[derive(Debug, Clone, PartialEq)]
pub struct Pair {
    /// Which is compared with.
    pub base: usize,
    /// Which is compared.
    pub new: usize,
    /// The verdict.
    pub judged: Judged,
}

impl Outcome {
    /// A budget that may do where this one did not: several times as much, and enough for the first look.
    pub fn larger_budget_ns(&self) -> f64 {
        let each = self.contenders.iter().map(benchmark::Outcome::sample_ns);
        let again = self.contenders.first().map(benchmark::Outcome::sample_ns);
        // Warm-up takes as long as some rounds.
        let rounds = LEAST_ROUNDS + WARM_UP_ROUNDS;
        let needed_ns = each.chain(again).sum::<f64>() * rounds as f64;
        larger_ns(self.budget_ns.max(self.spent_ns), needed_ns)
    }

    /// Whether every contender has a verdict against the base.
    pub fn is_clear(&self) -> bool {
        let unclear = |pair: &Pair| {
            let verdict = pair.judged.verdict;
            matches!(verdict, Verdict::Inconclusive | Verdict::NotComparable)
        };
        !self
            .pairs
            .iter()
            .any(|pair| pair.base == 0 && unclear(pair))
    }
}

/// The verdicts of a contest.
pub fn of(contest: &Contest) -> Option<Outcome> {
    let rounds = contest.rounds[0].len();
    // Figures are of the runs that verdicts are of: a contender that drifts did not take the same before.
    let figures = |(plan, alone): (&Plan, &usize)| {
        if rounds >= LEAST_ROUNDS {
            plan.outcome_since(*alone)
        } else {
            plan.outcome()
        }
    };
    let each = contest.plans.iter().zip(&contest.alone);
    let contenders: Option<Vec<_>> = each.map(figures).collect();
    let contenders = contenders.filter(|all| !all.is_empty())?;
    let looks = match contest.limits.rounds {
        // It is looked once, at the end.
        Count::Exactly(_) => 1,
        _ => LOOKS.len() + 1,
    };
    let missed = (1.0 - contest.limits.confidence) / looks as f64;
    let mut asked = Asked {
        threshold_ratio: contest.limits.threshold_ratio,
        noise_ratio: None,
        confidence: 1.0 - missed,
        are_paired: rounds > 0,
    };
    // Before the first round there is only what each did alone.
    let side = |of: usize| Side {
        units: if rounds > 0 {
            contest.rounds[of].clone()
        } else {
            vec![contenders[of % contenders.len()].samples_ns.clone()]
        },
    };
    let sides: Vec<Side> = (0..=contenders.len()).map(side).collect();
    let control = judge(&sides[0], &sides[contenders.len()], &asked);
    asked.noise_ratio = (rounds > 0)
        .then(|| control.ratio.ln().abs().exp() - 1.0)
        .filter(|ratio| ratio.is_finite());
    let all = 0..contenders.len();
    let mut pairs: Vec<Pair> = all
        .clone()
        .flat_map(|base| all.clone().skip(base + 1).map(move |new| (base, new)))
        .map(|(base, new)| Pair {
            base,
            new,
            judged: judge(&sides[base], &sides[new], &asked),
        })
        .collect();
    let mut judged: Vec<&mut Judged> = pairs.iter_mut().map(|pair| &mut pair.judged).collect();
    control_false_discoveries(&mut judged, missed);
    Some(Outcome {
        contenders,
        pairs,
        control,
        noise_ratio: asked.noise_ratio,
        rounds,
        budget_ns: contest.limits.budget_ns,
        spent_ns: contest.spent_ns,
        ending: contest.ending,
    })
}
