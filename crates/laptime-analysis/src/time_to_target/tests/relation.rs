//! When a series reaches a threshold.

use proptest::prelude::*;

use super::*;

/// Finds the first value of a series that reaches the threshold, and the best one of all.
fn first_reached(values: &[f64], relation: Relation, threshold: f64) -> Reached<usize> {
    let mut reached = Reached::new();
    for (index, value) in values.iter().copied().enumerate() {
        reached.take(index, value, relation, threshold);
    }
    reached
}

#[test]
fn a_loss_reaches_its_threshold_from_above() {
    let reached = first_reached(&[0.9, 0.4, 0.1, 0.2], Relation::AtMost, 0.1);
    assert_eq!(
        (reached.first, reached.best),
        (Some((2, 0.1)), Some((2, 0.1)))
    );
    let reached = first_reached(&[0.9, 0.4, 0.1, 0.2], Relation::Below, 0.1);
    assert_eq!(reached.first, None);
}

#[test]
fn an_accuracy_reaches_its_threshold_from_below() {
    let reached = first_reached(&[0.1, 0.95, 0.95], Relation::AtLeast, 0.95);
    assert_eq!(
        (reached.first, reached.best),
        (Some((1, 0.95)), Some((1, 0.95)))
    );
    let reached = first_reached(&[0.1, 0.95, 0.95], Relation::Above, 0.95);
    assert_eq!(reached.first, None);
}

#[test]
fn a_value_that_is_no_number_reaches_nothing() {
    let values = [f64::NAN, f64::INFINITY, f64::NEG_INFINITY, 0.5];
    for relation in [Relation::AtMost, Relation::AtLeast] {
        let reached = first_reached(&values, relation, 0.5);
        assert_eq!(
            (reached.first, reached.best),
            (Some((3, 0.5)), Some((3, 0.5)))
        );
    }
    assert_eq!(first_reached(&[], Relation::Below, 0.0), Reached::default());
}

proptest! {
    #[test]
    fn what_reaches_a_threshold_is_on_its_side_and_nothing_before_is(
        values in proptest::collection::vec(-1.0..1.0, 0..50),
        threshold in -1.0..1.0,
    ) {
        let reached = first_reached(&values, Relation::AtLeast, threshold);
        let before = &values[..reached.first.map_or(values.len(), |(index, _)| index)];
        prop_assert!(before.iter().all(|value| *value < threshold));
        prop_assert!(reached.first.is_none_or(|(index, value)| values[index].to_bits() == value.to_bits() && value >= threshold));
        prop_assert_eq!(reached.first.is_some(), reached.best.is_some_and(|(_, best)| best >= threshold));
    }
}
