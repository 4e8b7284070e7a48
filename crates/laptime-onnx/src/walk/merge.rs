//! What is sure of values that several ways or rounds give.

use std::sync::Arc;

use crate::value::{Sizes, Value};

/// Why a value isn't known that several ways give.
const WAYS: &str = "they depend on which way a branch or loop takes";

/// A value of which only the sizes are sure: its content changes from round to round.
pub fn blurred(value: &Arc<Value>) -> Arc<Value> {
    if value.data.is_none() && value.param.is_none() {
        return value.clone();
    }
    Arc::new(Value {
        data: None,
        param: None,
        ..Value::clone(value)
    })
}

/// Values of which no size is sure.
pub fn opened(values: &[Arc<Value>]) -> Vec<Arc<Value>> {
    let open = |value: &Arc<Value>| Value {
        why: Some(WAYS.into()),
        ..Value::unknown(value.element)
    };
    values.iter().map(|value| Arc::new(open(value))).collect()
}

/// What two ways give alike.
pub fn merged(one: &[Arc<Value>], other: &[Arc<Value>]) -> Vec<Arc<Value>> {
    let both = one.iter().zip(other);
    both.map(|(one, other)| {
        let sizes = one.sizes.as_ref().zip(other.sizes.as_ref());
        let sizes = sizes.filter(|(one, other)| one.len() == other.len());
        let alike = |(one, other): (&Sizes, &Sizes)| {
            let both = one.iter().zip(other);
            both.map(|(a, b)| a.filter(|_| a == b)).collect()
        };
        let is_same = one.data == other.data && one.sizes == other.sizes;
        Arc::new(Value {
            element: one.element,
            sizes: sizes.map(alike),
            data: one.data.clone().filter(|_| is_same),
            why: Some(WAYS.into()),
            ..Value::default()
        })
    })
    .collect()
}

/// So many of a value, one after the other along a new axis.
pub fn stacked(each: &Value, axis: usize, count: Option<u64>) -> Value {
    let sizes = each.sizes.clone().map(|mut sizes| {
        sizes.insert(axis.min(sizes.len()), count);
        sizes
    });
    Value {
        element: each.element,
        sizes,
        why: each.why.clone(),
        ..Value::default()
    }
}
