use super::*;

fn exact(ns: u64) -> String {
    duration(ns, Precision::Exact).inline()
}

fn estimate(ns: u64) -> String {
    duration(ns, Precision::Estimate).inline()
}

#[test]
fn a_duration_takes_the_unit_that_leaves_few_digits() {
    let shown: Vec<String> = [
        0,
        850,
        1_000,
        12_345,
        12_345_678,
        2_471_000_000,
        999_000_000_000,
        1_234_000_000_000,
        40_000_000_000_000,
    ]
    .map(exact)
    .to_vec();
    assert_eq!(
        shown,
        [
            "0 ns", "850 ns", "1.00 µs", "12.3 µs", "12.3 ms", "2.47 s", "999 s", "20.6 min",
            "11.1 h"
        ]
    );
}

#[test]
fn rounding_never_shows_a_thousand_of_a_unit() {
    assert_eq!(exact(999_996), "1.00 ms");
    assert_eq!(estimate(999_600), "1.00 ms");
    assert_eq!(exact(999_400), "999 µs");
}

#[test]
fn an_estimate_shows_three_digits() {
    assert_eq!(estimate(1_234_567), "1.23 ms");
    assert_eq!(estimate(12_345_678), "12.3 ms");
    assert_eq!(estimate(123_456_789), "123 ms");
    assert_eq!(estimate(9_996_000), "10.0 ms");
}

#[test]
fn counts_are_separated_in_thousands() {
    assert_eq!(thousands(0_u64), "0");
    assert_eq!(thousands(999_u64), "999");
    assert_eq!(thousands(1_000_u64), "1,000");
    assert_eq!(thousands(12_345_678_u64), "12,345,678");
}

#[test]
fn percent_has_one_decimal_and_all_has_none() {
    assert_eq!(percent(0.4567).inline(), "45.7 %");
    assert_eq!(percent(1.0).inline(), "100 %");
}

#[test]
fn a_metric_shows_five_digits_at_most() {
    assert_eq!(plain(0.93), "0.93");
    assert_eq!(plain(1.0 / 3.0), "0.33333");
    assert_eq!(plain(1234.567), "1234.6");
    assert_eq!(plain(-12.0), "-12");
    assert_eq!(plain(100.0), "100");
    assert_eq!(plain(1e-9), "1.0000e-9");
    assert_eq!(plain(0.0), "0");
}

#[test]
fn bytes_take_binary_prefixes() {
    assert_eq!(bytes(512), "512 B");
    assert_eq!(bytes(1_048_576), "1.00 MiB");
}

#[test]
fn bytes_have_three_digits_and_one_sign() {
    let shown = |bytes: i64| memory(bytes).inline();
    assert_eq!(
        [0, 1_023, 12_900, 1_047_000, -3 << 30].map(shown),
        ["0 B", "1023 B", "12.6 KiB", "1022 KiB", "-3.00 GiB"]
    );
}

#[test]
fn more_than_the_whole_is_a_multiple_of_it() {
    assert_eq!(
        [1.01, 3.94, 12.0].map(|ratio| times(ratio).inline()),
        ["1.01 ×", "3.9 ×", "12.0 ×"]
    );
}

#[test]
fn large_numbers_have_three_digits_and_a_prefix() {
    assert_eq!(si(0.0, "FLOP"), "0 FLOP");
    assert_eq!(si(12.0, "FLOP"), "12 FLOP");
    assert_eq!(si(0.5, "FLOP/B"), "0.50 FLOP/B");
    assert_eq!(si(999.6, "FLOP"), "1.00 kFLOP");
    assert_eq!(si(9_994.0, "FLOP"), "9.99 kFLOP");
    assert_eq!(si(9_996.0, "FLOP"), "10.0 kFLOP");
    assert_eq!(si(4_089_184_256.0, "MAC"), "4.09 GMAC");
    assert_eq!(si(511.2e9, "FLOP/s"), "511 GFLOP/s");
    assert_eq!(si(3e27, "FLOP"), "3000 YFLOP");
}

#[test]
fn whole_numbers_take_the_prefix_that_leaves_few_digits() {
    let shown = |number: u128| scaled(number).inline();
    assert_eq!(
        [0, 999, 1_000, 999_400, 999_600, 4_089_184_256].map(shown),
        ["0", "999", "1.00 k", "999 k", "1.00 M", "4.09 G"]
    );
    assert_eq!(with_unit(4_089_184_256, "MAC"), "4.09 GMAC");
    assert_eq!(with_unit(12, "FLOP"), "12 FLOP");
    assert_eq!(shown(u128::MAX), "340282367 Q");
}

#[test]
fn ratios_have_three_digits_however_small() {
    let shown = |value: f64| rate(value).inline();
    assert_eq!(
        [0.0, 0.001_234, 0.0994, 0.5, 47.755, 812.0, 9_330.0].map(shown),
        ["0", "0.0012", "0.099", "0.50", "47.8", "812", "9.33 k"]
    );
}

#[test]
fn measured_durations_have_three_digits_down_to_parts_of_a_nanosecond() {
    let told = [0.34, 8.437, 84.37, 999.4, 999.9, 12_340.0, 3e9].map(|ns| measured(ns).inline());
    assert_eq!(
        told,
        [
            "0.34 ns", "8.44 ns", "84.4 ns", "999 ns", "1.00 µs", "12.3 µs", "3.00 s"
        ]
    );
    assert_eq!(measured_like(1_020.0, 998.0), "1020");
    assert_eq!(measured_like(12_240.0, 12_300.0), "12.2");
}

#[test]
fn how_long_ago_something_was_has_no_more_than_its_largest_unit() {
    let minutes = [0, 1, 119, 120, 2_879, 2_880, 100_000];
    let told = minutes.map(|minutes: u64| ago(minutes * 60_000_000_000));
    let wanted = [
        "just now",
        "1 min ago",
        "119 min ago",
        "2 h ago",
        "47 h ago",
        "2 days ago",
        "69 days ago",
    ];
    assert_eq!(told, wanted);
    assert_eq!(ago(59_999_999_999), "just now");
}
