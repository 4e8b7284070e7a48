use super::*;

const SECOND_NS: u64 = 1_000_000_000;

/// A look at a program that works, on a machine of four processors with an idle one.
const LOOK: Look = Look {
    since_ns: PERIOD_NS,
    cpu_ns: 30_000,
    bytes: 20,
    still_ns: 0,
    is_busy: false,
    processes: 1,
    processors: 4,
};

/// The mean wait between looks that are alike, once there have been many.
fn mean_wait_ns(look: &Look) -> f64 {
    let mut pace = Pace::new(1);
    let (waits, mut wait_ns) = (10_000, pace.wait_ns());
    let mut next = || {
        pace.take(&Look {
            since_ns: wait_ns,
            ..*look
        });
        wait_ns = pace.wait_ns();
        wait_ns as f64
    };
    for _ in 0..200 {
        next();
    }
    (0..waits).map(|_| next()).sum::<f64>() / f64::from(waits)
}

/// Looks for so long that write so much each; how many they are, and what they write in all.
fn write(pace: &mut Pace, bytes: u64, seconds: u64) -> (u64, u64) {
    let (mut at_ns, mut looks) = (0, 0);
    while at_ns < seconds * SECOND_NS {
        let since_ns = pace.wait_ns();
        at_ns += since_ns;
        looks += 1;
        pace.take(&Look {
            since_ns,
            bytes,
            ..LOOK
        });
    }
    (looks, looks * bytes)
}

#[test]
fn cheap_looks_come_a_hundred_times_a_second() {
    let mean = mean_wait_ns(&LOOK);
    assert!((9.8e6..10.2e6).contains(&mean), "{mean}");
}

#[test]
fn where_no_processor_is_idle_they_come_twenty_times_a_second() {
    let mean = mean_wait_ns(&Look {
        is_busy: true,
        ..LOOK
    });
    assert!((4.9e7..5.1e7).contains(&mean), "{mean}");
}

#[test]
fn a_short_run_is_looked_at_fast_though_no_processor_is_idle() {
    let mut pace = Pace::new(1);
    let mut wait = |_| {
        pace.take(&Look {
            is_busy: true,
            ..LOOK
        });
        pace.wait_ns()
    };
    let first: u64 = (1..FAST_LOOKS).map(&mut wait).sum();
    let next: u64 = (0..FAST_LOOKS).map(&mut wait).sum();
    assert!((900_000_000..1_100_000_000).contains(&first), "{first}");
    assert!(next > 4 * first, "{next}");
}

#[test]
fn dear_looks_take_less_than_a_hundredth_of_a_processor() {
    let mean = mean_wait_ns(&Look {
        cpu_ns: 6_000_000,
        ..LOOK
    });
    assert!((7.2e8..7.8e8).contains(&mean), "{mean}");
}

#[test]
fn processes_that_share_processors_share_the_hundredth_too() {
    let of = |processes, processors| {
        mean_wait_ns(&Look {
            cpu_ns: 1_000_000,
            processes,
            processors,
            ..LOOK
        })
    };
    let alone = of(1, 2);
    assert!((0.97..1.03).contains(&(of(2, 2) / alone)));
    let many = of(64, 2) / alone;
    assert!((31.0..33.0).contains(&many), "{many}");
    // What isn't known is one.
    assert!((0.97..1.03).contains(&(of(0, 0) / alone)));
}

#[test]
fn a_first_look_that_is_dear_keeps_the_next_ones_from_little() {
    let mut pace = Pace::new(4);
    pace.take(&Look {
        cpu_ns: 18_000_000,
        ..LOOK
    });
    let first = pace.wait_ns();
    assert!(first < 2 * PERIOD_NS, "{first}");
}

#[test]
fn looks_that_are_dear_while_modules_are_imported_keep_those_after_them_from_nothing() {
    let mut pace = Pace::new(4);
    let mut wait_ns = pace.wait_ns();
    let mut looks = |cpu_ns, seconds| {
        let (mut at_ns, mut looks) = (0, 0);
        while at_ns < seconds * SECOND_NS {
            pace.take(&Look {
                since_ns: wait_ns,
                cpu_ns,
                ..LOOK
            });
            wait_ns = pace.wait_ns();
            at_ns += wait_ns;
            looks += 1;
        }
        looks
    };
    let dear = looks(400_000, 3);
    assert!((90..135).contains(&dear), "{dear}");
    let cheap = looks(50_000, 1);
    assert!((90..115).contains(&cheap), "{cheap}");
}

#[test]
fn while_nothing_runs_the_wait_grows_and_what_runs_ends_it_at_once() {
    let of = |still_ns| mean_wait_ns(&Look { still_ns, ..LOOK });
    assert!((0.97..1.03).contains(&(of(PERIOD_NS) / of(0))));
    let half_a_second = of(SECOND_NS / 2);
    assert!((6.0e7..6.5e7).contains(&half_a_second), "{half_a_second}");
    let long = of(3_600 * SECOND_NS);
    assert!((1.95e8..2.05e8).contains(&long), "{long}");
    let mut pace = Pace::new(5);
    pace.take(&Look {
        still_ns: 60 * SECOND_NS,
        ..LOOK
    });
    pace.take(&LOOK);
    assert!(pace.wait_ns() < 2 * PERIOD_NS);
}

#[test]
fn a_run_of_minutes_is_looked_at_as_often_as_possible_and_a_long_one_writes_little() {
    let mut pace = Pace::new(6);
    let (looks, _) = write(&mut pace, 22, 120);
    assert!(looks > 11_000, "{looks}");
    let mut pace = Pace::new(6);
    let (looks, bytes) = write(&mut pace, 22, 3_600);
    assert!(bytes < 880_000, "{bytes}");
    assert!(looks > 36_000, "{looks}");
    let (looks, bytes) = write(&mut pace, 22, 3_600);
    assert!(bytes < 480_000, "{bytes}");
    assert!(looks > 5 * 3_600, "{looks}");
}

#[test]
fn a_program_that_writes_more_at_each_look_is_looked_at_less_often() {
    let mut pace = Pace::new(7);
    let (looks, bytes) = write(&mut pace, 6_000, 3_600);
    assert!(bytes < 880_000, "{bytes}");
    assert!(looks > 130, "{looks}");
    // What was saved up meanwhile is no more than at the start.
    for _ in 0..100 {
        pace.take(&Look {
            since_ns: 3_600 * SECOND_NS,
            bytes: 0,
            ..LOOK
        });
    }
    let (_, bytes) = write(&mut pace, 6_000, 3_600);
    assert!(bytes < 890_000, "{bytes}");
}

#[test]
fn looks_come_at_no_even_rhythm() {
    let mut pace = Pace::new(3);
    let waits: Vec<u64> = (0..1_000).map(|_| pace.wait_ns()).collect();
    assert!(*waits.iter().min().unwrap() < PERIOD_NS * 6 / 10);
    assert!(*waits.iter().max().unwrap() > PERIOD_NS * 14 / 10);
    assert!(waits.iter().all(|wait| *wait >= PERIOD_NS / 2));
}

#[test]
fn nothing_overflows() {
    let mut pace = Pace::new(0);
    for _ in 0..3 {
        pace.take(&Look {
            since_ns: u64::MAX,
            cpu_ns: u64::MAX,
            bytes: u64::MAX,
            still_ns: u64::MAX,
            is_busy: true,
            processes: 1_000_000,
            processors: 0,
        });
        assert!(pace.wait_ns() > PERIOD_NS);
    }
}
