//! Functions as comma-separated values: a line for each function of each lap, those that were sampled
//! first, then those whose calls were counted. Plain numbers in the units of their names; an
//! absent number is an empty field.

use laptime_analysis::{Functions, Pattern, Summary};

use crate::csv::spans::quoted;
use crate::document::view::View;

const HEADING: &str =
    "source,lap,function,file,line,samples,calls,primitive_calls,self_ns,total_ns,waiting_ns\r\n";

/// Writes all functions of the laps that the view asks for.
pub fn render(summary: &Summary, view: &View) -> String {
    let mut out = HEADING.to_owned();
    if let Some(functions) = &summary.functions {
        out += &sampled(functions, view);
        out += &counted(functions, view);
    }
    out
}

fn is_asked(names: &[String], view: &View) -> bool {
    let pattern = view.filter.as_deref().map(Pattern::new);
    pattern.is_none_or(|pattern| pattern.matches(names))
}

fn sampled(functions: &Functions, view: &View) -> String {
    let laps = functions.laps.iter();
    let laps = laps.filter(|lap| is_asked(&lap.names, view));
    let lines = laps.flat_map(|lap| {
        lap.functions.iter().map(|one| {
            let line = one.lines.first().map_or(0, |line| line.line);
            format!(
                "sampled,{},{},{},{},{},,,{},{},{}\r\n",
                quoted(&lap.path),
                quoted(&one.name),
                quoted(&one.file),
                known(line),
                one.self_count,
                one.self_ns,
                one.total_ns,
                one.waiting_ns,
            )
        })
    });
    lines.collect()
}

fn counted(functions: &Functions, view: &View) -> String {
    let Some(exact) = &functions.exact else {
        return String::new();
    };
    let laps = exact.laps.iter();
    let laps = laps.filter(|lap| is_asked(&lap.names, view));
    let lines = laps.flat_map(|lap| {
        lap.functions.iter().filter_map(|one| {
            let function = exact.functions.get(one.function)?;
            Some(format!(
                "counted,{},{},{},{},,{},{},{},{},\r\n",
                quoted(&lap.path),
                quoted(&function.name),
                quoted(&function.file),
                known(function.line),
                one.call_count,
                one.primitive_count,
                one.self_ns,
                one.total_ns,
            ))
        })
    });
    lines.collect()
}

/// Returns a line's number as text, empty where the line isn't known.
fn known(line: u32) -> String {
    if line == 0 {
        return String::new();
    }
    line.to_string()
}
