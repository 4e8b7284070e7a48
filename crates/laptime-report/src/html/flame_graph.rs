//! A flame graph drawn as SVG, hanging.
//!
//! A bar's width is its time. The drawing needs no script and takes its colours from the page, whose
//! policy allows no styles in elements; the viewer's `flame.ts` zooms into a bar that is clicked.

use std::fmt::Write;

use crate::document::flame_graph::{Bar, FlameGraph};
use crate::document::names;
use crate::html::text as escaped;
use crate::quantity;

/// Width of the drawing; the page scales it.
const WIDTH: f64 = 1_000.0;
/// Height of a row of bars.
const ROW: f64 = 18.0;
/// Width that a character takes in a bar, at the page's font size.
const LETTER: f64 = 6.3;
/// Number of colours that functions take turns with.
const COLORS: u32 = 8;

/// Draws a flame graph as an element.
pub fn render(flame: &FlameGraph) -> String {
    let deepest = flame.bars.iter().map(|bar| bar.depth).max().unwrap_or(0);
    let height = (deepest + 1) as f64 * ROW;
    let mut out = format!(
        "<svg class=\"flame\" viewBox=\"0 0 {WIDTH} {height}\" role=\"img\" \
             aria-label=\"Flame graph of the sampled functions\">\n"
    );
    for bar in &flame.bars {
        let (x, width) = (bar.from * WIDTH, bar.width * WIDTH);
        let y = bar.depth as f64 * ROW;
        let letters = ((width - 4.0) / LETTER) as usize;
        let label = if letters < 3 {
            String::new()
        } else {
            escaped(&names::fitted(&names::visible(&bar.name), letters, "…"))
        };
        let _ = writeln!(
            out,
            "<g class=\"{}\" data-x=\"{:.6}\" data-w=\"{:.6}\"><title>{}</title>\
                 <rect x=\"{x:.2}\" y=\"{y}\" width=\"{width:.2}\" height=\"{}\"/>\
                 <text x=\"{:.2}\" y=\"{}\">{}</text></g>",
            color(bar),
            bar.from,
            bar.width,
            escaped(&title(bar)),
            ROW - 1.0,
            x + 3.0,
            y + 12.5,
            label,
        );
    }
    out + "</svg>\n"
}

/// Returns the text that a bar shows under the pointer.
fn title(bar: &Bar) -> String {
    let time = quantity::estimate(bar.ns);
    let share = 100.0 * bar.width;
    let name = names::visible(&bar.name);
    let file = match bar.file.as_str() {
        "" => String::new(),
        file => format!(" · {}", names::visible(file)),
    };
    format!("{name} · {time}, {share:.1} % of all samples{file}")
}

/// Returns a bar's colour: laps have one of their own, functions of one file share one.
fn color(bar: &Bar) -> String {
    if bar.file.is_empty() {
        return "lap".to_owned();
    }
    let hash = bar.file.bytes().fold(2_166_136_261_u32, |hash, byte| {
        (hash ^ u32::from(byte)).wrapping_mul(16_777_619)
    });
    format!("f{}", (hash >> 8) % COLORS)
}

#[cfg(test)]
mod tests {
    use laptime_analysis::{Functions, LapFunctions, RowKind, StackNode};

    use super::*;
    use crate::tables::functions::flame_graph::bars;

    fn functions() -> Functions {
        let node = |parent, name: &str, total_ns, self_ns| StackNode {
            parent,
            name: name.to_owned(),
            file: "/home/me/<b>.py".to_owned(),
            total_ns,
            self_ns,
        };
        Functions {
            sample_count: 10,
            period_ns: 1,
            within_ns: 0,
            unread_ratio: 0.0,
            exact: None,
            laps: vec![LapFunctions {
                path: "step".to_owned(),
                names: vec!["step".to_owned()],
                kind: RowKind::Span,
                total_ns: 100,
                waiting_ns: 0,
                sample_count: 10,
                running_count: 0,
                shared_count: 0,
                imports: Vec::new(),
                collections: Vec::new(),
                functions: Vec::new(),
                calls: Vec::new(),
                stacks: vec![
                    node(None, "<module>", 100, 0),
                    node(Some(0), "small", 20, 20),
                    node(Some(0), "large", 80, 80),
                ],
            }],
        }
    }

    #[test]
    fn names_are_text() {
        let drawn = render(&bars(&functions()));
        assert!(drawn.contains("&lt;module&gt;") && !drawn.contains("<module>"));
        assert!(!drawn.contains("style="));
    }
}
