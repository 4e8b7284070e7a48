//! How often a rise is found in curves that scripted programs draw: those that keep nothing, and those that leak.
//!
//! Each kind draws 300 curves of its own size, speed and noise, for runs of two seconds to a few minutes. The numbers
//! are drawn from fixed seeds, so the rates are the same each time.

use laptime_core::PrivateMemory;
use laptime_core::format::record::Record;

use super::{ResidentRise, over_time};
use crate::reading::recorder_samples::RecorderSamples;
use crate::statistics::Random;

const MIB: f64 = 1_048_576.0;
const CURVES: u64 = 300;
/// Most false findings of one kind, in percent: of the shortest runs, and of others.
const FALSE_PERCENT: (u64, u64) = (2, 1);

/// The level of a program in MiB, by the part of its run that is over.
type Level = Box<dyn FnMut(f64) -> f64>;
/// A kind of program: draws one of them.
type Program = fn(Random) -> Level;

/// Programs that keep nothing all the time.
const CLEAN: &[(&str, Program)] = &[
    ("a cache that fills less and less", |mut random| {
        let (height, pace) = (20.0 + 400.0 * random.unit(), 0.02 + 0.68 * random.unit());
        let noise = random.unit();
        Box::new(move |part| {
            30.0 + height * (1.0 - (-part / pace).exp()) + noise * random.normal().abs()
        })
    }),
    ("data that are loaded, then used", |mut random| {
        let (height, full) = (20.0 + 400.0 * random.unit(), 0.8 * random.unit());
        Box::new(move |part| 30.0 + height * part.min(full) + random.unit())
    }),
    (
        "an allocator that keeps the most there was",
        |mut random| {
            let (size, mut most) = (5.0 + 100.0 * random.unit(), 0.0_f64);
            Box::new(move |_| {
                most = most.max(random.normal().abs()).max(random.normal().abs());
                30.0 + size * most
            })
        },
    ),
    ("arenas of threads, fewer and fewer", |mut random| {
        let size = 5.0 + 100.0 * random.unit();
        Box::new(move |part| 30.0 + (size * (1.0 + 100.0 * part).ln()).floor() + random.unit())
    }),
    ("a few large allocations", |mut random| {
        let count = 1 + random.below(5);
        let jump = |random: &mut Random| (random.unit(), 10.0 + 100.0 * random.unit());
        let jumps: Vec<(f64, f64)> = (0..count).map(|_| jump(&mut random)).collect();
        Box::new(move |part| {
            let made = jumps.iter().filter(|(at, _)| part > *at);
            30.0 + made.map(|(_, height)| height).sum::<f64>() + 0.2 * random.unit()
        })
    }),
    ("a first evaluation late", |mut random| {
        let (at, height) = (0.5 + 0.5 * random.unit(), 200.0 * random.unit());
        Box::new(move |part| 60.0 + height * (part - at).max(0.0) + 0.2 * random.unit())
    }),
    ("garbage that is collected now and then", |mut random| {
        let (height, period) = (100.0 * random.unit(), 0.02 + 0.28 * random.unit());
        Box::new(move |part| 30.0 + height * (part / period).fract() + 0.2 * random.unit())
    }),
    ("a level that wanders", |mut random| {
        let (mut above, pace) = (0.0_f64, 0.3 + 3.0 * random.unit());
        Box::new(move |_| {
            above = (above + pace * random.normal()).max(0.0);
            60.0 + above
        })
    }),
    ("a pool that is used more and less", |mut random| {
        let (mut used, size) = (0.0_f64, 50.0 + 100.0 * random.unit());
        Box::new(move |_| {
            used = 0.7 * used + 0.3 * size * random.unit();
            60.0 + used
        })
    }),
    ("data that are read while caches warm up", |mut random| {
        let (height, full) = (20.0 + 200.0 * random.unit(), 0.7 * random.unit());
        let (cache, pace) = (100.0 * random.unit(), 0.02 + 0.3 * random.unit());
        Box::new(move |part| {
            30.0 + height * part.min(full) + cache * (1.0 - (-part / pace).exp()) + random.unit()
        })
    }),
    (
        "data that are read, and an evaluation late",
        |mut random| {
            let (height, full) = (20.0 + 200.0 * random.unit(), 0.6 * random.unit());
            let (at, jump) = (0.7 + 0.3 * random.unit(), height * random.unit());
            Box::new(move |part| {
                let evaluated = if part > at { jump } else { 0.0 };
                30.0 + height * part.min(full) + evaluated + random.unit()
            })
        },
    ),
    ("epochs that each need less more", |mut random| {
        let count = 3 + random.below(8);
        let jumps: Vec<f64> = (0..=count)
            .map(|epoch| 60.0 * random.unit() * (0.5 + 0.4 * random.unit()).powi(epoch as i32))
            .collect();
        Box::new(move |part| {
            let begun = (part * count as f64) as usize + 1;
            30.0 + jumps[..begun].iter().sum::<f64>() + 0.5 * random.unit()
        })
    }),
    ("a file that is loaded at once, then used", |mut random| {
        let (at, took) = (0.3 * random.unit(), 0.01 + 0.4 * random.unit());
        let size = 100.0 + 400.0 * random.unit();
        Box::new(move |part| {
            30.0 + size * ((part - at) / took).clamp(0.0, 1.0) + 2.0 * random.unit()
        })
    }),
    (
        "a cache with a limit that is full at the end",
        |mut random| {
            let (height, full) = (20.0 + 400.0 * random.unit(), 0.1 + 0.6 * random.unit());
            Box::new(move |part| {
                let freed = if part > 0.97 { 1.0 } else { 0.0 };
                30.0 + height * (part.min(full) / full) * (1.0 - freed) + 0.3 * random.unit()
            })
        },
    ),
    ("large buffers, freed and filled again", |mut random| {
        let (height, period) = (20.0 + 300.0 * random.unit(), 0.2 + 0.2 * random.unit());
        let shift = random.unit();
        Box::new(move |part| 30.0 + height * (part / period + shift).fract() + random.unit())
    }),
    ("a list that doubles", |mut random| {
        let times = 2.0 + 4.0 * random.unit();
        Box::new(move |part| 30.0 + 2.0_f64.powf((times * part).floor()))
    }),
];

