//! The place where a growing function takes a value, by bisection.

/// Halvings: as many as a double has bits, and then some for a wide bracket.
const HALVINGS: usize = 80;

/// Returns the `x` between `low` and `high` from which on `grows` is at least `value`.
pub fn solve(grows: impl Fn(f64) -> f64, value: f64, low: f64, high: f64) -> f64 {
    let (mut low, mut high) = (low, high);
    for _ in 0..HALVINGS {
        let middle = f64::midpoint(low, high);
        if middle <= low || middle >= high {
            break;
        }
        if grows(middle) < value {
            low = middle;
        } else {
            high = middle;
        }
    }
    high
}
