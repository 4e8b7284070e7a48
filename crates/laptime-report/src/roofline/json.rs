//! The roofline in JSON: its points with everything that follows from them.

use laptime_analysis::BoundBy;
use serde::{Serialize, Serializer};

use crate::roofline::figure::{Point, Roofline};
use crate::roofline::roof::Roof;

/// What was counted, below what a machine reaches at most.
#[derive(Serialize)]
#[cfg_attr(
    feature = "schema",
    derive(schemars::JsonSchema),
    schemars(rename = "Roofline")
)]
pub struct Told<'a> {
    /// What the machine reaches at most.
    roof: &'a Roof,
    /// What was counted, by the time that it takes at least, longest first.
    points: Vec<ToldPoint<'a>>,
    /// How the numbers are to be read.
    notes: &'a [String],
}

/// An operator, a module or a lap, with what the roof makes of it.
#[derive(Serialize)]
#[cfg_attr(
    feature = "schema",
    derive(schemars::JsonSchema),
    schemars(rename = "Point")
)]
struct ToldPoint<'a> {
    /// Its name.
    name: &'a str,
    /// Floating-point operations, matmul-like and other.
    total_flop: u128,
    /// Bytes it moves.
    bytes: u128,
    /// `total_flop` over `bytes`.
    intensity_flop_per_byte: f64,
    /// What holds it back; `None` where it is above the roof.
    bound: Option<BoundBy>,
    /// What it reaches at most.
    attainable_flop_per_s: f64,
    /// Seconds it takes at least; `None` where it is above the roof.
    least_s: Option<f64>,
    /// What it reached; `None` where nothing was timed.
    achieved_flop_per_s: Option<f64>,
}

impl<'a> ToldPoint<'a> {
    fn of(point: &'a Point, roof: &Roof) -> Self {
        Self {
            name: &point.name,
            total_flop: point.total_flop,
            bytes: point.bytes,
            intensity_flop_per_byte: point.intensity(),
            bound: point.bound(roof),
            attainable_flop_per_s: roof.attainable_flop_per_s(point.intensity()),
            least_s: (!point.is_above(roof)).then(|| point.least_s(roof)),
            achieved_flop_per_s: point.achieved_flop_per_s,
        }
    }
}

impl Serialize for Roofline {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let points = self.points.iter();
        let told = Told {
            roof: &self.roof,
            points: points.map(|at| ToldPoint::of(at, &self.roof)).collect(),
            notes: &self.notes,
        };
        told.serialize(serializer)
    }
}
