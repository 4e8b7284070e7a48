//! By how much a typical step is longer through each path: of medians, as `change` and the verdict are.
//!
//! Means say something else where a few steps are far longer than most. Of whole runs the sum is what
//! counts: there the differences stay means.

use std::collections::HashMap;

use super::comparison_row::ComparisonRow;
use super::matched::Basis;

/// Fills in the differences of all rows, and what is left of each without the rows inside.
pub fn tell(rows: &mut [ComparisonRow], basis: Basis) {
    if basis == Basis::Run {
        for row in rows {
            row.median_difference_ns = row.difference_ns;
            row.own_median_difference_ns = row.own_difference_ns;
        }
        return;
    }
    let mut inside: HashMap<Vec<String>, f64> = HashMap::new();
    for row in rows.iter() {
        if let [around @ .., _] = &row.names[..] {
            *inside.entry(around.to_vec()).or_default() += row.typical_difference_ns();
        }
    }
    for row in rows {
        row.median_difference_ns = row.of_medians_ns();
        let parts_ns = inside.get(&row.names).copied().unwrap_or(0.0);
        row.own_median_difference_ns = row.typical_difference_ns() - parts_ns;
    }
}
