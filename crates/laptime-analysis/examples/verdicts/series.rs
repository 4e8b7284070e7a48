//! Durations as machines make them: a level, and what lies around it.

use laptime_analysis::statistics::Random;

/// Noise of a single duration: a standard deviation, or what a heavy tail has instead of one.
pub const NOISE: f64 = 0.02;
/// Drifting: how much longer or shorter the last duration is than the first.
const DRIFT: f64 = 0.2;
/// Bursty: how rarely another process begins to take time.
const BURST_EVERY: f64 = 150.0;
/// Bimodal: which share of durations lies at the second level, and how much higher that is.
const MODE_SHARE: f64 = 0.3;
const MODE_RATIO: f64 = 0.1;
/// Autocorrelated: how much of a deviation the next duration has.
const KEPT: f64 = 0.8;

/// What lies around the level.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// Skewed a little, as most durations are.
    LogNormal,
    /// Student's t with three degrees of freedom: a few are far off.
    HeavyTailed,
    /// 20 % longer or shorter from the first to the last.
    Drifting,
    /// Another process takes 30 to 150 % more of two to four in a row, once in 150.
    Bursty,
    /// Three in ten are 10 % longer.
    Bimodal,
    /// Each deviates as the one before it, to four fifths.
    Autocorrelated,
}

impl Kind {
    pub const ALL: [Self; 6] = [
        Self::LogNormal,
        Self::HeavyTailed,
        Self::Drifting,
        Self::Bursty,
        Self::Bimodal,
        Self::Autocorrelated,
    ];

    pub fn name(self) -> &'static str {
        match self {
            Self::LogNormal => "log-normal",
            Self::HeavyTailed => "heavy-tailed",
            Self::Drifting => "drifting",
            Self::Bursty => "bursty",
            Self::Bimodal => "bimodal",
            Self::Autocorrelated => "autocorrelated",
        }
    }
}

/// One machine, asked again and again how long something takes that takes 1 without it.
pub struct Machine {
    kind: Kind,
    /// Change per duration, drifting.
    slope: f64,
    asked: f64,
    /// Durations left of a burst, and by how much it lengthens them.
    burst: (u32, f64),
    deviation: f64,
}

impl Machine {
    /// One that will be asked `count` times.
    pub fn new(kind: Kind, count: usize, does_grow: bool, random: &mut Random) -> Self {
        let drift = if does_grow { DRIFT } else { -DRIFT };
        Self {
            kind,
            slope: drift / count as f64,
            asked: 0.0,
            burst: (0, 1.0),
            deviation: random.normal(),
        }
    }

    pub fn duration(&mut self, random: &mut Random) -> f64 {
        self.asked += 1.0;
        let usual = |random: &mut Random| (NOISE * random.normal()).exp();
        match self.kind {
            Kind::LogNormal => usual(random),
            Kind::HeavyTailed => {
                let square: f64 = (0..3).map(|_| random.normal().powi(2)).sum();
                1.0 + (NOISE * random.normal() / (square / 3.0).sqrt()).max(-0.5)
            }
            Kind::Drifting => usual(random) * (1.0 + self.slope * self.asked),
            Kind::Bursty => usual(random) * self.burst(random),
            Kind::Bimodal => {
                let is_upper = random.unit() < MODE_SHARE;
                usual(random) * if is_upper { 1.0 + MODE_RATIO } else { 1.0 }
            }
            Kind::Autocorrelated => {
                let fresh = (1.0 - KEPT * KEPT).sqrt() * random.normal();
                self.deviation = KEPT * self.deviation + fresh;
                (NOISE * self.deviation).exp()
            }
        }
    }

    fn burst(&mut self, random: &mut Random) -> f64 {
        if self.burst.0 > 0 {
            self.burst.0 -= 1;
            return self.burst.1;
        }
        if random.unit() < 1.0 / BURST_EVERY {
            self.burst = (1 + random.below(3) as u32, 1.3 + 1.2 * random.unit());
            return self.burst.1;
        }
        1.0
    }
}
