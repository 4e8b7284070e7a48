//! What operations cost, and how the costs of a program add up.
//!
//! `laptime-ops` fills these types from shapes; the analysis joins them with time, and the report
//! shows them. Every quantity is in a column of its own: nothing is counted twice in two of them,
//! except that [`Cost::executed_mac`] and [`Cost::active_mac`] look at the same work as
//! [`Cost::mac`] from another side.

use crate::path::PathId;
use crate::warning::Warning;

/// What one operation costs, or many together.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Cost {
    /// Multiply-accumulates of matrix products, convolutions and attention, as the model asks for
    /// them: dense, whatever a mask leaves out, and once, however often a kernel repeats them.
    pub mac: u128,
    /// The part of [`Cost::mac`] that a mask known by its shape (causal, window, blocks) leaves
    /// active.
    pub active_mac: u128,
    /// Multiply-accumulates that run: with recomputed forwards, and what flash attention's backward
    /// repeats.
    pub executed_mac: u128,
    /// Other floating-point arithmetic.
    pub other_flop: u128,
    /// Arithmetic on integers and booleans.
    pub integer_op: u128,
    /// Exponentials, logarithms, roots, trigonometric and error functions, elements.
    pub transcendental: u128,
    /// Comparisons of numbers, for a maximum, a sort or a condition.
    pub compare: u128,
    /// Compulsory traffic: each input read once, by the storage that is touched.
    pub bytes_read: u128,
    /// Each output written once.
    pub bytes_written: u128,
    /// Bytes over the links between ranks, as bus bandwidth is reckoned.
    pub communication_bytes: u128,
}

impl Cost {
    /// Matmul-like FLOP the model asks for: two for each multiply-accumulate.
    pub const fn flop(&self) -> u128 {
        self.mac.saturating_mul(2)
    }

    /// Matmul-like FLOP of what a mask leaves active.
    pub const fn active_flop(&self) -> u128 {
        self.active_mac.saturating_mul(2)
    }

    /// Matmul-like FLOP that run.
    pub const fn executed_flop(&self) -> u128 {
        self.executed_mac.saturating_mul(2)
    }

    /// Matmul-like and other floating-point arithmetic.
    pub const fn total_flop(&self) -> u128 {
        self.flop().saturating_add(self.other_flop)
    }

    /// Bytes read and written.
    pub const fn bytes(&self) -> u128 {
        self.bytes_read.saturating_add(self.bytes_written)
    }

    /// Total FLOP for each byte moved. `None` where no byte moves.
    pub fn intensity_flop_per_byte(&self) -> Option<f64> {
        (self.bytes() > 0).then(|| self.total_flop() as f64 / self.bytes() as f64)
    }

    /// The costs by column, in a fixed order.
    pub const fn columns(&self) -> [u128; 10] {
        [
            self.mac,
            self.active_mac,
            self.executed_mac,
            self.other_flop,
            self.integer_op,
            self.transcendental,
            self.compare,
            self.bytes_read,
            self.bytes_written,
            self.communication_bytes,
        ]
    }

    /// From the columns in that order.
    pub const fn from_columns(columns: [u128; 10]) -> Self {
        let [
            mac,
            active_mac,
            executed_mac,
            other_flop,
            integer_op,
            transcendental,
            compare,
            bytes_read,
            bytes_written,
            communication_bytes,
        ] = columns;
        Self {
            mac,
            active_mac,
            executed_mac,
            other_flop,
            integer_op,
            transcendental,
            compare,
            bytes_read,
            bytes_written,
            communication_bytes,
        }
    }

    /// The cost of doing it so many times.
    #[must_use]
    pub fn times(&self, count: u64) -> Self {
        Self::from_columns(self.columns().map(|x| x.saturating_mul(u128::from(count))))
    }

    /// Whether a column is as large as it can get, so that its true value is unknown.
    pub fn is_saturated(&self) -> bool {
        self.columns().contains(&u128::MAX)
    }
}

impl std::ops::Add for Cost {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        let (mut sum, other) = (self.columns(), other.columns());
        for (one, other) in sum.iter_mut().zip(other) {
            *one = one.saturating_add(other);
        }
        Self::from_columns(sum)
    }
}

impl std::ops::AddAssign for Cost {
    fn add_assign(&mut self, other: Self) {
        *self = *self + other;
    }
}

impl std::iter::Sum for Cost {
    fn sum<I: Iterator<Item = Self>>(costs: I) -> Self {
        costs.fold(Self::default(), |sum, cost| sum + cost)
    }
}

/// What an operation is run for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Default)]
pub enum Phase {
    /// The model's forward, and its loss.
    #[default]
    Forward,
    /// Gradients.
    Backward,
    /// A forward that runs again in the backward (activation checkpointing).
    Recompute,
    /// The optimizer's update.
    Optimizer,
}

impl Phase {
    /// All, in the order in which a step runs them.
    pub const ALL: [Self; 4] = [
        Self::Forward,
        Self::Backward,
        Self::Recompute,
        Self::Optimizer,
    ];

