//! Points of a roofline from counts alone: operators, or modules at a depth.

use laptime_core::operations::{Cost, Counts};

use super::content::Point;
use crate::quantity;
use crate::tables::operations::{By, DEFAULT_DEPTH};

/// Makes points of operators, or of the deepest modules that are shown; of modules where there are some.
pub fn of_counts(counts: &Counts, by: Option<By>, depth: Option<u32>) -> Vec<Point> {
    let by_module = match by {
        Some(By::Operator) => false,
        Some(By::Module) => true,
        None => counts.by_module.len() > 1,
    };
    if by_module {
        modules(counts, depth.unwrap_or(DEFAULT_DEPTH))
    } else {
        let operators = counts.by_op.iter();
        operators
            .map(|row| point(&row.name, &row.tallies.total().cost))
            .collect()
    }
}

/// Makes points that have every operation once: modules at the depth with all in them, and the work that those above
/// do themselves.
fn modules(counts: &Counts, depth: u32) -> Vec<Point> {
    let rows = counts.by_module.iter().filter(|row| row.depth <= depth);
    let points = rows.map(|row| {
        let tallies = if row.depth == depth {
            &row.inclusive
        } else {
            &row.own
        };
        let name = if row.path.is_empty() {
            "the model itself"
        } else {
            &row.path
        };
        point(name, &tallies.total().cost)
    });
    let used = |point: &Point| point.total_flop > 0 || point.bytes > 0;
    merged(points.filter(used).collect())
}

fn point(name: &str, cost: &Cost) -> Point {
    Point {
        name: name.to_owned(),
        total_flop: cost.total_flop(),
        bytes: cost.bytes(),
        achieved_flop_per_s: None,
    }
}

/// Merges parts that are alike in everything, such as a model's blocks, into one with all their work.
fn merged(points: Vec<Point>) -> Vec<Point> {
    let mut first: Vec<(Point, u64)> = Vec::new();
    for point in points {
        let is_like =
            |other: &Point| (other.total_flop, other.bytes) == (point.total_flop, point.bytes);
        match first.iter_mut().find(|(other, _)| is_like(other)) {
            Some((_, count)) => *count += 1,
            None => first.push((point, 1)),
        }
    }
    let all = |(point, count): (Point, u64)| match count {
        1 => point,
        count => Point {
            name: format!(
                "{} and {} alike",
                point.name,
                quantity::thousands(count - 1)
            ),
            total_flop: point.total_flop.saturating_mul(count.into()),
            bytes: point.bytes.saturating_mul(count.into()),
            ..point
        },
    };
    first.into_iter().map(all).collect()
}
