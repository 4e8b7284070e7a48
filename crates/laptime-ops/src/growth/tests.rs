use laptime_core::PathId;
use laptime_core::operations::{Cost, CostTally};
use proptest::prelude::*;

use super::formula::{Formula, Sample};
use super::{
    Growth, Kind, MOST_COUNTED, MOST_SAMPLES, MOST_SEARCHES, Meeting, Outcome, Part, Stretches,
    Verdict,
};

/// What a call does at one path: so many calls, multiply-accumulates and bytes.
fn part(path: u32, counted: u64, mac: u128, bytes: u128) -> Part {
    let cost = Cost {
        mac,
        executed_mac: mac,
        bytes_read: bytes,
        ..Cost::default()
    };
    Part {
        path: PathId(path),
        tally: CostTally {
            counted,
            cost,
            ..CostTally::default()
        },
        device: "cpu".to_owned(),
        dtype: "float32".to_owned(),
    }
}

/// Two layers of a transformer, the second in a path of its own.
fn transformer(sizes: &[i64]) -> Vec<Part> {
    let (batch, length) = (sizes[0] as u128, sizes[1] as u128);
    let mac = 48 * batch * length + 6 * batch * length * length;
    let bytes = 4 * (900 + 70 * batch * length + 2 * batch * length * length);
    vec![part(3, 12, mac, bytes), part(4, 40, 2 * mac, 5 * bytes)]
}

/// Runs calls one after another: what each is told, where it is, and how many were counted.
fn run(
    growth: &mut Growth,
    calls: &[Vec<i64>],
    does: impl Fn(&[i64]) -> Vec<Part>,
) -> (Vec<Option<Vec<Part>>>, usize) {
    let mut counted = 0;
    let mut told: Vec<Option<Vec<Part>>> = Vec::new();
    let mut known: Vec<&Vec<i64>> = Vec::new();
    for (number, sizes) in calls.iter().enumerate() {
        told.push(None);
        if known.contains(&sizes) {
            continue;
        }
        known.push(sizes);
        match growth.meet(number as u32, sizes) {
            Meeting::Told(parts) => told[number] = Some(parts),
            Meeting::Check | Meeting::Unknown => {
                counted += 1;
                for wrong in growth.counted(sizes, &does(sizes)) {
                    told[wrong as usize] = None;
                }
            }
        }
    }
    (told, counted)
}

/// Numbers that look random and are the same each time.
fn scattered(seed: u64, count: usize, least: i64, most: i64) -> impl Iterator<Item = i64> {
    let next = |state: &u64| {
        Some(
            state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1),
        )
    };
    let states = std::iter::successors(Some(seed), next);
    let spread = (most - least + 1) as u64;
    let numbers = states.map(move |state| least + (state >> 33).rem_euclid(spread) as i64);
    numbers.skip(9).take(count)
}

#[test]
fn a_transformer_s_lengths_are_told_exactly_after_a_few_counted_ones() {
    let mut growth = Growth::default();
    let calls: Vec<Vec<i64>> = scattered(1, 300, 16, 512)
        .map(|length| vec![8, length])
        .collect();
    let (told, counted) = run(&mut growth, &calls, transformer);
    assert!(counted <= 35, "{counted} were counted");
    for (sizes, parts) in calls.iter().zip(&told) {
        assert!(
            parts
                .as_ref()
                .is_none_or(|parts| *parts == transformer(sizes))
        );
    }
    assert_eq!(growth.told(), told.iter().flatten().count());
    assert!(growth.told() > 150);
}

#[test]
fn a_last_smaller_batch_is_not_told_by_the_formula_of_the_others() {
    let mut growth = Growth::default();
    for length in [16, 24, 17, 40, 33, 29, 21] {
        let sizes = [8, length];
        growth.counted(&sizes, &transformer(&sizes));
    }
    assert_eq!(
        growth.meet(1, &[8, 30]),
        Meeting::Told(transformer(&[8, 30]))
    );
    assert_eq!(growth.meet(2, &[5, 30]), Meeting::Unknown);
    // With three there is one polynomial through all of them, and nothing that checks it.
    for length in [30, 16, 40] {
        growth.counted(&[5, length], &transformer(&[5, length]));
        assert_eq!(growth.meet(3, &[5, 33]), Meeting::Unknown);
    }
    assert_eq!(
        growth.meet(4, &[8, 31]),
        Meeting::Told(transformer(&[8, 31]))
    );
}

