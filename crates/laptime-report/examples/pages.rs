//! Prints a page for the viewer's browser tests: `timer`, `tables`, `run`, `hostile`, `million`
//! or `empty`.
//!
//! Durations are made up, and the same every time.

#![expect(
    clippy::disallowed_methods,
    clippy::disallowed_macros,
    reason = "an example is a door: it reads its argument and prints"
)]

use laptime_analysis::{Analyzer, Bar, Options};
use laptime_core::Unavailable;
use laptime_report::document::flame_graph::{Bar as FlameBar, FlameGraph};
use laptime_report::document::{Cell, Content, Row, Section, Table};
use laptime_report::html::{
    BarMemory, Curve, Moments, Page, Segment, TimelineLane, TimelinePanel, render,
};
use laptime_report::quantity::Precision;
use laptime_report::{Column, Document, View};

const MS: u64 = 1_000_000;
const MIB: u64 = 1 << 20;

/// A generator of numbers that look random (Knuth's MMIX).
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, most: u64) -> u64 {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % most
    }
}

fn page(title: &str, panels: Vec<TimelinePanel>) -> Page {
    Page {
        title: title.to_owned(),
        documents: Vec::new(),
        panels,
        moments: Moments::default(),
        why: Some(Unavailable("no segment was measured".to_owned())),
        size: None,
    }
}

/// Two contexts of a training loop, with allocated memory.
fn timer() -> Page {
    let mut numbers = Numbers(7);
    let mut at = 0;
    let mut forward = Vec::new();
    let mut backward = Vec::new();
    for _ in 0..40 {
        let mut level = 96 * MIB;
        for (name, ms, mib) in [
            ("embedding", 2, 24),
            ("attention", 6, 96),
            ("linear", 4, 48),
            ("loss", 1, 2),
        ] {
            let duration_ns = ms * MS + numbers.below(MS);
            forward.push(Segment {
                name: name.to_owned(),
                start_ns: at,
                duration_ns,
                memory: Some(BarMemory {
                    before_bytes: level,
                    net_bytes: (mib * MIB) as i64,
                    peak_bytes: Some(mib * MIB * 3 / 2),
                }),
            });
            at += duration_ns + numbers.below(MS / 10);
            level += mib * MIB;
        }
        let duration_ns = 14 * MS + numbers.below(3 * MS);
        backward.push(Segment {
            name: "backward".to_owned(),
            start_ns: at,
            duration_ns,
            memory: Some(BarMemory {
                before_bytes: level,
                net_bytes: -((level - 96 * MIB) as i64),
                peak_bytes: Some(80 * MIB),
            }),
        });
        at += duration_ns + numbers.below(MS);
    }
    page(
        "Word2Vec",
        vec![
            TimelinePanel::of_segments("Word2Vec: forward".to_owned(), forward),
            TimelinePanel::of_segments("Word2Vec: backward".to_owned(), backward),
        ],
    )
}

/// Two hundred names that try to be more than names.
fn hostile() -> Page {
    const PAYLOADS: [&str; 20] = [
        "<script>alert(#)</script>",
        "</script><script>alert(#)</script>",
        "<img src=x onerror=alert(#)>",
        "<svg onload=alert(#)>",
        "\"><img src=x onerror=alert(#)>",
        "'><b id=x#>bold</b>",
        "<iframe srcdoc='<script>parent.alert(#)</script>'>",
        "javascript:alert(#)",
        "</title><script>alert(#)</script>",
        "</style><script>alert(#)</script>",
        "<!--<script>alert(#)</script>",
        "]]><script>alert(#)</script>",
        "${alert(#)}{{constructor.constructor('alert(#)')()}}",
        "__proto__#",
        "constructor#",
        "\u{202e}reversed#",
        "two\nlines\t#\u{0}",
        "&lt;script&gt;alert(#)&lt;/script&gt;",
        "<a href=\"javascript:alert(#)\">link</a>",
        "`+alert(#)+`\\u003cscript\\u003e",
    ];
    let names: Vec<String> = (0..200)
        .map(|index| PAYLOADS[index % 20].replace('#', &index.to_string()))
        .collect();
    let bars = (0..200)
        .map(|index| Bar::new(index * MS, MS - 1_000, index as u32))
        .collect();
    let mut panel = TimelinePanel {
        title: names[0].clone(),
        end_ns: 200 * MS,
        memory: Err(Unavailable(names[1].clone())),
        lanes: vec![TimelineLane {
            track: names[2].clone(),
            depth: 0,
            bars,
            memory: Vec::new(),
        }],
        notes: names[3..8].to_vec(),
        names: Vec::new(),
    };
    let mut summary = Analyzer::new(Options::default()).finish();
    summary.program.clone_from(&names[0]);
    for name in &names {
        summary.warnings.push(
            laptime_core::Warning::new("odd", name.clone())
                .with_hint(name.clone())
                .into(),
        );
    }
    let title = names[1].clone();
    let moments = Moments {
        steps: Some(names[0].clone()),
        marks: names.iter().map(|name| (50 * MS, name.clone())).collect(),
        metrics: vec![(names[0].clone(), vec![(0, 1.0), (100 * MS, 2.0)])],
    };
    panel.names = names;
    Page {
        moments,
        documents: vec![Document::new(&summary, &View::default())],
        ..page(&title, vec![panel])
    }
}

