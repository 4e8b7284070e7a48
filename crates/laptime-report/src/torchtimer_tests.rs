use super::*;

fn segment(name: &str, count: u64, total_ns: u64) -> SegmentTotals {
    SegmentTotals {
        name: name.to_owned(),
        count,
        total_ns,
        net_bytes: Some((0, 0)),
        peak_bytes: Some((3_984_588, 3_984_588)),
    }
}

#[test]
fn the_table_is_laid_out_to_the_character() {
    let totals = ContextTotals {
        runtime_ns: 1_610_135_000,
        segments: vec![segment("'default'", 1000, 1_610_135_000)],
    };
    insta::assert_snapshot!(table("timer", "main", &totals), @r"
    ###### timer::main: (total runtime 1.610135s)
    | name      | repeats    | average time | total time   | % total time    | net mem alloc        | peak mem alloc       |
    | --------- | ---------- | ------------ | ------------ | --------------- | -------------------- | -------------------- |
    | 'default' | 1000       | 0.00161013   | 1.610135     | 100.0           | 0B - 0B              | 3.8MB - 3.8MB        |
    ");
}

#[test]
fn a_wide_value_widens_its_column_and_nothing_is_cut() {
    let mut wide = segment("'a'", 123_456_789_012, 1_234_567_890_123_456);
    wide.net_bytes = Some((-1_099_511_627_775, 1_099_511_627_775));
    let totals = ContextTotals {
        runtime_ns: 2_000_000_000_000_000,
        segments: vec![wide, segment("'b'", 1, 5_000)],
    };
    insta::assert_snapshot!(table("t", "c", &totals), @r"
    ###### t::c: (total runtime 2000000.0s)
    | name | repeats      | average time | total time       | % total time    | net mem alloc        | peak mem alloc       |
    | ---- | ------------ | ------------ | ---------------- | --------------- | -------------------- | -------------------- |
    | 'a'  | 123456789012 | 1e-05        | 1234567.89012346 | 61.73           | -1024.0GB - 1024.0GB | 3.8MB - 3.8MB        |
    | 'b'  | 1            | 5e-06        | 5e-06            | 0.0             | 0B - 0B              | 3.8MB - 3.8MB        |
    ");
}

#[test]
fn a_zero_total_prints_zero_and_memory_not_read_a_dash() {
    let mut zero = segment("3", 2, 0);
    zero.net_bytes = None;
    let totals = ContextTotals {
        runtime_ns: 0,
        segments: vec![zero],
    };
    let text = table("t", "c", &totals);
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
