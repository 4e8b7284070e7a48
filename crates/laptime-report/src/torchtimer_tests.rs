use laptime_analysis::timer::{SegmentMemory, SegmentRun, SegmentRuns, rows};

use super::*;

fn segment(name: &str, count: u64, total_ns: u64) -> SpanRow {
    let mut runs = SegmentRuns::default();
    runs.push(SegmentRun {
        memory: Some(SegmentMemory {
            before: 100,
            after: 100,
            most: 3_984_688,
        }),
        ..SegmentRun::default()
    });
    SpanRow {
        count: Some(count),
        total_ns,
        ..rows(&[(name, &runs)]).remove(0)
    }
}

#[test]
fn the_table_is_laid_out_to_the_character() {
    let rows = [segment("'default'", 1000, 1_610_135_000)];
    insta::assert_snapshot!(table("timer", "main", &rows, 1_610_135_000), @r"
    ###### timer::main: (total runtime 1.610135s)
    | name      | repeats    | average time | total time   | % total time    | net mem alloc        | peak mem alloc       |
    | --------- | ---------- | ------------ | ------------ | --------------- | -------------------- | -------------------- |
    | 'default' | 1000       | 0.00161013   | 1.610135     | 100.0           | 0B - 0B              | 3.8MB - 3.8MB        |
    ");
}

#[test]
fn a_wide_value_widens_its_column_and_nothing_is_cut() {
    let mut wide = segment("'a'", 123_456_789_012, 1_234_567_890_123_456);
    wide.memory.host_memory_net_min_bytes = Some(-1_099_511_627_775);
    wide.memory.host_memory_net_max_bytes = Some(1_099_511_627_775);
    let rows = [wide, segment("'b'", 1, 5_000)];
    insta::assert_snapshot!(table("t", "c", &rows, 2_000_000_000_000_000), @r"
    ###### t::c: (total runtime 2000000.0s)
    | name | repeats      | average time | total time       | % total time    | net mem alloc        | peak mem alloc       |
    | ---- | ------------ | ------------ | ---------------- | --------------- | -------------------- | -------------------- |
    | 'a'  | 123456789012 | 1e-05        | 1234567.89012346 | 61.73           | -1024.0GB - 1024.0GB | 3.8MB - 3.8MB        |
    | 'b'  | 1            | 5e-06        | 5e-06            | 0.0             | 0B - 0B              | 3.8MB - 3.8MB        |
    ");
}

#[test]
fn the_longest_total_stands_first_and_equal_ones_stay_in_order() {
    let rows = [
        segment("'a'", 1, 5),
        segment("'b'", 1, 7),
        segment("'c'", 1, 5),
    ];
    let text = table("t", "c", &rows, 17);
    let places = ["'b'", "'a'", "'c'"].map(|name| text.find(name).unwrap());
    assert!(places.is_sorted());
}

#[test]
fn a_devices_memory_stands_in_the_same_columns() {
    let mut runs = SegmentRuns::default();
    runs.push(SegmentRun {
        memory: Some(SegmentMemory {
            before: 0,
            after: -512,
            most: 1024,
        }),
        ..SegmentRun::default()
    });
    let place = runs.owe_last().unwrap();
    runs.settle(place, 5, 0);
    let text = table("t", "c", &rows(&[("'a'", &runs)]), 5);
    assert!(
        text.contains("| -512B - -512B        | 1.0KB - 1.0KB        |"),
        "{text}"
    );
}

#[test]
fn a_zero_total_prints_zero_and_memory_not_read_a_dash() {
    let zero = SpanRow {
        memory: <_>::default(),
        ..segment("3", 2, 0)
    };
    let text = table("t", "c", &[zero], 0);
    assert!(
        text.contains("| 3    | 2          | 0.0          | 0.0          | 0.0             | –  ")
    );
    assert!(text.starts_with("###### t::c: (total runtime 0.0s)\n"));
}

#[test]
fn floats_are_printed_as_python_prints_them() {
    let printed = [
        (0.0, "0.0"),
        (100.0, "100.0"),
        (0.000_1, "0.0001"),
        (0.000_09, "9e-05"),
        (1.2e-6, "1.2e-06"),
        (123_456.789, "123456.789"),
        (1e16, "1e+16"),
        (-0.5, "-0.5"),
    ];
    for (number, text) in printed {
        assert_eq!(float(number), text);
    }
    assert_eq!(float(rounded(2.675, 2)), "2.67");
    assert_eq!(float(rounded(0.125, 2)), "0.12");
}

#[test]
fn bytes_go_in_steps_of_1024() {
    let printed = [
        (0, "0B"),
        (512, "512B"),
        (-1, "-1B"),
        (1023, "1023B"),
        (4096, "4.0KB"),
        (-4096, "-4.0KB"),
        (3_984_588, "3.8MB"),
        (1 << 50, "1024.0TB"),
    ];
    for (count, text) in printed {
        assert_eq!(bytes(count), text);
    }
}
