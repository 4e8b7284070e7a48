//! Tests of numbers of times.

use super::*;

#[test]
fn numbers_have_two_or_three_digits_and_stay_in_their_interval() {
    let said = |times, ends| with_interval(times, ends, "times as fast as old");
    assert_eq!(
        said(1_212.3, [1_147.8, 1_259.6]),
        "1,200 times as fast as old (1,150 to 1,260)"
    );
    assert_eq!(
        said(2.346, [2.301, 2.402]),
        "2.3 times as fast as old (2.30 to 2.40)"
    );
    assert_eq!(said(3.0, [2.996, 3.004]), "3.00 times as fast as old");
    // 12 would lie beyond.
    assert_eq!(
        said(12.4, [12.3, 12.8]),
        "12.4 times as fast as old (12.3 to 12.8)"
    );
    assert_eq!(
        said(99_960.0, [99_950.0, 99_970.0]),
        "100,000 times as fast as old"
    );
}

#[test]
fn times_are_told_from_twice_on() {
    assert!(are_many(0.49) && are_many(2.01));
    assert!(!are_many(0.5) && !are_many(1.3));
}
