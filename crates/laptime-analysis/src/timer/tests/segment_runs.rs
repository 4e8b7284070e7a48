use super::*;

fn run(elapsed_ns: u64) -> SegmentRun {
    SegmentRun {
        elapsed_ns,
        ..SegmentRun::default()
    }
}

fn origin(ticks: u64, ns_per_tick: f64) -> Origin {
    Origin { ticks, ns_per_tick }
}

fn with_memory(before: i64, after: i64, most: i64) -> SegmentRun {
    SegmentRun {
        memory: Some(SegmentMemory {
            before,
            after,
            most,
        }),
        ..run(1)
    }
}

#[test]
fn memory_is_least_and_greatest_of_the_runs_that_have_it() {
    let mut runs = SegmentRuns::default();
    runs.push(run(1));
    assert_eq!((runs.net_bytes(), runs.peak_bytes()), (None, None));
    runs.push(with_memory(5000, 904, 5000));
    runs.push(run(1));
    runs.push(with_memory(0, 512, 1024));
    assert_eq!(runs.net_bytes(), Some((-4096, 512)));
    assert_eq!(runs.peak_bytes(), Some((0, 1024)));
}

#[test]
fn a_column_that_nobody_asked_for_takes_no_room() {
    let mut runs = SegmentRuns::default();
    runs.push(run(7));
    assert_eq!(runs.elapsed_ns, [7]);
    let is_empty = runs.started.is_empty() && runs.memory.is_empty() && runs.cpu_ns.is_empty();
    assert!(is_empty);
    assert_eq!(runs.delayed_ns, None);
}

#[test]
fn a_duration_that_the_device_owes_is_filled_in_with_its_start() {
    let mut runs = SegmentRuns::default();
    assert_eq!(runs.owe_last(), None);
    for started in [10, 20] {
        runs.push(SegmentRun {
            started: Some(started),
            ..run(1)
        });
    }
    let place = runs.owe_last().unwrap();
    runs.settle(place, 500, 30);
    assert_eq!((runs.on_device, runs.device_ns), (1, 500));
    let told: Vec<_> = runs.records(origin(10, 2.0)).collect();
    let spans: Vec<_> = told
        .iter()
        .map(|one| (one.start_ns, one.elapsed_ns))
        .collect();
    assert_eq!(spans, [(0, 1), (40, 500)]);
}

#[test]
fn a_run_before_the_origin_starts_below_zero() {
    let mut runs = SegmentRuns::default();
    runs.push(SegmentRun {
        started: Some(10),
        ..run(1)
    });
    let told: Vec<_> = runs.records(origin(30, 0.5)).collect();
    assert_eq!(told[0].start_ns, -10);
}
