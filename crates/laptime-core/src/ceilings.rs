//! The most that a machine's devices can do: arithmetic by type, and memory traffic.
//!
//! The recorder and the Python face measure them; `laptime-ops` knows published ones. A rate
//! compared with a ceiling always says which: [`Ceiling::label`] goes with every share.

use serde::{Deserialize, Serialize};

use crate::warning::Unavailable;

/// Code of the note by which a recording holds the ceilings of its machine, as JSON.
pub const NOTE: &str = "operations.ceilings";

/// What a ceiling bounds.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Bound {
    /// Arithmetic on this type, **FLOP/s** (or operations a second, of integers).
    Flop(String),
    /// Traffic between the device and its memory, **bytes/s**.
    Bytes,
}

/// Where a ceiling comes from.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Origin {
    /// The processor's own instructions, run on this machine by kernels of Laptime's.
    Instructions(Measured),
    /// What the framework's libraries reach: matrix products, copies.
    Framework(Measured),
    /// Said by the maker: dense, no structured sparsity.
    Published {
        /// Where.
        source: String,
    },
}

/// How a ceiling was measured: the best of so many samples.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Measured {
    /// What ran.
    pub how: String,
    /// How many samples.
    pub samples: u64,
    /// The median sample's rate as a part of the best one's.
    pub median_ratio: f64,
    /// Processor time that the best sample had, as a part of what it wanted.
    /// Below 1 something else ran too, and the ceiling is too low. `None` for devices.
    #[serde(default)]
    pub cpu_ratio: Option<f64>,
    /// On how many threads; `None` for devices.
    #[serde(default)]
    pub threads: Option<u64>,
    /// How many runs measured it: the best sample of all of them counts.
    #[serde(default = "once")]
    pub tries: u64,
}

const fn once() -> u64 {
    1
}

/// One repetition of a piece of work.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Sample {
    /// How long it took.
    pub seconds: f64,
    /// Processor time that it had, as a part of what it wanted.
    pub cpu_ratio: Option<f64>,
}

/// Below this part of the processor time a sample doesn't tell what the machine reaches.
const UNDISTURBED: f64 = 0.9;

/// Below this part of the best sample the median one says that the machine was busy, whatever the
/// processor time says: a hypervisor that takes a processor away is not seen there. A machine of our
/// own has its median above 0.85; one whose host gave the processors to others had 0.06 to 0.32,
/// and reached a third more in a quiet minute.
const STEADY: f64 = 0.7;

/// Runs that measure a doubtful ceiling. A machine that is always busy would pay for it each time.
const MOST_TRIES: u64 = 3;

impl Measured {
    /// The rate of the best of some samples, each of which did the same work. `None` of none.
    pub fn best_of(how: String, work: f64, samples: &[Sample]) -> Option<(f64, Self)> {
        let mut samples = samples.to_vec();
        samples.sort_by(|a, b| a.seconds.total_cmp(&b.seconds));
        let (best, median) = (samples.first()?, samples.get(samples.len() / 2)?);
        let measured = Self {
            how,
            samples: samples.len() as u64,
            median_ratio: best.seconds / median.seconds,
            cpu_ratio: best.cpu_ratio,
            threads: None,
            tries: 1,
        };
        (best.seconds > 0.0).then_some((work / best.seconds, measured))
    }

    /// The same, with the number of threads that did the work.
    #[must_use]
    pub fn on_threads(self, threads: Option<u64>) -> Self {
        Self { threads, ..self }
    }

    /// Whether something else ran: during the best sample, or so often that the samples scatter.
    /// Then a quiet machine may reach more.
    pub fn was_disturbed(&self) -> bool {
        self.cpu_ratio.is_some_and(|ratio| ratio < UNDISTURBED) || self.median_ratio < STEADY
    }
}

/// One ceiling of one device.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Ceiling {
    /// `cpu`, `cuda:0`, ….
    pub device: String,
    /// What it bounds.
    pub bound: Bound,
    /// The most a second, in the bound's unit.
    pub per_s: f64,
    /// Where it comes from.
    pub origin: Origin,
}

impl Ceiling {
    /// What it is, for a reader: `measured float32 matmul peak of cpu`.
    pub fn label(&self) -> String {
        let device = &self.device;
        let (origin, work) = match self.origin {
            Origin::Instructions(_) => ("measured", "instruction "),
            Origin::Framework(_) => ("measured", "matmul "),
            Origin::Published { .. } => ("published", ""),
        };
        match &self.bound {
            Bound::Flop(dtype) => format!("{origin} {dtype} {work}peak of {device}"),
            Bound::Bytes => format!("{origin} memory bandwidth of {device}"),
        }
    }

    /// How it was measured; `None` of a published one.
    pub const fn measured(&self) -> Option<&Measured> {
        match &self.origin {
            Origin::Instructions(measured) | Origin::Framework(measured) => Some(measured),
            Origin::Published { .. } => None,
        }
    }

