//! Distance of rows from the machine's limits, by the ceilings that the recording holds.
//!
//! MFU is a row's FLOP per second over the peak for the type that most of them are on; HFU counts
//! the FLOP that ran (Chowdhery et al., *`PaLM`*, 2022, appendix B). A row is bound by memory where
//! its intensity lies below the roofline's ridge, peak over bandwidth (Williams et al., 2009).

use std::collections::BTreeSet;

use laptime_core::Unavailable;
use laptime_core::ceilings::{Ceilings, NOTE as CEILINGS};

use super::counted_work::InclusiveWork;
use crate::reading::process::Process;
use crate::summarize::tree::Tree;
use crate::summary::fields::explain;
use crate::summary::instrumented_names::is_counted_unit;
use crate::summary::operations::{CountedUnits, OperationsSummary, Peak, ToldShapes};
use crate::summary::span_row::SpanRow;
use crate::summary::work_row::BoundBy;

/// Code of the note that says how many shapes of a process follow from a formula, and how many were counted to
/// find and check it.
pub const TOLD: &str = "operations.told";
/// Fields that compare with a peak.
const COMPARED: [&str; 3] = ["mfu_ratio", "hfu_ratio", "bound"];
const NOT_KEPT: &str = "no ceilings of this machine were kept: `laptime doctor --ceilings` or \
                        lt.ceilings() measures them, once";
/// Multiple of a measured bandwidth from which on bytes can't have come from memory alone: a measurement is
/// good to some percent.
pub const ABOVE_RATIO: f64 = 1.1;
const ABOVE: &str = "it moves its bytes faster than memory was measured to: they come from caches, or the machine \
                     was busy while its ceilings were measured (`laptime doctor --ceilings` measures them again)";
const NO_MAC: &str = "it does no matrix products, which MFU is about";

/// Returns how many shapes follow from formulas, by the recorders' notes; `None` where none do.
fn told_shapes(processes: &[Process]) -> Option<ToldShapes> {
    let notes = processes
        .iter()
        .flat_map(|process| &process.features.notes.0);
    let told = notes.filter(|(code, _)| code == TOLD);
    let told = told.filter_map(|(_, numbers)| {
        let (count, held_for) = numbers.split_once(' ')?;
        Some((count.parse::<u64>().ok()?, held_for.parse::<u64>().ok()?))
    });
    told.map(|(count, held_for)| ToldShapes { count, held_for })
        .reduce(|one, other| ToldShapes {
            count: one.count.saturating_add(other.count),
            held_for: one.held_for.saturating_add(other.held_for),
        })
}

/// The ceilings of the machine that ran, and other notes about its operations.
#[derive(Debug, Clone, Default)]
pub struct Peaks {
    ceilings: Option<Ceilings>,
    told: Option<ToldShapes>,
    used: BTreeSet<(String, String)>,
}

impl Peaks {
    /// Collects the notes of recorders.
    pub fn from_notes(processes: &[Process]) -> Self {
        let mut notes = processes
            .iter()
            .flat_map(|process| &process.features.notes.0);
        let found = notes.find(|(code, _)| code == CEILINGS);
        Self {
            ceilings: found.and_then(|(_, json)| serde_json::from_str(json).ok()),
            told: told_shapes(processes),
            used: BTreeSet::new(),
        }
    }

    /// Takes in a note of a process that runs.
    pub fn take_note(&mut self, code: &str, message: &str) {
        if code == CEILINGS && self.ceilings.is_none() {
            self.ceilings = serde_json::from_str(message).ok();
        }
    }

    /// Fills in how close a row comes; `executed_ratio` is how many FLOP ran for each that the model asked for.
    pub fn fill(&mut self, row: &mut SpanRow, worked: &InclusiveWork, executed_ratio: Option<f64>) {
        let Some(kind) = worked.kind() else {
            return explain(row, COMPARED, NO_MAC);
        };
        self.used.insert(kind.clone());
        let Some(ceilings) = &self.ceilings else {
            return explain(row, COMPARED, NOT_KEPT);
        };
        let (device, dtype) = kind;
        match ceilings.flop(device, dtype) {
            Ok(peak) => {
                row.work.mfu_ratio = row.work.flop_per_s.map(|rate| rate / peak.per_s);
                let executed = row.work.mfu_ratio.zip(executed_ratio);
                row.work.hfu_ratio = executed.map(|(asked, executed)| asked * executed);
            }
            Err(why) => explain(row, ["mfu_ratio", "hfu_ratio"], &why.0),
        }
        let bytes = ceilings.bytes(device).ok();
        let is_above = bytes.zip(row.work.bytes_moved_per_s);
        if is_above.is_some_and(|(peak, moved)| moved > ABOVE_RATIO * peak.per_s) {
            return explain(row, ["bound"], ABOVE);
        }
        match (
            row.work.intensity,
            ceilings.ridge_flop_per_byte(device, dtype),
        ) {
            (Some(intensity), Ok(ridge)) if intensity < ridge => {
                row.work.bound = Some(BoundBy::Memory);
            }
            (Some(_), Ok(_)) => row.work.bound = Some(BoundBy::Arithmetic),
            (None, _) => explain(row, ["bound"], "its intensity is not known"),
            (_, Err(why)) => explain(row, ["bound"], &why.0),
        }
    }
}

/// Returns how operations were joined; `None` where none were counted.
pub fn summary(tree: &Tree, rows: &[SpanRow], peaks: &Peaks) -> Option<OperationsSummary> {
    let mut summary = OperationsSummary {
        told: peaks.told,
        ..OperationsSummary::default()
    };
    for row in rows {
        let was_counted = row.names.last().is_some_and(|name| is_counted_unit(name));
        if was_counted && row.count.is_some() {
            summary.counted.push(CountedUnits {
                path: row.path.clone(),
                count: row.count.unwrap_or(0) + row.partial_count,
                part_count: row.partial_count,
                total_ns: row.total_ns,
            });
        }
    }
    if !tree.has_operations() {
        return None;
    }
    for (device, dtype) in &peaks.used {
        let Some(ceilings) = &peaks.ceilings else {
            summary.absent.push(Unavailable(NOT_KEPT.to_owned()));
            break;
        };
        for (peak, into) in [
            (ceilings.flop(device, dtype), &mut summary.flop_peaks),
            (ceilings.roof(device, dtype), &mut summary.roofs),
            (ceilings.bytes(device), &mut summary.bytes_peaks),
        ] {
            match peak {
                Ok(peak) => {
                    if peak.was_disturbed() && !summary.disturbed.contains(&peak.label()) {
                        summary.disturbed.push(peak.label());
                    }
                    let peak = Peak {
                        per_s: peak.per_s,
                        label: peak.label(),
                        threads: peak.measured().and_then(|measured| measured.threads),
                    };
                    if !into.contains(&peak) {
                        into.push(peak);
                    }
                }
                Err(why) if summary.absent.contains(&why) => {}
                Err(why) => summary.absent.push(why),
            }
        }
    }
    Some(summary)
}
