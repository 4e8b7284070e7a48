//! The roofline in a terminal: a roof of dots, and a mark where points are.

use std::collections::BTreeMap;
use std::fmt::Write;

use super::axis::Axis;
use super::content::{Roofline, mark};
use crate::quantity::{self, si};
use crate::text::glyphs::Glyphs;

/// Height of the picture, in lines.
const HEIGHT: usize = 14;
/// Width left of the picture: a number, its prefix and a tick.
const MARGIN: usize = 8;
/// Widest picture, in columns: wider ones only stretch.
const MOST_WIDTH: usize = 84;
/// Number of dots in a character, across and down.
const DOTS: (usize, usize) = (2, 4);
/// Braille: the bit of each dot, by column and row.
const BRAILLE: [[u32; 4]; 2] = [[0x01, 0x02, 0x04, 0x40], [0x08, 0x10, 0x20, 0x80]];

/// Draws a roofline, each line with its end.
pub fn render(roofline: &Roofline, width: usize, glyphs: &Glyphs) -> String {
    let columns = width.saturating_sub(MARGIN + 1).clamp(20, MOST_WIDTH);
    let (x, y) = Axis::both(roofline);
    let mut lines = roof(roofline, columns, (x, y), glyphs);
    let shared = marks(roofline, &mut lines, (x, y));
    let mut out = String::new();
    let (side, corner, floor, tick) = if glyphs.is_utf8() {
        ("│", "└", "─", "┴")
    } else {
        ("|", "+", "-", "+")
    };
    for (row, line) in lines.iter().enumerate() {
        let label = y_label(row, y);
        let line: String = line.iter().collect();
        let right = format!("{label:>width$} {side}{line}", width = MARGIN - 1);
        out += right.trim_end();
        out += "\n";
    }
    let mut rule = vec![floor; columns];
    let mut numbers = vec![' '; columns];
    for decade in x.decades() {
        let column = (x.place(10_f64.powi(decade)) * (columns - 1) as f64).round() as usize;
        rule[column] = tick;
        let label = quantity::rate(10_f64.powi(decade))
            .inline()
            .replace(".00", "")
            .replace(".0", "");
        let label = label.replace(' ', "");
        let start = column.saturating_sub(label.chars().count() / 2);
        let is_free = |at: usize| numbers.get(at).is_none_or(|taken| *taken == ' ');
        let span = start.saturating_sub(1)..start + label.chars().count() + 1;
        if start + label.chars().count() <= columns && span.clone().all(is_free) {
            for (at, character) in label.chars().enumerate() {
                numbers[start + at] = character;
            }
        }
    }
    let margin = " ".repeat(MARGIN);
    let numbers: String = numbers.into_iter().collect();
    let _ = writeln!(out, "{margin}{corner}{}", rule.concat());
    let _ = writeln!(out, "{margin} {}", numbers.trim_end());
    let said = format!(
        "FLOP/s over FLOP/byte; the roof: {} and {}",
        si(roofline.roof.bytes_per_s, "B/s"),
        si(roofline.roof.flop_per_s, "FLOP/s"),
    );
    let _ = writeln!(out, "{margin} {said}");
    for said in shared {
        let _ = writeln!(out, "{margin} {said}");
    }
    out
}

/// Writes a power of ten beside the line that it belongs to.
fn y_label(row: usize, y: Axis) -> String {
    let line = |number: f64| ((1.0 - y.place(number)) * (HEIGHT - 1) as f64).round() as usize;
    let decade = y.decades().find(|decade| line(10_f64.powi(*decade)) == row);
    decade.map_or_else(String::new, |decade| {
        let digits = quantity::rate(10_f64.powi(decade));
        format!("{} {}", digits.whole, digits.unit)
            .trim()
            .to_owned()
    })
}

/// Draws the roof, dot by dot.
fn roof(
    roofline: &Roofline,
    columns: usize,
    (x, y): (Axis, Axis),
    glyphs: &Glyphs,
) -> Vec<Vec<char>> {
    let dots = (columns * DOTS.0, HEIGHT * DOTS.1);
    let mut bits = vec![vec![0_u32; columns]; HEIGHT];
    let ridge = roofline.roof.ridge_flop_per_byte();
    let mut is_slope = vec![vec![false; columns]; HEIGHT];
    for across in 0..dots.0 {
        let intensity = x.number(across as f64 / (dots.0 - 1) as f64);
        let height = roofline.roof.attainable_flop_per_s(intensity);
        if height.log10() < y.low {
            continue;
        }
        let down = ((1.0 - y.place(height)) * (dots.1 - 1) as f64).round() as usize;
        let (column, row) = (across / DOTS.0, down / DOTS.1);
        bits[row][column] |= BRAILLE[across % DOTS.0][down % DOTS.1];
        is_slope[row][column] |= intensity < ridge;
    }
    let character = |row: usize, column: usize| match bits[row][column] {
        0 => ' ',
        bits if glyphs.is_utf8() => char::from_u32(0x2800 + bits).unwrap_or('.'),
        _ if is_slope[row][column] => '/',
        _ => '-',
    };
    (0..HEIGHT)
        .map(|row| (0..columns).map(|column| character(row, column)).collect())
        .collect()
}

/// Marks the places in the picture that points fall into, each with the mark of its first point, and returns which
/// other points are there.
fn marks(roofline: &Roofline, lines: &mut [Vec<char>], (x, y): (Axis, Axis)) -> Vec<String> {
    let columns = lines[0].len();
    let mut places: BTreeMap<(usize, usize), Vec<usize>> = BTreeMap::new();
    for (index, point) in roofline.points.iter().enumerate() {
        let (intensity, height) = point.place(&roofline.roof);
        let column = (x.place(intensity) * (columns - 1) as f64).round() as usize;
        let row = ((1.0 - y.place(height)) * (HEIGHT - 1) as f64).round() as usize;
        places.entry((row, column)).or_default().push(index);
    }
    let mut shared: Vec<&Vec<usize>> = Vec::new();
    for ((row, column), points) in &places {
        lines[*row][*column] = mark(points[0]);
        shared.extend((points.len() > 1).then_some(points));
    }
    shared.sort();
    let legend = shared.into_iter().map(|points| {
        let marks: Vec<String> = points[1..]
            .iter()
            .map(|one| mark(*one).to_string())
            .collect();
        format!("{} is {} too", mark(points[0]), listed(&marks))
    });
    legend.collect()
}

/// Lists names as in `1, 2 and 3`.
fn listed(names: &[String]) -> String {
    match names {
        [] => String::new(),
        [one] => one.clone(),
        [first @ .., last] => format!("{} and {last}", first.join(", ")),
    }
}
