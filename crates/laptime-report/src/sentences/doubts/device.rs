//! Doubts about what is known of a device in words.

use laptime_analysis::doubt::{DeviceDoubt, LookedAt};

use super::doubt_words::{Words, listed};
use crate::quantity::plain_plural;

/// Advice about laps that end while JAX computes.
pub const WAIT_FOR_JAX: &str = "write lt.sync_on(result) at the end of the laps that matter";
/// Advice about peaks that are bounds.
const EXACT_PEAKS: &str = "LAPTIME_DEVICE_MEMORY=fold makes peaks exact: PyTorch's peak is then reset at each lap, and the \
                           program's own reading of it stays what it was";

/// Puts a doubt about a device into words.
pub fn in_words(doubt: &DeviceDoubt) -> Words {
    match doubt {
        DeviceDoubt::RowInFlight(row) => Words::new(format!(
            "JAX was still computing what it launched when it ended, {}: its time is too short",
            looks(row),
        ))
        .with_hint(WAIT_FOR_JAX),
        DeviceDoubt::InFlight { rows } => in_flight(rows),
        DeviceDoubt::RowPeakBounds { count, span_count } => Words::new(format!(
            "peaks of device memory are known within bounds in {count} of {span_count} spans: the least is a lower bound, the greatest an upper bound",
        ))
        .with_hint(EXACT_PEAKS),
        DeviceDoubt::PeakBounds { row_count } => {
            let rows = match row_count {
                1 => "one row".to_owned(),
                count => format!("{count} rows"),
            };
            Words::new(format!(
                "the peaks of device memory of {rows} are upper bounds, not exact"
            ))
            .with_hint(EXACT_PEAKS)
        }
        DeviceDoubt::Untimed { paths } => {
            let paths = listed(
                paths,
                |one| {
                    let (count, all) = (one.count, one.span_count);
                    format!("{count} of {} of {} ({})", plain_plural(all, "span", "spans"), one.path, one.reason)
                },
                |more| format!(", and some of {more} other paths"),
            );
            Words::new(format!(
                "no device time is known of {paths}: device time is that of the others"
            ))
        }
        DeviceDoubt::MixedClocks { count } => Words::new(format!(
            "{count} segments ran before the device was in use, or while a graph was captured: \
             theirs is host time, in the same rows"
        ))
        .with_hint("begin to time after the device's first use"),
    }
}

fn in_flight(rows: &[LookedAt]) -> Words {
    let named = listed(
        rows,
        |row| format!("{} ({})", row.path, looks(row)),
        |more| format!(" and {more} other rows"),
    );
    let whose = if rows.len() == 1 { "its" } else { "their" };
    let words = Words::new(format!(
        "JAX was still computing when these laps ended: {named}; {whose} time is too short, and the rest counts where the program waits for it",
    ));
    match rows.first() {
        Some(first) => words.with_hint(format!("{WAIT_FOR_JAX}, such as {}", first.path)),
        None => words,
    }
}

fn looks(row: &LookedAt) -> String {
    let laps = if row.look_count == 1 { "lap" } else { "laps" };
    format!(
        "in {} of {} {laps} looked at",
        row.in_flight_count, row.look_count
    )
}
