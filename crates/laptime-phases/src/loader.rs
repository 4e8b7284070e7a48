//! What is remembered of a data loader and of one iteration over it.
//!
//! A batch fetch is filed under `step` or `evaluation` once the next forward tells which;
//! until then the span it opened carries a guess. The guess comes from what this loader's
//! batches were used for last time. Iterator objects and machines share these, so they are
//! atomics, of which one thread at a time makes use.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU8, AtomicU64, Ordering::Relaxed};

use laptime_core::PhaseName;

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

    /// Whether the flag was set; it is not any more.
    pub fn take(&self) -> bool {
        let was_set = self.get();
        if was_set {
            self.set(false);
        }
        was_set
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
    /// Somebody began to go over the loader, and no iterator was made since: one is read again that was kept.
    pub gone_over: Flag,
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
    /// Its start is told, as a phase that its first fetch goes on with.
    pub started: Flag,
    /// Batches that were fetched and that no forward was trained on.
    unused: AtomicU8,
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

    /// A batch was fetched.
    pub fn fetched(&self) {
        self.unused
            .store(self.unused.load(Relaxed).saturating_add(1), Relaxed);
    }

    /// A forward was trained on a batch.
    pub fn used(&self) {
        self.unused
            .store(self.unused.load(Relaxed).saturating_sub(1), Relaxed);
    }

    /// Whether its batches are trained on and one is left, as where a loader keeps one back.
    pub fn has_unused(&self) -> bool {
        self.confirmed.is(PhaseName::Step) && self.unused.load(Relaxed) > 0
    }

    /// A pass begins over a loader whose iterator is kept from the pass before: an epoch of its own.
    pub fn goes_over_again(&self) {
        if self.loader.gone_over.take() && self.is_trained_on() {
            self.asked.store(0, Relaxed);
            self.trained_since.store(0, Relaxed);
            self.marked.set(false);
        }
    }
}
