//! The choices of a reader of counts: which table, to which depth, in which order, on which terminal.

use crate::document::view::View;

/// Depth of the tree of modules when nobody asks: a model's parts and theirs.
pub const DEFAULT_DEPTH: u32 = 2;

/// The kind of rows that the table has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum By {
    /// A row for each operator.
    Operator,
    /// A row for each module, as a tree.
    Module,
}

impl By {
    /// Both kinds, by the name users type.
    pub const NAMES: [(&'static str, Self); 2] = [("op", Self::Operator), ("module", Self::Module)];
}

/// The order of rows; of modules among their siblings.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum OperationsSort {
    /// Most multiply-accumulates first, then most other FLOP, then most bytes.
    Mac,
    /// Most total FLOP first.
    TotalFlop,
    /// Most bytes first.
    Bytes,
    /// Least FLOP for each byte first.
    Intensity,
    /// Most calls first.
    Calls,
    /// Alphabetical order of names.
    Name,
    /// Order of the model; operators by their work.
    Model,
}

impl OperationsSort {
    /// All orders, by the name users type.
    pub const NAMES: [(&'static str, Self); 7] = [
        ("mac", Self::Mac),
        ("flop", Self::TotalFlop),
        ("bytes", Self::Bytes),
        ("intensity", Self::Intensity),
        ("calls", Self::Calls),
        ("name", Self::Name),
        ("model", Self::Model),
    ];
}

/// The choices of a reader: what to show of counts, and how.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OperationsView {
    /// Kind of rows. `None`: modules where there are some, else operators; a page shows both.
    pub by: Option<By>,
    /// Number of levels of modules below the model; `None` for [`DEFAULT_DEPTH`].
    pub depth: Option<u32>,
    /// Order of the rows. `None`: operators by work, modules in the order of the model.
    pub sort: Option<OperationsSort>,
    /// Whether to show every digit instead of a prefix.
    pub exact: bool,
    /// Columns of the terminal; `None` for 100.
    pub width: Option<usize>,
    /// Whether the output understands ANSI colours.
    pub color: bool,
    /// Whether the output shows characters beyond ASCII.
    pub utf8: bool,
}

impl Default for OperationsView {
    fn default() -> Self {
        Self {
            by: None,
            depth: None,
            sort: None,
            exact: false,
            width: None,
            color: false,
            utf8: true,
        }
    }
}

impl OperationsView {
    /// Returns the part of the view that is about the terminal.
    pub(crate) fn terminal(&self) -> View {
        View {
            width: self.width,
            color: self.color,
            utf8: self.utf8,
            ..View::default()
        }
    }
}
