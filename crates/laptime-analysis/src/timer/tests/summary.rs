use super::*;
use crate::testing::analyzed;
use crate::testing::scripted::Script;
use crate::timer::{SegmentMemory, SegmentRun};

/// The process that a timer runs in, which has laps of its own.
fn process() -> Summary {
    let mut script = Script::new(7, 5_000);
    script.span(&["step"], 10, 90);
    analyzed::summarize(&[script], Options::default())
}

fn timer() -> Timer<'static> {
    Timer {
        name: "timer",
        source: WallSource::Segments,
        no_device: None,
    }
}

fn runs(durations: &[u64]) -> SegmentRuns {
    let mut runs = SegmentRuns::default();
    for elapsed_ns in durations {
        runs.push(SegmentRun {
            elapsed_ns: *elapsed_ns,
            ..SegmentRun::default()
        });
    }
    runs
}

#[test]
fn every_context_has_a_table_and_the_whole_has_all_rows() {
    let (a, b, idle) = (runs(&[10, 30]), runs(&[60]), runs(&[]));
    let contexts = [
        ("main", vec![("a", &a), ("idle", &idle)]),
        ("empty", vec![("idle", &idle)]),
        ("for/ward", vec![("step", &b)]),
    ];
    let made = TimerSummary::new(timer(), &contexts, &process());
    let titles: Vec<_> = made.tables.iter().map(|(title, _)| &**title).collect();
    assert_eq!(titles, ["timer: main", "timer: for/ward"]);
    let (_, main) = &made.tables[0];
    assert_eq!(
        (main.wall_ns, main.measured_ns, main.span_count),
        (40, 40, 2)
    );
    assert_eq!(main.rows[0].share_ratio, Some(1.0));
    assert_eq!(
        (main.rows[0].min_ns, main.rows[0].max_ns),
        (Some(10), Some(30))
    );

    let whole = made.whole;
    let paths: Vec<_> = whole.rows.iter().map(|row| &*row.path).collect();
    assert_eq!(paths, ["main/a", "for\\/ward/step"]);
    let shares: Vec<_> = whole
        .rows
        .iter()
        .filter_map(|row| row.share_ratio)
        .collect();
    assert_eq!(shares, [0.4, 0.6]);
    assert_eq!(
        (whole.wall_ns, whole.measured_ns, whole.span_count),
        (100, 100, 3)
    );
}

#[test]
fn the_process_is_the_timers_and_its_laps_are_not() {
    let a = runs(&[10]);
    let made = TimerSummary::new(timer(), &[("main", vec![("a", &a)])], &process());
    let own = &made.whole.processes[0];
    assert_eq!((own.pid, &*own.program), (7, "timer"));
    assert_eq!((own.span_count, own.is_main), (1, true));
    assert_eq!(made.whole.steady_why.unwrap().0, NO_MOMENTS);
    let none = TimerSummary::new(timer(), &[], &process());
    assert!(none.tables.is_empty() && none.whole.rows.is_empty());
    assert_eq!(none.whole.wall_ns, 0);
}

#[test]
fn cpu_times_and_delay_reach_the_row() {
    let mut a = SegmentRuns::default();
    for delayed_ns in [None, Some(3)] {
        a.push(SegmentRun {
            elapsed_ns: 10,
            cpu_ns: Some((8, 5)),
            delayed_ns,
            ..SegmentRun::default()
        });
    }
    let made = TimerSummary::new(timer(), &[("main", vec![("a", &a)])], &process());
    let row = &made.whole.rows[0];
    assert_eq!((row.process_ns, row.thread_ns), (Some(16), Some(10)));
    assert_eq!(row.delayed_ns, Some(3));
}

#[test]
fn a_device_fills_its_fields_and_host_time_among_it_is_said() {
    let (mut a, b) = (runs(&[1, 1]), runs(&[1]));
    a.push(SegmentRun {
        memory: Some(SegmentMemory {
            before: 100,
            after: 90,
            most: 400,
        }),
        ..SegmentRun::default()
    });
    let place = a.owe_last().unwrap();
    a.settle(place, 50, 0);
    let contexts = [("host", vec![("b", &b)]), ("main", vec![("a", &a)])];
    let made = TimerSummary::new(timer(), &contexts, &process());
    let device = &made.whole.rows[1].device;
    assert_eq!(device.device_ns, Some(50));
    assert_eq!(device.device_memory_net_max_bytes, Some(-10));
    assert_eq!(device.device_memory_peak_min_bytes, Some(300));
    assert_eq!(*made.whole.rows[0].device, DeviceRow::default());
    let [(_, host), (_, main)] = &made.tables[..] else {
        panic!("{:?}", made.tables);
    };
    let sources = [host.wall_source, main.wall_source, made.whole.wall_source];
    let device = WallSource::DeviceTimeSegments;
    assert_eq!(sources, [WallSource::Segments, device, device]);
    assert!(host.warnings.is_empty());
    let mixed = |count| Doubt::Device(DeviceDoubt::MixedClocks { count });
    assert_eq!(main.warnings, [mixed(2)]);
    assert_eq!(made.whole.warnings, [mixed(3)]);
}

#[test]
fn a_device_that_is_not_there_is_named_in_every_field_of_it() {
    let timer = Timer {
        no_device: Some("no NVIDIA driver"),
        ..timer()
    };
    let a = runs(&[1]);
    let made = TimerSummary::new(timer, &[("main", vec![("a", &a)])], &process());
    for field in Group::DeviceTime.names().chain(Group::DeviceMemory.names()) {
        assert_eq!(made.whole.unavailable[field].0, "no NVIDIA driver");
        assert_eq!(made.tables[0].1.unavailable[field].0, "no NVIDIA driver");
    }
}

#[test]
fn segments_whose_names_look_alike_stay_two_rows() {
    let (text, other) = (runs(&[10]), runs(&[30]));
    let made = rows(&[("'a'", &text), ("'a'", &other), ("idle", &runs(&[]))]);
    let totals: Vec<_> = made.iter().map(|row| (&*row.path, row.total_ns)).collect();
    assert_eq!(totals, [("'a'", 10), ("'a'", 30)]);
}
