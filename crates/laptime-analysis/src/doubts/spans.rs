//! Doubts about spans that were closed out of order, or ran longer than what they are in.

use laptime_core::{Total, Warning};

use crate::summary::spoken::{plural, spoken};

/// About rows whose children ran longer than they did.
pub fn of_overfull(overfull: &[(String, u64)]) -> Option<Warning> {
    let (path, excess_ns) = overfull.iter().max_by_key(|(_, excess_ns)| *excess_ns)?;
    let more = match overfull.len() {
        1 => String::new(),
        n => format!(" ({} in all)", plural(n as u64, "path", "paths")),
    };
    Some(Warning::new(
        "children-exceed",
        format!(
            "the spans inside {path} ran {} longer than it did{more}, so its self time is shown as zero",
            spoken(*excess_ns),
        ),
    ).with_hint("spans were closed out of order, or lost"))
}

/// About spans that cover more than the wall time.
pub fn of_excess(excess_ns: u64, wall_ns: u64) -> Option<Warning> {
    // The launcher's and the recorder's anchors are read at different moments.
    (excess_ns > 1_000_000 + wall_ns / 1_000).then(|| {
        Warning::new(
            "overlap",
            format!("spans cover {} more than the wall time", spoken(excess_ns)),
        )
        .with_hint("spans that overlap on one thread were closed out of order")
    })
}

/// Outermost laps of one thread that ran at the same time, and so are counted twice.
pub fn of_doubled(doubled_ns: u64, wall_ns: u64) -> Option<Warning> {
    (doubled_ns > 1_000_000 + wall_ns / 1_000).then(|| {
        Warning::new(
            "doubled",
            format!(
                "outermost laps of one thread overlapped for {}: that time stands in several rows",
                spoken(doubled_ns)
            ),
        )
        .with_hint("a lap that is written afterwards, with its start in the past, holds no lap that ran in it")
    })
}

/// Spans closed out of order.
pub fn of_unbalanced<'a>(rows: impl Iterator<Item = (&'a str, u64)>) -> Option<Warning> {
    let unbalanced: Vec<(&str, u64)> = rows.filter(|(_, count)| *count > 0).collect();
    let (path, _) = unbalanced.iter().max_by_key(|(_, count)| *count)?;
    let count: u64 = unbalanced.iter().map(|(_, count)| count).total();
    let most = if unbalanced.len() == 1 {
        format!(", in {path}")
    } else {
        format!(", most of them in {path}")
    };
    let spans = plural(count, "span was", "spans were");
    Some(
        Warning::new(
            "unbalanced",
            format!("{spans} closed out of order, or not at all{most}"),
        )
        .with_hint("use `with` or a decorator, which close in order"),
    )
}
