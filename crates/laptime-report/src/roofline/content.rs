//! The content of a roofline: the roof, and work as points below it.

use laptime_analysis::{ABOVE_RATIO, BoundBy};
use laptime_core::Unavailable;

use super::ceiling::Roof;
use crate::quantity::plural;

/// Work that was counted: an operator, a module or a lap.
#[derive(Debug, Clone, PartialEq)]
pub struct Point {
    /// Name of the operator, module or lap.
    pub name: String,
    /// Floating-point operations, matmul-like and other.
    pub total_flop: u128,
    /// Bytes moved.
    pub bytes: u128,
    /// Achieved FLOP/s; absent where nothing was timed.
    pub achieved_flop_per_s: Option<f64>,
}

impl Point {
    /// Returns FLOP per byte.
    pub fn intensity(&self) -> f64 {
        self.total_flop as f64 / self.bytes as f64
    }

    /// Tells whether the work is faster than its roof allows: its bytes come from caches, or the roof was measured
    /// too low.
    pub fn is_above(&self, roof: &Roof) -> bool {
        let attainable = roof.attainable_flop_per_s(self.intensity());
        let achieved = self.achieved_flop_per_s;
        achieved.is_some_and(|rate| rate > ABOVE_RATIO * attainable)
    }

    /// Returns the resource that limits the work; `None` where it is above the roof.
    pub fn bound(&self, roof: &Roof) -> Option<BoundBy> {
        (!self.is_above(roof)).then(|| self.side(roof))
    }

    /// Returns the side of the ridge that the work is on.
    pub fn side(&self, roof: &Roof) -> BoundBy {
        if self.intensity() < roof.ridge_flop_per_byte() {
            BoundBy::Memory
        } else {
            BoundBy::Arithmetic
        }
    }

    /// Returns the least seconds that the roof allows; work above the roof takes less.
    pub fn least_s(&self, roof: &Roof) -> f64 {
        let (flop, bytes) = (self.total_flop as f64, self.bytes as f64);
        (flop / roof.flop_per_s).max(bytes / roof.bytes_per_s)
    }

    /// Returns the point's place in the picture: FLOP per byte and FLOP/s.
    pub fn place(&self, roof: &Roof) -> (f64, f64) {
        let x = self.intensity();
        let achieved = self.achieved_flop_per_s.filter(|rate| *rate > 0.0);
        (x, achieved.unwrap_or(roof.attainable_flop_per_s(x)))
    }
}

/// A machine's roof, and the work below it.
#[derive(Debug, Clone, PartialEq)]
pub struct Roofline {
    /// The roof.
    pub roof: Roof,
    /// Work below the roof, the longest first.
    pub points: Vec<Point>,
    /// Notes below the picture.
    pub notes: Vec<String>,
}

/// Note on points above their roof.
const ABOVE: &str = "what is above the roof has its bytes from caches, or the machine was busy while its ceilings were \
                     measured (`laptime doctor --ceilings` measures them again): what bounds it isn't known";

/// Most points of a picture; more are hard to tell apart.
pub const MOST_POINTS: usize = 12;

impl Roofline {
    /// Makes a roofline of the points whose least times are the longest.
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
        let above = points.iter().any(|point| point.is_above(&roof));
        let more = points.len().saturating_sub(MOST_POINTS);
        points.truncate(MOST_POINTS);
        let mut notes = vec![
            "bytes are those of each operator by itself: what is fused moves fewer".to_owned(),
        ];
        if above {
            notes.push(ABOVE.to_owned());
        }
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
}

/// Returns the character that marks a point in a picture: `1` to `9`, then letters.
pub fn mark(index: usize) -> char {
    char::from_digit(index as u32 + 1, 36).unwrap_or('*')
}
