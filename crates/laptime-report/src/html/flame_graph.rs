//! The functions that were sampled as a flame graph, hanging: the laps on top, below each what it called.
//!
//! A bar's width is its time. The drawing needs no script and takes its colours from the page, whose
//! policy allows no styles in elements; the viewer's `flame.ts` zooms into a bar that is clicked.

use laptime_core::Total;

use std::collections::HashMap;
use std::fmt::Write;

use laptime_analysis::{Functions, LapFunctions};

use crate::document::names;
use crate::document::{Content, Section};
use crate::html::text as escaped;
use crate::quantity;

/// Size of the drawing; the page scales it.
const WIDTH: f64 = 1_000.0;
const ROW: f64 = 18.0;
/// What a character takes of a bar, at the page's size of letters.
const LETTER: f64 = 6.3;
/// Colours that functions take turns with.
const COLORS: u32 = 8;
/// Deeper calls are not drawn; the bar above them has their time.
const DEEPEST: usize = 60;
/// Narrower bars would not be seen.
const NARROWEST: f64 = 0.4;

/// A bar.
#[derive(Debug, Clone, PartialEq)]
pub struct Bar {
    /// The lap's path, or the function's name.
    pub name: String,
    /// The function's file; empty for a lap.
    pub file: String,
    /// Row, from the top.
    pub depth: usize,
    /// Where it begins, as a part of the whole.
    pub from: f64,
    /// How wide it is, likewise.
    pub width: f64,
    /// Its time.
    pub ns: u64,
}

/// A flame graph.
#[derive(Debug, Clone, PartialEq)]
pub struct Flame {
    /// The bars, each after the one above it.
    pub bars: Vec<Bar>,
}

/// The section of a page.
pub fn section(functions: &Functions) -> Section {
    Section::headed("flame graph", Content::Flame(Flame::of(functions))).remarked("laps on top, below them the functions that they were in, from the caller to what it calls; the \
             wider, the more time; a click zooms in, another one on the same bar out"
                )
}

impl Flame {
    fn of(functions: &Functions) -> Self {
        let all_ns: u64 = functions.laps.iter().map(|lap| lap.total_ns).total();
        let mut bars = Vec::new();
        let mut from = 0.0;
        for lap in &functions.laps {
            let width = lap.total_ns as f64 / all_ns.max(1) as f64;
            add_lap(&mut bars, lap, from, width);
            from += width;
        }
        bars.retain(|bar| bar.width * WIDTH >= NARROWEST);
        Self { bars }
    }

    /// The drawing as an element.
    pub fn render(&self) -> String {
        let deepest = self.bars.iter().map(|bar| bar.depth).max().unwrap_or(0);
        let height = (deepest + 1) as f64 * ROW;
        let mut out = format!(
            "<svg class=\"flame\" viewBox=\"0 0 {WIDTH} {height}\" role=\"img\" \
             aria-label=\"Flame graph of the sampled functions\">\n"
        );
        for bar in &self.bars {
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
}

fn add_lap(bars: &mut Vec<Bar>, lap: &LapFunctions, from: f64, width: f64) {
    bars.push(Bar {
        name: lap.path.clone(),
        file: String::new(),
        depth: 0,
        from,
        width,
        ns: lap.total_ns,
    });
    let mut children: HashMap<Option<usize>, Vec<usize>> = HashMap::new();
    for (index, node) in lap.stacks.iter().enumerate() {
        children.entry(node.parent).or_default().push(index);
    }
    for siblings in children.values_mut() {
        siblings.sort_by_key(|index| std::cmp::Reverse(lap.stacks[*index].total_ns));
    }
    let per_ns = width / lap.total_ns.max(1) as f64;
    // What is left to draw: a node, where it begins, its row.
    let mut waiting: Vec<(Option<usize>, f64, usize)> = vec![(None, from, 1)];
    while let Some((parent, from, depth)) = waiting.pop() {
        if depth > DEEPEST {
            continue;
        }
        let mut at = from;
        for index in children.get(&parent).into_iter().flatten() {
            let node = &lap.stacks[*index];
            let width = node.total_ns as f64 * per_ns;
            bars.push(Bar {
                name: node.name.clone(),
                file: node.file.clone(),
                depth,
                from: at,
                width,
                ns: node.total_ns,
            });
            waiting.push((Some(*index), at, depth + 1));
            at += width;
        }
    }
}

/// What is said of a bar.
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

/// Laps have a colour of their own; functions of one file share one.
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
    use laptime_analysis::{RowKind, StackNode};

    use super::*;

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
                shared_count: 0,
                imports: Vec::new(),
                functions: Vec::new(),
                stacks: vec![
                    node(None, "<module>", 100, 0),
                    node(Some(0), "small", 20, 20),
                    node(Some(0), "large", 80, 80),
                ],
            }],
        }
    }

    #[test]
    fn bars_lie_below_their_callers_the_widest_first() {
        let flame = Flame::of(&functions());
        let placed: Vec<(&str, usize, f64)> = flame
            .bars
            .iter()
            .map(|bar| (bar.name.as_str(), bar.depth, bar.from))
            .collect();
        let expected = [
            ("step", 0, 0.0),
            ("<module>", 1, 0.0),
            ("large", 2, 0.0),
            ("small", 2, 0.8),
        ];
        assert_eq!(placed, expected);
    }

    #[test]
    fn names_are_text() {
        let drawn = Flame::of(&functions()).render();
        assert!(drawn.contains("&lt;module&gt;") && !drawn.contains("<module>"));
        assert!(!drawn.contains("style="));
    }
}
