//! How often what is told of a series of durations is so: a table, made from generated series of known truth.
//!
//! `make steadiness` prints it. Each row is one shape, on machines that are busy, heavy-tailed and autocorrelated in
//! turn.

#![allow(clippy::disallowed_methods, clippy::disallowed_macros)] // a program, no part of the pure crate

mod series;
mod tally;

use series::Shape;
use tally::Tally;

/// Series of all shapes together.
const SERIES: usize = 200;

fn main() {
    let asked = std::env::args().nth(1).and_then(|count| count.parse().ok());
    let series: usize = asked.unwrap_or(SERIES);
    println!("| the program's durations | series | right | unsaid | wrong |");
    println!("|---|--:|--:|--:|--:|");
    let mut all = Tally::default();
    for (shape, count) in Shape::ALL.into_iter().zip(Tally::shares(series)) {
        let tally = Tally::of(shape, count);
        println!("{}", tally.row(shape.name()));
        all = all + tally;
    }
    println!("{}", all.row("all"));
}
