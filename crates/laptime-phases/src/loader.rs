//! What is remembered of a data loader and of one iteration over it.
//!
//! A batch fetch is filed under `step` or `evaluation` once the next forward tells which;
//! until then the span it opened carries a guess. The guess comes from what this loader's
//! batches were used for last time. Iterator objects and machines share these, so they are
//! atomics, of which one thread at a time makes use.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU8, AtomicU64, Ordering::Relaxed};

use laptime_core::PhaseName;

/// An iterator made this short a time before its first fetch was made for it: a `for` loop.
const ADJACENT_NS: u64 = 1_000_000;

/// A use of batches: step, evaluation, loading, or not known.
#[derive(Debug)]
pub struct Use(AtomicU8);

const UNKNOWN: u8 = u8::MAX;

impl Default for Use {
    fn default() -> Self {
        Self(AtomicU8::new(UNKNOWN))
    }
}

impl Use {
    /// The use, if it is known.
    pub fn get(&self) -> Option<PhaseName> {
        PhaseName::ALL
            .get(usize::from(self.0.load(Relaxed)))
            .copied()
    }

    /// Learns or forgets the use.
    pub fn set(&self, kind: Option<PhaseName>) {
        self.0
            .store(kind.map_or(UNKNOWN, |kind| kind as u8), Relaxed);
    }

    /// Whether the use is known to be this.
    pub fn is(&self, kind: PhaseName) -> bool {
        self.get() == Some(kind)
    }
}

/// Yes or no.
#[derive(Debug, Default)]
pub struct Flag(AtomicBool);

impl Flag {
    /// Reads the flag.
    pub fn get(&self) -> bool {
        self.0.load(Relaxed)
    }

    /// Writes the flag.
    pub fn set(&self, value: bool) {
        self.0.store(value, Relaxed);
    }
}

/// What a loader's batches were used for last time.
#[derive(Debug, Default)]
pub struct Loader {
    /// What the next batch is probably for.
    pub expects: Use,
    /// A step on the loader's batches begins with a forward without gradients: in distillation the
    /// teacher is called before its student.
    pub teacher: Flag,
    /// An evaluation on the loader runs with gradients on.
    pub with_grad: Flag,
    /// The loader's fetches run inside a lap of the user's that ends before the forward.
    pub fetch_only: Flag,
}

impl Loader {
    /// What the next batch will be used for.
    pub fn guess(&self, grad: bool) -> PhaseName {
        match self.expects.get() {
            Some(PhaseName::Step) if !grad && !self.teacher.get() => PhaseName::Evaluation,
            Some(kind) => kind,
            None if grad => PhaseName::Step,
            None => PhaseName::Evaluation,
        }
    }

    /// What a batch is used for, told by the first forward that follows its fetch.
    pub fn first_forward(&self, grad: bool, training: impl FnOnce() -> bool) -> PhaseName {
        let learns = self.expects.is(PhaseName::Step);
        let step = if grad {
            let evaluates = self.expects.is(PhaseName::Evaluation) && self.with_grad.get();
            !evaluates && (learns || training())
        } else {
            learns && self.teacher.get()
        };
        if step {
            PhaseName::Step
        } else {
            PhaseName::Evaluation
        }
    }

    /// A batch of the loader was trained on.
    pub fn was_step(&self) {
        self.expects.set(Some(PhaseName::Step));
        self.with_grad.set(false);
    }

    /// A batch of the loader was evaluated.
    pub fn was_evaluation(&self, with_grad: bool) {
        self.expects.set(Some(PhaseName::Evaluation));
        self.with_grad.set(with_grad);
        self.teacher.set(false);
    }
}

/// One pass over a loader.
#[derive(Debug, Default)]
pub struct Iteration {
    /// The loader whose batches the pass fetches.
    pub loader: Arc<Loader>,
    /// What the batches of the pass are used for, once a forward has told.
    pub confirmed: Use,
    /// There is no further batch.
    pub exhausted: Flag,
    /// Nobody holds the iterator of the pass any more.
    pub gone: Flag,
    /// How often a batch was asked for, the one that isn't there included; 2 stands for more.
    asked: AtomicU8,
    /// When the first step began that trained on it; 0 before.
    trained_since: AtomicU64,
    /// The epoch of this pass is marked.
    marked: Flag,
    /// Start and end of making the iterator, in ticks; 0 when not known, or used already.
    made: (AtomicU64, AtomicU64),
}

impl Iteration {
    /// A pass that begins.
    pub fn new(loader: Arc<Loader>) -> Self {
        Self {
            loader,
            ..Self::default()
        }
    }

    /// Whether the pass may still deliver a batch.
    pub fn in_play(&self) -> bool {
        !self.exhausted.get() && !self.gone.get()
    }

    /// A batch is asked for.
    pub fn ask(&self) {
        self.asked
            .store((self.asked.load(Relaxed) + 1).min(2), Relaxed);
    }

    /// Whether a step trained on it.
    pub fn is_trained_on(&self) -> bool {
        self.trained_since.load(Relaxed) != 0
    }

    /// The first step that trains on it began at this time.
    pub fn train(&self, since: u64) {
        self.trained_since.store(since, Relaxed);
    }

    /// When its epoch began; told once, as soon as it is one. A batch is trained on, and another was
    /// asked for: a peek at the first is no pass.
    pub fn take_epoch(&self) -> Option<u64> {
        let since = self.trained_since.load(Relaxed);
        let is_epoch = since != 0 && self.asked.load(Relaxed) > 1 && !self.marked.get();
        is_epoch.then(|| {
            self.marked.set(true);
            since
        })
    }

    /// Notes when the iterator was made.
    pub fn set_made(&self, start: u64, end: u64) {
        self.made.0.store(start, Relaxed);
        self.made.1.store(end, Relaxed);
    }

    /// Start of its first fetch, the making of the iterator included when that was just before.
    pub fn waits_since(&self, fetch: u64, nanoseconds: impl FnOnce(u64) -> u64) -> u64 {
        let (start, end) = (self.made.0.load(Relaxed), self.made.1.load(Relaxed));
        if start != 0 && nanoseconds(fetch.saturating_sub(end)) <= ADJACENT_NS {
            start
        } else {
            fetch
        }
    }

    /// Forgets when it was made: the first fetch is under way.
    pub fn forget_made(&self) {
        self.set_made(0, 0);
    }
}
