use super::*;
use proptest::prelude::*;

#[test]
fn a_short_series_is_kept_whole() {
    let mut thinned = Thinned::default();
    (0..MOST_ENTRIES as u64).for_each(|at| thinned.push(at, at));
    assert_eq!(thinned.iter().count(), MOST_ENTRIES);
}

proptest! {
    #[test]
    fn a_long_series_stays_bounded_even_and_counted(count in 1_u64..60_000) {
        let mut thinned = Thinned::default();
        (0..count).for_each(|at| thinned.push(at, ()));
        let kept: Vec<u64> = thinned.iter().map(|(at, ())| at).collect();
        prop_assert!(kept.len() <= MOST_ENTRIES);
        prop_assert!(kept.len() as u64 >= count.min(MOST_ENTRIES as u64 / 2));
        prop_assert_eq!(thinned.pushed_count(), count);
        prop_assert_eq!(kept[0], 0);
        let gaps: Vec<u64> = kept.windows(2).map(|pair| pair[1] - pair[0]).collect();
        prop_assert!(gaps.windows(2).all(|pair| pair[0] == pair[1]), "evenly spread");
    }
}
