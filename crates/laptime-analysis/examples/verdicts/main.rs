//! How often verdicts are right: a table, made from simulated measurements of known truth.
//!
//! `make verdicts` prints it. Each row is one way to measure on one kind of machine: how often
//! identical code is called faster or slower, how often code that takes 5 % longer is called slower, and
//! how often the 95 % interval holds the true ratio.

#![allow(clippy::disallowed_methods, clippy::disallowed_macros)] // a program, no part of the pure crate

mod contests;
mod designs;
mod peers;
mod series;
mod tally;

use designs::Design;
use series::Kind;
use tally::Tally;

/// Comparisons per cell: a share of 1 % is then known to 0.4 %.
const COMPARISONS: usize = 3_000;
/// How they are measured.
const DESIGNS: [Design; 10] = [
    Design::Blocks(10),
    Design::Blocks(40),
    Design::Blocks(200),
    Design::Runs(2, 100),
    Design::Runs(3, 100),
    Design::Runs(5, 100),
    Design::Runs(10, 100),
    Design::Runs(20, 1),
    Design::One(50),
    Design::One(400),
];

fn main() {
    let asked = std::env::args().nth(1).and_then(|count| count.parse().ok());
    let comparisons = asked.unwrap_or(COMPARISONS);
    println!("| measured | machine | false verdicts | 5 % found | interval holds |");
    println!("|---|---|--:|--:|--:|");
    for design in DESIGNS {
        for kind in Kind::ALL {
            row(&design.name(), kind, &Tally::of(design, kind, comparisons));
        }
    }
    println!();
    println!(
        "| measured | machine | false verdicts | 5 % found | interval holds | rounds to find 5 % |"
    );
    println!("|---|---|--:|--:|--:|--:|");
    for kind in Kind::ALL {
        contests::row(kind, comparisons / 10);
    }
    println!();
    println!("| machine | rule | wrong by its own limit | samples for 2 % | for 5 % | for 10 % |");
    println!("|---|---|--:|--:|--:|--:|");
    for kind in Kind::ALL {
        peers::rows(kind, comparisons / 10);
    }
}

fn row(name: &str, kind: Kind, tally: &Tally) {
    println!(
        "| {name} | {} | {:.2} % | {:.1} % | {:.1} % |",
        kind.name(),
        100.0 * tally.false_verdicts,
        100.0 * tally.found,
        100.0 * tally.held,
    );
}
