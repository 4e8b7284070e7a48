//! The flame graph of sampled functions, hanging: the laps on top, below each the functions that it called.

use std::collections::HashMap;

use laptime_analysis::{Functions, LapFunctions};
use laptime_core::Total;

use crate::document::flame_graph::{Bar, FlameGraph};
use crate::document::{Content, Section};

/// Depth below which calls are not drawn; the bar above them has their time.
const DEEPEST: usize = 60;
/// Least width of a bar that is drawn, as a share of the whole: narrower ones would not be seen.
const NARROWEST: f64 = 0.0004;

/// Makes the section of a page.
pub fn section(functions: &Functions) -> Section {
    Section::headed("flame graph", Content::FlameGraph(bars(functions))).remarked("laps on top, below them the functions that they were in, from the caller to what it calls; the \
             wider, the more time; a click zooms in, another one on the same bar out"
                )
}

/// Places the bars: each below its caller, the widest first.
pub(crate) fn bars(functions: &Functions) -> FlameGraph {
    let all_ns: u64 = functions.laps.iter().map(|lap| lap.total_ns).total();
    let mut bars = Vec::new();
    let mut from = 0.0;
    for lap in &functions.laps {
        let width = lap.total_ns as f64 / all_ns.max(1) as f64;
        add_lap(&mut bars, lap, from, width);
        from += width;
    }
    bars.retain(|bar| bar.width >= NARROWEST);
    FlameGraph { bars }
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
    fn bars_lie_below_their_callers_the_widest_first() {
        let flame = bars(&functions());
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
}
