//! What a report says, as data: sections with tables and series, before any text.
//!
//! [`Document::new`] makes one from a [`Summary`] and a [`View`]; the renderers of text,
//! tree and markdown turn it into characters. Numbers are still numbers here and know
//! what they are.

use laptime_analysis::fields::{self, Field, Number, Unit};
use laptime_analysis::{
    ClockSummary, Mark, Metric, ProcessState, RowKind, SpanRow, Summary, WallSource,
};
use laptime_core::{ClockKind, Unavailable, Warning};

use crate::by_process;
pub use crate::column::Column;
use crate::cpu;
use crate::epochs;
use crate::joined;
use crate::outline::{self, Line, Outline};
use crate::quantity::{self, Precision};
use crate::ranks;
use crate::roofline::Roofline;
use crate::steady;
use crate::until;
use crate::view::View;

/// A report.
#[derive(Debug, Clone, PartialEq)]
pub struct Document {
    /// The program's name.
    pub title: String,
    /// Short facts about the run as a whole, most telling first.
    pub facts: Vec<String>,
    /// How the times were measured.
    pub measured: String,
    /// Tables and series.
    pub sections: Vec<Section>,
    /// Reasons for doubt.
    pub warnings: Vec<Warning>,
}

/// A part of a report.
#[derive(Debug, Clone, PartialEq)]
pub struct Section {
    /// Its heading; none for the first.
    pub heading: Option<String>,
    /// A sentence below the heading.
    pub remark: Option<String>,
    /// What it shows.
    pub content: Content,
}

/// What a section shows.
#[derive(Debug, Clone, PartialEq)]
pub enum Content {
    /// Rows of a tree with statistics.
    Table(Table),
    /// Series of numbers over the run.
    Figures(Vec<Figure>),
    /// Sentences, one below the other.
    Lines(Vec<String>),
    /// A picture of how fast work can run, and its numbers.
    Roofline(Roofline),
    /// Nothing but its remark.
    Remark,
}

/// Rows of a tree with statistics.
#[derive(Debug, Clone, PartialEq)]
pub struct Table {
    /// What the rows are.
    pub lead: &'static str,
    /// What the cells after the name hold.
    pub columns: Vec<Column>,
    /// Rows, parents before children.
    pub rows: Vec<Row>,
    /// What needs saying below it.
    pub notes: Vec<String>,
    /// Why cells are absent, each reason once.
    pub reasons: Vec<Unavailable>,
}

/// A row of a table.
#[derive(Debug, Clone, PartialEq)]
pub struct Row {
    /// Its own name, as given.
    pub name: String,
    /// For every level above it and its own, whether that row is the last of its siblings.
    pub lasts: Vec<bool>,
    /// Whether it is a leftover rather than spans.
    pub is_leftover: bool,
    /// One cell a column.
    pub cells: Vec<Cell>,
}

impl Row {
    /// What it has in a column of its table.
    pub fn cell(&self, table: &Table, column: Column) -> Option<Cell> {
        let at = table.columns.iter().position(|known| *known == column)?;
        self.cells.get(at).copied()
    }
}

/// A number, or none.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Cell {
    /// Spans: finished ones, and those only partly inside.
    Count(u64, u64),
    /// Nanoseconds.
    Time(u64, Precision),
    /// Bytes.
    Bytes(i64),
    /// A share, 1.0 for all.
    Share(f64),
    /// A whole number with the prefix that fits it.
    Scaled(u128),
    /// A whole number to its last digit.
    Exact(u128),
    /// Bytes, however many.
    ManyBytes(u128),
    /// A ratio, or a rate, with the prefix that fits it.
    Rate(f64),
    /// One of a few words.
    Word(&'static str),
    /// Nothing belongs here.
    Blank,
    /// Not there.
    Absent,
}

/// A series of numbers over the run.
#[derive(Debug, Clone, PartialEq)]
pub struct Figure {
    /// Its path, as names joined by `/`.
    pub label: String,
    /// Values in time order; empty for marks.
    pub values: Vec<Option<f64>>,
    /// What is said beside it.
    pub facts: String,
}

