use super::*;

fn piece(start: u64, duration: u64, flags: SpanFlags) -> Span {
    Span {
        flags,
        ..Span::plain(PathId(2), start, duration, 1)
    }
}

#[test]
fn a_reopened_step_is_one_step() {
    let mut series = Series::new(PathId(2));
    series.push(&piece(100, 10, SpanFlags::NONE));
    series.push(&piece(120, 5, SpanFlags::CONTINUES));
    series.push(&piece(200, 11, SpanFlags::NONE));
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
    assert_eq!(series.seen, 2);
}

#[test]
fn the_earliest_steps_are_kept_whatever_the_order() {
    let mut series = Series::new(PathId(2));
    for start in (0..50_000).rev() {
        series.push(&piece(start, start + 1, SpanFlags::NONE));
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