#[test]
fn batch_and_length_may_both_change_and_other_sizes_may_follow_from_them() {
    let mut growth = Growth::default();
    let pairs = scattered(1, 200, 2, 9).zip(scattered(2, 200, 5, 90));
    // Labels, flat and without the first of each; a size of one that never changes.
    let calls: Vec<Vec<i64>> = pairs
        .map(|(batch, length)| vec![batch, length, batch * (length - 1), 1, length])
        .collect();
    let (told, counted) = run(&mut growth, &calls, transformer);
    assert!(counted <= 45, "{counted} were counted");
    for (sizes, parts) in calls.iter().zip(&told) {
        assert!(
            parts
                .as_ref()
                .is_none_or(|parts| *parts == transformer(sizes))
        );
    }
    assert!(growth.told() > 100);
    // A size that does not follow is another call.
    assert_eq!(
        growth.meet(999, &[4, 40, 4 * 39 + 1, 1, 40]),
        Meeting::Unknown
    );
}

#[test]
fn sizes_beyond_those_that_were_counted_are_checked() {
    let mut growth = Growth::default();
    for length in 20..30 {
        growth.counted(&[8, length], &transformer(&[8, length]));
    }
    assert_eq!(growth.meet(1, &[8, 30]), Meeting::Check);
    growth.counted(&[8, 40], &transformer(&[8, 40]));
    assert_eq!(
        growth.meet(2, &[8, 30]),
        Meeting::Told(transformer(&[8, 30]))
    );
}

#[test]
fn what_was_told_is_checked_whenever_it_doubled() {
    let mut growth = Growth::default();
    for length in [10, 2_000, 500, 37, 1_300, 90] {
        growth.counted(&[8, length], &transformer(&[8, length]));
    }
    let mut checked_after = Vec::new();
    for length in 100..200 {
        if growth.meet(length as u32, &[8, length]) == Meeting::Check {
            checked_after.push(growth.told());
            growth.counted(&[8, length], &transformer(&[8, length]));
        }
    }
    assert_eq!(checked_after, [4, 8, 16, 32, 64]);
}

#[test]
fn a_count_that_contradicts_takes_back_what_was_told() {
    let mut growth = Growth::default();
    for length in [10, 200, 50, 37, 130, 90] {
        growth.counted(&[8, length], &transformer(&[8, length]));
    }
    for number in [60, 61, 62] {
        let met = growth.meet(number, &[8, number.into()]);
        assert!(matches!(met, Meeting::Told(_)));
    }
    // An expert more was chosen.
    let mut other = transformer(&[8, 70]);
    other[1].tally.counted += 1;
    assert_eq!(growth.counted(&[8, 70], &other), [60, 61, 62]);
    assert!(growth.is_refused);
    assert_eq!(growth.told(), 0);
    assert_eq!(growth.meet(80, &[8, 80]), Meeting::Unknown);
    let left_out = growth.left_out();
    let uncounted: Vec<u64> = left_out.iter().map(|part| part.tally.uncounted).collect();
    assert_eq!(uncounted, [12, 40]);
    assert!(left_out.iter().all(|part| part.tally.counted == 0));
}

#[test]
fn the_same_sizes_with_other_operations_are_no_matter_of_sizes() {
    let mut growth = Growth::default();
    growth.counted(&[8, 10], &[part(1, 1, 100, 100)]);
    growth.counted(&[8, 10], &[part(1, 1, 101, 100)]);
    assert!(growth.is_refused);
}

/// A transformer whose table has 500 rows: each is read once.
fn with_a_table(sizes: &[i64]) -> Vec<Part> {
    let mut parts = transformer(sizes);
    parts[0].tally.cost.bytes_read += 256 * (sizes[0] as u128 * sizes[1] as u128).min(2_000);
    parts
}

#[test]
fn what_changes_its_course_at_a_size_is_told_in_pieces() {
    let mut growth = Growth::default();
    let calls: Vec<Vec<i64>> = scattered(5, 300, 16, 512)
        .map(|length| vec![8, length])
        .collect();
    let (told, counted) = run(&mut growth, &calls, with_a_table);
    assert!(counted <= 64, "{counted} were counted");
    for (sizes, parts) in calls.iter().zip(&told) {
        assert!(
            parts
                .as_ref()
                .is_none_or(|parts| *parts == with_a_table(sizes)),
            "{sizes:?}"
        );
    }
    let is_told = |range: std::ops::Range<i64>| {
        let mut lengths = calls.iter().zip(&told).filter(|(_, told)| told.is_some());
        lengths.any(|(sizes, _)| range.contains(&sizes[1]))
    };
    assert!(is_told(16..250) && is_told(251..513));
}

