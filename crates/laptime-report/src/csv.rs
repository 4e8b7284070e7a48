//! Rows as comma-separated values (RFC 4180): plain numbers in the units of their names.
//!
//! An absent number is an empty field. The first column tells the whole run from its
//! steady state.

use laptime_analysis::{RowKind, SpanRow, Summary, UntilSummary};

use crate::filter;
use crate::view::View;

/// The columns after the section and the kind; `docs/summary.schema.json` says what they hold.
const HEADING: &str = "section,kind,path,count,total_ns,self_ns,mean_ns,stddev_ns,min_ns,max_ns,\
p50_ns,p90_ns,p95_ns,p99_ns,share_ratio,process_ns,thread_ns,suspended_wall_ns,partial_count,partial_ns,unbalanced_count,\
host_memory_net_min_bytes,host_memory_net_max_bytes,host_memory_peak_min_bytes,host_memory_peak_max_bytes";

/// Renders the rows that the view asks for.
pub fn render(summary: &Summary, view: &View) -> String {
    let mut out = HEADING.to_owned() + "\r\n";
    let mut add = |section: &str, rows: &[SpanRow]| {
        for row in filter::wanted(rows, view) {
            out += &line(section, row);
        }
    };
    add("run", &summary.rows);
    if let Some(steady) = summary.steady.as_ref().filter(|_| view.steady) {
        add("steady", &steady.rows);
    }
    for until in &summary.until {
        out += &answer(until);
    }
    out
}

/// A question in the place of the path, steps in that of the count, the time in that of the total.
fn answer(until: &UntilSummary) -> String {
    let number = |number: Option<u64>| number.map(|number| number.to_string()).unwrap_or_default();
    let (steps, at_ns) = (number(until.steps), number(until.at_ns));
    let absent = ",".repeat(HEADING.matches(',').count() - 4);
    let question = quoted(&until.question);
    format!("until,metric,{question},{steps},{at_ns}{absent}\r\n")
}

fn line(section: &str, row: &SpanRow) -> String {
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
    fields.join(",") + "\r\n"
}

/// A field, in quotes where it needs them.
pub fn quoted(text: &str) -> String {
    if text.contains(['"', ',', '\n', '\r']) || text.starts_with(' ') || text.ends_with(' ') {
        format!("\"{}\"", text.replace('"', "\"\""))
    } else {
        text.to_owned()
    }
}
