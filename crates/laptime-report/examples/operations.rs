//! Prints a page of made-up counts for the viewer's browser tests: a network, and its roofline with
//! (`timed`) or without what was achieved.

#![expect(
    clippy::disallowed_methods,
    clippy::disallowed_macros,
    reason = "an example is a door: it reads its argument and prints"
)]

use laptime_core::operations::{
    ByPhase, Cost, CostTally, Counts, ModuleCount, OperatorCount, Phase,
};
use laptime_report::Format;
use laptime_report::roofline::{Roof, Roofline, of_counts};
use laptime_report::tables::operations::{OperationsView, Subject, render};

/// Millions of MAC, of other FLOP and of bytes.
fn tallies(mac: u128, other_flop: u128, bytes: u128) -> ByPhase {
    let mut tallies = ByPhase::default();
    let mega = 1_000_000;
    *tallies.phase_mut(Phase::Forward) = CostTally {
        counted: 3,
        cost: Cost {
            mac: mac * mega,
            active_mac: mac * mega,
            executed_mac: mac * mega,
            other_flop: other_flop * mega,
            bytes_read: bytes * mega / 2,
            bytes_written: bytes * mega / 2,
            ..Cost::default()
        },
        ..CostTally::default()
    };
    tallies
}

fn counts() -> Counts {
    let mut modules = vec![ModuleCount {
        kind: "Network".to_owned(),
        params: 25_557_032,
        calls: 1,
        ..ModuleCount::default()
    }];
    let parts = [
        ("conv1", 118, 0, 5),
        ("bn1", 0, 3, 7),
        ("layer1.0", 231, 5, 14),
        ("layer1.1", 219, 5, 16),
        ("layer2.0", 372, 8, 19),
        ("layer2.1", 219, 2, 9),
        ("layer3.0", 371, 4, 13),
        ("layer3.1", 219, 1, 9),
        ("layer4.0", 371, 2, 27),
        ("layer4.1", 219, 1, 20),
        ("<b>gelu</b>", 0, 9, 12),
        ("norm", 0, 14, 4),
        ("fc", 2, 1, 8),
    ];
    for (path, mac, other_flop, bytes) in parts {
        let own = tallies(mac, other_flop, bytes);
        modules.push(ModuleCount {
            path: path.to_owned(),
            kind: "Part".to_owned(),
            parent: Some(0),
            depth: 1,
            calls: 1,
            params: 1_000_000,
            own,
            inclusive: own,
        });
        modules[0].inclusive += own;
    }
    let total = modules[0].inclusive;
    Counts {
        params: Some(25_557_032),
        total,
        by_op: vec![OperatorCount {
            name: "aten::convolution".to_owned(),
            tallies: total,
        }],
        by_module: modules,
        ..Counts::default()
    }
}

fn main() {
    let counts = counts();
    let roof = Roof {
        flop_per_s: 197e9,
        flop_label: "measured float32 matmul peak of cpu".to_owned(),
        bytes_per_s: 9.7e9,
        bytes_label: "measured memory bandwidth of cpu".to_owned(),
    };
    let mut points = of_counts(&counts, None, Some(1));
    if std::env::args().nth(1).as_deref() == Some("timed") {
        for (index, point) in points.iter_mut().enumerate() {
            let attainable = roof.attainable_flop_per_s(point.intensity());
            point.achieved_flop_per_s = Some(attainable * (0.95 - 0.06 * index as f64));
        }
    }
    let roofline = Roofline::new(roof, points).ok();
    let subject = Subject {
        name: "<i>network</i>".to_owned(),
        inputs: vec!["1×3×224×224 float32".to_owned()],
        how: "from shapes, without weights in memory".to_owned(),
    };
    let view = OperationsView::default();
    print!(
        "{}",
        render(&counts, &subject, roofline.as_ref(), Format::Html, &view)
    );
}
