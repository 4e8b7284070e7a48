//! How often verdicts are right, on fewer simulated comparisons than `make verdicts` prints.
//!
//! Seeds are fixed, so the same comparisons are judged every time.

use crate::designs::Design;
use crate::series::Kind;
use crate::tally::Tally;

/// Comparisons of each kind with identical code, and as many with slower code.
const COMPARISONS: usize = 100;

fn tallies(design: Design) -> impl Iterator<Item = (String, Tally)> {
    let of = move |kind: Kind| {
        let name = format!("{}, {}", design.name(), kind.name());
        (name, Tally::of(design, kind, COMPARISONS))
    };
    Kind::ALL.into_iter().map(of)
}

#[test]
fn identical_code_is_seldom_faster_or_slower() {
    for design in [
        Design::Blocks(40),
        Design::Runs(3, 50),
        Design::Runs(5, 50),
        Design::One(200),
    ] {
        for (name, tally) in tallies(design) {
            assert!(tally.false_verdicts <= 0.02, "{name}: {tally:?}");
        }
    }
}

#[test]
fn five_percent_at_two_percent_noise_are_found_within_200_blocks() {
    for (name, tally) in tallies(Design::Blocks(200)) {
        assert!(tally.found >= 0.95, "{name}: {tally:?}");
    }
}

#[test]
fn the_interval_holds_the_true_ratio() {
    for design in [
        Design::Blocks(40),
        Design::Runs(5, 50),
        Design::Runs(12, 50),
        Design::One(200),
    ] {
        for (name, tally) in tallies(design) {
            assert!((0.90..=0.99).contains(&tally.held), "{name}: {tally:?}");
            assert_eq!(Some(tally.absent), Some(0.0), "{name}");
        }
    }
}
