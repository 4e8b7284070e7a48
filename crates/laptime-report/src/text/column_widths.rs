//! The widths of a table's columns, and which of them give way where the terminal is narrow.
//!
//! A name tells which row it is: columns give way before a name is shortened.

use crate::document::column::Column;
use crate::document::names;
use crate::document::{Cell, Table};
use crate::quantity::Digits;
use crate::text::glyphs::Glyphs;

/// Longest name where no terminal limits the table: beyond it no eye finds the row's numbers.
const MOST_NAME: usize = 80;
/// Width that a name may always have; on a terminal it may have half of the width, a function's two thirds.
const LEAST_NAME: usize = 22;
/// Widths of the share's bar, widest first; all are tried before a column gives way.
const BARS: [usize; 3] = [12, 8, 5];
/// Widths of a table's columns.
pub struct ColumnWidths {
    /// Width of the names.
    pub name: usize,
    /// The lines that lead to each row.
    pub branches: Vec<String>,
    /// Widths of the columns; `None` for one that has given way.
    pub columns: Vec<Option<Width>>,
}

/// Widths of a column's parts.
#[derive(Debug, Clone, Default)]
pub struct Width {
    /// Width of the digits before the decimal point.
    whole: usize,
    fraction: usize,
    /// Width of the number without its unit.
    number: usize,
    unit: usize,
    /// Width of the bar beside the number.
    pub bar: usize,
    heading: usize,
}

impl Width {
    fn of_column(table: &Table, index: usize, glyphs: &Glyphs) -> Self {
        let mut width = Self {
            heading: names::columns(&table.heading(table.columns[index])),
            ..Self::default()
        };
        for row in &table.rows {
            if !matches!(row.cells[index], Cell::Absent(_)) {
                let digits = row.cells[index].digits();
                width.whole = width.whole.max(names::columns(&digits.whole));
                width.fraction = width.fraction.max(digits.fraction.len());
                let number = names::columns(&digits.whole) + digits.fraction.len();
                width.number = width.number.max(number);
                width.unit = width.unit.max(names::columns(&glyphs.plain(digits.unit)));
            }
        }
        width
    }

    fn content(&self) -> usize {
        if self.unit > 0 {
            self.number + 1 + self.unit
        } else {
            self.whole + self.fraction
        }
    }

    /// Returns the width of what stands before a unit or, without units, before the decimal point.
    pub fn before_unit(&self) -> usize {
        if self.unit > 0 {
            self.number
        } else {
            self.whole
        }
    }

    /// Returns the width that the bar takes beside the number.
    pub fn beside(&self) -> usize {
        if self.bar > 0 { self.bar + 1 } else { 0 }
    }

    /// Returns the width of the whole column.
    pub fn total(&self) -> usize {
        self.content().max(self.heading).max(1) + self.beside()
    }

    /// Writes a number where those of the column are: its unit below other units, right behind it; one without a unit
    /// by its decimal point.
    pub fn aligned(&self, digits: &Digits) -> String {
        let text = if self.unit > 0 {
            let number = format!("{}{}", digits.whole, digits.fraction);
            let unit = pad_end(digits.unit, self.unit);
            format!("{} {unit}", pad_start(&number, self.number))
        } else {
            pad_start(&digits.whole, self.whole) + &pad_end(&digits.fraction, self.fraction)
        };
        pad_start(&text, self.total() - self.beside())
    }
}

