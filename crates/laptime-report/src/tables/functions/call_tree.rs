//! The tree of calls: the program's own functions in front, what they call of packages folded, in order of time.
//!
//! The children of a row add up to it: what is too small to be shown is one row, and so is the function's own time.

use laptime_analysis::{
    CallKind, InterpreterEnds, LapFunctions, RowKind, call_tree, calls_of_program, whole_of_calls,
};
use laptime_core::Total;

use super::call_rows::{Drawing, is_large, row};
use crate::document::column::Column;
use crate::document::{Row, Table};
use crate::quantity;
use crate::sentences::calls;

/// Most rows of a tree.
const MOST_ROWS: usize = 25;
/// Most rows of a lap's tree, which stands below the table of laps.
const MOST_ROWS_OF_LAP: usize = 10;

/// Makes the tree of calls of a whole program. Shares are of the wall time, or of the time in which all threads worked
/// where that is longer. Rows have the time as well in which the interpreter started and ended: with those of the main
/// thread they add up to the wall time.
pub fn of_program(laps: &[LapFunctions], wall_ns: u64, ends: InterpreterEnds) -> Table {
    let tree = calls_of_program(laps, wall_ns);
    let whole_ns = whole_of_calls(laps, wall_ns);
    let mut rows = Drawing::new(&tree, whole_ns).rows(0, MOST_ROWS);
    let ends = [
        (calls::STARTING_PYTHON, ends.start_ns),
        (calls::EXIT, ends.exit_ns),
    ];
    let long = ends.into_iter().filter(|(_, ns)| is_large(*ns, whole_ns));
    rows.extend(long.map(|(name, ns)| row(name.to_owned(), 0, ns, whole_ns)));
    table(rows)
}

/// Makes the trees of calls of some laps, each below the lap's row; shares are of `whole_ns`. The functions that all
/// laps are opened in are left out.
pub fn of_laps(laps: &[&LapFunctions], whole_ns: u64) -> Table {
    let around = around_all(laps);
    let mut rows = Vec::new();
    for lap in laps {
        rows.push(row(lap.path.clone(), 0, lap.total_ns, whole_ns));
        let mut drawing = Drawing::new(&lap.calls, whole_ns);
        drawing.begin_below(&around);
        rows.extend(drawing.rows(1, MOST_ROWS));
    }
    table(rows)
}

/// Makes the tree of calls of a lap, with those of the laps in it; shares are of the lap.
pub fn of_lap(path: String, laps: &[&LapFunctions]) -> Table {
    let whole_ns = laps.iter().map(|lap| lap.total_ns).total();
    let tree = call_tree::merge(laps.iter().map(|lap| lap.calls.as_slice()));
    let mut drawing = Drawing::new(&tree, whole_ns);
    drawing.begin_below(&around_all(laps));
    let mut rows = vec![row(path, 0, whole_ns, whole_ns)];
    rows.extend(drawing.rows(1, MOST_ROWS_OF_LAP));
    table(rows)
}

/// Returns the calls that all laps are opened in, the outermost first; no calls of a single lap.
fn around_all(laps: &[&LapFunctions]) -> Vec<CallKind> {
    let laps = laps.iter().filter(|lap| lap.kind == RowKind::Span);
    let mut chains = laps.map(|lap| Drawing::new(&lap.calls, lap.total_ns).chain());
    let (Some(first), Some(second)) = (chains.next(), chains.next()) else {
        return Vec::new();
    };
    [second]
        .into_iter()
        .chain(chains)
        .fold(first, |around, chain| {
            let both = around.into_iter().zip(chain);
            let same = both.take_while(|(one, other)| one == other);
            same.map(|(one, _)| one).collect()
        })
}

fn table(rows: Vec<Row>) -> Table {
    Table {
        lead: "function".into(),
        columns: vec![Column::TOTAL, Column::SHARE],
        rows,
        ..Table::default()
    }
}

/// Says how sure the shares of so many samples are.
pub fn remark(samples: u64, uncertainty: f64) -> String {
    let samples = quantity::plural(samples, "sample", "samples");
    format!("{samples}: shares are ± {:.0} points", 100.0 * uncertainty)
}
