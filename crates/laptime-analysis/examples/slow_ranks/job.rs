//! Jobs of many ranks: what they do in truth, and what machines make of it.

use laptime_analysis::ranks::{BLOCK_STEPS, Groups, OwnPart, Pattern, SlowPart, StepRow, Work};
use laptime_analysis::statistics::Random;

/// A step of a rank, without anything that disturbs it. **Units**: nanoseconds.
const STEP_NS: f64 = 100e6;
/// Standard deviation of a part of a step, with the heavy tails of Student's t of three degrees of freedom.
const JITTER: f64 = 0.02;
/// Standard deviation of what ranks differ by all the time.
const SPREAD: f64 = 0.01;
/// How much longer a slow part takes.
const FAULT: f64 = 1.12;
/// Ranks of a host.
const HOST: usize = 8;
/// Steps after a fault began.
const SEEN: usize = 200;

/// What is wrong with a job.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fault {
    Nothing,
    OneRank,
    Host,
    FromAStepOn,
    EveryFiftieth,
    NowAndThen,
    /// Rank 0 saves, and evaluates, while the others wait.
    RankZero,
    /// A pipeline of four stages, whose work differs.
    Stages,
    /// Micro-batches, of which ranks have as many as they got.
    MicroBatches,
    /// Each rank holds an expert, which gets as many tokens as a router sends.
    Experts,
}

/// Stages of a pipeline.
const STAGES: usize = 4;

impl Fault {
    pub const ALL: [Self; 10] = [
        Self::Nothing,
        Self::OneRank,
        Self::Host,
        Self::FromAStepOn,
        Self::EveryFiftieth,
        Self::NowAndThen,
        Self::RankZero,
        Self::Stages,
        Self::MicroBatches,
        Self::Experts,
    ];

    pub fn name(self) -> &'static str {
        match self {
            Self::Nothing => "clean",
            Self::OneRank => "one rank",
            Self::Host => "a host of eight",
            Self::FromAStepOn => "a rank, from a step on",
            Self::EveryFiftieth => "a rank, every 50th step",
            Self::NowAndThen => "a rank, now and then",
            Self::RankZero => "rank 0 saves and evaluates",
            Self::Stages => "four stages",
            Self::MicroBatches => "uneven micro-batches",
            Self::Experts => "experts",
        }
    }
}

pub struct Job {
    fault: Fault,
    pub ranks: usize,
    pub steps: usize,
    pub slow: Vec<u32>,
    pub part: OwnPart,
    /// First step of the fault.
    pub start: usize,
    shares: [f64; OwnPart::COUNT],
    /// Whether a rank's jitter is the same in all parts of a step.
    is_common: bool,
    standing: Vec<[f64; OwnPart::COUNT]>,
    /// How often rank 0 logs, and how long it takes, as a share of a step.
    logging: (usize, f64),
    /// How much work each stage, or each expert, has, beside the mean.
    loads: Vec<f64>,
}

impl Job {
    pub fn new(fault: Fault, random: &mut Random) -> Self {
        let sizes: &[usize] = if fault == Fault::Host {
            &[24, 32, 64]
        } else {
            &[8, 16, 32, 64]
        };
        let ranks = sizes[random.below(sizes.len())];
        let start = match fault {
            // A clean job is looked at for longer as well.
            Fault::FromAStepOn | Fault::Nothing => 50 + random.below(300),
            _ => 0,
        };
        let shares = shares(random);
        let part = loop {
            let part = OwnPart::ALL[random.below(4)];
            if shares[part as usize] >= 0.2 {
                break part;
            }
        };
        let slow = match fault {
            Fault::OneRank | Fault::FromAStepOn | Fault::EveryFiftieth | Fault::NowAndThen => {
                vec![random.below(ranks) as u32]
            }
            Fault::Host => {
                let first = random.below(ranks / HOST) * HOST;
                (first..first + HOST).map(|rank| rank as u32).collect()
            }
            _ => Vec::new(),
        };
        let same = random.unit() < 0.5;
        let standing = (0..ranks).map(|_| {
            let of_rank = random.normal();
            [0.0; OwnPart::COUNT]
                .map(|_: f64| 1.0 + SPREAD * if same { of_rank } else { random.normal() })
        });
        Self {
            fault,
            ranks,
            steps: start + SEEN,
            slow,
            part,
            start,
            shares,
            standing: standing.collect(),
            is_common: random.unit() < 0.5,
            logging: if fault == Fault::RankZero {
                (20 + random.below(30), 5.0 + 20.0 * random.unit())
            } else {
                (5 + random.below(45), 0.05 + random.unit())
            },
            loads: (0..ranks.max(STAGES))
                .map(|_| (0.3 * random.normal()).exp())
                .collect(),
        }
    }

    /// Whether this is how its slow ranks are slow; a start is right to three steps.
    pub fn is_pattern(&self, pattern: Pattern) -> bool {
        match (self.fault, pattern) {
            (Fault::OneRank | Fault::Host, Pattern::Always)
            | (Fault::NowAndThen, Pattern::Sometimes { .. }) => true,
            (Fault::FromAStepOn, Pattern::From(step)) => step.abs_diff(self.start as u64) <= 3,
            (Fault::EveryFiftieth, Pattern::Every { steps, first }) => (steps, first) == (50, 7),
            _ => false,
        }
    }

