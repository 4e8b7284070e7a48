//! Elements of a small content, by the places where they stand.

use crate::value::{DATA_LIMIT, Data, Value};

/// A content stretched to sizes that it can be broadcast to.
pub fn stretched(value: &Value, sizes: &[u64]) -> Option<Data> {
    let own = value.dims()?;
    let lead = sizes.len().checked_sub(own.len())?;
    let strides = strides(&own);
    let along = |(axis, count): (usize, &u64)| match axis.checked_sub(lead) {
        Some(axis) if own[axis] != 1 => (*count, strides[axis]),
        _ => (*count, 0),
    };
    let axes: Vec<(u64, i64)> = sizes.iter().enumerate().map(along).collect();
    strided(value.data.as_ref()?, 0, &axes)
}

/// Elements from one to the next along each axis of a dense tensor.
pub fn strides(sizes: &[u64]) -> Vec<i64> {
    let mut strides = vec![1i64; sizes.len()];
    for axis in (1..sizes.len()).rev() {
        strides[axis - 1] = strides[axis].saturating_mul(sizes[axis] as i64);
    }
    strides
}

/// The elements from a place on: so many along each axis, so far from each other.
pub fn strided(data: &Data, start: i64, axes: &[(u64, i64)]) -> Option<Data> {
    let count = axes
        .iter()
        .try_fold(1u64, |all, (count, _)| all.checked_mul(*count))?;
    if count > DATA_LIMIT as u64 {
        return None;
    }
    let places = (0..count).map(|mut index| {
        let mut place = start;
        for (count, stride) in axes.iter().rev() {
            place = place.saturating_add(((index % count) as i64).saturating_mul(*stride));
            index /= count;
        }
        usize::try_from(place).unwrap_or(usize::MAX)
    });
    picked(data, places)
}

/// The elements at these places.
pub fn picked(data: &Data, places: impl IntoIterator<Item = usize>) -> Option<Data> {
    fn at<T: Copy>(values: &[T], places: impl IntoIterator<Item = usize>) -> Option<Vec<T>> {
        let found = places.into_iter().map(|at| values.get(at).copied());
        found.collect()
    }
    Some(match data {
        Data::Ints(values) => Data::Ints(at(values, places)?),
        Data::Floats(values) => Data::Floats(at(values, places)?),
    })
}