impl Document {
    /// The report of a summary.
    pub fn new(summary: &Summary, view: &View) -> Self {
        let is_empty = summary.rows.iter().all(|row| row.kind == RowKind::Leftover);
        let mut sections = if is_empty || summary.by_process.is_empty() {
            together(summary, view, is_empty)
        } else {
            by_process::sections(summary, view)
        };
        sections.extend(ranks::section(summary));
        sections.extend(epochs::section(summary).filter(|_| view.filter.is_none()));
        sections.extend(joined::sections(summary, view));
        sections.extend(cpu::sections(&summary.rows, view));
        let figures = figures(summary);
        if !figures.is_empty() && view.filter.is_none() {
            sections.push(Section {
                heading: Some("marks and metrics".to_owned()),
                remark: None,
                content: Content::Figures(figures),
            });
        }
        if !summary.until.is_empty() {
            sections.push(Section {
                heading: Some("learning speed".to_owned()),
                remark: None,
                content: Content::Figures(until::figures(summary)),
            });
        }
        Self {
            title: summary.program.clone(),
            facts: facts(summary),
            measured: measured(summary),
            sections,
            warnings: summary.warnings.clone(),
        }
    }
}

/// What all processes did, in one table.
fn together(summary: &Summary, view: &View, is_empty: bool) -> Vec<Section> {
    let whole = Section {
        heading: None,
        remark: is_empty.then(|| "no span was recorded".to_owned()),
        content: if is_empty {
            Content::Remark
        } else {
            let mut table = table(summary, &summary.rows, view);
            table.notes.extend(ranks::notes(summary));
            Content::Table(table)
        },
    };
    let (steady, why) = (summary.steady.as_ref(), summary.steady_why.as_ref());
    let steady = steady::section(summary, (steady, why), &summary.rows, view);
    [whole].into_iter().chain(steady).collect()
}

fn facts(summary: &Summary) -> Vec<String> {
    let mut facts = vec![
        quantity::duration(summary.wall_ns, Precision::Exact).inline(),
        plural(summary.span_count, "span", "spans"),
    ];
    if summary.processes.len() > 1 {
        facts.push(plural(
            summary.processes.len() as u64,
            "process",
            "processes",
        ));
    }
    facts.extend(peak_memory(summary));
    if let Some(code) = summary
        .run
        .as_ref()
        .and_then(|run| run.end.as_ref())
        .and_then(|end| end.code)
    {
        facts.push(format!("exit code {code}"));
    } else if let Some(why) = summary.unavailable.get("run.end")
        && summary
            .processes
            .iter()
            .any(|main| main.is_main && main.state == ProcessState::Killed)
    {
        facts.push(format!("exit code –: {why}"));
    }
    facts
}

/// The main process's: what others have is in their own laps.
fn peak_memory(summary: &Summary) -> Option<String> {
    let main = summary.processes.first()?;
    let was_counted = summary.unavailable.contains_key("host_memory_peak_bytes");
    if was_counted && main.state == ProcessState::Killed {
        // Short, to fit the line: the row `other` has the whole reason.
        return Some("peak memory – (cut off)".to_owned());
    }
    let whose = if summary.processes.len() > 1 {
        "counted peak memory of the main process"
    } else {
        "counted peak memory"
    };
    let peak_bytes = main.host_memory_peak_bytes?;
    Some(format!("{whose} {}", quantity::bytes(peak_bytes)))
}

/// A number with its noun.
pub fn plural(count: u64, one: &str, many: &str) -> String {
    format!(
        "{} {}",
        quantity::thousands(count),
        if count == 1 { one } else { many }
    )
}

fn measured(summary: &Summary) -> String {
    let wall = match summary.wall_source {
        WallSource::Launcher => "from launch to exit",
        WallSource::Process => "from the start of the process, known to 10 ms",
        WallSource::Recording => "from the start of the recording",
        WallSource::Segments => "summed over segments",
        WallSource::ProcessTimeSegments => {
            return "process time summed over segments; clock: CLOCK_PROCESS_CPUTIME_ID".to_owned();
        }
        WallSource::ThreadTimeSegments => {
            return "thread time summed over segments; clock: CLOCK_THREAD_CPUTIME_ID".to_owned();
        }
        WallSource::DeviceTimeSegments => {
            return "device time summed over segments; by event pairs on their streams".to_owned();
        }
    };
    format!("host time {wall}; {}", clock(summary.clock))
}

fn clock(clock: ClockSummary) -> String {
    match (clock.kind, clock.is_measured) {
        (ClockKind::Monotonic, _) => "clock: CLOCK_MONOTONIC".to_owned(),
        (ClockKind::Tsc, true) => "clock: time stamp counter, rate measured".to_owned(),
        (ClockKind::Tsc, false) => {
            "clock: time stamp counter, rate as the CPU states it".to_owned()
        }
    }
}

