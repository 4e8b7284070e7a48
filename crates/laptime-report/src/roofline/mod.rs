//! The roofline: how fast what was counted can run on a machine, and what holds it back.
//!
//! After Williams, Waterman and Patterson, *Roofline: an insightful visual performance model for
//! multicore architectures* (2009): work of `x` FLOP per byte runs at `min(peak, x · bandwidth)` FLOP
//! per second at most. Left of the ridge, `peak / bandwidth`, memory holds it back, right of it
//! arithmetic. Points come from [`Counts`](laptime_core::operations::Counts) or from whoever joins
//! counts with time; they are drawn by [`plot`] in a terminal and by [`svg`] in a page.

mod axis;
pub mod plot;
mod points;
mod shown;
pub mod svg;

pub use points::of_counts;

use laptime_core::Unavailable;
use laptime_core::ceilings::Ceilings;
use serde::Serialize;

use crate::column::Column;
use crate::document::{Cell, Content, Row, Section, Table, plural};
use crate::name;
use crate::quantity::{self, si};

/// What a machine reaches at most.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Roof {
    /// Arithmetic.
    pub flop_per_s: f64,
    /// What that is, such as `measured float32 matmul peak of cpu`.
    pub flop_label: String,
    /// Memory.
    pub bytes_per_s: f64,
    /// What that is.
    pub bytes_label: String,
}

impl Roof {
    /// That of a device for work on a type.
    ///
    /// **Errors** when one of the two is not known.
    pub fn of(ceilings: &Ceilings, device: &str, dtype: &str) -> Result<Self, Unavailable> {
        let (flop, bytes) = (ceilings.roof(device, dtype)?, ceilings.bytes(device)?);
        Ok(Self {
            flop_per_s: flop.per_s,
            flop_label: flop.label(),
            bytes_per_s: bytes.per_s,
            bytes_label: bytes.label(),
        })
    }

    /// FLOP per byte from which on arithmetic holds back.
    pub fn ridge_flop_per_byte(&self) -> f64 {
        self.flop_per_s / self.bytes_per_s
    }

    /// FLOP/s that work of an intensity reaches at most.
    pub fn attainable_flop_per_s(&self, flop_per_byte: f64) -> f64 {
        (flop_per_byte * self.bytes_per_s).min(self.flop_per_s)
    }

    /// Whether both are rates that something can be drawn for.
    fn is_sound(&self) -> bool {
        let is_rate = |rate: f64| rate.is_finite() && rate > 0.0;
        is_rate(self.flop_per_s) && is_rate(self.bytes_per_s)
    }
}

/// What holds work back.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Bound {
    /// Bytes.
    Memory,
    /// FLOP.
    Arithmetic,
}

impl Bound {
    /// The word for it.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Memory => "memory",
            Self::Arithmetic => "arithmetic",
        }
    }
}

/// Work that was counted: an operator, a module or a lap.
#[derive(Debug, Clone, PartialEq)]
pub struct Point {
    /// Its name.
    pub name: String,
    /// Its FLOP, matmul-like and other.
    pub total_flop: u128,
    /// Bytes it moves.
    pub bytes: u128,
    /// What it was seen to reach; absent where nothing was timed.
    pub achieved_flop_per_s: Option<f64>,
}

impl Point {
    /// FLOP per byte.
    pub fn intensity(&self) -> f64 {
        self.total_flop as f64 / self.bytes as f64
    }

    /// What holds it back.
    pub fn bound(&self, roof: &Roof) -> Bound {
        if self.intensity() < roof.ridge_flop_per_byte() {
            Bound::Memory
        } else {
            Bound::Arithmetic
        }
    }

    /// Seconds it takes at least.
    pub fn least_s(&self, roof: &Roof) -> f64 {
        let (flop, bytes) = (self.total_flop as f64, self.bytes as f64);
        (flop / roof.flop_per_s).max(bytes / roof.bytes_per_s)
    }

    /// Where it stands in the picture: FLOP per byte and FLOP/s.
    fn place(&self, roof: &Roof) -> (f64, f64) {
        let x = self.intensity();
        let achieved = self.achieved_flop_per_s.filter(|rate| *rate > 0.0);
        (x, achieved.unwrap_or(roof.attainable_flop_per_s(x)))
    }
}

