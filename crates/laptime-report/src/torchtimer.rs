//! The table of `laptime.torchtimer`, to the character as torchtimer 0.2 lays it out.
//!
//! Takes a context's figures from the analysis. Numbers are printed as Python's `str` prints a
//! rounded float, since programs parse them; what doesn't fit widens its column, nothing is cut.
//!
//! ```text
//! ###### timer::main: (total runtime 1.610135s)
//! | name      | repeats    | average time | total time   | % total time    | …
//! | --------- | ---------- | ------------ | ------------ | --------------- | …
//! | 'default' | 1000       | 0.00161013   | 1.610135     | 100.0           | …
//! ```

use laptime_analysis::timer::{ContextTotals, SegmentTotals};

/// Headings and least widths; that of the first also follows the longest name.
const COLUMNS: [(&str, usize); 7] = [
    ("name", 4),
    ("repeats", 10),
    ("average time", 12),
    ("total time", 12),
    ("% total time", 15),
    ("net mem alloc", 20),
    ("peak mem alloc", 20),
];
/// What stands for memory that was not read.
const ABSENT: &str = "–";

/// The heading and the table of a context, each line with its end.
pub fn table(timer: &str, context: &str, totals: &ContextTotals) -> String {
    let runtime = seconds(totals.runtime_ns as f64);
    let mut out = format!("###### {timer}::{context}: (total runtime {runtime}s)\n");
    let rows: Vec<[String; 7]> = totals
        .segments
        .iter()
        .map(|segment| cells(segment, totals.runtime_ns))
        .collect();
    let widths: [usize; 7] = std::array::from_fn(|column| {
        let cells = rows.iter().map(|row| row[column].chars().count());
        cells.fold(COLUMNS[column].1, usize::max)
    });
    out += &line(&widths, &COLUMNS.map(|column| column.0.to_owned()));
    out += &line(&widths, &widths.map(|width| "-".repeat(width)));
    rows.iter().fold(out, |out, row| out + &line(&widths, row))
}

/// A line, each cell padded to its column.
fn line(widths: &[usize; 7], cells: &[String; 7]) -> String {
    let cells = cells.iter().zip(widths);
    let padded: String = cells
        .map(|(cell, width)| ["| ", cell, &" ".repeat(width - cell.chars().count()), " "].concat())
        .collect();
    padded + "|\n"
}

fn cells(segment: &SegmentTotals, runtime_ns: u64) -> [String; 7] {
    let total = segment.total_ns as f64;
    let percent = if runtime_ns == 0 {
        0.0
    } else {
        100.0 * total / runtime_ns as f64
    };
    [
        segment.name.clone(),
        segment.count.to_string(),
        seconds(total / segment.count.max(1) as f64),
        seconds(total),
        float(rounded(percent, 2)),
        range(segment.net_bytes),
        range(segment.peak_bytes),
    ]
}

/// `str(round(x, 8))` of nanoseconds as seconds.
fn seconds(ns: f64) -> String {
    float(rounded(ns / 1e9, 8))
}

fn range(bounds: Option<(i64, i64)>) -> String {
    bounds.map_or(ABSENT.to_owned(), |(least, most)| {
        format!("{} - {}", bytes(least), bytes(most))
    })
}

/// Steps of 1024: whole below the first, one decimal from there on.
fn bytes(count: i64) -> String {
    if count.unsigned_abs() < 1024 {
        return format!("{count}B");
    }
    let mut size = count as f64 / 1024.0;
    let mut unit = "KB";
    for larger in ["MB", "GB", "TB"] {
        if size.abs() >= 1024.0 {
            size /= 1024.0;
            unit = larger;
        }
    }
    format!("{}{unit}", float(rounded(size, 1)))
}

/// Python's `round(x, digits)`: of the exact binary value, halves to even.
fn rounded(number: f64, digits: usize) -> f64 {
    format!("{number:.digits$}").parse().unwrap_or(number)
}

/// Python's `str` of a float: the shortest that reads back, with an exponent outside 1e-4 to 1e16.
fn float(number: f64) -> String {
    let scientific = format!("{number:e}");
    let Some((mantissa, exponent)) = scientific.split_once('e') else {
        return scientific;
    };
    match exponent.parse::<i32>() {
        Ok(power) if number != 0.0 && !(-4..16).contains(&power) => {
            let sign = if power < 0 { '-' } else { '+' };
            format!("{mantissa}e{sign}{:02}", power.abs())
        }
        _ => {
            let plain = number.to_string();
            if plain.contains('.') {
                plain
            } else {
                plain + ".0"
            }
        }
    }
}

#[cfg(test)]
#[path = "torchtimer_tests.rs"]
mod tests;
