//! How often what is told of a series of durations is so, on the series of which `make steadiness` prints a table and on
//! as many others of each shape.

#[path = "../../examples/steadiness/series.rs"]
mod series;
#[path = "../../examples/steadiness/tally.rs"]
mod tally;

use series::Shape;
use tally::Tally;

/// Series of each shape.
const SERIES: usize = 200;
/// Of 100, those of which something may be told that isn't so.
const MOST_WRONG: usize = 5;

#[test]
fn what_is_told_of_generated_series_is_so_in_95_of_100() {
    for shape in Shape::ALL {
        let tally = Tally::of(shape, SERIES);
        assert!(
            tally.wrong * 100 <= MOST_WRONG * SERIES,
            "{}: {tally:?}",
            shape.name()
        );
    }
}

#[test]
fn most_of_what_there_is_to_tell_is_told() {
    for (shape, least) in [
        (Shape::Level, 95),
        (Shape::OneStep, 85),
        (Shape::TwoSteps, 65),
        (Shape::Ramp, 80),
        (Shape::Drift, 85),
        (Shape::Seasonal, 85),
        (Shape::Bursts, 75),
    ] {
        let tally = Tally::of(shape, SERIES);
        assert!(
            tally.right * 100 >= least * SERIES,
            "{}: {tally:?}",
            shape.name()
        );
    }
}

#[test]
fn the_page_shows_what_the_recipe_prints() {
    let page = include_str!("../../../../docs/steadiness.md");
    let mut all = Tally::default();
    for (shape, count) in Shape::ALL.into_iter().zip(Tally::shares(200)) {
        let tally = Tally::of(shape, count);
        assert!(
            page.contains(&tally.row(shape.name())),
            "{shape:?}: {tally:?}"
        );
        all = all + tally;
    }
    assert!(page.contains(&all.row("all")), "{all:?}");
}
