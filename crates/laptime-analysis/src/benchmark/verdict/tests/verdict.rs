//! Verdicts on made-up sides, and what is no side at all. How often verdicts are right is in
//! `tests/it/verdicts.rs`.

use proptest::prelude::*;

use super::*;
use crate::statistics::Random;

const ASKED: VerdictOptions = VerdictOptions {
    threshold_ratio: LEAST_THRESHOLD,
    noise_ratio: None,
    confidence: 0.95,
    are_paired: false,
};

fn side(units: &[&[f64]]) -> Side {
    Side {
        units: units.iter().map(|unit| unit.to_vec()).collect(),
    }
}

/// Units of three values around a level, with normal noise.
fn noisy(seed: u64, level: f64, noise: f64, units: usize) -> Side {
    let mut random = Random::new(seed);
    let mut value = || level * (noise * random.normal()).exp();
    Side {
        units: (0..units)
            .map(|_| vec![value(), value(), value()])
            .collect(),
    }
}

fn one_run(seed: u64, level: f64, count: usize) -> Side {
    let units = noisy(seed, level, 0.02, count).units;
    Side {
        units: vec![units.concat()],
    }
}

#[test]
fn a_clear_slowdown_is_slower_however_it_was_measured() {
    for units in [2, 3, 5, 8, 12, 40] {
        for are_paired in [false, true] {
            let asked = VerdictOptions {
                are_paired,
                ..ASKED
            };
            let (base, new) = (noisy(1, 100.0, 0.002, units), noisy(2, 110.0, 0.002, units));
            let judged = judge(&base, &new, &asked);
            assert_eq!(judged.verdict, Verdict::Slower, "{judged:?}");
            assert_eq!(judged.unit, UnitKind::Across);
            assert!((judged.ratio / 1.1 - 1.0).abs() < 0.01);
            let threshold_ratio = LEAST_THRESHOLD;
            assert_eq!(judged.reason, Reason::Beyond { threshold_ratio });
        }
    }
    let judged = judge(&one_run(1, 100.0, 40), &one_run(2, 110.0, 40), &ASKED);
    assert_eq!(
        (judged.verdict, judged.unit),
        (Verdict::Slower, UnitKind::WithinOne)
    );
}

#[test]
fn a_difference_below_the_threshold_is_none() {
    let judged = judge(
        &noisy(1, 100.0, 0.005, 40),
        &noisy(2, 100.3, 0.005, 40),
        &ASKED,
    );
    assert_eq!(judged.verdict, Verdict::Same);
    let asked = VerdictOptions {
        threshold_ratio: 0.2,
        ..ASKED
    };
    let judged = judge(
        &noisy(1, 100.0, 0.005, 40),
        &noisy(2, 110.0, 0.005, 40),
        &asked,
    );
    assert_eq!(
        (judged.verdict, judged.threshold_ratio),
        (Verdict::Same, 0.2)
    );
}

#[test]
fn a_recording_is_as_fast_as_itself() {
    let base = one_run(1, 100.0, 200);
    let judged = judge(&base, &base, &ASKED);
    assert_eq!(
        (judged.verdict, judged.ratio, judged.p_value),
        (Verdict::Same, 1.0, Some(1.0))
    );
}

#[test]
fn a_noisy_machine_raises_the_threshold_and_the_reason_says_so() {
    let asked = VerdictOptions {
        noise_ratio: Some(0.08),
        ..ASKED
    };
    let judged = judge(
        &noisy(1, 100.0, 0.02, 40),
        &noisy(2, 107.0, 0.02, 40),
        &asked,
    );
    assert_eq!(
        (judged.verdict, judged.threshold_ratio),
        (Verdict::Inconclusive, 0.08)
    );
    assert_eq!(judged.reason, Reason::WithinNoise { noise_ratio: 0.08 });
    let asked = VerdictOptions {
        noise_ratio: Some(f64::NAN),
        threshold_ratio: f64::NAN,
        ..ASKED
    };
    assert_eq!(Some(asked.applied_threshold()), Some(LEAST_THRESHOLD));
}

#[test]
fn one_run_beside_several_is_judged_by_their_noise() {
    let judged = judge(
        &noisy(1, 100.0, 0.005, 5),
        &noisy(2, 120.0, 0.005, 1),
        &ASKED,
    );
    assert_eq!(
        (judged.verdict, judged.unit),
        (Verdict::Slower, UnitKind::Across)
    );
    let close = judge(&noisy(1, 100.0, 0.02, 5), &noisy(2, 102.0, 0.02, 1), &ASKED);
    assert_eq!(close.verdict, Verdict::Inconclusive);
}

#[test]
fn too_few_values_are_inconclusive_with_the_number_that_is_needed() {
    let judged = judge(&side(&[&[5.0]]), &side(&[&[9.0]]), &ASKED);
    assert_eq!((judged.verdict, judged.ratio), (Verdict::Inconclusive, 1.8));
    let Err(Reason::TooFew(few)) = judged.interval else {
        panic!("{judged:?}")
    };
    assert_eq!((few.count, few.noun, few.needed), (1, "value", 12));
    assert_eq!(judged.p_value, None);
}

