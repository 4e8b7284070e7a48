//! The roofline in JSON: its points with everything that follows from them.

use serde::ser::{Serialize, SerializeStruct, Serializer};

use laptime_analysis::BoundBy;

use super::figure::{Point, Roofline};
use super::roof::Roof;

/// A point with what its roof makes of it.
#[derive(serde::Serialize)]
struct Told<'a> {
    name: &'a str,
    total_flop: u128,
    bytes: u128,
    intensity_flop_per_byte: f64,
    bound: Option<BoundBy>,
    attainable_flop_per_s: f64,
    least_s: Option<f64>,
    achieved_flop_per_s: Option<f64>,
}

impl<'a> Told<'a> {
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
        let points = self.points.iter().map(|point| Told::of(point, &self.roof));
        let mut figure = serializer.serialize_struct("Roofline", 3)?;
        figure.serialize_field("roof", &self.roof)?;
        figure.serialize_field("points", &points.collect::<Vec<_>>())?;
        figure.serialize_field("notes", &self.notes)?;
        figure.end()
    }
}
