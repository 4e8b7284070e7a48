use laptime_analysis::benchmark::warm_up::Change;

use super::*;

fn changes(all: &[(usize, f64)]) -> Later {
    let all = all.iter().map(|(at, ratio)| Change {
        at: *at,
        ratio: *ratio,
    });
    Later::Changes(all.collect())
}

#[test]
fn each_of_several_changes_is_told_beside_what_was_before_it() {
    assert_eq!(
        in_words(&changes(&[(90, 0.5), (140, -0.2)]), "step"),
        "from step 90 on, steps were 50 % longer; from step 140 on, 20 % shorter than just before"
    );
    assert_eq!(
        in_words(&changes(&[(90, 3.0), (140, -0.75)]), "query"),
        "from query 90 on, queries were 4.0 times as long; from query 140 on, 75 % shorter than just before"
    );
    assert_eq!(
        in_words(&changes(&[(9, 0.5), (14, 1.2)]), "step"),
        "from step 9 on, steps were 50 % longer; from step 14 on, 2.2 times as long as just before"
    );
}

#[test]
fn steps_that_more_than_double_are_told_as_times() {
    let said = |ratio| in_words(&changes(&[(3, ratio)]), "step");
    assert_eq!(said(-0.4), "from step 3 on, steps were 40 % shorter");
    assert_eq!(said(0.9), "from step 3 on, steps were 90 % longer");
    assert_eq!(said(7.74), "from step 3 on, steps were 8.7 times as long");
    assert_eq!(
        said(6185.9),
        "from step 3 on, steps were 6187 times as long"
    );
    let trend = |ratio| in_words(&Later::Trend(ratio), "request");
    assert_eq!(
        trend(1.5),
        "requests grew longer: the median of their last third is 2.5 times that of the first"
    );
    assert_eq!(
        trend(0.4),
        "requests grew longer: the median of their last third is 40 % above that of the first"
    );
    assert_eq!(
        trend(-0.67),
        "requests grew shorter: the median of their last third is 67 % below that of the first"
    );
}
