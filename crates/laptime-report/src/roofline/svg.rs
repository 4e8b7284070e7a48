//! The roofline in a page: a drawing that needs no script and takes its colours from the page.
//!
//! Everything is placed and coloured by attributes, since the page's policy allows no other styles. Colours are the
//! page's variables and, in a notebook, which has none of them, what stands behind the comma. Each point carries its
//! mark and a title with its name; the table below has its numbers.

use std::fmt::Write;

use laptime_analysis::BoundBy;

use super::axis::Axis;
use super::content::{Roofline, mark};
use super::symbol_places::{self, MARK, Place};
use crate::html::text as escaped;
use crate::quantity::{self, si};

/// Width of the drawing; the page scales it.
const WIDTH: f64 = 880.0;
const HEIGHT: f64 = 460.0;
/// Room left of the plot, for numbers.
const LEFT: f64 = 76.0;
const RIGHT: f64 = 18.0;
/// Room above the plot, for the marks that are stacked above the roof.
const TOP: f64 = 76.0;
/// Room below the plot, for numbers.
const BOTTOM: f64 = 48.0;

/// Colours of a page and, behind the comma, of a notebook on light and on dark ground.
const MEMORY: &str = "var(--memory,#b45a17)";
const ARITHMETIC: &str = "var(--arithmetic,#1f6f9f)";
const GRID: &str = "var(--grid,#8884)";
const INK: &str = "var(--ink,currentColor)";
/// Attributes of a rate's label beside the roof.
const LABEL: &str = "fill=\"var(--ink,currentColor)\" font-weight=\"600\"";

/// Draws a roofline as an element.
pub fn render(roofline: &Roofline) -> String {
    let picture = Picture::new(roofline);
    let mut out = format!(
        "<svg class=\"roofline\" viewBox=\"0 0 {WIDTH} {HEIGHT}\" fill=\"var(--muted,currentColor)\" \
         font-size=\"12\" role=\"img\" aria-label=\"Roofline: attainable FLOP per second over FLOP per byte\">\n"
    );
    picture.ground(&mut out);
    picture.grid(&mut out);
    picture.roof(&mut out);
    picture.points(&mut out);
    out + "</svg>\n"
}

struct Picture<'a> {
    roofline: &'a Roofline,
    x: Axis,
    y: Axis,
}

impl<'a> Picture<'a> {
    fn new(roofline: &'a Roofline) -> Self {
        let (x, y) = Axis::both(roofline);
        Self { roofline, x, y }
    }

    fn at(&self, intensity: f64, rate: f64) -> Place {
        (
            LEFT + self.x.place(intensity) * (WIDTH - LEFT - RIGHT),
            HEIGHT - BOTTOM - self.y.place(rate) * (HEIGHT - TOP - BOTTOM),
        )
    }

    /// Returns the points at which the roof begins, bends and ends.
    fn corners(&self) -> [Place; 3] {
        let roof = &self.roofline.roof;
        let low = self
            .x
            .number(0.0)
            .max(self.y.number(0.0) / roof.bytes_per_s);
        [
            self.at(low, roof.attainable_flop_per_s(low)),
            self.at(roof.ridge_flop_per_byte(), roof.flop_per_s),
            self.at(self.x.number(1.0), roof.flop_per_s),
        ]
    }

    /// Draws the area below the roof in two tints: limited by memory, and by arithmetic.
    fn ground(&self, out: &mut String) {
        let [begin, bend, end] = self.corners();
        let floor = HEIGHT - BOTTOM;
        let _ = writeln!(
            out,
            "<path fill=\"{MEMORY}\" opacity=\"0.09\" d=\"M{:.1} {floor:.1}L{:.1} {:.1}L{:.1} {:.1}V{floor:.1}Z\"/>",
            begin.0, begin.0, begin.1, bend.0, bend.1,
        );
        let _ = writeln!(
            out,
            "<path fill=\"{ARITHMETIC}\" opacity=\"0.09\" d=\"M{:.1} {floor:.1}V{:.1}H{:.1}V{floor:.1}Z\"/>",
            bend.0, bend.1, end.0,
        );
    }

    fn grid(&self, out: &mut String) {
        let (floor, right) = (HEIGHT - BOTTOM, WIDTH - RIGHT);
        for decade in self.x.decades() {
            let (x, _) = self.at(10_f64.powi(decade), 1.0);
            let _ = writeln!(
                out,
                "<path stroke=\"{GRID}\" d=\"M{x:.1} {TOP}V{floor}\"/>\
                 <text x=\"{x:.1}\" y=\"{:.1}\" text-anchor=\"middle\">{}</text>",
                floor + 18.0,
                power(decade),
            );
        }
        for decade in self.y.decades() {
            let (_, y) = self.at(1.0, 10_f64.powi(decade));
            let _ = writeln!(
                out,
                "<path stroke=\"{GRID}\" d=\"M{LEFT} {y:.1}H{right}\"/>\
                 <text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"end\">{}</text>",
                LEFT - 8.0,
                y + 4.0,
                power(decade),
            );
        }
        let middle = TOP.midpoint(floor);
        let _ = writeln!(
            out,
            "<text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"middle\">FLOP per byte</text>\
             <text transform=\"translate(16 {middle:.1}) rotate(-90)\" text-anchor=\"middle\">FLOP/s</text>",
            LEFT.midpoint(right),
            HEIGHT - 8.0,
        );
    }

