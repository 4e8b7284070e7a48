//! Durations of a program that repeats something: what it does in truth, and what a busy machine makes of it.

use laptime_analysis::statistics::Random;

/// Noise of a single duration: a standard deviation, or what a heavy tail has instead of one.
const NOISE: f64 = 0.04;
/// How rarely another process begins to take time, and from how much of it on.
const BURST_EVERY: f64 = 40.0;
const BURST: f64 = 1.3;
/// How much of a deviation the next duration has.
const KEPT: f64 = 0.8;
/// Where a decay ends: so much of the level is left of it.
const DECAYED: f64 = 0.05;

/// What the program does after its warm-up.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Shape {
    /// The same all the time.
    Level,
    /// From somewhere on, 1.3 to 2.5 times as long, or as short.
    OneStep,
    /// So twice.
    TwoSteps,
    /// Longer and longer, or shorter and shorter, for a tenth to a third of the time.
    Ramp,
    /// All the time, by 1.2 to 3 in all.
    Drift,
    /// In waves, or every so many durations a longer one.
    Seasonal,
    /// With stretches of up to 4 % of the time that are 1.5 to 4 times as long.
    Bursts,
}

impl Shape {
    pub const ALL: [Self; 7] = [
        Self::Level,
        Self::OneStep,
        Self::TwoSteps,
        Self::Ramp,
        Self::Drift,
        Self::Seasonal,
        Self::Bursts,
    ];

    pub fn name(self) -> &'static str {
        match self {
            Self::Level => "one level",
            Self::OneStep => "one step",
            Self::TwoSteps => "two steps",
            Self::Ramp => "a ramp",
            Self::Drift => "a drift",
            Self::Seasonal => "seasonal",
            Self::Bursts => "bursts",
        }
    }
}

/// What the machine adds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Machine {
    /// Others take 30 to 150 % more of two to four durations in a row, once in 40.
    Busy,
    /// Student's t with three degrees of freedom.
    HeavyTailed,
    /// Each deviates as the one before it, to four fifths.
    Autocorrelated,
}

impl Machine {
    pub const ALL: [Self; 3] = [Self::Busy, Self::HeavyTailed, Self::Autocorrelated];
}

/// A series, and what is true of it.
#[derive(Debug, Clone)]
pub struct Series {
    pub shape: Shape,
    pub durations: Vec<u64>,
    /// The same without noise.
    pub truth: Vec<f64>,
    /// Durations of warm-up.
    pub warm_up: usize,
    /// Where the level changes: from one index to another, the same for a step.
    pub changes: Vec<(usize, usize)>,
}

impl Series {
    pub fn new(shape: Shape, machine: Machine, random: &mut Random) -> Self {
        let count = 60 + random.below(420);
        let mut truth = vec![1.0; count];
        let changes = shaped(shape, &mut truth, random);
        let warm_up = warmed(&mut truth, random);
        let noise = noise(machine, count, random);
        let durations = truth.iter().zip(noise);
        let durations = durations.map(|(level, noise)| (level * noise * 1e6) as u64);
        Self {
            shape,
            durations: durations.collect(),
            truth,
            warm_up,
            changes,
        }
    }
}

fn between(random: &mut Random, low: f64, high: f64) -> f64 {
    low + (high - low) * random.unit()
}

/// A ratio of this size, up or down.
fn ratio(random: &mut Random, low: f64, high: f64) -> f64 {
    let ratio = between(random, low, high);
    if random.unit() < 0.5 {
        ratio
    } else {
        1.0 / ratio
    }
}