#[test]
fn a_formula_ends_where_longer_calls_contradict_it_and_what_was_told_below_stands() {
    let mut growth = Growth::default();
    for length in [16, 200, 100, 50, 75, 180] {
        growth.counted(&[8, length], &with_a_table(&[8, length]));
    }
    let told = Meeting::Told(with_a_table(&[8, 150]));
    assert_eq!(growth.meet(1, &[8, 150]), told);
    assert_eq!(growth.meet(2, &[8, 300]), Meeting::Check);
    assert!(
        growth
            .counted(&[8, 300], &with_a_table(&[8, 300]))
            .is_empty()
    );
    assert!(!growth.is_refused);
    assert_eq!(growth.meet(3, &[8, 310]), Meeting::Unknown);
    assert_eq!(growth.meet(4, &[8, 220]), Meeting::Check);
    assert!(matches!(growth.meet(5, &[8, 60]), Meeting::Told(_)));
}

#[test]
fn padding_to_multiples_of_eight_is_not_told_in_the_end() {
    let mut growth = Growth::default();
    let padded = |sizes: &[i64]| transformer(&[sizes[0], (sizes[1] + 7) / 8 * 8]);
    let calls: Vec<Vec<i64>> = scattered(1, 300, 16, 512)
        .map(|length| vec![8, length])
        .collect();
    let (told, _) = run(&mut growth, &calls, padded);
    assert_eq!(told.iter().flatten().count(), 0);
}

#[test]
fn a_place_that_only_some_calls_have_is_no_polynomial() {
    let mut growth = Growth::default();
    for length in 0..40 {
        let mut parts = transformer(&[8, length]);
        if length % 3 == 0 {
            parts.push(part(9, 1, 0, 8));
        }
        growth.counted(&[8, length], &parts);
    }
    assert_eq!(growth.meet(1, &[8, 20]), Meeting::Unknown);
}

#[test]
fn work_that_moves_to_another_type_with_the_sizes_is_refused() {
    let mut growth = Growth::default();
    growth.counted(&[1], &[part(1, 1, 10, 10)]);
    let mut half = part(1, 1, 10, 10);
    half.dtype = "bfloat16".to_owned();
    growth.counted(&[2], &[half]);
    assert!(growth.is_refused);
}

#[test]
fn extreme_sizes_and_amounts_are_no_trouble() {
    let mut growth = Growth::default();
    let huge = 1_u128 << 100;
    let does = |sizes: &[i64]| {
        let at = (i128::from(sizes[0]) - i128::from(i64::MIN)) as u128;
        vec![part(1, 7, huge + 3 * at, at)]
    };
    for at in [i64::MIN, -5, 0, 1, i64::MAX, 99] {
        growth.counted(&[at], &does(&[at]));
    }
    assert_eq!(growth.meet(1, &[12]), Meeting::Told(does(&[12])));
    growth.counted(&[13], &[part(1, 1, u128::MAX, 0)]);
    assert!(growth.is_refused, "a saturated number is not known");
}

#[test]
fn lists_of_many_sizes_are_left_to_counting() {
    let mut growth = Growth::default();
    for seed in 0..40_u64 {
        let lengths: Vec<i64> = scattered(seed, 32, 1, 60).collect();
        let total = lengths.iter().sum::<i64>() as u128;
        assert_eq!(growth.meet(seed as u32, &lengths), Meeting::Unknown);
        growth.counted(&lengths, &[part(1, 1, total, total)]);
    }
}

#[test]
fn formulas_are_not_sought_for_ever() {
    let mut growth = Growth::default();
    for size in 0..60 {
        growth.counted(&[size], &[part(1, 9, mixed(size as u32), 1)]);
    }
    for size in 60..90 {
        assert_eq!(growth.meet(size as u32, &[size]), Meeting::Unknown);
    }
    assert!(growth.searches > MOST_SEARCHES);
    growth.counted(&[90], &[part(1, 9, 1, 1)]);
    assert_eq!(growth.searches, 0);
}

#[test]
fn samples_are_bounded() {
    let mut growth = Growth::default();
    for length in 0..1_000 {
        growth.counted(&[8, length], &transformer(&[8, length]));
    }
    assert_eq!(growth.samples.len(), MOST_SAMPLES);
}

