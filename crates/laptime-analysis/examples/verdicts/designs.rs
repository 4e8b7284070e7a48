//! How two sides are measured.

use laptime_analysis::benchmark::verdict::{Side, VerdictOptions};
use laptime_analysis::statistics::Random;

use crate::series::{Kind, Machine};

/// How much runs differ from each other beyond their steps: where memory lies, which core it is.
const RUN_NOISE: f64 = 0.01;

/// How two sides are measured.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Design {
    /// So many blocks of base, new, new, base, or the other way round.
    Blocks(usize),
    /// So many runs a side, with so many steps each.
    Runs(usize, usize),
    /// One run a side, with so many steps.
    One(usize),
}

impl Design {
    pub fn name(self) -> String {
        match self {
            Self::Blocks(blocks) => format!("{blocks} ABBA blocks"),
            Self::Runs(runs, steps) => format!("{runs} runs a side, {steps} steps each"),
            Self::One(steps) => format!("1 run a side, {steps} steps"),
        }
    }

    pub fn asked(self) -> VerdictOptions {
        VerdictOptions {
            are_paired: matches!(self, Self::Blocks(_)),
            ..VerdictOptions::default()
        }
    }

    /// Both sides; the new one takes `ratio` as long.
    pub fn measure(self, kind: Kind, ratio: f64, random: &mut Random) -> (Side, Side) {
        // What drifts does so in the same direction every time: it heats up, or its data grows.
        let does_grow = random.unit() < 0.5;
        match self {
            Self::Blocks(blocks) => blocks_of(
                Machine::new(kind, 4 * blocks, does_grow, random),
                ratio,
                blocks,
                random,
            ),
            Self::Runs(runs, steps) => {
                let mut side = |ratio: f64| Side {
                    units: (0..runs)
                        .map(|_| {
                            let run = (RUN_NOISE * random.normal()).exp();
                            run_of(
                                Machine::new(kind, steps, does_grow, random),
                                ratio * run,
                                steps,
                                random,
                            )
                        })
                        .collect(),
                };
                (side(1.0), side(ratio))
            }
            Self::One(steps) => {
                let mut side = |ratio: f64| Side {
                    units: vec![run_of(
                        Machine::new(kind, steps, does_grow, random),
                        ratio,
                        steps,
                        random,
                    )],
                };
                (side(1.0), side(ratio))
            }
        }
    }
}

fn run_of(mut machine: Machine, level: f64, steps: usize, random: &mut Random) -> Vec<f64> {
    (0..steps)
        .map(|_| level * machine.duration(random))
        .collect()
}

fn blocks_of(mut machine: Machine, ratio: f64, blocks: usize, random: &mut Random) -> (Side, Side) {
    let (mut base, mut new) = (Side::default(), Side::default());
    for _ in 0..blocks {
        let starts_with_new = random.unit() < 0.5;
        let taken: Vec<f64> = (0..4).map(|_| machine.duration(random)).collect();
        let (outer, inner) = (vec![taken[0], taken[3]], vec![taken[1], taken[2]]);
        let (of_base, of_new) = if starts_with_new {
            (inner, outer)
        } else {
            (outer, inner)
        };
        base.units.push(of_base);
        new.units
            .push(of_new.into_iter().map(|taken| taken * ratio).collect());
    }
    (base, new)
}
