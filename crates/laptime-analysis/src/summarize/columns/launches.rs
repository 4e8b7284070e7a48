//! Rows whose laps ended while JAX still computed what they had launched.
//!
//! Some laps of a row were looked at. What launches without waiting does so each time; that now and
//! then something is under way, a copy of another thread's say, is no sign of it. So half of them
//! have to agree.

use laptime_core::{PathTally, Warning};

use crate::summary::span_row::{RowKind, SpanRow};

/// The warning's code, and that of the recorder's note about a program as a whole.
pub const CODE: &str = "launches";
/// Rows that a warning names.
const MOST_SHOWN: usize = 4;
/// What to do about it.
pub const HINT: &str = "write lt.sync_on(result) at the end of the laps that matter";

/// Fills in what was seen of the spans of a path.
pub fn fill(row: &mut SpanRow, tally: &PathTally) {
    row.in_flight_count = tally.in_flight;
    row.waited_count = tally.waited;
    if tally.in_flight > 0 && tally.in_flight >= tally.waited {
        let message = format!(
            "JAX was still computing what it launched when it ended, {}: its time is too short",
            of_looks(row),
        );
        row.warnings
            .push(Warning::new(CODE, message).with_hint(HINT));
    }
}

/// Names such rows. Where any was looked at, nothing is said of the program as a whole.
pub fn tell(warnings: &mut Vec<Warning>, rows: &[SpanRow]) {
    if rows
        .iter()
        .any(|row| row.in_flight_count + row.waited_count > 0)
    {
        warnings.retain(|one| one.code != CODE);
    }
    warnings.extend(doubt(rows));
}

fn doubt(rows: &[SpanRow]) -> Option<Warning> {
    let spans = rows.iter().filter(|row| row.kind == RowKind::Span);
    let lacking: Vec<&SpanRow> = spans
        .filter(|row| row.warnings.iter().any(|one| one.code == CODE))
        .collect();
    let (shown, more) = lacking.split_at(lacking.len().min(MOST_SHOWN));
    let (first, _) = shown.split_first()?;
    let named: Vec<String> = shown
        .iter()
        .map(|row| format!("{} ({})", row.path, of_looks(row)))
        .collect();
    let more = match more.len() {
        0 => String::new(),
        rows => format!(" and {rows} other rows"),
    };
    let whose = if lacking.len() == 1 { "its" } else { "their" };
    let message = format!(
        "JAX was still computing when these laps ended: {}{more}; {whose} time is too short, and the rest counts where the program waits for it",
        named.join(", "),
    );
    let hint = format!("{HINT}, such as {}", first.path);
    Some(Warning::new(CODE, message).with_hint(hint))
}

fn of_looks(row: &SpanRow) -> String {
    let looks = row.in_flight_count + row.waited_count;
    let laps = if looks == 1 { "lap" } else { "laps" };
    format!("in {} of {looks} {laps} looked at", row.in_flight_count)
}

#[cfg(test)]
mod tests {
    use laptime_core::SpanFlags;

    use crate::analyzer::Options;
    use crate::summary::Summary;
    use crate::testing::analyzed::summarize;
    use crate::testing::scripted::{MAIN, MS, Script};

    /// A run in which laps of these names ended in flight and waited so many times.
    fn run(laps: &[(&str, u64, u64)]) -> Summary {
        let mut script = Script::new(7, 5_000 * MS);
        script.note("launches", "the program uses JAX");
        let mut now = 0;
        for (name, in_flight, waited) in laps {
            let flagged = [
                (*in_flight, SpanFlags::IN_FLIGHT),
                (*waited, SpanFlags::WAITED),
                (3, SpanFlags::NONE),
            ];
            for (count, flags) in flagged {
                for _ in 0..count {
                    script.span_on(MAIN, &[name], now, MS, flags);
                    now += MS;
                }
            }
        }
        summarize(&[script], Options::default())
    }

    fn said(summary: &Summary) -> Vec<&str> {
        let of_launches = summary
            .warnings
            .iter()
            .filter(|one| one.code == super::CODE);
        of_launches.map(|one| one.message.as_str()).collect()
    }

    #[test]
    fn a_row_whose_laps_end_in_flight_is_named_and_one_that_waits_is_not() {
        let summary = run(&[("step", 20, 0), ("eval", 1, 9)]);
        assert_eq!(
            said(&summary),
            [
                "JAX was still computing when these laps ended: step (in 20 of 20 laps looked at); its time is too short, and the rest counts where the program waits for it"
            ]
        );
        let (step, eval) = (&summary.rows[0], &summary.rows[1]);
        assert_eq!((step.in_flight_count, step.waited_count), (20, 0));
        assert_eq!(step.count, Some(23));
        assert_eq!(
            step.warnings[0].message,
            "JAX was still computing what it launched when it ended, in 20 of 20 laps looked at: its time is too short"
        );
        assert_eq!((eval.in_flight_count, eval.waited_count), (1, 9));
        assert_eq!(eval.warnings, []);
    }

    #[test]
    fn where_every_row_waits_nothing_is_said() {
        assert_eq!(said(&run(&[("step", 0, 5), ("eval", 2, 3)])), [""; 0]);
    }

    #[test]
    fn where_nothing_was_looked_at_the_program_is_told_as_a_whole() {
        let summary = run(&[("step", 0, 0)]);
        assert_eq!(
            said(&summary),
            ["the program uses JAX: a lap holds the work only if it waits for the result"]
        );
    }

    #[test]
    fn of_many_rows_some_are_named() {
        let names = ["a", "b", "c", "d", "e", "f"];
        let laps: Vec<_> = names.iter().map(|name| (*name, 1, 1)).collect();
        let summary = run(&laps);
        assert!(
            said(&summary)[0].contains("d (in 1 of 2 laps looked at) and 2 other rows; their time")
        );
    }
}
