//! How often a slow rank is named rightly: a table, made from simulated jobs of known truth.
//!
//! `make slow-ranks` prints it.

#![allow(clippy::disallowed_methods, clippy::disallowed_macros)] // a program, no part of the pure crate

mod job;

use job::{Fault, Job};
use laptime_analysis::ranks::{Block, Blocks, Diagnosis, OwnPart, Pattern, SuspectSteps, Suspects};
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
            let rows = job.rows(&mut random);
            for (number, rows) in &rows {
                blocks.add(Block::of(*number, rows));
            }
            let suspects = Suspects::of(&blocks);
            let second = rows
                .iter()
                .map(|(number, rows)| SuspectSteps::of(*number, rows, &suspects));
            let diagnosis = Diagnosis::of(&suspects, &blocks, second);
            let mut found: Vec<(u32, OwnPart, Pattern)> = diagnosis
                .slow
                .iter()
                .map(|one| (one.rank, one.part, one.pattern))
                .collect();
            found.sort_by_key(|(rank, part, _)| (*rank, *part));
            let is_right = job.is_grouped(&diagnosis.groups)
                && job.is_of_their_own(&diagnosis.of_their_own)
                && found.len() == job.slow.len()
                && found
                    .iter()
                    .zip(&job.slow)
                    .all(|((rank, part, pattern), slow)| {
                        rank == slow && *part == job.part && job.is_pattern(*pattern)
                    });
            if is_right {
                right += 1;
            } else if found.is_empty() {
                unsaid += 1;
            } else {
                if wrong < 5 {
                    eprintln!(
                        "{}: ranks {} found {found:?} {:?} truth {:?} {:?} {}",
                        fault.name(),
                        job.ranks,
                        diagnosis.of_their_own,
                        job.slow,
                        job.part,
                        job.start
                    );
                }
                wrong += 1;
            }
        }
        println!(
            "| {} | {jobs} | {right} | {unsaid} | {wrong} |",
            fault.name()
        );
    }
}
