//! Counts that the tests of every renderer share.

use laptime_core::operations::{
    ByPhase, Cost, CostTally, Counts, ModuleCount, OperatorCount, Phase, Uncounted,
};

use super::Subject;
use crate::roofline::{self, Roof, Roofline};

/// Makes a tally of one kind of work.
pub fn tally(counted: u64, mac: u128, other_flop: u128, bytes: u128) -> CostTally {
    CostTally {
        counted,
        cost: Cost {
            mac,
            active_mac: mac,
            executed_mac: mac,
            other_flop,
            bytes_read: bytes - bytes / 4,
            bytes_written: bytes / 4,
            ..Cost::default()
        },
        ..CostTally::default()
    }
}

pub fn forward(tally: CostTally) -> ByPhase {
    let mut tallies = ByPhase::default();
    *tallies.phase_mut(Phase::Forward) = tally;
    tallies
}

/// Makes a module, added up from those given as its parts.
fn module(
    path: &str,
    kind: &str,
    parent: Option<usize>,
    depth: u32,
    params: u64,
    own: &ByPhase,
) -> ModuleCount {
    ModuleCount {
        path: path.to_owned(),
        kind: kind.to_owned(),
        parent,
        depth,
        calls: 1,
        params,
        own: *own,
        inclusive: *own,
    }
}

/// Makes a little network: a convolution, two blocks and a head.
pub fn network() -> (Counts, Subject) {
    let conv = forward(tally(1, 118_013_952, 0, 3_851_392));
    let relu = forward(CostTally {
        cost: Cost {
            compare: 802_816,
            ..tally(1, 0, 0, 6_422_528).cost
        },
        ..tally(1, 0, 0, 0)
    });
    let block = forward(tally(4, 231_211_008, 401_408, 5_214_208));
    let head = forward(tally(2, 512_000, 1_000, 2_056_000));
    let view = forward(CostTally {
        zero: 1,
        ..tally(1, 0, 0, 0)
    });
    let mut modules = vec![
        module("", "Network", None, 0, 1_234_567, &view),
        module("conv", "Conv2d", Some(0), 1, 9_408, &conv),
        module("relu", "ReLU", Some(0), 1, 0, &relu),
        module(
            "layers",
            "Sequential",
            Some(0),
            1,
            1_000_000,
            &ByPhase::default(),
        ),
        module("layers.0", "Block", Some(3), 2, 500_000, &block),
        module("layers.1", "Block", Some(3), 2, 500_000, &block),
        module(
            "layers.1.norm",
            "BatchNorm2d",
            Some(5),
            3,
            128,
            &forward(tally(1, 0, 802_816, 1_605_632)),
        ),
        module("drop", "Dropout", Some(0), 1, 0, &ByPhase::default()),
        module("head", "Linear", Some(0), 1, 513_000, &head),
    ];
    for index in (1..modules.len()).rev() {
        let below = modules[index].inclusive;
        if let Some(parent) = modules[index].parent {
            modules[parent].inclusive += below;
        }
    }
    let operator = |name: &str, tallies: &[ByPhase]| {
        let mut sum = ByPhase::default();
        for one in tallies {
            sum += *one;
        }
        OperatorCount {
            name: name.to_owned(),
            tallies: sum,
        }
    };
    let counts = Counts {
        params: Some(1_234_567),
        total: modules[0].inclusive,
        by_dtype: vec![(
            "float32".to_owned(),
            modules[0].inclusive.total().cost.executed_mac,
        )],
        by_op: vec![
            operator("aten::convolution", &[conv, block, block]),
            operator("aten::addmm", &[head]),
            operator("aten::native_batch_norm", &[modules[6].own]),
            operator("aten::relu", &[relu]),
            operator("aten::view", &[view]),
        ],
        by_module: modules,
        ..Counts::default()
    };
    let subject = Subject {
        name: "network".to_owned(),
        inputs: vec!["1×3×224×224 float32".to_owned()],
        how: "from shapes, without weights in memory".to_owned(),
    };
    (counts, subject)
}

/// Makes a training step of a function without modules, a part of which is not known.
pub fn partly() -> (Counts, Subject) {
    let mut mm = ByPhase::default();
    let product = tally(3, 7_000_000_000_000, 0, 1_500_000_000);
    *mm.phase_mut(Phase::Forward) = product;
    *mm.phase_mut(Phase::Backward) = CostTally {
        counted: 6,
        cost: Cost {
            executed_mac: 17_500_000_000_000,
            ..product.cost.times(2)
        },
        ..product
    };
    *mm.phase_mut(Phase::Recompute) = CostTally {
        cost: Cost {
            mac: 0,
            active_mac: 0,
            ..product.cost
        },
        ..product
    };
    let odd = forward(CostTally {
        uncounted: 2,
        ..CostTally::default()
    });
    let mut total = mm;
    total += odd;
    let counts = Counts {
        params: None,
        total,
        by_dtype: vec![
            ("bfloat16".to_owned(), 31_000_000_000_000),
            ("float32".to_owned(), 500_000_000_000),
        ],
        by_op: vec![
            OperatorCount {
                name: "aten::mm".to_owned(),
                tallies: mm,
            },
            OperatorCount {
                name: "mine::scan".to_owned(),
                tallies: odd,
            },
        ],
        by_module: Vec::new(),
        uncounted: vec![
            Uncounted {
                name: "mine::scan".to_owned(),
                reason: "no formula is known for it; register one".to_owned(),
                calls: 1,
                elements: 4_194_304,
                each: None,
            },
            Uncounted {
                name: "aten::mm".to_owned(),
                reason: "it runs in a loop whose number of rounds is not known".to_owned(),
                calls: 1,
                elements: 1_024,
                each: Some(tally(1, 1_000_000, 0, 64).cost),
            },
        ],
        warnings: Vec::new(),
    };
    (counts, Subject::default())
}

/// Makes the network's roofline on a machine of round numbers.
pub fn roofline(counts: &Counts) -> Roofline {
    let roof = Roof {
        flop_per_s: 1.2e12,
        flop_label: "measured float32 matmul peak of cpu".to_owned(),
        bytes_per_s: 24e9,
        bytes_label: "measured memory bandwidth of cpu".to_owned(),
    };
    Roofline::new(roof, roofline::of_counts(counts, None, None)).unwrap()
}