/// A run that starts for four seconds, then takes steps for one; with marks, a metric and a worker.
fn run() -> Page {
    let lane = |track: &str, depth: u32, bars: Vec<Bar>| TimelineLane {
        track: track.to_owned(),
        depth,
        bars,
        memory: Vec::new(),
    };
    let at = |step: u64| 4_000 * MS + step * 10 * MS;
    let lanes = vec![
        lane(
            "main",
            0,
            (0..100).map(|step| Bar::new(at(step), 9 * MS, 0)).collect(),
        ),
        lane(
            "main",
            1,
            (0..100)
                .map(|step| Bar::new(at(step) + MS, 5 * MS, 1))
                .collect(),
        ),
        lane(
            "loader 0",
            0,
            (0..50)
                .map(|step| Bar::new(at(2 * step), 8 * MS, 2))
                .collect(),
        ),
    ];
    let losses = (0..100).map(|step| (at(step) + 9 * MS, 2.3 / (1.0 + step as f64 / 20.0)));
    Page {
        moments: Moments {
            steps: Some("step".to_owned()),
            marks: vec![(at(50), "checkpoint".to_owned())],
            metrics: vec![("loss".to_owned(), losses.collect())],
        },
        ..page(
            "train.py",
            vec![TimelinePanel {
                title: "train.py · process 7".to_owned(),
                end_ns: 5_500 * MS,
                names: ["step", "forward", "load"].map(str::to_owned).to_vec(),
                memory: Err(Unavailable("memory was not recorded".to_owned())),
                lanes,
                notes: Vec::new(),
            }],
        )
    }
}

/// A million spans in five lanes, with a curve.
fn million() -> Page {
    let mut numbers = Numbers(1);
    let names = ["step", "data", "forward", "backward", "optimizer", "layer"];
    let lane = |depth: u32| TimelineLane {
        track: "main".to_owned(),
        depth,
        bars: Vec::new(),
        memory: Vec::new(),
    };
    let (mut steps, mut phases, mut layers) = (lane(0), lane(1), lane(2));
    let mut at = 0;
    for _ in 0..71_429 {
        let start = at;
        for phase in 1..5_u32 {
            let from = at;
            for layer in 0..9 {
                if phase % 2 == 0 && layer == 0 || (phase == 3 && layer < 8) {
                    let duration = 20_000 + numbers.below(30_000);
                    layers.bars.push(Bar::new(at, duration, 5));
                    at += duration + numbers.below(1_000);
                }
            }
            at += 10_000 + numbers.below(5_000);
            phases.bars.push(Bar::new(from, at - from, phase));
            at += numbers.below(2_000);
        }
        steps.bars.push(Bar::new(start, at - start, 0));
        at += numbers.below(4_000);
    }
    let points = (0..2_048)
        .map(|index| (index * at / 2_048, (600 + numbers.below(40)) * MIB))
        .collect();
    let lanes = vec![steps, phases, layers];
    page(
        "train.py",
        vec![TimelinePanel {
            title: "train.py · process 7".to_owned(),
            end_ns: at,
            names: names.map(str::to_owned).to_vec(),
            memory: Ok(Curve {
                what: "resident memory".to_owned(),
                points,
            }),
            lanes,
            notes: Vec::new(),
        }],
    )
}

fn row(name: &str, depth: usize, ms: u64) -> Row {
    let cells = vec![
        Cell::Time(ms * MS, Precision::Exact),
        Cell::Share(ms as f64 / 600.0),
    ];
    Row {
        span: Some(name.to_owned()),
        depth,
        ..Row::new(name, cells)
    }
}

/// The timer's page below a table of its names and a flame graph.
fn tables() -> Page {
    tabled(vec![
        row("step", 0, 500),
        row("attention", 1, 240),
        row("linear", 1, 260),
        row("loss", 0, 60),
    ])
}

/// The same below a long table with a branch that takes little.
fn long() -> Page {
    let layers = (0..28).map(|at| row(&format!("layer{at}"), 1, 18));
    let mut rows = vec![row("step", 0, 540)];
    rows.extend(layers);
    rows.extend([row("evaluation", 0, 40), row("forward", 1, 39)]);
    tabled(rows)
}

/// A lap and the function that takes half of it.
fn flame() -> FlameGraph {
    let bar = |name: &str, file: &str, depth, width| FlameBar {
        name: name.to_owned(),
        file: file.to_owned(),
        depth,
        from: 0.0,
        width,
        ns: (width * 500.0) as u64 * MS,
    };
    FlameGraph {
        bars: vec![
            bar("step", "", 0, 1.0),
            bar("attention", "train.py", 1, 0.5),
        ],
    }
}

fn tabled(rows: Vec<Row>) -> Page {
    let table = Table {
        lead: "span".into(),
        columns: vec![Column::TOTAL, Column::SHARE],
        rows,
        ..Table::default()
    };
    let document = Document {
        title: String::new(),
        headline: None,
        facts: Vec::new(),
        measured: String::new(),
        is_measured_as_usual: false,
        sections: vec![
            Section::from(Content::Table(table)),
            Section {
                heading: Some("flame graph".to_owned()),
                remark: None,
                content: Content::FlameGraph(flame()),
            },
        ],
        warnings: Vec::new(),
    };
    Page {
        documents: vec![document],
        ..timer()
    }
}

fn main() {
    let wanted = std::env::args().nth(1).unwrap_or_default();
    let page = match wanted.as_str() {
        "timer" => timer(),
        "tables" => tables(),
        "long" => long(),
        "hostile" => hostile(),
        "run" => run(),
        "million" => million(),
        _ => page("empty", Vec::new()),
    };
    print!("{}", render(&page));
}