    /// The word for it.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Forward => "forward",
            Self::Backward => "backward",
            Self::Recompute => "recompute",
            Self::Optimizer => "optimizer",
        }
    }
}

/// Operations and what they cost together.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct CostTally {
    /// Calls whose cost is known, those that cost nothing included.
    pub counted: u64,
    /// Calls that do no arithmetic by definition, which are counted too: views, copies, look-ups.
    pub zero: u64,
    /// Calls whose cost isn't known.
    pub uncounted: u64,
    /// What the counted ones cost.
    pub cost: Cost,
}

impl CostTally {
    /// All calls.
    pub const fn calls(&self) -> u64 {
        self.counted.saturating_add(self.uncounted)
    }

    /// The part of the calls whose cost is known. `None` without calls.
    pub fn coverage_ratio(&self) -> Option<f64> {
        (self.calls() > 0).then(|| self.counted as f64 / self.calls() as f64)
    }
}

impl std::ops::AddAssign for CostTally {
    fn add_assign(&mut self, other: Self) {
        for (calls, more) in [
            (&mut self.counted, other.counted),
            (&mut self.zero, other.zero),
            (&mut self.uncounted, other.uncounted),
        ] {
            *calls = calls.saturating_add(more);
        }
        self.cost += other.cost;
    }
}

/// Tallies of a thing, by phase.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct ByPhase([CostTally; Phase::ALL.len()]);

impl ByPhase {
    /// That of a phase.
    pub const fn phase(&self, phase: Phase) -> &CostTally {
        &self.0[phase as usize]
    }

    /// That of a phase, to add to.
    pub const fn phase_mut(&mut self, phase: Phase) -> &mut CostTally {
        &mut self.0[phase as usize]
    }

    /// All phases together.
    pub fn total(&self) -> CostTally {
        let mut total = CostTally::default();
        for tally in self.0 {
            total += tally;
        }
        total
    }
}

impl std::ops::AddAssign for ByPhase {
    fn add_assign(&mut self, other: Self) {
        for (one, other) in self.0.iter_mut().zip(other.0) {
            *one += other;
        }
    }
}

/// An operator and all its calls.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OperatorCount {
    /// The operator's name with its dialect, such as `aten::mm`.
    pub name: String,
    /// The operator's calls.
    pub tallies: ByPhase,
}

/// A module of the model.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ModuleCount {
    /// The module's dotted path; empty for the model itself.
    pub path: String,
    /// The module's class, where the feed tells it.
    pub kind: String,
    /// Which row holds it; `None` for the model itself.
    pub parent: Option<usize>,
    /// How many modules are around it.
    pub depth: u32,
    /// How often it was called.
    pub calls: u64,
    /// Elements of its own parameters and of those below, each once.
    pub params: u64,
    /// Operations directly in it.
    pub own: ByPhase,
    /// Operations in it and in those below.
    pub inclusive: ByPhase,
}

/// An operator whose cost is not known, wholly or in some calls.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Uncounted {
    /// The name of what isn't counted.
    pub name: String,
    /// Why, a complete phrase in lower case.
    pub reason: String,
    /// How many calls.
    pub calls: u64,
    /// Elements of their outputs.
    pub elements: u128,
    /// What one call costs, where only their number is not known (an open loop).
    pub each: Option<Cost>,
}

/// What a program's operations cost.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Counts {
    /// Elements of the model's parameters, each once. `None` where there is no model.
    pub params: Option<u64>,
    /// Everything.
    pub total: ByPhase,
    /// Multiply-accumulates that run, by the type of what is multiplied, most first. Decides
    /// which peak a rate is compared with.
    pub by_dtype: Vec<(String, u128)>,
    /// By operator, most matmul-like work first.
    pub by_op: Vec<OperatorCount>,
    /// By module, parents before children, in the order of the model.
    pub by_module: Vec<ModuleCount>,
    /// What isn't counted.
    pub uncounted: Vec<Uncounted>,
    /// Reasons for doubt.
    pub warnings: Vec<Warning>,
}

/// What a stretch, a call whose operations are the same each time, does at one path.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct StretchOperations<'a> {
    /// The stretch's number in its process.
    pub stretch: u32,
    /// Where; what it does at paths inside comes apart.
    pub path: PathId,
    /// What it does there each time.
    pub tally: CostTally,
    /// Where most of its multiply-accumulates run: `cpu`, `cuda:0`. Empty where there are none.
    pub device: &'a str,
    /// On which type most of them are.
    pub dtype: &'a str,
}

/// How numbers here are to be read; printed with every result.
pub const CONVENTIONS: &[&str] = &[
    "1 MAC = 2 FLOP; MAC and FLOP are of matrix products, convolutions and attention, dense: padding and masks are not taken off",
    "other arithmetic, integer operations, transcendental functions and compares have columns of their own; total FLOP = FLOP + other FLOP",
    "backward is what autograd runs; recomputed forwards and what fused kernels repeat are executed FLOP, not FLOP",
    "bytes are compulsory traffic: each input read once, each output written once, views none",
];
