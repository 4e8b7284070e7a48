//! Text for a terminal: the report with its tables, the tree, and lines about a running program.

pub(crate) mod column_widths;
mod curves;
pub(crate) mod epoch_line;
pub(crate) mod glyphs;
pub mod notebook_cell;
pub(crate) mod paint;
mod renderer;
pub(crate) mod step_line;
mod table;
mod table_notes;
pub(crate) mod tree;
pub(crate) mod wrap;
mod wrapped_cells;

pub use column_widths::aligned;
pub use renderer::{render, sections};
pub use wrapped_cells::wrapped_cells;
