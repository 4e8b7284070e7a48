//! How often the rule is right: on series with a planted warm-up, and on series without one.

use super::*;

/// Steps of all series of a kind and a length together: fewer long ones, which take longer.
const STEPS: usize = 24_000;
/// Series of 100 that must be judged rightly.
const RIGHT: usize = 95;
/// And of those with bursts, which are longer than the warm-up that is planted: a short one is like them, and unsaid.
const RIGHT_BESIDE_BURSTS: usize = 92;

/// Repeatable numbers, without a generator's dependency.
struct Random(u64);

impl Random {
    fn unit(&mut self) -> f64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((mixed ^ (mixed >> 31)) >> 11) as f64 / (1_u64 << 53) as f64
    }

    fn below(&mut self, bound: usize) -> usize {
        (self.unit() * bound as f64) as usize
    }

    fn normal(&mut self) -> f64 {
        let radius = (-2.0 * (1.0 - self.unit()).ln()).sqrt();
        radius * (std::f64::consts::TAU * self.unit()).cos()
    }
}

#[derive(Debug, Clone, Copy)]
enum Kind {
    /// Normal noise.
    Clean,
    /// Student's t with three degrees of freedom: a few steps are far off.
    HeavyTailed,
    /// 20 % longer or shorter from the first to the last.
    Drifting,
    /// Another process takes 30 to 150 % more of two to four steps, once in 150.
    Bursts,
}

fn series(random: &mut Random, kind: Kind, count: usize, noise: f64) -> Vec<f64> {
    let drift = if random.unit() < 0.5 { -0.2 } else { 0.2 };
    let mut steps: Vec<f64> = (0..count)
        .map(|index| {
            let off = match kind {
                Kind::HeavyTailed => {
                    let square: f64 = (0..3).map(|_| random.normal().powi(2)).sum();
                    (random.normal() / (square / 3.0).sqrt()).max(-0.5 / noise)
                }
                _ => random.normal(),
            };
            let trend = match kind {
                Kind::Drifting => 1.0 + drift * index as f64 / count as f64,
                _ => 1.0,
            };
            (1.0 + noise * off) * trend
        })
        .collect();
    if matches!(kind, Kind::Bursts) {
        for index in 0..count {
            if random.unit() < 1.0 / 150.0 {
                let (length, more) = (2 + random.below(3), 1.3 + 1.2 * random.unit());
                steps[index..]
                    .iter_mut()
                    .take(length)
                    .for_each(|step| *step *= more);
            }
        }
    }
    steps
}

fn found(steps: &[f64]) -> usize {
    let durations: Vec<u64> = steps.iter().map(|step| (step * 1e6) as u64).collect();
    first_steady(&durations).unwrap()
}

/// Kinds, lengths and noises; with little noise every kind is easier but for bursts.
fn all_kinds() -> impl Iterator<Item = (Kind, usize, f64)> {
    let kinds = [
        (Kind::Clean, 0.05),
        (Kind::HeavyTailed, 0.05),
        (Kind::Drifting, 0.05),
        (Kind::Bursts, 0.005),
    ];
    let of = move |count| kinds.map(|(kind, noise)| (kind, count, noise));
    [60, 138, 240].into_iter().flat_map(of)
}

#[test]
fn without_warm_up_the_first_steady_step_is_among_the_first_three() {
    for (kind, count, noise) in all_kinds() {
        let (mut random, runs) = (Random(1), STEPS / count);
        let right = (0..runs).filter(|_| found(&series(&mut random, kind, count, noise)) <= 2);
        let right = right.count();
        assert!(
            right * 100 >= RIGHT * runs,
            "{kind:?}, {count} steps, noise {noise}: {right} of {runs}"
        );
    }
}

#[test]
fn a_planted_warm_up_is_found_to_two_steps() {
    for (kind, count, noise) in all_kinds() {
        let (mut random, runs) = (Random(2), STEPS / count);
        let right = (0..runs).filter(|_| {
            let mut steps = series(&mut random, kind, count, noise);
            let planted = 1 + random.below(count / 3);
            // 20 %, and four robust deviations.
            steps[..planted]
                .iter_mut()
                .for_each(|step| *step *= 1.2 + noise);
            found(&steps).abs_diff(planted) <= 2
        });
        let right = right.count();
        let least = match kind {
            Kind::Bursts => RIGHT_BESIDE_BURSTS,
            _ => RIGHT,
        };
        assert!(
            right * 100 >= least * runs,
            "{kind:?}, {count} steps, noise {noise}: {right} of {runs}"
        );
    }
}