    /// Whether the machine did something else while it was measured: then it may be too low.
    pub fn was_disturbed(&self) -> bool {
        self.measured().is_some_and(Measured::was_disturbed)
    }

    /// Whether the next run should measure it again.
    pub fn is_to_measure_again(&self) -> bool {
        let measured = self.measured();
        measured.is_some_and(|one| one.was_disturbed() && one.tries < MOST_TRIES)
    }

    /// Takes in another one of the same kind: the better counts, and its median is that of the
    /// steadier samples, so that a quiet run confirms what a busy one once reached.
    fn join(&mut self, mut other: Self) {
        if other.per_s > self.per_s {
            std::mem::swap(self, &mut other);
        }
        let part = other.per_s / self.per_s;
        if let (
            Origin::Instructions(best) | Origin::Framework(best),
            Origin::Instructions(other) | Origin::Framework(other),
        ) = (&mut self.origin, &other.origin)
        {
            best.median_ratio = best.median_ratio.max(other.median_ratio * part);
            best.samples += other.samples;
            best.tries = best.tries.max(other.tries);
        }
    }

    /// Which kind of ceiling a rate is compared with first.
    const fn rank(&self) -> u8 {
        match self.origin {
            Origin::Published { .. } => 2,
            Origin::Framework(_) => 1,
            Origin::Instructions(_) => 0,
        }
    }
}

/// The ceilings of a machine.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Ceilings {
    /// What the machine is: processor, processors that may be used, devices.
    pub machine: String,
    /// When they were measured, nanoseconds since 1970.
    pub taken_realtime_ns: u64,
    /// All that are known.
    pub all: Vec<Ceiling>,
    /// What could not be measured, and why.
    #[serde(default)]
    pub absent: Vec<(String, Unavailable)>,
}

impl Ceilings {
    /// The ceiling that a rate on a device is compared with. Of arithmetic: the published one,
    /// which MFU is defined by, else what matrix products reach, else what instructions could. Of
    /// memory: the published one, else the best measured one.
    pub fn get(&self, device: &str, bound: &Bound) -> Result<&Ceiling, Unavailable> {
        let rank = |ceiling: &Ceiling| match bound {
            Bound::Flop(_) => ceiling.rank(),
            Bound::Bytes => ceiling.rank() / 2,
        };
        self.all
            .iter()
            .filter(|ceiling| ceiling.device == device && ceiling.bound == *bound)
            .max_by(|a, b| rank(a).cmp(&rank(b)).then(a.per_s.total_cmp(&b.per_s)))
            .ok_or_else(|| {
                Unavailable(match bound {
                    Bound::Flop(dtype) => format!("no {dtype} peak of {device} is known"),
                    Bound::Bytes => format!("no memory bandwidth of {device} is known"),
                })
            })
    }

    /// Arithmetic on a type.
    pub fn flop(&self, device: &str, dtype: &str) -> Result<&Ceiling, Unavailable> {
        self.get(device, &Bound::Flop(dtype.into()))
    }

    /// The highest ceiling of arithmetic on a type, which nothing can be above: the roofline's roof.
    pub fn roof(&self, device: &str, dtype: &str) -> Result<&Ceiling, Unavailable> {
        let bound = Bound::Flop(dtype.into());
        let same = |one: &&Ceiling| one.device == device && one.bound == bound;
        let all = self.all.iter().filter(same);
        all.max_by(|a, b| a.per_s.total_cmp(&b.per_s))
            .map_or_else(|| self.flop(device, dtype), Ok)
    }

    /// Memory traffic.
    pub fn bytes(&self, device: &str) -> Result<&Ceiling, Unavailable> {
        self.get(device, &Bound::Bytes)
    }

    /// Where the roofline bends, FLOP a byte: below it, memory is what bounds.
    pub fn ridge_flop_per_byte(&self, device: &str, dtype: &str) -> Result<f64, Unavailable> {
        Ok(self.roof(device, dtype)?.per_s / self.bytes(device)?.per_s)
    }

    /// Files one, joined with the one of the same kind that is there.
    pub fn add(&mut self, ceiling: Ceiling) {
        match self.same(&ceiling) {
            Some(same) => same.join(ceiling),
            None => self.all.push(ceiling),
        }
    }

    fn same(&mut self, ceiling: &Ceiling) -> Option<&mut Ceiling> {
        self.all.iter_mut().find(|other| {
            other.device == ceiling.device
                && other.bound == ceiling.bound
                && other.rank() == ceiling.rank()
        })
    }

