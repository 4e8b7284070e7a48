//! The view of a summary: what the reader wants to see and how, whatever the summary holds.

use laptime_analysis::Steady;

use crate::document::column::Column;
use crate::next_command::origin::Origin;

/// The format of a report.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum Format {
    /// An aligned table for a terminal.
    #[default]
    Text,
    /// A tree with times, without statistics.
    Tree,
    /// A table for documents and pull requests.
    Markdown,
    /// The whole summary as JSON, described by `docs/summary.schema.json`.
    Json,
    /// Comma-separated plain numbers, a line for each row.
    Csv,
    /// A page to open in a browser.
    Html,
}

impl Format {
    /// All formats, by the name users type.
    pub const NAMES: [(&'static str, Self); 6] = [
        ("text", Self::Text),
        ("tree", Self::Tree),
        ("markdown", Self::Markdown),
        ("json", Self::Json),
        ("csv", Self::Csv),
        ("html", Self::Html),
    ];
}

/// The kind of rows that the tables have.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum By {
    /// Rows of all processes, summed up by path.
    #[default]
    Path,
    /// Rows of each process that takes steps, by itself.
    Process,
    /// Modules of a network by their self time, forward and backward together.
    Module,
    /// Classes of modules.
    Class,
    /// Functions that were sampled, by the lap that they ran in.
    Function,
}

impl By {
    /// All kinds of rows, by the name users type.
    pub const NAMES: [(&'static str, Self); 5] = [
        ("path", Self::Path),
        ("process", Self::Process),
        ("module", Self::Module),
        ("class", Self::Class),
        ("function", Self::Function),
    ];
}

/// The order of siblings.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum Sort {
    /// Largest total first: on the device, where all siblings have its time.
    #[default]
    Total,
    /// Largest self time first.
    SelfTime,
    /// Most spans first.
    Count,
    /// Largest mean first.
    Mean,
    /// Largest median first.
    Median,
    /// Longest span first.
    Max,
    /// Most memory kept first.
    KeptMemory,
    /// Highest peak of memory first.
    PeakMemory,
    /// Alphabetical order of names.
    Name,
    /// Order of their first appearance in the run.
    Appearance,
}

impl Sort {
    /// All orders, by the name users type.
    pub const NAMES: [(&'static str, Self); 10] = [
        ("total", Self::Total),
        ("self", Self::SelfTime),
        ("count", Self::Count),
        ("mean", Self::Mean),
        ("p50", Self::Median),
        ("max", Self::Max),
        ("kept", Self::KeptMemory),
        ("peak", Self::PeakMemory),
        ("name", Self::Name),
        ("appearance", Self::Appearance),
    ];
}

/// The order of the functions of a lap.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum FunctionSort {
    /// Longest self time first.
    #[default]
    SelfTime,
    /// Longest time with all that they call first.
    Total,
    /// Most calls or samples first.
    Count,
    /// Alphabetical order of names.
    Name,
}

impl FunctionSort {
    /// Returns the order of functions that fits one of spans; `None` where functions have no such number.
    pub fn from_spans(sort: Sort) -> Option<Self> {
        Some(match sort {
            Sort::SelfTime => Self::SelfTime,
            Sort::Total => Self::Total,
            Sort::Count => Self::Count,
            Sort::Name => Self::Name,
            _ => return None,
        })
    }
}

/// The choices of a reader: what to show of a summary, and how.
#[allow(
    clippy::struct_excessive_bools,
    reason = "each is a switch of the command line"
)]
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct View {
    /// Whether the tree stands in place of the table, in the formats that have both.
    pub tree: bool,
    /// The kind of rows that the tables have.
    pub by: By,
    /// Order of siblings.
    pub sort: Sort,
    /// Order of a lap's functions.
    pub function_sort: FunctionSort,
    /// Pattern of the paths that are shown, with their ancestors: `*` within a name, `**` over names.
    pub filter: Option<String>,
    /// Columns of the tables of spans, in this order; the usual ones where there is none.
    pub columns: Vec<Column>,
    /// Most rows of a table, those that the order puts first, without the rows around them.
    pub top: Option<usize>,
    /// Columns of the terminal; `None` for 100.
    pub width: Option<usize>,
    /// Whether the output understands ANSI colours.
    pub color: bool,
    /// Whether the output shows characters beyond ASCII.
    pub utf8: bool,
    /// Whether the table is of the whole run, where there is a steady state too.
    pub whole: bool,
    /// Whether to show operators and kernels by lap.
    pub kernels: bool,
    /// The words for the recording and its program, for the commands to type next.
    pub origin: Origin,
}

impl View {
    /// Returns the steady state that the tables are of; `None` where they are of the whole run.
    pub fn steady<'s>(&self, steady: Option<&'s Steady>) -> Option<&'s Steady> {
        steady.filter(|_| !self.whole)
    }
}

impl Default for View {
    fn default() -> Self {
        Self {
            tree: false,
            by: By::default(),
            sort: Sort::default(),
            function_sort: FunctionSort::default(),
            filter: None,
            columns: Vec::new(),
            top: None,
            width: None,
            color: false,
            utf8: true,
            whole: false,
            kernels: false,
            origin: Origin::default(),
        }
    }
}
