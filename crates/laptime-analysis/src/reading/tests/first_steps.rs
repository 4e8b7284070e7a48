use super::*;

#[test]
fn a_reopened_step_is_one_step() {
    let mut series = Series::new(PathId(2), 1);
    series.push(100, 10, SpanFlags::NONE);
    series.push(120, 5, SpanFlags::CONTINUES);
    series.push(200, 11, SpanFlags::NONE);
    assert_eq!(
        series.steps(),
        [
            Step {
                start: 100,
                duration: 15
            },
            Step {
                start: 200,
                duration: 11
            }
        ]
    );
    assert_eq!(series.count, 2);
}

#[test]
fn the_earliest_steps_are_kept_whatever_the_order() {
    let mut series = Series::new(PathId(2), 1);
    for start in (0..50_000).rev() {
        series.push(start, start + 1, SpanFlags::NONE);
    }
    let steps = series.steps();
    assert_eq!(steps.len(), MOST_STEPS);
    assert!(
        steps
            .iter()
            .zip(0..)
            .all(|(step, start)| step.start == start)
    );
    assert!(series.pieces.len() <= 2 * MOST_PIECES);
}

#[test]
fn pieces_whose_step_was_lost_are_a_step() {
    let mut series = Series::new(PathId(2), 1);
    series.push(100, 10, SpanFlags::CONTINUES);
    series.push(120, 5, SpanFlags::CONTINUES);
    assert_eq!((series.count, series.steps()[0].duration), (1, 15));
}
