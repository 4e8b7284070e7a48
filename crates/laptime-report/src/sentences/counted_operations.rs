//! Operations that were counted once and joined with the time of a run, in words: which rows they are in, what their
//! rates are compared with, and the roofline of the rows.

use laptime_analysis::{OperationsSummary, Peak, SpanRow, Summary, ToldShapes};

use crate::document::Section;
use crate::document::filter;
use crate::document::names;
use crate::document::view::View;
use crate::quantity::{self, plural, si};
use crate::roofline::{Point, Roof, Roofline};

/// Most laps in which operations were counted that are named.
const MOST_PATHS: usize = 4;
/// The code of the warning that says that a count contradicted a formula.
const CONTRADICTED: &str = "operations.contradicted";

/// Makes the sections about operations; none where none were counted.
pub fn sections(summary: &Summary, view: &View) -> Vec<Section> {
    let Some(operations) = &summary.operations else {
        return Vec::new();
    };
    let mut remarks = vec![
        counted_laps(operations),
        operations.told.map(|shapes| formulas(summary, shapes)),
    ];
    for peak in &operations.flop_peaks {
        remarks.push(Some(format!(
            "MFU divides by the {}, {}{}; FLOP are those of matrix products, convolutions and attention, \
             two per multiply-accumulate, as the model asks for them",
            names::visible(&peak.label),
            si(peak.per_s, "FLOP/s"),
            threads(summary, peak).unwrap_or_default(),
        )));
    }
    remarks.push(above(summary, operations));
    if !operations.disturbed.is_empty() {
        remarks.push(Some(format!(
            "the machine was busy while this peak was measured, and a quiet one may reach more, which \
             makes the shares smaller: {}; up to three runs with `--ops` measure it again, \
             `lt.ceilings(refresh=True)` does at once",
            operations.disturbed.join(", ")
        )));
    }
    for why in &operations.absent {
        remarks.push(Some(format!("MFU –: {why}")));
    }
    let mut sections = Section::remarks("operations", remarks.into_iter().flatten());
    sections.extend(roofline(summary, operations, view).map(|roofline| roofline.section()));
    sections
}

/// Writes how many threads the peak is of, and how many the program computed with where that is another
/// number: a share of two processors is small where one of them was asked to compute.
fn threads(summary: &Summary, peak: &Peak) -> Option<String> {
    let of_peak = peak.threads?;
    let on_threads = format!(" on {}", plural(of_peak, "thread", "threads"));
    let used = summary.environment.get("threads");
    let used = used.and_then(|used| used.parse::<u64>().ok());
    let used = used.filter(|used| *used != of_peak);
    let used = used.map(|used| {
        format!(
            " (this program computed with {})",
            plural(used, "thread", "threads")
        )
    });
    Some(on_threads + &used.unwrap_or_default())
}

/// Writes what it means that a row is above the peak: no number is taken back, the peak is a product's.
fn above(summary: &Summary, operations: &OperationsSummary) -> Option<String> {
    let is_above = summary
        .rows
        .iter()
        .any(|row| row.work.mfu_ratio > Some(1.0));
    let roof = operations.roofs.first().filter(|_| is_above)?;
    Some(format!(
        "rows above 100 % run on kernels that are faster than the matrix products that the peak was \
         measured with; the {} is {}",
        names::visible(&roof.label),
        si(roof.per_s, "FLOP/s"),
    ))
}

/// Writes in which laps operations were counted, and how long these took.
fn counted_laps(operations: &OperationsSummary) -> Option<String> {
    let counted = &operations.counted;
    let ns = counted.iter().map(|units| units.total_ns);
    let ns = ns.fold(0, u64::saturating_add);
    let shown = counted.iter().take(MOST_PATHS).map(|units| {
        let times = quantity::thousands(units.count);
        let parts = match units.part_count {
            0 => String::new(),
            parts => format!(", {} in part", quantity::thousands(parts)),
        };
        format!("{} ({times} ×{parts})", names::visible(&units.path))
    });
    let mut shown: Vec<String> = shown.collect();
    if counted.len() > MOST_PATHS {
        let others = (counted.len() - MOST_PATHS) as u64;
        shown.push(plural(others, "other", "others"));
    }
    (!counted.is_empty()).then(|| {
        format!(
            "operations were counted in {}, which took {} in all: no other row includes that time, and each has \
             the operations of its own runs{}",
            shown.join(", "),
            quantity::exact(ns),
            if counted.iter().any(|units| units.part_count > 0) {
                "; what a step did before it was counted is in its usual row, as a part (`+1`)"
            } else {
                ""
            },
        )
    })
}

/// Writes which operations formulas gave. Where one was contradicted, which has a warning, it doesn't say that all held.
fn formulas(summary: &Summary, shapes: ToldShapes) -> String {
    let is_contradicted = summary.warnings.iter().any(|it| it.code() == CONTRADICTED);
    let held = if is_contradicted {
        let (one, several) = ("other that was counted", "others that were counted");
        format!("it held for {}", plural(shapes.held_for, one, several))
    } else {
        format!(
            "{} counted, and it held for each",
            plural(shapes.held_for, "other was", "others were")
        )
    };
    format!(
        "{} of further shapes {} not counted: a formula in the sizes gives their operations; {held}",
        plural(
            shapes.count,
            "forward or backward",
            "forwards and backwards"
        ),
        if shapes.count == 1 { "was" } else { "were" },
    )
}

/// Makes the roofline of the innermost rows.
fn roofline(summary: &Summary, operations: &OperationsSummary, view: &View) -> Option<Roofline> {
    let (flop, bytes) = (operations.roofs.first()?, operations.bytes_peaks.first()?);
    let roof = Roof {
        flop_per_s: flop.per_s,
        flop_label: flop.label.clone(),
        bytes_per_s: bytes.per_s,
        bytes_label: bytes.label.clone(),
    };
    let steady = view.steady(summary.steady.as_ref());
    let rows = steady.map_or(&summary.rows, |steady| &steady.rows);
    let has_counted_inside = |row: &SpanRow| {
        let inside = |other: &SpanRow| {
            other.names.len() > row.names.len()
                && other.names.starts_with(&row.names)
                && other.work.total_flop > Some(0)
        };
        rows.iter().any(inside)
    };
    let points = filter::wanted(rows, view)
        .filter(|row| !has_counted_inside(row))
        .filter_map(point);
    Roofline::new(roof, points.collect()).ok()
}

/// Makes a row's point of the roofline, over the time of its bytes.
fn point(row: &SpanRow) -> Option<Point> {
    let (total_flop, bytes) = (row.work.total_flop?, row.work.bytes_moved?);
    let seconds = bytes as f64 / row.work.bytes_moved_per_s?;
    Some(Point {
        name: row.path.clone(),
        total_flop,
        bytes,
        achieved_flop_per_s: (seconds > 0.0).then(|| total_flop as f64 / seconds),
    })
}

#[cfg(test)]
#[path = "tests/counted_operations.rs"]
mod tests;