impl ColumnWidths {
    /// Plans the columns so that the table fits `width`; a longer name may take up to `most`.
    pub fn new(
        table: &Table,
        is_asked: bool,
        width: usize,
        most: Option<usize>,
        glyphs: &Glyphs,
    ) -> Self {
        let branches = glyphs.branches(&table.rows);
        let longest = table.rows.iter().zip(&branches).map(|(row, branch)| {
            names::columns(branch)
                + names::columns(&glyphs.plain(&names::visible(&row.whole_name())))
        });
        let longest = longest.max().unwrap_or(0).max(names::columns(&table.lead));
        let columns =
            (0..table.columns.len()).map(|index| Some(Width::of_column(table, index, glyphs)));
        let mut plan = Self {
            name: 0,
            branches,
            columns: columns.collect(),
        };
        // Where nothing limits a line, a long name goes beyond the width and costs no column.
        // A function's name has its file and line behind it, which is what to open.
        let is_tree_of_calls = table.columns == [Column::TOTAL, Column::SHARE];
        let is_of_functions = table.columns.contains(&Column::CODE_SELF_TIME) || is_tree_of_calls;
        let part = if is_of_functions {
            width * 2 / 3
        } else {
            width / 2
        };
        let kept = most.map_or(LEAST_NAME, |_| LEAST_NAME.max(part));
        let whole = longest.min(kept);
        // Columns that were asked for stay, whatever becomes of the lines. A count that says what the other numbers
        // are of, such as `39 +1`, goes last.
        let goes_last = |at: usize| {
            let is_part = |cell: &Cell| matches!(cell, Cell::Count(_, 1..));
            let has_parts = table.rows.iter().any(|row| is_part(&row.cells[at]));
            table.columns[at] == Column::COUNT && has_parts
        };
        let turn = |at: &usize| table.columns[*at].gives_way;
        let mut ways: Vec<usize> = (0..table.columns.len())
            .filter(|at| !is_asked && turn(at).is_some())
            .collect();
        ways.sort_by_key(|at| (goes_last(*at), turn(at)));
        'fits: for way in std::iter::once(None).chain(ways.into_iter().map(Some)) {
            if let Some(at) = way {
                plan.columns[at] = None;
            }
            for bar in BARS.into_iter().chain([0]) {
                plan.set_bar(table, bar);
                if bar > 0 && plan.left(width) >= whole {
                    break 'fits;
                }
            }
        }
        // What a terminal has beyond the widest table is the names'.
        let left = plan.left(width);
        let beyond = match most {
            Some(most) => left + most.saturating_sub(width),
            None => MOST_NAME,
        };
        plan.name = longest.min(beyond.max(12));
        plan
    }

    fn set_bar(&mut self, table: &Table, bar: usize) {
        let share = table.columns.iter().position(|one| *one == Column::SHARE);
        if let Some(share) = share.and_then(|at| self.columns[at].as_mut()) {
            share.bar = bar;
        }
    }

    /// Returns the width that the columns leave to the names.
    fn left(&self, width: usize) -> usize {
        width.saturating_sub(self.numbers())
    }

    fn numbers(&self) -> usize {
        let columns = self.columns.iter().flatten();
        columns.map(|column| column.total() + 2).sum()
    }

    /// Returns the columns of the table that have given way.
    pub fn left_out(&self, table: &Table) -> Vec<Column> {
        let columns = table.columns.iter().zip(&self.columns);
        columns
            .filter_map(|(column, width)| width.is_none().then_some(*column))
            .collect()
    }

    /// Returns the width of a whole line.
    pub fn width(&self) -> usize {
        self.name + self.numbers()
    }
}

/// Writes lines whose cells stand below each other, to the left but for the columns in `right`.
pub fn aligned<S: AsRef<str>>(rows: &[impl AsRef<[S]>], between: &str, right: &[usize]) -> String {
    let mut widths: Vec<usize> = Vec::new();
    for row in rows {
        widths.resize(widths.len().max(row.as_ref().len()), 0);
        for (width, cell) in widths.iter_mut().zip(row.as_ref()) {
            *width = names::columns(cell.as_ref()).max(*width);
        }
    }
    let line = |row: &[S]| {
        let cells = row.iter().zip(&widths).enumerate();
        let cells = cells.map(|(at, (cell, width))| {
            let pad = if right.contains(&at) {
                pad_start
            } else {
                pad_end
            };
            pad(cell.as_ref(), *width)
        });
        cells.collect::<Vec<_>>().join(between)
    };
    let lines = rows.iter().map(|row| line(row.as_ref()));
    lines.fold(String::new(), |out, line| out + line.trim_end() + "\n")
}

/// Puts spaces before a text.
pub fn pad_start(text: &str, width: usize) -> String {
    " ".repeat(width.saturating_sub(names::columns(text))) + text
}

/// Puts spaces behind a text.
pub fn pad_end(text: &str, width: usize) -> String {
    text.to_owned() + &" ".repeat(width.saturating_sub(names::columns(text)))
}
