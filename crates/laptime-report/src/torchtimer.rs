//! The table of `laptime.torchtimer`, to the character as torchtimer 0.2 lays it out.
//!
//! Takes a context's rows from the analysis. Numbers are printed as Python's `str` prints a
//! rounded float, since programs parse them; what doesn't fit widens its column, nothing is cut.
//!
//! ```text
//! ###### timer::main: (total runtime 1.610135s)
//! | name      | repeats    | average time | total time   | % total time    | …
//! | --------- | ---------- | ------------ | ------------ | --------------- | …
//! | 'default' | 1000       | 0.00161013   | 1.610135     | 100.0           | …
//! ```

use laptime_analysis::SpanRow;

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

/// The heading and the table of a context, each line with its end: the longest total first, of
/// equals the earlier row. `runtime_ns` is the time in which any of its segments ran.
pub fn table(timer: &str, context: &str, rows: &[SpanRow], runtime_ns: u64) -> String {
    let runtime = seconds(runtime_ns as f64);
    let mut out = format!("###### {timer}::{context}: (total runtime {runtime}s)\n");
    let mut rows: Vec<&SpanRow> = rows.iter().collect();
    rows.sort_by_key(|row| std::cmp::Reverse(row.total_ns));
    let rows: Vec<[String; 7]> = rows.iter().map(|row| cells(row, runtime_ns)).collect();
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

fn cells(row: &SpanRow, runtime_ns: u64) -> [String; 7] {
    let total = row.total_ns as f64;
    let percent = if runtime_ns == 0 {
        0.0
    } else {
        100.0 * total / runtime_ns as f64
    };
    let (device, count) = (*row.device, row.count.unwrap_or(0));
    let host = |peak: Option<u64>| peak.and_then(|bytes| i64::try_from(bytes).ok());
    let net = [
        device
            .device_memory_net_min_bytes
            .or(row.memory.host_memory_net_min_bytes),
        device
            .device_memory_net_max_bytes
            .or(row.memory.host_memory_net_max_bytes),
    ];
    let peak = [
        device
            .device_memory_peak_min_bytes
            .or(host(row.memory.host_memory_peak_min_bytes)),
        device
            .device_memory_peak_max_bytes
            .or(host(row.memory.host_memory_peak_max_bytes)),
    ];
    [
        row.names.concat(),
        count.to_string(),
        seconds(total / count.max(1) as f64),
        seconds(total),
        float(rounded(percent, 2)),
        range(net),
        range(peak),
    ]
}

/// `str(round(x, 8))` of nanoseconds as seconds.
fn seconds(ns: f64) -> String {
    float(rounded(ns / 1e9, 8))
}

fn range(bounds: [Option<i64>; 2]) -> String {
    match bounds {
        [Some(least), Some(most)] => format!("{} - {}", bytes(least), bytes(most)),
        _ => ABSENT.to_owned(),
    }
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
