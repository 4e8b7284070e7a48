//! The verdicts of a contest: judges every pair by the rounds so far.

use super::outcome::{Outcome, Pair};
use super::rounds::{Contest, LOOKS};
use crate::benchmark::limits::Count;
use crate::benchmark::plan::Plan;
use crate::benchmark::verdict::{Judged, Side, VerdictOptions, control_false_discoveries, judge};

impl Contest {
    /// Returns the verdicts so far; `None` before every contender has run.
    pub fn outcome(&self) -> Option<Outcome> {
        let rounds = self.rounds[0].len();
        // Figures and verdicts rest on the same runs: a contender that drifts did not take as long before, and the ratio
        // is that of the medians which stand beside it.
        let figures = |(who, plan): (usize, &Plan)| {
            if rounds > 0 {
                let runs = self.runs_of(who).iter().map(Vec::len).sum();
                plan.outcome_of(self.alone[who], runs)
            } else {
                plan.outcome()
            }
        };
        let contenders: Option<Vec<_>> = self.plans.iter().enumerate().map(figures).collect();
        let contenders = contenders.filter(|all| !all.is_empty())?;
        let looks = match self.limits.rounds {
            // It is looked once, at the end.
            Count::Exactly(_) => 1,
            _ => LOOKS.len() + 1,
        };
        let missed = (1.0 - self.limits.confidence) / looks as f64;
        let mut asked = VerdictOptions {
            threshold_ratio: self.limits.threshold_ratio,
            noise_ratio: None,
            confidence: 1.0 - missed,
            are_paired: rounds > 0,
        };
        // Before the first round there are only the samples that each took alone.
        let alone = |who: usize| vec![contenders[who].samples_ns.clone()];
        let side = |who: usize| Side {
            units: if rounds > 0 {
                self.runs_of(who)
            } else {
                alone(who)
            },
        };
        let sides: Vec<Side> = (0..contenders.len()).map(side).collect();
        let [base, again] = [0, contenders.len()].map(|who| Side {
            units: if rounds > 0 {
                self.rounds[who].clone()
            } else {
                alone(0)
            },
        });
        let control = judge(&base, &again, &asked);
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
            budget_ns: self.limits.budget_ns,
            spent_ns: self.spent_ns,
            ending: self.ending,
        })
    }

    /// Returns the runs of a contender in each whole round; of the base also those in which it ran against itself.
    fn runs_of(&self, who: usize) -> Vec<Vec<f64>> {
        let mut runs = self.rounds[who].clone();
        if who == 0 {
            let again = self.rounds.last().into_iter().flatten();
            for (round, again) in runs.iter_mut().zip(again) {
                round.extend(again);
            }
        }
        runs
    }
}
