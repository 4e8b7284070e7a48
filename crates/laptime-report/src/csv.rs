//! Rows as comma-separated values (RFC 4180): plain numbers in the units of their names.
//!
//! An absent number is an empty field. The first column tells the whole run from its
//! steady state.

use laptime_analysis::{BoundBy, RowKind, SpanRow, Summary, UntilSummary};

use crate::filter;
use crate::name::visible;
use crate::view::View;

/// The columns after the section and the kind; `docs/summary.schema.json` says what they hold.
const HEADING: &str = "section,kind,path,count,total_ns,self_ns,mean_ns,stddev_ns,min_ns,max_ns,\
p50_ns,p90_ns,p95_ns,p99_ns,share_ratio,process_ns,thread_ns,suspended_wall_ns,partial_count,partial_ns,unbalanced_count,\
host_memory_net_min_bytes,host_memory_net_max_bytes,host_memory_peak_min_bytes,host_memory_peak_max_bytes";

/// Columns that follow where a row has any of them.
const OPERATIONS: [&str; 12] = laptime_analysis::OPERATION_FIELDS;

/// Renders the rows that the view asks for.
pub fn render(summary: &Summary, view: &View) -> String {
    let steady = summary.steady.as_ref().filter(|_| view.steady);
    let rows = summary.rows.iter();
    let rows = rows.chain(steady.iter().flat_map(|steady| &steady.rows));
    let has_operations = { rows }.any(|row| operations(row).iter().any(|field| !field.is_empty()));
    let mut heading = HEADING.to_owned();
    if has_operations {
        heading = format!("{heading},{}", OPERATIONS.join(","));
    }
    let mut out = heading.clone() + "\r\n";
    let mut add = |section: &str, rows: &[SpanRow]| {
        for row in filter::wanted(rows, view) {
            out += &line(section, row, has_operations);
        }
    };
    add("run", &summary.rows);
    if let Some(steady) = steady {
        add("steady", &steady.rows);
    }
    for until in &summary.until {
        out += &answer(until, &heading);
    }
    out
}

/// A question in the place of the path, steps in that of the count, the time in that of the total.
fn answer(until: &UntilSummary, heading: &str) -> String {
    let number = |number: Option<u64>| number.map(|number| number.to_string()).unwrap_or_default();
    let (steps, at_ns) = (number(until.steps), number(until.at_ns));
    let absent = ",".repeat(heading.matches(',').count() - 4);
    let question = quoted(&until.question);
    format!("until,metric,{question},{steps},{at_ns}{absent}\r\n")
}

fn line(section: &str, row: &SpanRow, has_operations: bool) -> String {
    let kind = match row.kind {
        RowKind::Span => "span",
        RowKind::Leftover => "leftover",
    };
    let number = |number: Option<u64>| number.map(|number| number.to_string()).unwrap_or_default();
    let signed = |number: Option<i64>| number.map(|number| number.to_string()).unwrap_or_default();
    let fields = [
        section.to_owned(),
        kind.to_owned(),
        quoted(&row.path),
        number(row.count),
        row.total_ns.to_string(),
        row.self_ns.to_string(),
        number(row.mean_ns),
        number(row.stddev_ns),
        number(row.min_ns),
        number(row.max_ns),
        number(row.p50_ns),
        number(row.p90_ns),
        number(row.p95_ns),
        number(row.p99_ns),
        row.share_ratio
            .map(|ratio| ratio.to_string())
            .unwrap_or_default(),
        number(row.process_ns),
        number(row.thread_ns),
        number(row.suspended_wall_ns),
        row.partial_count.to_string(),
        row.partial_ns.to_string(),
        row.unbalanced_count.to_string(),
        signed(row.host_memory_net_min_bytes),
        signed(row.host_memory_net_max_bytes),
        number(row.host_memory_peak_min_bytes),
        number(row.host_memory_peak_max_bytes),
    ];
    let mut line = fields.join(",");
    if has_operations {
        line = format!("{line},{}", operations(row).join(","));
    }
    line + "\r\n"
}

fn operations(row: &SpanRow) -> [String; OPERATIONS.len()] {
    let wide = |number: Option<u128>| number.map(|number| number.to_string()).unwrap_or_default();
    let real = |number: Option<f64>| number.map(|number| number.to_string()).unwrap_or_default();
    let bound = row.bound.map(BoundBy::name);
    [
        wide(row.mac),
        wide(row.flop),
        wide(row.total_flop),
        wide(row.executed_flop),
        wide(row.bytes_moved),
        real(row.flop_per_s),
        real(row.bytes_moved_per_s),
        real(row.intensity),
        real(row.mfu_ratio),
        real(row.hfu_ratio),
        bound.unwrap_or_default().to_owned(),
        real(row.operations_coverage_ratio),
    ]
}

/// Starts that make a formula of a cell.
const FORMULA: [char; 4] = ['=', '+', '-', '@'];

/// A field, in quotes where it needs them.
///
/// Spreadsheets run what looks like a formula, `=cmd|…` included: an apostrophe before it makes it
/// text. Control characters are written out. JSON and Arrow have names as they are.
pub fn quoted(text: &str) -> String {
    if text.is_empty() {
        return String::new();
    }
    let is_formula = text.trim_start().starts_with(FORMULA) && text.parse::<f64>().is_err();
    let mark = if is_formula || text.starts_with(['\t', '\r', '\n']) {
        "'"
    } else {
        ""
    };
    let text = format!("{mark}{}", visible(text));
    if text.contains(['"', ',']) || text.starts_with(' ') || text.ends_with(' ') {
        format!("\"{}\"", text.replace('"', "\"\""))
    } else {
        text
    }
}

#[cfg(test)]
mod tests {
    use super::quoted;

    #[test]
    fn no_cell_is_a_formula_or_acts_on_a_terminal() {
        for (name, cell) in [
            ("=cmd|' /C calc'!A0", "'=cmd|' /C calc'!A0"),
            ("+1+1", "'+1+1"),
            ("-1+1", "'-1+1"),
            ("@SUM(1,2)", "\"'@SUM(1,2)\""),
            (" =1", "' =1"),
            ("\t=1", "'\\t=1"),
            ("\r=1", "'\\r=1"),
            ("a=1\u{1b}[2J", "a=1\\u{1b}[2J"),
            ("two\nlines", "two\\nlines"),
            ("-1.5e-3", "-1.5e-3"),
            ("plain", "plain"),
            ("", ""),
        ] {
            assert_eq!(quoted(name), cell);
        }
    }
}
