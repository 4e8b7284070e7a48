use super::*;
use proptest::prelude::*;

/// Repeatable noise between -1 and 1, without a generator's dependency.
fn noise(index: usize) -> f64 {
    let mixed = (index as u64 + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    let mixed = (mixed ^ (mixed >> 31)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    ((mixed >> 11) as f64 / (1_u64 << 53) as f64).mul_add(2.0, -1.0)
}

fn series(count: usize, duration: impl Fn(usize) -> f64) -> Vec<u64> {
    (0..count)
        .map(|index| (duration(index) * 1e6) as u64)
        .collect()
}

#[test]
fn a_constant_series_is_steady_from_the_first_step() {
    assert_eq!(first_steady(&series(50, |_| 10.0)), Ok(0));
    assert_eq!(first_steady(&[0; 20]), Ok(0));
}

#[test]
fn a_single_long_first_step_is_the_warm_up() {
    let steps = series(138, |i| if i == 0 { 60.0 } else { 10.0 + 0.4 * noise(i) });
    assert_eq!(first_steady(&steps), Ok(1));
}

#[test]
fn a_noisy_series_without_warm_up_begins_within_its_first_steps() {
    let steps = series(200, |i| 10.0 + 3.0 * noise(i));
    assert!(first_steady(&steps).unwrap() <= 2);
}

#[test]
fn a_decay_ends_where_it_reaches_the_level() {
    let steps = series(200, |i| 1.0 + 4.0 * (-(i as f64) / 15.0).exp());
    let first = first_steady(&steps).unwrap();
    // There the excess is 5 % of the level: 15·ln(4 / 0.05) = 66, less half of the steps looked ahead.
    assert!((60..=67).contains(&first), "{first}");
}

#[test]
fn a_faster_start_is_warm_up_too() {
    let steps = series(100, |i| if i < 10 { 5.0 } else { 10.0 });
    assert_eq!(first_steady(&steps), Ok(10));
}

#[test]
fn a_lone_slow_step_later_on_does_not_prolong_warm_up() {
    let steps = series(100, |i| if i == 0 || i % 25 == 24 { 80.0 } else { 10.0 });
    assert_eq!(first_steady(&steps), Ok(1));
}

/// Returns the changes that are told of a series, as places and percents.
fn changes(found: &WarmUp) -> Vec<(usize, i64)> {
    match &found.later {
        Some(Later::Changes(changes)) => {
            let each = changes.iter();
            let percent = |change: &Change| (change.at, (100.0 * change.ratio).round() as i64);
            each.map(percent).collect()
        }
        _ => Vec::new(),
    }
}

#[test]
fn steps_that_grow_for_ever_have_a_trend() {
    let found = find(&series(100, |i| 10.0 + 0.2 * i as f64)).unwrap();
    assert_eq!(found.steps, 0);
    // From 13.2 to 26.6, the medians of the first third and the last.
    assert!(matches!(found.later, Some(Later::Trend(ratio)) if (ratio - 1.015).abs() < 0.01));
    let noisy = find(&series(200, |i| 10.0 + 0.1 * i as f64 + noise(i))).unwrap();
    assert!(
        noisy.steps <= 2 && matches!(noisy.later, Some(Later::Trend(_))),
        "{noisy:?}"
    );
}

/// Returns the trend that is told, and the medians of the first third and the last of the steps after warm-up.
fn trend_beside_medians(steps: &[u64]) -> (f64, f64) {
    let found = find(steps).unwrap().worth_telling(steps);
    let Some(Later::Trend(ratio)) = found.later else {
        panic!("{found:?}");
    };
    let steady = &steps[found.steps..];
    let third = steady.len() / 3;
    let median = |third: &[u64]| {
        let mut sorted: Vec<f64> = third.iter().map(|step| *step as f64).collect();
        sorted.sort_unstable_by(f64::total_cmp);
        crate::statistics::quantiles::median(&sorted).unwrap()
    };
    let medians = median(&steady[steady.len() - third..]) / median(&steady[..third]);
    (ratio + 1.0, medians)
}

/// From 1 to 12, in a line that would begin near 0: the first steps lie above it.
fn growing(i: usize) -> f64 {
    1.0 + 0.04 * i.saturating_sub(24) as f64
}

#[test]
fn growth_was_told_as_57_times_where_no_two_steps_differ_by_more_than_12() {
    let (told, medians) = trend_beside_medians(&series(300, growing));
    assert!((told - medians).abs() < 1e-9 && told < 6.0, "{told}");
    let noisy = series(300, |i| growing(i) * (1.0 + 0.1 * noise(i)));
    let (told, medians) = trend_beside_medians(&noisy);
    assert!((told - medians).abs() < 1e-9 && told < 6.0, "{told}");
}

#[test]
fn steps_that_shrink_are_not_told_to_be_nearly_gone() {
    let (told, medians) = trend_beside_medians(&series(300, |i| growing(299 - i)));
    assert!((told - medians).abs() < 1e-9 && told > 0.16, "{told}");
    let noisy = series(300, |i| growing(299 - i) * (1.0 + 0.1 * noise(i)));
    let (told, medians) = trend_beside_medians(&noisy);
    assert!((told - medians).abs() < 1e-9 && told > 0.16, "{told}");
}

#[test]
fn a_change_in_the_middle_is_no_warm_up() {
    for (count, at) in [(300, 150), (298, 149), (240, 130)] {
        let steps = series(count, |i| match i {
            0 => 40.0,
            i if i < at => 3.0 + 0.2 * noise(i),
            i => 6.0 + 0.4 * noise(i),
        });
        let found = find(&steps).unwrap();
        let [(told, percent)] = changes(&found)[..] else {
            panic!("{found:?}");
        };
        assert_eq!((found.steps, told), (1, at));
        assert!((97..=103).contains(&percent), "{percent}");
    }
}

#[test]
fn a_change_in_the_later_half_is_no_warm_up() {
    let steps = |slow| {
        move |i| {
            if i < slow {
                60.0
            } else if i < 75 {
                10.0
            } else {
                14.0
            }
        }
    };
    let found = find(&series(100, steps(3))).unwrap();
    assert_eq!((found.steps, &*changes(&found)), (3, &[(75, 40)][..]));
    assert_eq!(find(&series(100, steps(0))).unwrap().steps, 0);
    let late = find(&series(100, |i| if i < 56 { 30.0 } else { 10.0 })).unwrap();
    assert_eq!((late.steps, &*changes(&late)), (0, &[(56, -67)][..]));
}

#[test]
fn each_of_several_changes_is_told_beside_what_was_before_it() {
    let steps = series(200, |i| match i {
        i if i < 90 => 10.0,
        i if i < 140 => 15.0,
        _ => 12.0,
    });
    let found = find(&steps).unwrap();
    assert_eq!(changes(&found), [(90, 50), (140, -20)]);
    let steps = series(200, |i| if (90..140).contains(&i) { 40.0 } else { 10.0 });
    let found = find(&steps).unwrap();
    assert_eq!(changes(&found), [(90, 300), (140, -75)]);
}

#[test]
fn steps_that_keep_their_level_have_no_later_course() {
    let steps = series(200, |i| if i < 9 { 25.0 } else { 10.0 + noise(i) });
    assert_eq!(
        find(&steps).unwrap(),
        WarmUp {
            steps: 9,
            later: None
        }
    );
}

#[test]
fn few_steps_tell_nothing() {
    let reason = first_steady(&series(11, |_| 10.0)).unwrap_err();
    assert!(reason.0.starts_with("11 steps are too few"), "{reason}");
    assert!(first_steady(&[]).is_err());
    assert_eq!(first_steady(&series(12, |_| 10.0)), Ok(0));
}

#[test]
fn alternating_steps_are_steady() {
    let steps = series(100, |i| if i % 2 == 0 { 10.0 } else { 30.0 });
    assert!(first_steady(&steps).unwrap() <= 1);
}

#[test]
fn short_and_long_steps_in_turn_are_no_change() {
    for count in [58, 59, 60, 87, 100] {
        let steps = series(count, |i| if i % 5 < 3 { 20.0 } else { 1.0 });
        assert_eq!(find(&steps).unwrap().later, None, "{count}");
        let mixed = series(count, |i| if noise(i) > 0.1 { 20.0 } else { 5.0 });
        assert_eq!(find(&mixed).unwrap().later, None, "{count}");
    }
}

proptest! {
    #[test]
    fn the_answer_does_not_depend_on_the_unit(
        steps in proptest::collection::vec(1_u64..1_000_000, 0..200), scale in 1_u64..1_000
    ) {
        let scaled: Vec<u64> = steps.iter().map(|step| step * scale).collect();
        prop_assert_eq!(first_steady(&steps).ok(), first_steady(&scaled).ok());
    }

    #[test]
    fn the_answer_lies_in_the_earlier_half(steps in proptest::collection::vec(any::<u32>().prop_map(u64::from), 0..200)) {
        if let Ok(first) = first_steady(&steps) {
            prop_assert!(first <= steps.len() / 2);
        }
    }

    #[test]
    fn no_ratio_lies_beyond_the_longest_step_over_the_shortest(
        steps in proptest::collection::vec(1_u64..1_000, 12..200), level in 1_u64..1_000, from in 0_usize..200
    ) {
        let steps: Vec<u64> = steps.iter().enumerate().map(|(at, step)| if at < from { *step } else { step + level }).collect();
        let most = *steps.iter().max().unwrap() as f64 / *steps.iter().min().unwrap() as f64;
        let ratios = match find(&steps).unwrap().later {
            Some(Later::Trend(ratio)) => vec![ratio],
            Some(Later::Changes(changes)) => changes.iter().map(|change| change.ratio).collect(),
            None => Vec::new(),
        };
        for ratio in ratios {
            prop_assert!((1.0 / most..=most).contains(&(ratio + 1.0)), "{ratio}, {most}");
        }
    }
}

#[test]
fn a_trend_is_told_where_it_is_large_and_clear_against_the_scatter() {
    let told = |steps: &[u64]| {
        let found = find(steps).unwrap();
        (found.later.is_some(), found.worth_telling(steps).later)
    };
    let drift = |by: f64, scatter: f64| {
        series(200, |i| {
            10.0 * (1.0 + by * i as f64 / 200.0) + scatter * noise(i)
        })
    };
    assert!(matches!(told(&drift(0.3, 0.2)), (true, Some(_))));
    assert_eq!(told(&drift(0.11, 0.2)), (true, None), "small");
    assert_eq!(
        told(&drift(0.2, 10.0)).1,
        None,
        "less than the steps scatter"
    );
}