    /// Whether this is how its ranks share the work.
    pub fn is_grouped(&self, groups: &Groups) -> bool {
        match (self.fault, groups) {
            (Fault::Stages, Groups::Fixed(groups)) => groups.len() == STAGES,
            (Fault::MicroBatches | Fault::Experts, Groups::Uneven { .. }) => true,
            (Fault::Stages | Fault::MicroBatches | Fault::Experts, _) => false,
            _ => *groups == Groups::Alike,
        }
    }

    /// Whether what rank 0 does alone is told, and nothing of the kind of any other rank.
    pub fn is_of_their_own(&self, of_their_own: &[SlowPart]) -> bool {
        let is_of_zero = of_their_own
            .iter()
            .all(|one| (one.rank, one.part) == (0, OwnPart::Other));
        is_of_zero && (self.fault != Fault::RankZero || !of_their_own.is_empty())
    }

    /// What a rank does in a step, how much of it, and what of it only it knows.
    fn work(&self, rank: usize, random: &mut Random) -> (Work, f64) {
        let all: Vec<u32> = (0..self.ranks as u32).collect();
        let work = Work::NONE
            .phase(OwnPart::Data)
            .phase(OwnPart::Forward)
            .phase(OwnPart::Backward)
            .collective("all_reduce", &all, Some(1 << 20));
        match self.fault {
            Fault::Stages => {
                let stage = rank * STAGES / self.ranks;
                // One forward, one backward: the earlier a stage, the more forwards before its first backward.
                let forward = |work: Work, _| work.phase(OwnPart::Forward);
                let work = (stage..STAGES).fold(work, forward);
                (work.phase(OwnPart::Backward), self.loads[stage])
            }
            Fault::MicroBatches => {
                let count = 3 + random.below(3);
                let work = (0..count).fold(work, |work, _| work.phase(OwnPart::Forward));
                (work, count as f64 / 4.0)
            }
            Fault::Experts => {
                let load = self.loads[rank] * (0.2 * random.normal()).exp();
                let tokens = Some((4096.0 * load) as u64);
                (work.collective("all_to_all", &all, tokens), load)
            }
            _ => (work, 1.0),
        }
    }

    /// Rows of all ranks, block by block.
    pub fn rows(&self, random: &mut Random) -> Vec<(u64, Vec<StepRow>)> {
        let mut blocks: Vec<(u64, Vec<StepRow>)> = Vec::new();
        for step in 0..self.steps {
            let number = step as u64 / BLOCK_STEPS;
            if blocks.last().is_none_or(|(last, _)| *last != number) {
                blocks.push((number, Vec::new()));
            }
            // Sequences of other lengths, and a first epoch that is slower, on all ranks.
            let length = (0.1 * random.normal()).exp() * if step < 60 { 1.3 } else { 1.0 };
            let is_long = random.unit() < 0.1;
            let mut rows: Vec<StepRow> = (0..self.ranks)
                .map(|rank| self.row(rank, step, length, is_long, random))
                .collect();
            let longest = rows.iter().map(StepRow::total_ns).max().unwrap_or_default();
            for row in &mut rows {
                row.duration_ns = longest;
            }
            blocks.last_mut().unwrap().1.extend(rows);
        }
        blocks
    }

    fn row(
        &self,
        rank: usize,
        step: usize,
        length: f64,
        is_long: bool,
        random: &mut Random,
    ) -> StepRow {
        let common = heavy(random);
        let (work, load) = self.work(rank, random);
        let mut own_ns = [0; OwnPart::COUNT];
        for part in OwnPart::ALL {
            let jitter = if self.is_common {
                common
            } else {
                heavy(random)
            };
            let mut ns = STEP_NS * self.shares[part as usize] * length;
            if matches!(part, OwnPart::Forward | OwnPart::Backward) {
                ns *= load;
            }
            ns *= self.standing[rank][part as usize] * (1.0 + JITTER * jitter).max(0.5);
            if self.is_slow(rank, part, step, is_long) {
                ns *= FAULT;
            }
            if part == OwnPart::Other && rank == 0 && step.is_multiple_of(self.logging.0) {
                ns += self.logging.1 * STEP_NS;
            }
            own_ns[part as usize] = ns as i64;
        }
        StepRow {
            rank: rank as u32,
            step: step as u64,
            peers: work.peers(),
            own_ns,
            duration_ns: 0,
        }
    }

    fn is_slow(&self, rank: usize, part: OwnPart, step: usize, is_long: bool) -> bool {
        let is_its = part == self.part && self.slow.contains(&(rank as u32));
        is_its
            && match self.fault {
                Fault::OneRank | Fault::Host => true,
                Fault::FromAStepOn => step >= self.start,
                Fault::EveryFiftieth => step % 50 == 7,
                Fault::NowAndThen => is_long,
                _ => false,
            }
    }
}

/// Shares of a step's parts, one of which is a fifth or more.
fn shares(random: &mut Random) -> [f64; OwnPart::COUNT] {
    let mut shares = [
        0.02 + 0.3 * random.unit(),
        0.2 + 0.2 * random.unit(),
        0.3 + 0.3 * random.unit(),
        0.02 + 0.1 * random.unit(),
        0.01 + 0.05 * random.unit(),
    ];
    let sum: f64 = shares.iter().sum();
    for share in &mut shares {
        *share /= sum;
    }
    shares
}

/// Draws a number of Student's t distribution with three degrees of freedom, scaled to a standard deviation of 1.
fn heavy(random: &mut Random) -> f64 {
    let squares: f64 = (0..3).map(|_| random.normal().powi(2)).sum();
    random.normal() / (squares / 3.0).sqrt() / 3_f64.sqrt()
}
