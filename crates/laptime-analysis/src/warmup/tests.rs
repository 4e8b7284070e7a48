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

#[test]
fn steps_that_grow_for_ever_have_a_trend() {
    let found = find(&series(100, |i| 10.0 + 0.2 * i as f64)).unwrap();
    assert_eq!(found.steps, 0);
    assert!(matches!(found.later, Some(Later::Trend(ratio)) if (1.9..2.1).contains(&ratio)));
    let noisy = find(&series(200, |i| 10.0 + 0.1 * i as f64 + noise(i))).unwrap();
    assert!(
        noisy.steps <= 2 && matches!(noisy.later, Some(Later::Trend(_))),
        "{noisy:?}"
    );
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
    assert_eq!(found.steps, 3);
    assert!(matches!(found.later, Some(Later::Change(75, ratio)) if (ratio - 0.4).abs() < 1e-9));
    assert_eq!(find(&series(100, steps(0))).unwrap().steps, 0);
    let late = find(&series(100, |i| if i < 56 { 30.0 } else { 10.0 })).unwrap();
    assert!(
        late.steps == 0 && matches!(late.later, Some(Later::Change(56, _))),
        "{late:?}"
    );
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
}

#[test]
fn steps_that_more_than_double_are_told_as_times() {
    let said = |ratio| Later::Change(3, ratio).said("step");
    assert_eq!(said(-0.4), "from step 3 on, steps were 40 % shorter");
    assert_eq!(said(0.9), "from step 3 on, steps were 90 % longer");
    assert_eq!(said(7.74), "from step 3 on, steps were 8.7 times as long");
    assert_eq!(
        said(6185.9),
        "from step 3 on, steps were 6187 times as long"
    );
    let trend = Later::Trend(1.5).said("request");
    assert_eq!(
        trend,
        "requests became 2.5 times as long between the end of warm-up and the end of the run"
    );
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