/// Two sizes with what a call does: a polynomial of random degrees and coefficients, halved where
/// that is whole.
fn polynomial(coefficients: &[u32], degrees: [u32; 2], sizes: &[i64]) -> u128 {
    let (one, two) = (sizes[0] as u128, sizes[1] as u128);
    let mut sum = 0;
    let mut coefficients = coefficients.iter().cycle();
    for first in 0..=degrees[0] {
        for second in 0..=degrees[1] {
            let term = one.pow(first) * two.pow(second);
            sum += term * u128::from(*coefficients.next().unwrap());
        }
    }
    // n (n + 1) / 2: whole, though its coefficients are not.
    sum + two * (two + 1) / 2
}

/// A number that follows from another by no formula.
fn mixed(number: u32) -> u128 {
    let half = number.wrapping_add(7).wrapping_mul(2_654_435_761);
    half.rotate_left(13).wrapping_mul(half ^ 0x9e37).into()
}

#[test]
fn a_caller_without_a_rule_is_counted_so_often_and_no_more() {
    let mut stretches = Stretches::default();
    let mut counted = 0;
    for call in 0..200_u32 {
        // Of two kinds, by turns; what each call does has nothing to do with its size.
        let kind = Kind {
            caller: 1,
            kind: call % 2,
        };
        let sizes = [i64::from(call)];
        let does = [part(1, 9, mixed(call), 1)];
        match stretches.meet(kind, call, &sizes) {
            Verdict::Count => {
                assert_eq!(stretches.counted(kind, &sizes, &does), []);
                counted += 1;
            }
            Verdict::LeftOut(parts) => assert_eq!(parts[0].tally.uncounted, 9),
            Verdict::Told(parts) => panic!("{parts:?}"),
        }
    }
    assert_eq!(counted, MOST_COUNTED);
    assert_eq!(stretches.outcome(), Outcome::default());
    let other = Kind { caller: 2, kind: 7 };
    assert_eq!(stretches.meet(other, 900, &[1]), Verdict::Count);
}

#[test]
fn a_count_that_contradicts_a_formula_is_none_that_it_held_for() {
    let mut stretches = Stretches::default();
    let kind = Kind { caller: 1, kind: 1 };
    let (mut counted, mut contradicted) = (0, 0);
    // A window: from some length on it does no more.
    for length in 0..150_u32 {
        let sizes = [i64::from(length)];
        if stretches.meet(kind, length, &sizes) == Verdict::Count {
            let amount = u128::from(length.min(100)) + 1;
            let wrong = stretches.counted(kind, &sizes, &[part(1, 1, amount, amount)]);
            counted += 1;
            contradicted += usize::from(!wrong.is_empty());
        }
    }
    assert!(contradicted > 0);
    let outcome = stretches.outcome();
    assert!(outcome.told > 0, "below, the formula stands");
    assert_eq!(outcome.held_for, counted - contradicted);
}

#[test]
fn sizes_that_only_grow_are_told_ahead_and_what_no_count_reached_is_taken_back() {
    let mut stretches = Stretches::default();
    let kind = Kind { caller: 1, kind: 1 };
    let mut counted = Vec::new();
    for length in 0..1_000_u32 {
        let sizes = [8, length.into()];
        match stretches.meet(kind, length, &sizes) {
            Verdict::Count => {
                assert_eq!(stretches.counted(kind, &sizes, &transformer(&sizes)), []);
                counted.push(length);
            }
            Verdict::Told(parts) => assert_eq!(parts, transformer(&sizes)),
            Verdict::LeftOut(parts) => panic!("{parts:?}"),
        }
    }
    assert!(counted.len() < 50, "{counted:?}");
    let taken_back = stretches.finish();
    let last = *counted.last().unwrap();
    let numbers: Vec<u32> = taken_back.iter().map(|(number, _)| *number).collect();
    assert_eq!(numbers, (last + 1..1_000).collect::<Vec<u32>>());
    assert!(numbers.len() < 250);
    let told = stretches.outcome().told;
    assert_eq!(told + counted.len() + numbers.len(), 1_000);
    assert_eq!(stretches.finish(), []);
}