/// Rows as a table.
pub fn table(summary: &Summary, rows: &[SpanRow], view: &View) -> Table {
    let outline = outline::outline(rows, view);
    let mut reasons: Vec<Unavailable> = Vec::new();
    let columns: Vec<(Column, &Field)> = Column::SPANS
        .into_iter()
        .filter_map(|column| {
            column
                .field()
                .and_then(fields::named)
                .map(|field| (column, field))
        })
        .filter(|(column, field)| {
            let is_told = |row| cell(row, *column, field) != Cell::Absent;
            !column.is_optional() || rows.iter().any(is_told)
        })
        .collect();
    let made = outline.lines.iter().map(|line| {
        let row = line.row;
        let cells = columns.iter().map(|(column, field)| {
            let cell = cell(row, *column, field);
            if cell == Cell::Absent
                && let Some(why) = summary.why(row, field.name)
                && !reasons.contains(why)
            {
                reasons.push(why.clone());
            }
            cell
        });
        shown(line, cells.collect())
    });
    let rows = made.collect();
    Table {
        lead: "span",
        columns: columns.iter().map(|(column, _)| *column).collect(),
        rows,
        notes: notes(&outline),
        reasons,
    }
}

fn notes(outline: &Outline<'_>) -> Vec<String> {
    let mut notes = Vec::new();
    if outline.hidden > 0 {
        let some = quantity::thousands(outline.hidden as u64);
        notes.push(format!(
            "{some} paths below 0.1 % of the wall time are not shown; --filter '**' shows all"
        ));
    }
    if outline.lines.iter().any(|line| line.row.partial_count > 0) {
        notes.push(
            "+n are spans only partly inside (open at the end, or begun before): \
             their part inside counts in total and self"
                .to_owned(),
        );
    }
    notes
}

fn shown(line: &Line<'_>, cells: Vec<Cell>) -> Row {
    Row {
        name: line.row.names.last().cloned().unwrap_or_default(),
        lasts: line.lasts.clone(),
        is_leftover: line.row.kind == RowKind::Leftover,
        cells,
    }
}

fn cell(row: &SpanRow, column: Column, field: &Field) -> Cell {
    let number = match column {
        _ if row.why.contains_key(field.name) => None,
        Column::Cpu => row
            .process_ns
            .or(row.thread_ns)
            .map(|ns| Number::Whole(ns.into())),
        _ => field.of(row),
    };
    let precision = match column {
        Column::Median | Column::P99 => Precision::Estimate,
        _ => Precision::Exact,
    };
    match number {
        None => Cell::Absent,
        Some(Number::Word(word)) => Cell::Word(word),
        Some(Number::Signed(bytes)) => Cell::Bytes(bytes),
        Some(Number::Real(ratio)) if field.unit == Unit::Ratio => Cell::Share(ratio),
        Some(Number::Real(rate)) => Cell::Rate(rate),
        Some(Number::Whole(number)) => match field.unit {
            Unit::Spans => Cell::Count(number as u64, row.partial_count),
            Unit::Ns => Cell::Time(number as u64, precision),
            Unit::Bytes => Cell::Bytes(number as i64),
            _ => Cell::Scaled(number),
        },
    }
}

fn figures(summary: &Summary) -> Vec<Figure> {
    // Epochs have a section of their own.
    let is_told = |mark: &&Mark| mark.name == "epoch" && !summary.epochs.is_empty();
    let marks = summary.marks.iter().filter(|mark| !is_told(mark));
    let marks = marks.map(|mark| Figure {
        label: mark.path.clone(),
        values: Vec::new(),
        facts: format!("marked {}", times(mark.count)),
    });
    let metrics = summary.metrics.iter().map(|metric| Figure {
        label: metric.path.clone(),
        values: metric.series.iter().map(|point| point.value).collect(),
        facts: said(metric),
    });
    marks.chain(metrics).collect()
}

fn times(count: u64) -> String {
    match count {
        1 => "once".to_owned(),
        2 => "twice".to_owned(),
        _ => format!("{} times", quantity::thousands(count)),
    }
}

fn said(metric: &Metric) -> String {
    let shown = |value: Option<f64>, field: &str| {
        let why = metric.why.get(field);
        value.map_or_else(
            || why.map_or("–".to_owned(), |why| why.0.clone()),
            quantity::plain,
        )
    };
    let mut said = format!("last {}", shown(metric.last, "last"));
    let nan_count = metric.nan_count;
    if metric.count > 1 && nan_count < metric.count {
        let (min, max) = (shown(metric.min, "min"), shown(metric.max, "max"));
        said.extend([", ", &min, " to ", &max]);
    }
    let values = plural(metric.count, "value", "values");
    if nan_count > 0 {
        let are = if nan_count == 1 {
            "is not a number"
        } else {
            "are not numbers"
        };
        return format!(
            "{said}, {} of {values} {are}",
            quantity::thousands(nan_count)
        );
    }
    format!("{said}, {values}")
}