#[test]
fn few_units_that_are_all_alike_tell_nothing_of_their_noise() {
    let judged = judge(&side(&[&[5.0], &[5.0]]), &side(&[&[6.0], &[6.0]]), &ASKED);
    assert_eq!(
        (judged.verdict, judged.reason),
        (Verdict::Inconclusive, Reason::NoNoise)
    );
    let many = |level: f64| Side {
        units: vec![vec![level]; 12],
    };
    let judged = judge(&many(5.0), &many(6.0), &ASKED);
    assert_eq!(
        (judged.verdict, judged.interval),
        (Verdict::Slower, Ok((1.2, 1.2)))
    );
}

#[test]
fn what_is_no_duration_is_not_compared() {
    let good = noisy(1, 100.0, 0.01, 12);
    for bad in [f64::NAN, f64::INFINITY, -1.0] {
        let judged = judge(&good, &side(&[&[100.0, bad], &[100.0]]), &ASKED);
        assert_eq!(judged.verdict, Verdict::NotComparable);
        assert_eq!(
            judged.reason,
            Reason::NotDurations {
                side: SideName::New,
                count: 1
            }
        );
        assert!(judged.interval.is_err() && judged.p_value.is_none() && judged.ratio.is_nan());
    }
    for empty in [side(&[]), side(&[&[], &[]])] {
        let judged = judge(&empty, &good, &ASKED);
        assert_eq!(
            (judged.verdict, &judged.reason),
            (Verdict::NotComparable, &Reason::Empty(SideName::Base))
        );
        assert!(judged.base_median.is_nan() && judged.ratio.is_nan());
    }
    let zero = judge(&side(&[&[0.0], &[0.0]]), &good, &ASKED);
    assert_eq!(zero.reason, Reason::NoTime(SideName::Base));
    assert!(zero.ratio.is_nan());
}

#[test]
fn a_pair_without_a_counterpart_is_left_out() {
    let asked = VerdictOptions {
        are_paired: true,
        ..ASKED
    };
    let (mut base, new) = (noisy(1, 100.0, 0.002, 8), noisy(2, 110.0, 0.002, 8));
    base.units[3].clear();
    assert_eq!(judge(&base, &new, &asked).verdict, Verdict::Slower);
}

#[test]
fn among_many_comparisons_a_weak_difference_is_chance() {
    let weak = Judged {
        p_value: Some(0.009),
        ..judge(&noisy(1, 1.0, 0.01, 12), &noisy(2, 1.1, 0.01, 12), &ASKED)
    };
    let strong = Judged {
        p_value: Some(1e-9),
        ..weak.clone()
    };
    let same = judge(&noisy(3, 1.0, 0.001, 30), &noisy(4, 1.0, 0.001, 30), &ASKED);
    let mut all: Vec<Judged> = vec![same; 30];
    all.extend([weak, strong]);
    control_false_discoveries(&mut all.iter_mut().collect::<Vec<_>>(), 0.05);
    let verdicts = [30, 31].map(|index| all[index].verdict);
    assert_eq!(verdicts, [Verdict::Inconclusive, Verdict::Slower]);
    assert_eq!(all[30].reason, Reason::OneOfMany { comparisons: 32 });
    assert!(all[..30].iter().all(|one| one.verdict == Verdict::Same));
    control_false_discoveries(&mut [], 0.05);
}

proptest! {
    #[test]
    fn swapped_sides_have_the_mirrored_verdict(
        seed in 0_u64..1_000, units in 1_usize..15, level in 0.8..1.25, are_paired: bool,
    ) {
        let asked = VerdictOptions { are_paired, ..ASKED };
        let (base, new) = (noisy(seed, 1.0, 0.01, units), noisy(seed + 1, level, 0.01, units));
        let (there, back) = (judge(&base, &new, &asked), judge(&new, &base, &asked));
        let mirrored = match there.verdict {
            Verdict::Faster => Verdict::Slower,
            Verdict::Slower => Verdict::Faster,
            other => other,
        };
        prop_assert_eq!(back.verdict, mirrored);
        if let (Ok((low, high)), Ok((back_low, back_high))) = (there.interval, back.interval) {
            prop_assert!((low * back_high - 1.0).abs() < 1e-9 && (high * back_low - 1.0).abs() < 1e-9);
            prop_assert!(low <= there.ratio && there.ratio <= high);
        }
    }

    #[test]
    fn the_unit_of_time_changes_no_verdict(seed in 0_u64..1_000, units in 1_usize..15, scale in 0.01..100.0) {
        let (base, new) = (noisy(seed, 1.0, 0.01, units), noisy(seed + 1, 1.03, 0.01, units));
        let scaled = |side: &Side| Side {
            units: side.units.iter().map(|unit| unit.iter().map(|value| value * scale).collect()).collect(),
        };
        let (plain, other) = (judge(&base, &new, &ASKED), judge(&scaled(&base), &scaled(&new), &ASKED));
        prop_assert_eq!(plain.verdict, other.verdict);
        prop_assert!((plain.ratio - other.ratio).abs() < 1e-9);
    }
}