#[test]
fn checks_go_on_past_the_bound_of_what_has_no_formula() {
    let mut stretches = Stretches::default();
    let kind = Kind { caller: 1, kind: 1 };
    // A length between the others each time: the longer ones are no row that goes on.
    let mut counted = 0;
    for turn in 0..100_i64 {
        for length in [1_000 + 40 * turn, 1_000] {
            let sizes = [8, length];
            if stretches.meet(kind, length as u32, &sizes) == Verdict::Count {
                stretches.counted(kind, &sizes, &transformer(&sizes));
                counted += 1;
            }
        }
    }
    assert!(counted > MOST_COUNTED, "{counted}");
}

#[test]
fn calls_that_were_told_wrongly_are_given_back_as_unknown() {
    let mut stretches = Stretches::default();
    let kind = Kind { caller: 1, kind: 1 };
    for length in [10, 200, 50, 37, 130, 90] {
        stretches.counted(kind, &[8, length], &transformer(&[8, length]));
    }
    let told = stretches.meet(kind, 60, &[8, 60]);
    assert_eq!(told, Verdict::Told(transformer(&[8, 60])));
    let outcome = Outcome {
        told: 1,
        held_for: 6,
    };
    assert_eq!(stretches.outcome(), outcome);
    let other = transformer(&[8, 71]);
    let taken_back = stretches.counted(kind, &[8, 70], &other);
    let [(60, parts)] = taken_back.as_slice() else {
        panic!("{taken_back:?}");
    };
    assert_eq!(parts.len(), 2);
    assert!(parts.iter().all(|part| part.tally.counted == 0));
    assert_eq!(stretches.outcome(), Outcome::default());
}

proptest! {
    #[test]
    fn random_polynomials_are_found_exactly(
        coefficients in prop::collection::vec(0..1_000_000_u32, 9),
        degrees in prop::array::uniform2(0..=2_u32),
        calls in prop::collection::hash_set((1..40_i64, 1..900_i64), 60..90),
    ) {
        let does = |sizes: &[i64]| {
            let amount = polynomial(&coefficients, degrees, sizes);
            vec![part(1, 5, amount, 3 * amount + 1)]
        };
        let calls: Vec<Vec<i64>> = calls.into_iter().map(|(one, two)| vec![one, two]).collect();
        let mut growth = Growth::default();
        let (told, counted) = run(&mut growth, &calls, does);
        for (sizes, parts) in calls.iter().zip(&told) {
            prop_assert!(parts.as_ref().is_none_or(|parts| *parts == does(sizes)));
        }
        prop_assert!(!growth.is_refused);
        prop_assert!(counted < calls.len() * 3 / 4, "{counted} of {}", calls.len());
    }

    #[test]
    fn amounts_without_a_rule_have_no_formula(
        calls in prop::collection::hash_map(1..900_i64, 0..1_000_000_000_u128, 20..60),
    ) {
        let samples: Vec<Sample> = calls
            .iter()
            .map(|(size, amount)| Sample { sizes: vec![*size], amounts: vec![*amount] })
            .collect();
        prop_assert!(Formula::find(&samples, &[950]).is_none());
    }

    #[test]
    fn one_exceptional_call_among_many_spoils_the_formula(
        lengths in prop::collection::btree_set(1..900_i64, 10..30),
        exception in any::<prop::sample::Index>(),
        more in 1..1_000_u128,
    ) {
        let lengths: Vec<i64> = lengths.into_iter().collect();
        let exception = exception.index(lengths.len());
        let samples: Vec<Sample> = lengths
            .iter()
            .enumerate()
            .map(|(at, length)| Sample {
                sizes: vec![*length],
                amounts: vec![(length * length) as u128 + if at == exception { more } else { 0 }],
            })
            .collect();
        prop_assert!(Formula::find(&samples, &[950]).is_none());
    }

    #[test]
    fn the_order_of_counted_calls_does_not_matter(
        lengths in prop::collection::hash_set(2..900_i64, 8..20),
    ) {
        let sample = |length: &i64| Sample {
            sizes: vec![8, *length],
            amounts: vec![(5 * length * length + 7) as u128],
        };
        let mut lengths: Vec<i64> = lengths.into_iter().collect();
        let said = |lengths: &[i64]| {
            let samples: Vec<Sample> = lengths.iter().map(sample).collect();
            Formula::find(&samples, &[8, 1]).and_then(|found| found.say(&samples, &[8, 1]))
        };
        let one = said(&lengths);
        lengths.sort_unstable();
        prop_assert_eq!(&one, &said(&lengths));
        prop_assert_eq!(one.unwrap().amounts, vec![12]);
    }
}