    /// Files what another run measured: both are tries.
    pub fn extend(&mut self, other: Self) {
        let tries = |ceiling: &Ceiling| ceiling.measured().map_or(0, |one| one.tries);
        for mut ceiling in other.all {
            let before = self.same(&ceiling).map_or(0, |same| tries(same));
            if let Origin::Instructions(one) | Origin::Framework(one) = &mut ceiling.origin {
                one.tries += before;
            }
            self.add(ceiling);
        }
        for absent in other.absent {
            if !self.absent.contains(&absent) {
                self.absent.push(absent);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn peak(origin: Origin, per_s: f64) -> Ceiling {
        Ceiling {
            device: "cuda:0".into(),
            bound: Bound::Flop("bfloat16".into()),
            per_s,
            origin,
        }
    }

    fn best_of(seconds: &[f64]) -> Option<(f64, Measured)> {
        let sample = |seconds: &f64| Sample {
            seconds: *seconds,
            cpu_ratio: Some(1.0 / seconds),
        };
        let samples: Vec<Sample> = seconds.iter().map(sample).collect();
        Measured::best_of("a product".into(), 6.0, &samples)
    }

    fn measured() -> Measured {
        best_of(&[3.0, 2.0, 4.0]).unwrap().1
    }

    #[test]
    fn the_best_sample_counts_and_tells_whether_the_machine_was_busy() {
        let (per_s, measured) = best_of(&[3.0, 2.0, 4.0]).unwrap();
        assert!((per_s - 3.0).abs() < 1e-12);
        assert!((measured.median_ratio - 2.0 / 3.0).abs() < 1e-12);
        assert!(measured.was_disturbed());
        assert!(!best_of(&[1.0, 1.2]).unwrap().1.was_disturbed());
        assert_eq!(best_of(&[]), None);
    }

    #[test]
    fn a_published_peak_comes_first_then_what_products_reach_and_the_best_of_each_is_kept() {
        let mut ceilings = Ceilings::default();
        let label = |ceilings: &Ceilings| ceilings.flop("cuda:0", "bfloat16").unwrap().label();
        ceilings.add(peak(Origin::Instructions(measured()), 9e14));
        assert_eq!(
            label(&ceilings),
            "measured bfloat16 instruction peak of cuda:0"
        );
        for per_s in [6e14, 7e14, 5e14] {
            ceilings.add(peak(Origin::Framework(measured()), per_s));
        }
        assert_eq!(label(&ceilings), "measured bfloat16 matmul peak of cuda:0");
        let per_s = ceilings.flop("cuda:0", "bfloat16").unwrap().per_s;
        assert!((per_s - 7e14).abs() < 1.0);
        let source = "a datasheet".into();
        ceilings.add(peak(Origin::Published { source }, 6.5e14));
        assert_eq!(label(&ceilings), "published bfloat16 peak of cuda:0");
        assert_eq!(ceilings.all.len(), 3);
        // The roof is what instructions could, above what products reach.
        let roof = ceilings.roof("cuda:0", "bfloat16").unwrap();
        assert_eq!(roof.label(), "measured bfloat16 instruction peak of cuda:0");
    }

    #[test]
    fn a_median_far_below_the_best_says_that_the_machine_was_busy() {
        // All had their processor time: a hypervisor took it away unseen.
        let one = |seconds| Sample {
            seconds,
            cpu_ratio: Some(1.0),
        };
        let of = |median: f64| {
            let samples = [1.0, median, median].map(one);
            Measured::best_of("a product".into(), 1.0, &samples).unwrap()
        };
        assert!(!of(1.2).1.was_disturbed());
        assert!(of(5.0).1.was_disturbed());

        // Measured again by the next runs, and confirmed by a quiet one.
        let ceiling = |(per_s, measured)| peak(Origin::Framework(measured), per_s);
        let run = |ceiling: Ceiling| {
            let mut run = Ceilings::default();
            run.add(ceiling);
            run
        };
        let mut kept = run(ceiling(of(5.0)));
        assert!(kept.all[0].is_to_measure_again());
        kept.extend(run(ceiling(of(5.0))));
        assert!(kept.all[0].is_to_measure_again());
        let mut confirmed = kept.clone();
        let (per_s, quiet) = of(1.1);
        confirmed.extend(run(ceiling((per_s * 0.97, quiet))));
        assert!(!confirmed.all[0].was_disturbed(), "{confirmed:?}");
        assert!((confirmed.all[0].per_s - per_s).abs() < 1e-9);
        // A machine that is always busy isn't measured for ever, and stays in doubt.
        kept.extend(run(ceiling(of(5.0))));
        assert!(kept.all[0].was_disturbed());
        assert!(!kept.all[0].is_to_measure_again());
    }

    #[test]
    fn what_is_not_known_says_so() {
        let ceilings = Ceilings::default();
        let why = ceilings.ridge_flop_per_byte("cpu", "float64").unwrap_err();
        assert_eq!(why.to_string(), "no float64 peak of cpu is known");
    }

    #[test]
    fn they_survive_a_file() {
        let mut ceilings = Ceilings::default();
        let source = "a datasheet".into();
        ceilings.add(peak(Origin::Published { source }, 1e12));
        ceilings.add(peak(Origin::Framework(measured()), 2e12));
        let text = serde_json::to_string(&ceilings).unwrap();
        assert_eq!(serde_json::from_str::<Ceilings>(&text).unwrap(), ceilings);
    }
}
