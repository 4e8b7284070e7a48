//! How often a slow rank is named rightly: a table, made from simulated jobs of known truth.
//!
//! `make slow-ranks` prints it.

#![allow(clippy::disallowed_methods, clippy::disallowed_macros)] // a program, no part of the pure crate

mod job;

use job::{Fault, Job};
use laptime_analysis::ranks::{Block, Blocks, OwnPart, suspects};
use laptime_analysis::statistics::Random;

fn main() {
    let asked = std::env::args().nth(1).and_then(|count| count.parse().ok());
    let jobs: usize = asked.unwrap_or(200);
    println!("| the job | jobs | right | unsaid | wrong |");
    println!("|---|--:|--:|--:|--:|");
    for fault in Fault::ALL {
        let (mut right, mut unsaid, mut wrong) = (0, 0, 0);
        for seed in 0..jobs {
            let mut random = Random::new(seed as u64 * 7919 + fault as u64);
            let job = Job::new(fault, &mut random);
            let mut blocks = Blocks::default();
            for (number, rows) in job.rows(&mut random) {
                blocks.add(Block::of(number, &rows));
            }
            let found: Vec<(u32, OwnPart)> = suspects(&blocks)
                .into_iter()
                .filter(|one| one.part.is_shared_work())
                .map(|one| (one.rank, one.part))
                .collect();
            let truth: Vec<(u32, OwnPart)> =
                job.slow.iter().map(|rank| (*rank, job.part)).collect();
            if found == truth {
                right += 1;
            } else if found.is_empty() {
                unsaid += 1;
            } else {
                if wrong < 3 {
                    eprintln!("{}: ranks {} found {found:?} truth {truth:?}", fault.name(), job.ranks);
                }
                wrong += 1;
            }
        }
        println!("| {} | {jobs} | {right} | {unsaid} | {wrong} |", fault.name());
    }
}
