//! The roofline in JSON: its points with everything that follows from them.

use laptime_analysis::BoundBy;
use serde::{Serialize, Serializer};

use crate::roofline::ceiling::Roof;
use crate::roofline::content::{Point, Roofline};

/// Counted work, below the machine's limits.
#[derive(Serialize)]
#[cfg_attr(
    feature = "schema",
    derive(schemars::JsonSchema),
    schemars(rename = "Roofline")
)]
pub struct RooflineNumbers<'a> {
    /// The machine's limits.
    roof: &'a Roof,
    /// Counted work, in the order of the least time that it takes, longest first.
    points: Vec<PointNumbers<'a>>,
    /// Notes on how the numbers are to be read.
    notes: &'a [String],
}

/// An operator, a module or a lap, with the numbers that follow from the roof.
#[derive(Serialize)]
#[cfg_attr(
    feature = "schema",
    derive(schemars::JsonSchema),
    schemars(rename = "Point")
)]
struct PointNumbers<'a> {
    /// Its name.
    name: &'a str,
    /// Floating-point operations, matmul-like and other.
    total_flop: u128,
    /// Bytes moved.
    bytes: u128,
    /// `total_flop` over `bytes`.
    intensity_flop_per_byte: f64,
    /// Resource that limits it; `None` where it is above the roof.
    bound: Option<BoundBy>,
    /// Highest FLOP/s that the roof allows.
    attainable_flop_per_s: f64,
    /// Least seconds that the roof allows; `None` where it is above the roof.
    least_s: Option<f64>,
    /// Achieved FLOP/s; `None` where nothing was timed.
    achieved_flop_per_s: Option<f64>,
}

impl<'a> PointNumbers<'a> {
    fn from_point(point: &'a Point, roof: &Roof) -> Self {
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
        let numbers = RooflineNumbers {
            roof: &self.roof,
            points: points
                .map(|at| PointNumbers::from_point(at, &self.roof))
                .collect(),
            notes: &self.notes,
        };
        numbers.serialize(serializer)
    }
}