/// A machine's roof, and what stands below it.
#[derive(Debug, Clone, PartialEq)]
pub struct Roofline {
    /// The roof.
    pub roof: Roof,
    /// What stands below it, longest first.
    pub points: Vec<Point>,
    /// What else needs saying.
    pub notes: Vec<String>,
}

/// Points that a picture shows; more are hard to tell apart.
pub const MOST_POINTS: usize = 12;

impl Roofline {
    /// The roof with those points that take longest at least.
    ///
    /// **Errors** when there is no roof or no point to draw.
    pub fn new(roof: Roof, points: Vec<Point>) -> Result<Self, Unavailable> {
        if !roof.is_sound() {
            return Err(Unavailable(
                "the machine's ceilings are not known".to_owned(),
            ));
        }
        let all = points.len();
        let mut points: Vec<Point> = points
            .into_iter()
            .filter(|point| point.total_flop > 0 && point.bytes > 0)
            .collect();
        if points.is_empty() {
            return Err(Unavailable(
                "nothing both computes and moves bytes".to_owned(),
            ));
        }
        let idle = all - points.len();
        points.sort_by(|one, other| other.least_s(&roof).total_cmp(&one.least_s(&roof)));
        let more = points.len().saturating_sub(MOST_POINTS);
        points.truncate(MOST_POINTS);
        let mut notes = vec![
            "bytes are those of each operator by itself: what is fused moves fewer".to_owned(),
        ];
        if more > 0 {
            notes.push(format!(
                "{} not shown",
                plural(
                    more as u64,
                    "point that takes less time",
                    "points that take less time"
                )
            ));
        }
        if idle > 0 {
            notes.push(format!(
                "{} without floating-point work not shown",
                plural(idle as u64, "point", "points")
            ));
        }
        Ok(Self {
            roof,
            points,
            notes,
        })
    }

    /// As a part of a report.
    pub fn section(&self) -> Section {
        Section {
            heading: Some("roofline".to_owned()),
            remark: Some(self.remark()),
            content: Content::Roofline(self.clone()),
        }
    }

    fn remark(&self) -> String {
        let roof = &self.roof;
        format!(
            "{} ({}) and {} ({}): below {} FLOP/byte memory holds back, above it arithmetic",
            si(roof.flop_per_s, "FLOP/s"),
            name::visible(&roof.flop_label),
            si(roof.bytes_per_s, "B/s"),
            name::visible(&roof.bytes_label),
            quantity::rate(roof.ridge_flop_per_byte()).inline(),
        )
    }

    /// The numbers of the picture, by the marks of its points.
    pub fn table(&self) -> Table {
        let mut columns = vec![
            Column::Intensity,
            Column::Bound,
            Column::Attainable,
            Column::Achieved,
            Column::LeastTime,
        ];
        let is_timed = self
            .points
            .iter()
            .any(|point| point.achieved_flop_per_s.is_some());
        if !is_timed {
            columns.retain(|column| *column != Column::Achieved);
        }
        let rows = self.points.iter().enumerate().map(|(index, point)| {
            let cell = |column: &Column| match column {
                Column::Intensity => Cell::Rate(point.intensity()),
                Column::Bound => Cell::Word(point.bound(&self.roof).name()),
                Column::Attainable => {
                    Cell::Rate(self.roof.attainable_flop_per_s(point.intensity()))
                }
                Column::Achieved => point.achieved_flop_per_s.map_or(Cell::Blank, Cell::Rate),
                _ => {
                    let ns = point.least_s(&self.roof) * 1e9;
                    Cell::Time(ns.round() as u64, quantity::Precision::Estimate)
                }
            };
            Row {
                name: format!("{} {}", mark(index), point.name),
                lasts: vec![false],
                is_leftover: false,
                cells: columns.iter().map(cell).collect(),
            }
        });
        Table {
            lead: "point",
            rows: rows.collect(),
            columns,
            notes: self.notes.clone(),
            reasons: Vec::new(),
        }
    }
}

/// What stands for a point in a picture: `1` to `9`, then letters.
pub fn mark(index: usize) -> char {
    char::from_digit(index as u32 + 1, 36).unwrap_or('*')
}

#[cfg(test)]
mod tests;