/// Programs that keep something all the time.
const LEAKS: &[(&str, Program)] = &[
    ("an even rise", |mut random| {
        let height = 24.0 + 400.0 * random.unit();
        Box::new(move |part| 30.0 + height * (part + 0.02 * random.unit()))
    }),
    ("one below what is held for moments", |mut random| {
        let height = 24.0 + 400.0 * random.unit();
        let held = 0.2 * height * random.unit();
        Box::new(move |part| {
            let is_held = random.unit() < 0.5;
            30.0 + height * part + if is_held { held * random.unit() } else { 0.0 }
        })
    }),
    ("one in whole mebibytes", |mut random| {
        let height = 24.0 + 400.0 * random.unit();
        Box::new(move |part| 30.0 + (height * part).floor() + 0.1 * random.unit())
    }),
    ("one on a busy machine", |mut random| {
        let height = 24.0 + 400.0 * random.unit();
        let (mut level, mut before) = (30.0, 0.0);
        Box::new(move |part| {
            level += height * (part - before) * (0.5 + random.unit());
            before = part;
            level
        })
    }),
    ("one that gets slower", |mut random| {
        let (height, slower) = (24.0 + 400.0 * random.unit(), 0.15 * random.unit());
        Box::new(move |part| 30.0 + height * (part - slower * part * part))
    }),
    ("one in an allocator that uses holes again", |mut random| {
        let height = 40.0 + 200.0 * random.unit();
        let (mut level, mut owed, mut before) = (30.0, 0.0, 0.0);
        let mut is_filling = false;
        Box::new(move |part| {
            owed += height * (part - before);
            before = part;
            // For a while holes take it up, at most a twelfth of all; then the heap grows by that, and as it comes.
            if owed > height / 12.0 || random.unit() < 0.2 {
                is_filling = !is_filling && owed < height / 24.0;
            }
            if !is_filling {
                level += owed;
                owed = 0.0;
            }
            level
        })
    }),
    ("one in bursts", |mut random| {
        let height = 24.0 + 400.0 * random.unit();
        let count = 8.0 + (30.0 * random.unit()).floor();
        Box::new(move |part| 30.0 + height * (count * part).floor() / count + 0.3 * random.unit())
    }),
    (
        "one after imports and data that are loaded",
        |mut random| {
            let (height, begins) = (24.0 + 400.0 * random.unit(), 0.4 * random.unit());
            let (loaded, pieces) = (300.0 * random.unit(), 1.0 + (6.0 * random.unit()).floor());
            Box::new(move |part| {
                let pieces_read = (pieces * (part / begins).min(1.0)).floor() / pieces;
                let kept = height * ((part - begins) / (1.0 - begins)).max(0.0);
                20.0 + loaded * pieces_read + kept + 0.3 * random.unit()
            })
        },
    ),
    ("one that is freed as main returns", |mut random| {
        let (height, ends) = (24.0 + 400.0 * random.unit(), 0.85 + 0.15 * random.unit());
        let freed = ends + (1.0 - ends) * random.unit();
        Box::new(move |part| {
            let left = if part > freed {
                0.3 * random.unit()
            } else {
                1.0
            };
            20.0 + height * part.min(ends) * left + 0.3 * random.unit()
        })
    }),
    (
        "one that is read while the process is taken down",
        |mut random| {
            let height = 24.0 + 400.0 * random.unit();
            let mut taken = 1.0;
            Box::new(move |part| {
                if part > 0.97 {
                    taken *= random.unit();
                }
                (20.0 + height * part) * taken + 0.3 * random.unit()
            })
        },
    ),
    ("one between a start and an end", |mut random| {
        let height = 30.0 + 400.0 * random.unit();
        let (begins, ends) = (0.25 * random.unit(), 0.88 + 0.12 * random.unit());
        let loaded = 200.0 * random.unit();
        Box::new(move |part| {
            let kept = height * ((part.min(ends) - begins) / (ends - begins)).max(0.0);
            let start = loaded * (part / begins.max(0.01)).min(1.0);
            20.0 + start + kept + 0.3 * random.unit()
        })
    }),
    ("requests of any size", |mut random| {
        let height = 24.0 + 200.0 * random.unit();
        let (mut level, mut before) = (30.0, 0.0);
        Box::new(move |part| {
            while before < part {
                before += 1.0 / 200.0;
                level -= (1.0 - random.unit()).ln() * height / 200.0;
            }
            level
        })
    }),
];