    fn roof(&self, out: &mut String) {
        let roof = &self.roofline.roof;
        let [begin, bend, end] = self.corners();
        let _ = writeln!(
            out,
            "<path class=\"roof\" fill=\"none\" stroke=\"{INK}\" stroke-width=\"2.2\" stroke-linejoin=\"round\" \
             d=\"M{:.1} {:.1}L{:.1} {:.1}H{:.1}\"/>",
            begin.0, begin.1, bend.0, bend.1, end.0,
        );
        let floor = HEIGHT - BOTTOM;
        let _ = writeln!(
            out,
            "<path stroke=\"var(--muted,#888)\" stroke-dasharray=\"3 4\" d=\"M{:.1} {:.1}V{floor:.1}\"/>",
            bend.0, bend.1,
        );
        // Below the roof, where no mark stands.
        let angle = (bend.1 - begin.1).atan2(bend.0 - begin.0).to_degrees();
        if bend.0 - begin.0 > 120.0 {
            let (x, y) = (begin.0.midpoint(bend.0), begin.1.midpoint(bend.1));
            let _ = writeln!(
                out,
                "<text {LABEL} transform=\"translate({x:.1} {y:.1}) rotate({angle:.2})\" \
                 y=\"18\" text-anchor=\"middle\">{}</text>",
                si(roof.bytes_per_s, "B/s"),
            );
        }
        if end.0 - bend.0 > 90.0 {
            let _ = writeln!(
                out,
                "<text {LABEL} x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"end\">{}</text>",
                end.0 - 6.0,
                bend.1 + 18.0,
                si(roof.flop_per_s, "FLOP/s"),
            );
        }
        let said = [
            (
                bend.0 - 8.0,
                "end",
                "memory bound",
                begin.0 + 110.0 < bend.0,
            ),
            (
                bend.0 + 8.0,
                "start",
                "arithmetic bound",
                bend.0 + 120.0 < end.0,
            ),
        ];
        for (x, anchor, words, has_room) in said {
            if has_room {
                let _ = writeln!(
                    out,
                    "<text font-style=\"italic\" x=\"{x:.1}\" y=\"{:.1}\" text-anchor=\"{anchor}\">{words}</text>",
                    floor - 10.0,
                );
            }
        }
    }

    fn points(&self, out: &mut String) {
        let roof = &self.roofline.roof;
        let places: Vec<Place> = self
            .roofline
            .points
            .iter()
            .map(|point| point.place(roof))
            .map(|(intensity, rate)| self.at(intensity, rate))
            .collect();
        let marks = symbol_places::marks(&places, WIDTH);
        let points = || self.roofline.points.iter().zip(&places).zip(&marks);
        // Lines first: they must not cross out a mark.
        for ((point, (x, y)), (across, up)) in points() {
            let colour = colour(point.side(roof));
            let _ = writeln!(
                out,
                "<path stroke=\"{colour}\" d=\"M{x:.1} {y:.1}L{across:.1} {up:.1}\"/>\
                 <circle fill=\"{colour}\" cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"3.5\"/>",
            );
            if point.achieved_flop_per_s.is_some() {
                // What is left to gain.
                let attainable = roof.attainable_flop_per_s(point.intensity());
                let (_, top) = self.at(point.intensity(), attainable);
                let _ = writeln!(
                    out,
                    "<path stroke=\"{colour}\" stroke-dasharray=\"2 3\" d=\"M{x:.1} {y:.1}V{top:.1}\"/>"
                );
            }
        }
        for (index, ((point, _), (across, up))) in points().enumerate() {
            let intensity = point.intensity();
            let side = point.side(roof);
            let most = si(roof.attainable_flop_per_s(intensity), "FLOP/s");
            let held = if point.is_above(roof) {
                format!("above the roof of {most}")
            } else {
                format!("bound by {}, at most {most}", side.name())
            };
            let said = format!(
                "{}: {} FLOP/byte, {held}",
                point.name,
                quantity::rate(intensity).inline(),
            );
            let _ = writeln!(
                out,
                "<g class=\"point\" color=\"{}\"><title>{}</title>\
                 <circle class=\"mark\" fill=\"var(--ground,currentColor)\" stroke=\"currentColor\" stroke-width=\"1.4\" \
                 cx=\"{across:.1}\" cy=\"{up:.1}\" r=\"{MARK}\"/>\
                 <text fill=\"var(--ink,#fff)\" font-weight=\"600\" font-size=\"11\" x=\"{across:.1}\" y=\"{:.1}\" \
                 text-anchor=\"middle\">{}</text></g>",
                colour(side),
                escaped(&said),
                up + 4.0,
                mark(index),
            );
        }
    }
}

/// Returns the colour of work by its limit.
fn colour(side: BoundBy) -> &'static str {
    match side {
        BoundBy::Memory => MEMORY,
        BoundBy::Arithmetic => ARITHMETIC,
    }
}

/// Writes a power of ten as it is read: `100 G`.
fn power(decade: i32) -> String {
    if (-3..0).contains(&decade) {
        let decimals = decade.unsigned_abs() as usize;
        return format!("{:.decimals$}", 10_f64.powi(decade));
    }
    let digits = quantity::rate(10_f64.powi(decade));
    format!("{} {}", digits.whole, digits.unit)
        .trim()
        .to_owned()
}
