//! How many samples it takes to find a difference, beside the rules of other tools.
//!
//! Those measure one side after the other. For each rule a limit is taken that 99 of 100 comparisons of
//! identical code keep on this machine, so that all are wrong equally often; Laptime's verdicts are as they
//! are, in ABBA blocks. Beside it stands how often a tool's own rule is wrong with 100 samples.

use laptime_analysis::benchmark::verdict::{Verdict, judge};
use laptime_analysis::statistics::Random;

use crate::designs::Design;
use crate::series::{Kind, Machine};

/// Samples of both sides together.
const SAMPLES: [usize; 8] = [20, 40, 80, 160, 320, 640, 1_280, 2_560];
/// How much longer the slower code takes.
const PLANTED: [f64; 3] = [1.02, 1.05, 1.10];
/// Of so much of the slower code it must be said.
const FOUND: f64 = 0.95;
/// Identical code that may be called faster or slower.
const FALSE: f64 = 0.01;
/// Samples at which a tool's own rule is looked at.
const USUAL: usize = 100;

/// What a tool rests its word on.
#[derive(Debug, Clone, Copy)]
enum Rule {
    /// The difference of means over its standard error: a t-test (pyperf), a bootstrap (criterion).
    Means,
    /// The same over the standard deviation: a ratio ± σ (hyperfine).
    Spread,
    /// The ratio of the fastest samples: `--benchmark-compare-fail=min:5%` (pytest-benchmark).
    Fastest,
}

impl Rule {
    const ALL: [Self; 3] = [Self::Means, Self::Spread, Self::Fastest];

    fn name(self) -> &'static str {
        match self {
            Self::Means => "difference of means by its error (pyperf, criterion)",
            Self::Spread => "ratio of means by its σ (hyperfine)",
            Self::Fastest => "ratio of the fastest (pytest-benchmark)",
        }
    }

    /// The limit that the tool has or suggests.
    fn own_limit(self) -> f64 {
        match self {
            Self::Means => 1.96,
            Self::Spread => 1.0,
            Self::Fastest => 0.05,
        }
    }

    /// How much longer the new side seems to take, in the rule's own terms.
    fn says(self, base: &[f64], new: &[f64]) -> f64 {
        let ((base_mean, base_var), (new_mean, new_var)) = (moments(base), moments(new));
        let difference = new_mean - base_mean;
        match self {
            Self::Means => {
                let error = base_var / base.len() as f64 + new_var / new.len() as f64;
                difference / error.sqrt()
            }
            Self::Spread => difference / (base_var + new_var).sqrt(),
            Self::Fastest => fastest(new) / fastest(base) - 1.0,
        }
    }
}

fn moments(values: &[f64]) -> (f64, f64) {
    let count = values.len() as f64;
    let mean = values.iter().sum::<f64>() / count;
    let squares: f64 = values.iter().map(|value| (value - mean).powi(2)).sum();
    (mean, squares / (count - 1.0))
}

fn fastest(values: &[f64]) -> f64 {
    values.iter().copied().fold(f64::INFINITY, f64::min)
}

/// What each rule says of comparisons with so many samples, one side after the other.
fn said(kind: Kind, samples: usize, ratio: f64, comparisons: usize) -> [Vec<f64>; 3] {
    let mut random = Random::new(samples as u64);
    let mut said = [const { Vec::new() }; 3];
    for _ in 0..comparisons {
        let does_grow = random.unit() < 0.5;
        let mut machine = Machine::new(kind, samples, does_grow, &mut random);
        let mut side = |level: f64| -> Vec<f64> {
            let each = 0..samples / 2;
            each.map(|_| level * machine.duration(&mut random))
                .collect()
        };
        let (base, new) = (side(1.0), side(ratio));
        for (said, rule) in said.iter_mut().zip(Rule::ALL) {
            said.push(rule.says(&base, &new));
        }
    }
    said
}

fn share(values: &[f64], is_meant: impl Fn(f64) -> bool) -> f64 {
    values.iter().filter(|value| is_meant(**value)).count() as f64 / values.len() as f64
}

/// The least samples by which each rule finds so much, and how often its own limit is wrong.
fn of_rules(kind: Kind, comparisons: usize) -> [(f64, [Option<usize>; 3]); 3] {
    let mut least = [[None; 3]; 3];
    for samples in SAMPLES {
        let same = said(kind, samples, 1.0, comparisons);
        let limits = same.map(|mut said| {
            for one in &mut said {
                *one = one.abs();
            }
            said.sort_unstable_by(f64::total_cmp);
            said[((1.0 - FALSE) * said.len() as f64) as usize]
        });
        for (at, ratio) in PLANTED.into_iter().enumerate() {
            let planted = said(kind, samples, ratio, comparisons);
            for rule in 0..3 {
                let found = share(&planted[rule], |one| one > limits[rule]);
                if found >= FOUND && least[rule][at].is_none() {
                    least[rule][at] = Some(samples);
                }
            }
        }
    }
    let usual = said(kind, USUAL, 1.0, comparisons);
    let wrong = [0, 1, 2].map(|rule| {
        let limit = Rule::ALL[rule].own_limit();
        share(&usual[rule], |one| one.abs() > limit)
    });
    [0, 1, 2].map(|rule| (wrong[rule], least[rule]))
}

/// The same of Laptime's verdicts.
fn own(kind: Kind, comparisons: usize) -> (f64, [Option<usize>; 3]) {
    let verdicts = |samples: usize, ratio: f64| -> Vec<Verdict> {
        let design = Design::Blocks(samples / 4);
        let mut random = Random::new(samples as u64);
        let each = (0..comparisons).map(|_| {
            let (base, new) = design.measure(kind, ratio, &mut random);
            judge(&base, &new, &design.asked()).verdict
        });
        each.collect()
    };
    let share = |verdicts: &[Verdict], meant: &[Verdict]| {
        let count = verdicts.iter().filter(|one| meant.contains(one)).count();
        count as f64 / verdicts.len() as f64
    };
    let least = PLANTED.map(|ratio| {
        let mut samples = SAMPLES.into_iter();
        samples.find(|samples| share(&verdicts(*samples, ratio), &[Verdict::Slower]) >= FOUND)
    });
    let wrong = verdicts(USUAL, 1.0);
    (share(&wrong, &[Verdict::Slower, Verdict::Faster]), least)
}

/// Prints the rows of one machine.
pub fn rows(kind: Kind, comparisons: usize) {
    let print = |name: &str, (wrong, least): (f64, [Option<usize>; 3])| {
        let [two, five, ten] =
            least.map(|least| least.map_or("–".to_owned(), |samples| samples.to_string()));
        println!(
            "| {} | {name} | {:.1} % | {two} | {five} | {ten} |",
            kind.name(),
            100.0 * wrong
        );
    };
    print("Laptime, ABBA blocks", own(kind, comparisons));
    for (rule, found) in Rule::ALL.into_iter().zip(of_rules(kind, comparisons)) {
        print(rule.name(), found);
    }
}
