//! Cells of a row of operations, by column: a number of a tally, or the reason why there is none.

use laptime_core::Unavailable;
use laptime_core::operations::{Cost, CostTally};

use super::view::OperationsSort;
use crate::document::Cell;
use crate::document::column::Column;

/// Reason why a row has no cost.
const UNKNOWN: &str = "its cost is not known; see what is not counted";
/// Reason why a row has no intensity.
const NO_BYTES: &str = "no byte is moved";
/// Reason why a number is not shown.
const TOO_LARGE: &str = "it is larger than can be counted";

/// The work that a table's shares are of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Work {
    /// All multiply-accumulates.
    Mac(u128),
    /// All FLOP, where nothing is multiplied and accumulated.
    TotalFlop(u128),
}

impl Work {
    /// Returns the most telling work; `None` where nothing computes.
    pub fn most_telling(all: &Cost) -> Option<Self> {
        if all.mac > 0 {
            Some(Self::Mac(all.mac))
        } else {
            (all.total_flop() > 0).then(|| Self::TotalFlop(all.total_flop()))
        }
    }

    /// Returns the name of the work in a sentence.
    pub const fn noun(self) -> &'static str {
        match self {
            Self::Mac(_) => "MAC",
            Self::TotalFlop(_) => "total FLOP",
        }
    }

    fn share(self, cost: &Cost) -> f64 {
        match self {
            Self::Mac(all) => cost.mac as f64 / all as f64,
            Self::TotalFlop(all) => cost.total_flop() as f64 / all as f64,
        }
    }
}

/// A maker of cells, which collects the reasons why some are absent.
#[derive(Debug)]
pub struct Cells {
    exact: bool,
    work: Option<Work>,
    /// Reasons for absent cells, each once.
    pub reasons: Vec<Unavailable>,
}

impl Cells {
    /// Begins the rows of one table.
    pub fn new(exact: bool, work: Option<Work>) -> Self {
        Self {
            exact,
            work,
            reasons: Vec::new(),
        }
    }

    /// Makes the cell of a number, with a prefix or to its last digit.
    pub fn number(&mut self, number: u128) -> Cell {
        if number == u128::MAX {
            self.absent(TOO_LARGE)
        } else if self.exact {
            Cell::Exact(number)
        } else {
            Cell::Scaled(number)
        }
    }

    /// Makes the cell of bytes, with a prefix or to the last one.
    pub fn bytes(&mut self, bytes: u128) -> Cell {
        if bytes == u128::MAX || self.exact {
            self.number(bytes)
        } else {
            Cell::ManyBytes(bytes)
        }
    }

    /// Makes the cell of FLOP for each byte.
    pub fn intensity(&mut self, cost: &Cost) -> Cell {
        match cost.intensity_flop_per_byte() {
            _ if cost.is_saturated() => self.absent(TOO_LARGE),
            Some(ratio) => Cell::Rate(ratio),
            None => self.absent(NO_BYTES),
        }
    }

    /// Makes the cell of a tally in a column.
    pub fn tally(&mut self, tally: &CostTally, column: Column) -> Cell {
        let cost = &tally.cost;
        match column {
            Column::CALLS => return Cell::Exact(tally.calls().into()),
            Column::COVERAGE => return tally.coverage_ratio().map_or(Cell::Blank, Cell::Share),
            _ if tally.counted == 0 && tally.uncounted > 0 => return self.absent(UNKNOWN),
            _ => {}
        }
        match column {
            Column::MAC => self.number(cost.mac),
            Column::FLOP => self.number(cost.flop()),
            Column::OTHER_FLOP => self.number(cost.other_flop),
            Column::BYTES => self.bytes(cost.bytes()),
            // A row of nothing has no intensity, and nothing to explain about it.
            Column::INTENSITY if tally.calls() == 0 => Cell::Blank,
            Column::INTENSITY => self.intensity(cost),
            Column::SHARE => self
                .work
                .filter(|_| !cost.is_saturated())
                .map_or(Cell::Blank, |work| Cell::Share(work.share(cost))),
            _ => Cell::Blank,
        }
    }

    fn absent(&mut self, why: &str) -> Cell {
        Cell::absent(Some(&Unavailable(why.to_owned())), &mut self.reasons)
    }
}

/// Tells whether a tally holds nothing that a table would show.
pub fn is_nothing(tally: &CostTally) -> bool {
    tally.uncounted == 0 && tally.cost == Cost::default()
}

/// Sorts rows by a tally and a name.
pub fn sort_rows<'n, T>(
    rows: &mut [T],
    sort: OperationsSort,
    tally: impl Fn(&T) -> CostTally,
    name: impl Fn(&T) -> &'n str,
) {
    let most = |key: fn(&CostTally) -> (u128, u128, u128)| {
        let tally = &tally;
        move |row: &T| std::cmp::Reverse(key(&tally(row)))
    };
    match sort {
        OperationsSort::Mac => rows.sort_by_key(most(|row| {
            (row.cost.mac, row.cost.other_flop, row.cost.bytes())
        })),
        OperationsSort::TotalFlop => {
            rows.sort_by_key(most(|row| (row.cost.total_flop(), row.cost.bytes(), 0)));
        }
        OperationsSort::Bytes => rows.sort_by_key(most(|row| (row.cost.bytes(), 0, 0))),
        OperationsSort::Calls => rows.sort_by_key(most(|row| (row.calls().into(), 0, 0))),
        OperationsSort::Intensity => rows.sort_by(|one, other| {
            let key = |row: &T| {
                let ratio = tally(row).cost.intensity_flop_per_byte();
                ratio.unwrap_or(f64::INFINITY)
            };
            key(one).total_cmp(&key(other))
        }),
        OperationsSort::Name => rows.sort_by(|one, other| name(one).cmp(name(other))),
        OperationsSort::Model => {}
    }
}
