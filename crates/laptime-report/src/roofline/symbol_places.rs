//! Places of the marks of a roofline's points, chosen so that none hides another.

use super::content::MOST_POINTS;

/// Radius of a mark.
pub const MARK: f64 = 9.5;
/// Distance of a mark above its point.
const LIFT: f64 = 22.0;
/// Number of heights that are tried above a point before a mark stands aside.
const LEVELS: usize = 10;

/// A place in the drawing.
pub type Place = (f64, f64);

/// Returns the places of the marks of points: above them, and beside and higher where others are in the way.
pub fn marks(places: &[Place], width: f64) -> Vec<Place> {
    let gap = 2.0 * MARK + 1.5;
    let mut order: Vec<usize> = (0..places.len()).collect();
    order.sort_by(|one, other| places[*one].0.total_cmp(&places[*other].0));
    let mut marks: Vec<Option<Place>> = vec![None; places.len()];
    for index in order {
        let (x, y) = places[index];
        let is_free = |(across, up): &Place| {
            let is_near = |other: &Place, gap: f64| {
                (other.0 - across).abs() < gap && (other.1 - up).abs() < gap
            };
            (MARK + 1.0..width - MARK).contains(across)
                && *up > MARK + 1.0
                && !marks.iter().flatten().any(|other| is_near(other, gap))
                && !places.iter().any(|other| is_near(other, MARK + 5.0))
        };
        // Near ones first: three levels above the point, then columns to its sides.
        let sides = (0..2 * MOST_POINTS).map(|step| match (step % 2, step.div_ceil(2)) {
            (0, columns) => -(columns as f64) * gap,
            (_, columns) => columns as f64 * gap,
        });
        let mut near = sides.flat_map(|side| {
            (0..LEVELS).map(move |level| (x + side, y - LIFT - level as f64 * 5.0))
        });
        let above = (x, (y - LIFT).max(MARK + 1.0));
        marks[index] = Some(near.find(is_free).unwrap_or(above));
    }
    marks.into_iter().flatten().collect()
}
