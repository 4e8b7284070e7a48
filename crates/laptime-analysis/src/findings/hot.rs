//! What takes most of a step by itself: a lap below the phases, or a module of a network.

use super::function;
use super::steps::Steps;
use crate::summary::Summary;
use crate::summary::finding::Finding;
use crate::summary::modules;
use crate::summary::span_row::SpanRow;

/// From this share of the steps' time on, a single lap is a hot spot.
const HOT_RATIO: f64 = 0.3;
/// And from this multiple of the next one on: work that is spread evenly has none.
const HOT_LEAD: f64 = 2.0;

/// A lap, and the time it takes by itself.
struct Own {
    path: String,
    class: String,
    ns: u64,
}

/// Of a network, forward and backward of a module count together: they are one layer to a person.
pub fn spot(summary: &Summary, steps: &Steps<'_>) -> Option<Finding> {
    let rows: Vec<SpanRow> = steps.inside().cloned().collect();
    let modules = modules::by_module(&rows);
    let mut each: Vec<Own> = if modules.is_empty() {
        let below_phases = steps.step.names.len() + 1;
        let deep = rows
            .into_iter()
            .filter(|row| row.names.len() > below_phases);
        deep.map(|row| Own {
            path: row.path,
            class: String::new(),
            ns: row.self_ns,
        })
        .collect()
    } else {
        let owned = modules.into_iter().map(|row| Own {
            ns: row.own_ns(),
            path: row.module,
            class: row.class,
        });
        owned.collect()
    };
    each.sort_by_key(|one| std::cmp::Reverse(one.ns));
    let mut each = each.into_iter();
    let (hot, next) = (each.next()?, each.next());
    let leads = next.is_none_or(|next| hot.ns as f64 >= HOT_LEAD * next.ns as f64);
    // A module is in several laps, and its functions are its network's.
    let functions = summary.functions.as_ref().filter(|_| hot.class.is_empty());
    (leads && steps.ratio(hot.ns) >= HOT_RATIO).then(|| Finding::HotSpot {
        function: function::of_lap(functions, &hot.path),
        path: hot.path,
        class: hot.class,
        step_path: steps.step.path.clone(),
        self_ns: hot.ns,
        steps_ns: steps.step.total_ns,
    })
}

/// Whether it is half of the steps' time or more: that much is no chance of a busy machine.
pub fn is_most(hot: &Finding) -> bool {
    matches!(hot, Finding::HotSpot { self_ns, steps_ns, .. } if *self_ns >= steps_ns / 2)
}

/// Whether a lap that few steps have says it already.
pub fn is_known(hot: &Finding, rare: Option<&Finding>) -> bool {
    match (hot, rare) {
        (Finding::HotSpot { path: hot, .. }, Some(Finding::Occasional { path, .. })) => hot == path,
        _ => false,
    }
}
