//! The line below a notebook's cell: how long the cell took, and its peak of memory.

use crate::quantity;

/// A measured cell of a notebook.
///
/// **Units** nanoseconds and bytes; a peak is counted allocations, `None` while they aren't counted.
#[derive(Debug, Clone, Copy)]
pub struct NotebookCell<'a> {
    /// The name that the user gave it; empty for none.
    pub name: &'a str,
    /// Time from its first line to its end.
    pub wall_ns: u64,
    /// Whether an error or an interrupt ended it.
    pub is_stopped: bool,
    /// Peak of its allocations.
    pub peak_bytes: Option<u64>,
}

/// Writes the line of a measured cell: `fit: 1.23 s, peak host memory 4.00 MiB`.
pub fn line(cell: &NotebookCell<'_>) -> String {
    let name = match cell.name {
        "" => String::new(),
        name => format!("{}: ", crate::visible(name)),
    };
    let stopped = if cell.is_stopped {
        "stopped after "
    } else {
        ""
    };
    let took = quantity::estimate(cell.wall_ns);
    let peak = cell.peak_bytes.map_or_else(String::new, |bytes| {
        format!(", peak host memory {}", quantity::bytes(bytes))
    });
    format!("{name}{stopped}{took}{peak}")
}

/// Writes the line of any long cell: `1m 20s, finished 14:03:12, peak resident memory 1.20 GiB`.
///
/// **Units** nanoseconds and bytes; `at` is a time of day.
pub fn finished(wall_ns: u64, at: &str, is_stopped: bool, peak_bytes: Option<u64>) -> String {
    let end = if is_stopped { "stopped" } else { "finished" };
    let peak = peak_bytes.map_or_else(
        || "peak resident memory not known here".to_owned(),
        |bytes| format!("peak resident memory {}", quantity::bytes(bytes)),
    );
    format!("{}, {end} {at}, {peak}", coarse(wall_ns))
}

/// Formats a duration to be read at a glance: its two largest units, whole, or tenths of a few seconds.
fn coarse(ns: u64) -> String {
    let tenths = (ns + 50_000_000) / 100_000_000;
    if tenths < 100 {
        return format!("{}.{} s", tenths / 10, tenths % 10);
    }
    // Rounded first: 59.6 s are 1m 0s, not 60s.
    let seconds = (ns + 500_000_000) / 1_000_000_000;
    let (minutes, hours, days) = (seconds / 60, seconds / 3_600, seconds / 86_400);
    match (days, hours, minutes) {
        (0, 0, 0) => format!("{seconds}s"),
        (0, 0, _) => format!("{minutes}m {}s", seconds % 60),
        (0, ..) => format!("{hours}h {}m", minutes % 60),
        _ => format!("{days}d {}h", hours % 24),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECOND: u64 = 1_000_000_000;

    #[test]
    fn a_cell_is_told_with_its_name_and_peak() {
        let cell = NotebookCell {
            name: "fit",
            wall_ns: 1_234_000_000,
            is_stopped: false,
            peak_bytes: Some(4 << 20),
        };
        assert_eq!(line(&cell), "fit: 1.23 s, peak host memory 4.00 MiB");
        let stopped = NotebookCell {
            name: "",
            is_stopped: true,
            peak_bytes: None,
            ..cell
        };
        assert_eq!(line(&stopped), "stopped after 1.23 s");
    }

    #[test]
    fn long_durations_have_two_units() {
        let told = [1, 59, 60, 80, 3_599, 3_600, 86_399, 90_000].map(|all| coarse(all * SECOND));
        let expected = [
            "1.0 s", "59s", "1m 0s", "1m 20s", "59m 59s", "1h 0m", "23h 59m", "1d 1h",
        ];
        assert_eq!(told, expected);
        assert_eq!(coarse(59_600_000_000), "1m 0s");
        let few = [3_240_000_000, 9_940_000_000, 9_960_000_000];
        assert_eq!(few.map(coarse), ["3.2 s", "9.9 s", "10s"]);
    }

    #[test]
    fn an_unknown_peak_is_said_not_zero() {
        assert_eq!(
            finished(80 * SECOND, "14:03:12", false, None),
            "1m 20s, finished 14:03:12, peak resident memory not known here"
        );
        assert_eq!(
            finished(80 * SECOND, "14:03:12", true, Some(3 << 29)),
            "1m 20s, stopped 14:03:12, peak resident memory 1.50 GiB"
        );
    }
}