/// Gives the series its shape; where its level changes.
fn shaped(shape: Shape, truth: &mut [f64], random: &mut Random) -> Vec<(usize, usize)> {
    let count = truth.len();
    let part = |ratio: f64| (count as f64 * ratio) as usize;
    match shape {
        Shape::Level => Vec::new(),
        Shape::OneStep | Shape::TwoSteps => {
            let first = between(
                random,
                0.3,
                if shape == Shape::OneStep { 0.85 } else { 0.5 },
            );
            let mut at = vec![part(first)];
            if shape == Shape::TwoSteps {
                at.push(part(between(random, first + 0.15, 0.85)));
            }
            for from in &at {
                let ratio = ratio(random, 1.3, 2.5);
                truth[*from..].iter_mut().for_each(|level| *level *= ratio);
            }
            at.into_iter().map(|at| (at, at)).collect()
        }
        Shape::Ramp => {
            let from = between(random, 0.2, 0.6);
            let (from, to) = (part(from), part(from + between(random, 0.1, 0.33)));
            let ratio = ratio(random, 1.3, 3.0);
            for (index, level) in truth.iter_mut().enumerate().skip(from) {
                let done = (index - from) as f64 / (to - from) as f64;
                *level *= 1.0 + (ratio - 1.0) * done.min(1.0);
            }
            vec![(from, to)]
        }
        Shape::Drift => {
            let ratio = ratio(random, 1.2, 3.0);
            for (index, level) in truth.iter_mut().enumerate() {
                *level *= ratio.powf(index as f64 / count as f64);
            }
            Vec::new()
        }
        Shape::Seasonal => {
            seasons(truth, random);
            Vec::new()
        }
        Shape::Bursts => {
            let bursts = 3 + random.below(6);
            for burst in 0..bursts {
                let at = part((burst as f64 + 0.6 * random.unit()) / bursts as f64);
                let (long, ratio) = (2 + random.below(part(0.04)), between(random, 1.5, 4.0));
                truth
                    .iter_mut()
                    .skip(at)
                    .take(long)
                    .for_each(|level| *level = ratio);
            }
            Vec::new()
        }
    }
}

fn seasons(truth: &mut [f64], random: &mut Random) {
    let count = truth.len();
    if random.unit() < 0.5 {
        let period = between(random, 6.0, count as f64 / 3.0);
        let (size, begin) = (between(random, 0.1, 0.5), random.unit());
        for (index, level) in truth.iter_mut().enumerate() {
            *level *= 1.0 + size * (std::f64::consts::TAU * (index as f64 / period + begin)).sin();
        }
    } else {
        let (every, ratio) = (2 + random.below(19), between(random, 1.5, 6.0));
        let begin = random.below(every);
        let longer = truth.iter_mut().skip(begin).step_by(every);
        longer.for_each(|level| *level *= ratio);
    }
}

/// Half of the series have a warm-up: a few long durations, a level of its own, or a decay.
fn warmed(truth: &mut [f64], random: &mut Random) -> usize {
    let count = truth.len();
    let part = |ratio: f64| (count as f64 * ratio) as usize;
    match random.below(6) {
        0 => {
            let (long, ratio) = (1 + random.below(3), between(random, 3.0, 30.0));
            truth[..long].iter_mut().for_each(|level| *level *= ratio);
            long
        }
        1 => {
            let (long, ratio) = (1 + random.below(part(0.2)), between(random, 1.4, 4.0));
            truth[..long].iter_mut().for_each(|level| *level *= ratio);
            long
        }
        2 => {
            let (over, lasts) = (
                between(random, 1.0, 5.0),
                count as f64 * between(random, 0.01, 0.04),
            );
            for (index, level) in truth.iter_mut().enumerate() {
                *level *= 1.0 + over * (-(index as f64) / lasts).exp();
            }
            (lasts * (over / DECAYED).ln()) as usize
        }
        _ => 0,
    }
}

fn noise(machine: Machine, count: usize, random: &mut Random) -> Vec<f64> {
    let (mut left, mut more, mut deviation) = (0, 1.0, random.normal());
    let mut each = || match machine {
        Machine::Busy => {
            if left == 0 && random.unit() < 1.0 / BURST_EVERY {
                (left, more) = (2 + random.below(3), BURST + 1.2 * random.unit());
            }
            let taken = if left > 0 { more } else { 1.0 };
            left = left.saturating_sub(1);
            taken * (NOISE * random.normal()).exp()
        }
        Machine::HeavyTailed => {
            let square: f64 = (0..3).map(|_| random.normal().powi(2)).sum();
            1.0 + (NOISE * random.normal() / (square / 3.0).sqrt()).max(-0.5)
        }
        Machine::Autocorrelated => {
            let fresh = (1.0 - KEPT * KEPT).sqrt() * random.normal();
            deviation = KEPT * deviation + fresh;
            (NOISE * deviation).exp()
        }
    };
    (0..count).map(|_| each()).collect()
}
