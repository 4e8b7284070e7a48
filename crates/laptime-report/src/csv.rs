//! Rows as comma-separated values (RFC 4180): plain numbers in the units of their names.
//!
//! An absent number is an empty field. The first column tells the whole run from its
//! steady state; where rows are those of single processes, columns before it tell whose they are.

use laptime_analysis::{BoundBy, RowKind, SpanRow, Steady, Summary, UntilSummary};

use crate::filter;
use crate::name::visible;
use crate::view::View;

/// The columns after the section and the kind; `docs/summary.schema.json` says what they hold.
const HEADING: &str = "section,kind,path,count,total_ns,self_ns,mean_ns,stddev_ns,min_ns,max_ns,\
p50_ns,p90_ns,p95_ns,p99_ns,share_ratio,process_ns,thread_ns,suspended_wall_ns,partial_count,partial_ns,unbalanced_count,\
host_memory_net_min_bytes,host_memory_net_max_bytes,host_memory_peak_min_bytes,host_memory_peak_max_bytes";

/// Columns before these where rows are those of single processes.
const PROCESS: &str = "process,rank,";

/// Columns that follow where a row has any of them.
const OPERATIONS: [&str; 12] = laptime_analysis::OPERATION_FIELDS;

/// A table of the summary: its section, its rows, and what stands before each of its lines.
struct Part<'s> {
    process: String,
    section: &'static str,
    rows: &'s [SpanRow],
}

/// The tables that are asked for: of the run or, before their lines the process and its rank, of each process.
fn parts<'s>(summary: &'s Summary, view: &View) -> Vec<Part<'s>> {
    let both = |process: String, rows: &'s [SpanRow], steady: Option<&'s Steady>| {
        let steady = steady.filter(|_| view.steady).map(|steady| Part {
            process: process.clone(),
            section: "steady",
            rows: &steady.rows,
        });
        let section = "run";
        let whole = Part {
            process,
            section,
            rows,
        };
        [whole].into_iter().chain(steady)
    };
    if summary.by_process.is_empty() {
        return both(String::new(), &summary.rows, summary.steady.as_ref()).collect();
    }
    let each = summary.by_process.iter().flat_map(|one| {
        let rank = quoted(one.rank.as_deref().unwrap_or_default());
        let process = format!("{},{rank},", one.pid);
        both(process, &one.rows, one.steady.as_ref())
    });
    each.collect()
}

/// Renders the rows that the view asks for.
pub fn render(summary: &Summary, view: &View) -> String {
    let parts = parts(summary, view);
    let mut rows = parts.iter().flat_map(|part| part.rows);
    let has_operations = rows.any(|row| operations(row).iter().any(|field| !field.is_empty()));
    let mut heading = HEADING.to_owned();
    if has_operations {
        heading = format!("{heading},{}", OPERATIONS.join(","));
    }
    let before = if summary.by_process.is_empty() {
        ""
    } else {
        PROCESS
    };
    let mut out = format!("{before}{heading}\r\n");
    for part in &parts {
        for row in filter::wanted(part.rows, view) {
            out += &part.process;
            out += &line(part.section, row, has_operations);
        }
    }
    for until in &summary.until {
        out += &before.replace(|one| one != ',', "");
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
