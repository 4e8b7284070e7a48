use super::*;

/// Steps of 10 ticks with these gaps behind them.
fn steps(gaps: &[u64]) -> Vec<Step> {
    let mut start = 100;
    let each = gaps.iter().map(|gap| {
        let step = Step {
            start,
            duration: 10,
        };
        start += 10 + gap;
        step
    });
    each.collect()
}

#[test]
fn a_gap_that_comes_now_and_then_is_no_part_of_the_usual_one() {
    let mut gaps = vec![30; 40];
    gaps[20] = 9_000;
    assert_eq!(usual(&steps(&gaps), None), Some(30.0));
    // Of two lengths that both come often, it is the mean.
    let alternating: Vec<u64> = (0..41)
        .map(|at| if at % 2 == 0 { 20 } else { 40 })
        .collect();
    assert_eq!(usual(&steps(&alternating), None), Some(30.0));
}

#[test]
fn where_many_gaps_are_long_none_is_the_usual_one() {
    let gaps: Vec<u64> = (0..41)
        .map(|at| if at % 5 == 0 { 9_000 } else { 30 })
        .collect();
    assert_eq!(usual(&steps(&gaps), None), None);
}

#[test]
fn steps_that_overlap_have_no_gap() {
    let mut overlapping = steps(&[30; 12]);
    overlapping[5].duration = 100;
    assert_eq!(usual(&overlapping, None), None);
    assert_eq!(usual(&steps(&[30]), None), None);
}

#[test]
fn later_steps_count_as_much_as_the_first_ones() {
    let first = steps(&[30; 11]);
    let mut later = LaterGaps::after(&first).unwrap();
    let mut at = 100 + 10 * 40 + 10;
    for gap in [50; 10].into_iter().chain([100_000]) {
        at += gap;
        later.push(at, 10);
        at += 10;
    }
    // Ten gaps of 30, ten of 50, and an evaluation.
    assert_eq!(usual(&first, Some(&later)), Some(40.0));
    later.push(at - 50, 10);
    assert_eq!(usual(&first, Some(&later)), None);
}
