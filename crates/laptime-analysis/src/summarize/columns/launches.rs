//! Rows whose laps ended while JAX still computed what they had launched.
//!
//! Some laps of a row were looked at. A lap that launches without waiting does so each time; that now and then
//! something is under way, a copy of another thread's say, is no sign of it. So half of them have to agree.

use laptime_core::PathTally;

use crate::summary::doubt::{DeviceDoubt, Doubt, LAUNCHES, LookedAt};
use crate::summary::span_row::{RowKind, SpanRow};

/// Fills in how many spans of a path ended in flight, and how many had waited.
pub fn fill(row: &mut SpanRow, tally: &PathTally) {
    row.in_flight_count = tally.in_flight;
    row.waited_count = tally.waited;
    if tally.in_flight > 0 && tally.in_flight >= tally.waited {
        let doubt = DeviceDoubt::RowInFlight(looked_at(row));
        row.warnings.push(Doubt::Device(doubt));
    }
}

/// Adds a doubt that names such rows. Where any was looked at, nothing is said of the program as a whole.
pub fn add_doubt(warnings: &mut Vec<Doubt>, rows: &[SpanRow]) {
    if rows
        .iter()
        .any(|row| row.in_flight_count + row.waited_count > 0)
    {
        warnings.retain(|one| one.code() != LAUNCHES);
    }
    let spans = rows.iter().filter(|row| row.kind == RowKind::Span);
    let rows: Vec<LookedAt> = spans
        .filter(|row| row.warnings.iter().any(|one| one.code() == LAUNCHES))
        .map(looked_at)
        .collect();
    if !rows.is_empty() {
        warnings.push(Doubt::Device(DeviceDoubt::InFlight { rows }));
    }
}

fn looked_at(row: &SpanRow) -> LookedAt {
    LookedAt {
        path: row.path.clone(),
        in_flight_count: row.in_flight_count,
        look_count: row.in_flight_count + row.waited_count,
    }
}

#[cfg(test)]
mod tests {
    use laptime_core::SpanFlags;

    use super::*;
    use crate::analyzer::Options;
    use crate::summary::Summary;
    use crate::summary::doubt::RunDoubt;
    use crate::testing::analyzed::summarize;
    use crate::testing::scripted::{MAIN, MS, Script};

    /// Summarizes a run in which laps of these names ended in flight and waited so many times.
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

    fn doubts(summary: &Summary) -> Vec<&Doubt> {
        let warnings = summary.warnings.iter();
        warnings.filter(|one| one.code() == LAUNCHES).collect()
    }

    fn looked_at(path: &str, in_flight_count: u64, look_count: u64) -> LookedAt {
        LookedAt {
            path: path.to_owned(),
            in_flight_count,
            look_count,
        }
    }

    #[test]
    fn a_row_whose_laps_end_in_flight_is_named_and_one_that_waits_is_not() {
        let summary = run(&[("step", 20, 0), ("eval", 1, 9)]);
        let named = looked_at("step", 20, 20);
        let rows = vec![named.clone()];
        let doubt = Doubt::Device(DeviceDoubt::InFlight { rows });
        assert_eq!(doubts(&summary), [&doubt]);
        let (step, eval) = (&summary.rows[0], &summary.rows[1]);
        assert_eq!((step.in_flight_count, step.waited_count), (20, 0));
        assert_eq!(step.count, Some(23));
        let doubt = Doubt::Device(DeviceDoubt::RowInFlight(named));
        assert_eq!(step.warnings, [doubt]);
        assert_eq!((eval.in_flight_count, eval.waited_count), (1, 9));
        assert_eq!(eval.warnings, []);
    }

    #[test]
    fn where_every_row_waits_nothing_is_said() {
        assert!(doubts(&run(&[("step", 0, 5), ("eval", 2, 3)])).is_empty());
    }

    #[test]
    fn where_nothing_was_looked_at_the_program_is_told_as_a_whole() {
        let summary = run(&[("step", 0, 0)]);
        let doubt = Doubt::Run(RunDoubt::Noted {
            code: LAUNCHES.to_owned(),
            messages: vec!["the program uses JAX".to_owned()],
        });
        assert_eq!(doubts(&summary), [&doubt]);
    }
}
