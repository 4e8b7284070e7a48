//! Logarithmic axes of a roofline: from powers of ten to places and back.

use super::content::Roofline;

/// An axis, in decades.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Axis {
    /// Decimal logarithm of its beginning.
    pub low: f64,
    /// Decimal logarithm of its end.
    pub high: f64,
}

impl Axis {
    /// Returns both axes of a picture: FLOP per byte, and FLOP/s.
    pub fn both(roofline: &Roofline) -> (Self, Self) {
        let roof = &roofline.roof;
        let places = roofline.points.iter().map(|point| point.place(roof));
        let ridge = (roof.ridge_flop_per_byte(), roof.flop_per_s);
        let all: Vec<(f64, f64)> = places.chain([ridge]).collect();
        let x = Self::around(all.iter().map(|place| place.0), 0.5);
        let mut y = Self::around(all.iter().map(|place| place.1), 0.5);
        // The roof's slope begins at the left edge, if that is not far below.
        let slope = (10_f64.powf(x.low) * roof.bytes_per_s).log10();
        y.low = y.low.min(slope.max(y.low - 1.0));
        // The flat roof is the highest there is, unless something was seen above it.
        y.high = y.high.min(y.high.floor() + 1.0);
        (x, y)
    }

    /// Makes an axis around numbers above zero, with some room and at least two decades.
    fn around(numbers: impl Iterator<Item = f64>, room: f64) -> Self {
        let (mut low, mut high) = (f64::INFINITY, f64::NEG_INFINITY);
        for number in numbers.map(f64::log10).filter(|number| number.is_finite()) {
            low = low.min(number);
            high = high.max(number);
        }
        let (low, high) = (low - room, high + room);
        let lacks = (2.0 - (high - low)).max(0.0) / 2.0;
        Self {
            low: low - lacks,
            high: high + lacks,
        }
    }

    /// Returns the place of a number above zero: 0 at the beginning, 1 at the end.
    pub fn place(self, number: f64) -> f64 {
        ((number.log10() - self.low) / (self.high - self.low)).clamp(0.0, 1.0)
    }

    /// Returns the number at a place.
    pub fn number(self, place: f64) -> f64 {
        10_f64.powf(self.low + place * (self.high - self.low))
    }

    /// Returns the powers of ten on the axis.
    pub fn decades(self) -> impl Iterator<Item = i32> {
        (self.low.ceil() as i32)..=(self.high.floor() as i32)
    }
}
