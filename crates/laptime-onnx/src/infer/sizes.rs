//! Arithmetic on sizes, of which some may not be known.

use super::call::Stop;
use crate::value::Sizes;

/// A place among dimensions; negative ones count from the end.
pub fn place(axis: i64, rank: usize) -> Result<usize, Stop> {
    let below = if axis < 0 { rank as i64 } else { 0 };
    usize::try_from(axis.saturating_add(below))
        .ok()
        .filter(|&index| index < rank)
        .ok_or_else(|| Stop::wrong(format!("axis {axis} is none of {rank}")))
}

/// Places among dimensions.
pub fn places(axes: &[i64], rank: usize) -> Result<Vec<usize>, Stop> {
    axes.iter().map(|axis| place(*axis, rank)).collect()
}

/// Whether two sizes may be the same.
pub fn agree(one: Option<u64>, other: Option<u64>) -> bool {
    one.zip(other).is_none_or(|(one, other)| one == other)
}

/// The sizes that two have together, ones stretched.
pub fn broadcast_sizes(one: &Sizes, other: &Sizes) -> Result<Sizes, Stop> {
    let rank = one.len().max(other.len());
    let at = |sizes: &Sizes, index: usize| match (index + sizes.len()).checked_sub(rank) {
        Some(index) => sizes[index],
        None => Some(1),
    };
    let mut sizes = Vec::with_capacity(rank);
    for index in 0..rank {
        sizes.push(match (at(one, index), at(other, index)) {
            (Some(1) | None, size) | (size, Some(1) | None) => size,
            (Some(a), Some(b)) if a == b => Some(a),
            (Some(a), Some(b)) => {
                return Err(Stop::wrong(format!(
                    "sizes {a} and {b} cannot be broadcast to each other"
                )));
            }
        });
    }
    Ok(sizes)
}

/// The product of sizes. `None` where one isn't known.
pub fn product(sizes: &[Option<u64>]) -> Result<Option<u64>, Stop> {
    let times = |all, size: &_| both(all, *size, u64::checked_mul, "multiply");
    sizes.iter().try_fold(Some(1), times)
}

/// The sum of two sizes. `None` where one isn't known.
pub fn sum(one: Option<u64>, other: Option<u64>) -> Result<Option<u64>, Stop> {
    both(one, other, u64::checked_add, "add")
}

fn both(
    one: Option<u64>,
    other: Option<u64>,
    compute: fn(u64, u64) -> Option<u64>,
    verb: &str,
) -> Result<Option<u64>, Stop> {
    let Some((one, other)) = one.zip(other) else {
        return Ok(None);
    };
    let wrong = || Stop::wrong(format!("its sizes are too large to {verb}"));
    compute(one, other).ok_or_else(wrong).map(Some)
}

/// Sizes as an error shows them.
pub fn written(sizes: &Sizes) -> String {
    let each: Vec<String> = sizes
        .iter()
        .map(|size| size.map_or("?".into(), |size| size.to_string()))
        .collect();
    format!("[{}]", each.join(", "))
}
