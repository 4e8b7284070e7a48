//! Rows of tables of functions: laps, the functions below them, and how functions and files are written.

use std::cmp::Reverse;

use laptime_analysis::{ExactFunction, FunctionTime, RowKind, is_shutdown};
use laptime_core::short_file;

use crate::document::names;
use crate::document::view::{FunctionSort, View};
use crate::document::{Cell, Row, Section};

/// The measure by which a function is ordered and chosen to be shown.
pub struct Weight<'n> {
    pub self_ns: u64,
    pub total_ns: u64,
    /// Number of calls or samples.
    pub count: u64,
    pub name: &'n str,
}

/// Returns the functions of a lap that are shown: at most so many, each with at least so many nanoseconds where they
/// are ordered by time.
pub fn shown<'f, F>(
    functions: &'f [F],
    weight: impl Fn(&'f F) -> Weight<'f>,
    sort: FunctionSort,
    (most, least_ns): (usize, f64),
) -> Vec<&'f F> {
    let is_enough = |ns: u64| ns > 0 && ns as f64 >= least_ns;
    let mut shown: Vec<(Weight<'f>, &F)> = (functions.iter())
        .map(|one| (weight(one), one))
        .filter(|(weight, _)| match sort {
            FunctionSort::SelfTime => is_enough(weight.self_ns),
            FunctionSort::Total => is_enough(weight.total_ns),
            // What is called most often may take no time, and what is looked for by its name neither.
            FunctionSort::Count | FunctionSort::Name => weight.count > 0,
        })
        .collect();
    match sort {
        FunctionSort::SelfTime => shown.sort_by_key(|(one, _)| Reverse(one.self_ns)),
        FunctionSort::Total => shown.sort_by_key(|(one, _)| Reverse(one.total_ns)),
        FunctionSort::Count => shown.sort_by_key(|(one, _)| Reverse(one.count)),
        FunctionSort::Name => shown.sort_by_key(|(one, _)| one.name),
    }
    shown.truncate(most);
    shown.into_iter().map(|(_, one)| one).collect()
}

/// Returns the least nanoseconds of a function that is shown: a share of its lap, unless somebody asks for so many
/// functions.
pub fn least_ns(view: &View, ratio: f64, lap_ns: u64) -> f64 {
    if view.top.is_some() {
        0.0
    } else {
        ratio * lap_ns as f64
    }
}

/// Makes the section that stands where a filter lets no lap through.
pub fn no_lap(pattern: &str) -> Section {
    Section::remark(format!(
        "no lap with functions matches {}",
        names::visible(pattern)
    ))
}

/// Returns the name of a lap; one of the program's own may have the name of a leftover.
pub fn lap_name(path: &str, kind: RowKind, is_taken: bool) -> String {
    if kind == RowKind::Leftover && is_taken {
        return format!("{path} (not the lap)");
    }
    path.to_owned()
}

/// Makes the row of a lap, above those of its functions.
pub fn lap_row(name: String, names: &[String], kind: RowKind, cells: Vec<Cell>) -> Row {
    let is_span = kind == RowKind::Span;
    Row {
        span: is_span.then(|| names.last().cloned()).flatten(),
        is_leftover: kind == RowKind::Leftover,
        ..Row::new(name, cells)
    }
}

/// Makes a row below that of a lap.
pub fn below_lap(name: String, cells: Vec<Cell>) -> Row {
    Row {
        depth: 1,
        ..Row::new(name, cells)
    }
}

/// Makes a row of text about the function above it, without numbers.
pub fn text_row(name: String, cells: usize) -> Row {
    Row {
        depth: 2,
        ..Row::new(name, vec![Cell::Blank; cells])
    }
}

/// Returns the name of a counted function, and where it begins.
pub fn counted_name(function: &ExactFunction) -> String {
    if function.line == 0 {
        return builtin(&function.name);
    }
    let file = short_file(&function.file);
    format!("{} {file}:{}", function.name, function.line)
}

/// Returns a builtin's name without what all builtins share: `list.append` of `<method 'append' of 'list' objects>`.
pub fn builtin(name: &str) -> String {
    let inner = name.trim_start_matches('<').trim_end_matches('>');
    let method = inner.strip_prefix("method '").and_then(|rest| {
        let (method, rest) = rest.split_once("' of '")?;
        Some((method, rest.strip_suffix("' objects")?))
    });
    let plain = inner.strip_prefix("built-in method ").unwrap_or(inner);
    // Which object it was called on last says nothing.
    let bound = plain.split_once(" object at 0x").and_then(|(bound, _)| {
        let (method, class) = bound.split_once(" of ")?;
        Some((method, class))
    });
    match method.or(bound) {
        Some((method, class)) => format!("{class}.{method}"),
        None => plain.trim_start_matches("builtins.").to_owned(),
    }
}

/// Returns a function's name, and the line that takes most of its self time.
pub fn named(function: &FunctionTime) -> String {
    if function.is_collection() {
        return function.name.clone();
    }
    let file = short_file(&function.file);
    if is_shutdown(&function.name, &function.file) {
        return format!("{} (waits for threads to end) {file}", function.name);
    }
    match function.lines.first().filter(|line| line.line > 0) {
        Some(line) => format!("{} {file}:{}", function.name, line.line),
        None => format!("{} {file}", function.name),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn builtins_have_short_names() {
        let of = |name| builtin(name);
        assert_eq!(of("<method 'append' of 'list' objects>"), "list.append");
        assert_eq!(of("<built-in method builtins.len>"), "len");
        assert_eq!(of("<built-in method posix.stat>"), "posix.stat");
        assert_eq!(
            of("<built-in method __new__ of type object at 0x7f>"),
            "type.__new__"
        );
        assert_eq!(of("<other functions>"), "other functions");
    }
}