/// Returns in how many curves in a hundred a rise is found, of so many readings.
fn percent(program: Program, readings: u64) -> u64 {
    let found = |seed: &u64| {
        let mut level = program(Random::new(seed * 7_919 + readings));
        rise(&mut level, readings).is_some()
    };
    (0..CURVES).filter(found).count() as u64 * 100 / CURVES
}

fn rise(level: &mut Level, count: u64) -> Option<ResidentRise> {
    let mut readings = RecorderSamples::default();
    for index in 0..count {
        let bytes = (level(index as f64 / count as f64) * MIB) as u64;
        readings.take(&Record::Sample {
            ticks: index * 100,
            resident_bytes: bytes + 100 * MIB as u64,
            private: Some(PrivateMemory {
                resident_bytes: bytes,
                reserved_bytes: bytes + 200 * MIB as u64,
            }),
        });
    }
    over_time(&readings, 0, u64::MAX)
}

#[test]
fn programs_that_keep_nothing_are_hardly_ever_accused() {
    let mut all = 0;
    for (what, program) in CLEAN {
        for (readings, most) in [
            (20, FALSE_PERCENT.0),
            (30, FALSE_PERCENT.1),
            (60, FALSE_PERCENT.1),
            (240, FALSE_PERCENT.1),
            (400, FALSE_PERCENT.1),
        ] {
            let wrong = percent(*program, readings);
            assert!(wrong <= most, "{what}: {wrong} % of {readings} readings");
            all += wrong;
        }
    }
    let kinds = 5 * CLEAN.len() as u64;
    assert!(2 * all <= kinds, "{all} % in {kinds} kinds of runs");
}

#[test]
fn leaks_are_found_in_nearly_all_runs_of_two_seconds_and_longer_ones() {
    for (what, program) in LEAKS {
        for readings in [20, 30, 60, 240, 400] {
            // Two seconds of which up to 40 % are a start leave few readings of the leak.
            let is_short = readings == 20 && what.starts_with("one after imports");
            let least = if is_short { 60 } else { 95 };
            let found = percent(*program, readings);
            assert!(found >= least, "{what}: {found} % of {readings} readings");
        }
    }
}
