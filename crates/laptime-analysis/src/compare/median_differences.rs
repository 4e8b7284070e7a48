//! Time that each path adds to a typical step: a difference of medians, as `change` and the verdict are.
//!
//! Means say something else where a few steps are far longer than most. The sum counts for whole runs: there the
//! differences stay means. A path beside the steps, such as an evaluation, is not spread over them: its difference is of
//! one span.

use std::collections::HashMap;

use super::comparison_row::{ComparisonRow, RowSide};
use super::difference_unit::Basis;

/// Fills in the median differences of all rows, with and without those of the rows inside.
pub fn fill_in(rows: &mut [ComparisonRow], basis: Basis, step: Option<&[String]>) {
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
        let is_inside =
            step.is_none_or(|step| row.names.starts_with(step) || step.starts_with(&row.names));
        if !is_inside {
            let median = |side: &Option<RowSide>| match side {
                Some(side) => side.median_ns,
                None => Some(0.0),
            };
            let both = median(&row.base).zip(median(&row.new));
            row.median_difference_ns = both.map_or(row.difference_ns, |(base, new)| new - base);
            row.own_median_difference_ns = row.median_difference_ns;
            continue;
        }
        row.median_difference_ns = row.difference_of_medians_ns();
        let parts_ns = inside.get(&row.names).copied().unwrap_or(0.0);
        row.own_median_difference_ns = row.typical_difference_ns() - parts_ns;
    }
}
