//! What a generated training does.

use proptest::prelude::*;

/// Where in a step something stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Place {
    /// Before the forward, after its batch was fetched.
    BeforeForward,
    /// Between forward and backward.
    BeforeBackward,
    /// Between the last backward and the update; between micro-batches where that is none.
    AfterBackward,
    /// After the update.
    AfterUpdate,
}

/// How a program says that it evaluates.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Says {
    NoGradAround,
    NoGradInside,
    Mode,
}

/// A validation with batches of its own.
#[derive(Debug, Clone, Copy)]
pub struct Validation {
    pub batches: u32,
    /// Where in the step; after the last micro-batch of a pass if nowhere.
    pub place: Option<Place>,
    /// After every so many micro-batches.
    pub every: u32,
    pub says: Says,
    pub is_left_early: bool,
    /// A loss is computed, outside of `no_grad` where that is inside.
    pub has_loss: bool,
}

/// Where batches come from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Source {
    Tensors,
    /// Passes of a loader, as `for` makes them.
    Passes,
    /// One iterator for all passes; the loader says where each begins.
    Kept,
    /// A batch is fetched before it is needed, at a place of the step before.
    Ahead(Place),
    /// The loader keeps one batch back.
    Behind,
}

/// What a generated training does.
#[derive(Debug, Clone)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "each is a thing that a program does or not"
)]
pub struct Plan {
    pub source: Source,
    pub batches: u32,
    pub passes: u32,
    /// How long a pass takes to begin, and what runs before its first fetch.
    pub begins: u64,
    pub gap: u64,
    pub micro_batches: u32,
    /// Micro-batches are counted over all passes.
    pub counts_on: bool,
    pub two_optimizers: bool,
    pub has_penalty: bool,
    pub has_loss: bool,
    pub has_teacher: bool,
    /// A module without parameters prepares the batch; with gradients or without.
    pub prepares: Option<bool>,
    pub zeroes: Option<Place>,
    pub zeroes_first: bool,
    /// A model is tried out, and what runs after that.
    pub dry_run: Option<u64>,
    pub validation: Option<Validation>,
    /// The model answers, without gradients and in evaluation mode, without a batch.
    pub answers: Option<Place>,
    /// Its accuracy on the batch, with gradients and in training mode, after every update.
    pub has_accuracy: bool,
    /// What is trained is compiled, in a wrapper; tried out and evaluated is the model itself.
    pub compiles: bool,
    /// What the program does between any two of these.
    pub own: u64,
}

fn places() -> impl Strategy<Value = Place> {
    prop_oneof![
        Just(Place::BeforeForward),
        Just(Place::BeforeBackward),
        Just(Place::AfterBackward),
        Just(Place::AfterUpdate),
    ]
}

fn validations() -> impl Strategy<Value = Validation> {
    let says = prop_oneof![
        Just(Says::NoGradAround),
        Just(Says::NoGradInside),
        Just(Says::Mode)
    ];
    let given = (1..4_u32, prop::option::of(places()), 1..4_u32, says);
    (given, any::<bool>(), any::<bool>()).prop_map(|(given, is_left_early, has_loss)| {
        let (batches, place, every, says) = given;
        Validation {
            batches,
            place,
            every,
            says,
            is_left_early,
            has_loss,
        }
    })
}

fn sources() -> impl Strategy<Value = Source> {
    let ahead = prop_oneof![
        Just(Place::BeforeBackward),
        Just(Place::AfterBackward),
        Just(Place::AfterUpdate)
    ];
    prop_oneof![
        1 => Just(Source::Tensors),
        2 => Just(Source::Passes),
        1 => Just(Source::Kept),
        2 => ahead.prop_map(Source::Ahead),
        1 => Just(Source::Behind),
    ]
}

/// Trainings. What no events tell apart is left out.
pub fn plans() -> impl Strategy<Value = Plan> {
    let data = (sources(), 2..6_u32, 1..4_u32, 0..500_u64, gaps());
    let step = (
        1..4_u32,
        any::<bool>(),
        any::<bool>(),
        any::<bool>(),
        any::<bool>(),
    );
    let more = (
        any::<bool>(),
        prop::option::of(any::<bool>()),
        prop::option::of(places()),
    );
    let around = (
        any::<bool>(),
        prop::option::of(gaps()),
        prop::option::of(validations()),
        prop::option::of(places()),
        any::<bool>(),
        any::<bool>(),
        0..20_u64,
    );
    (data, step, more, around).prop_map(|(data, step, more, around)| {
        let (source, batches, passes, begins, gap) = data;
        let (micro_batches, counts_on, two_optimizers, has_penalty, has_loss) = step;
        let (has_teacher, prepares, zeroes) = more;
        let (zeroes_first, dry_run, validation, answers, has_accuracy, compiles, own) = around;
        let plan = Plan {
            source,
            batches,
            passes,
            begins,
            gap,
            micro_batches,
            counts_on,
            two_optimizers,
            has_penalty,
            has_loss,
            has_teacher,
            prepares,
            zeroes,
            zeroes_first,
            dry_run,
            validation,
            answers,
            has_accuracy,
            compiles,
            own,
        };
        plan.without_riddles()
    })
}

/// What a program does elsewhere: nothing, little, or a set-up of seconds.
fn gaps() -> impl Strategy<Value = u64> {
    prop_oneof![Just(0), 1..3_000_u64, Just(3_000_000)]
}

impl Plan {
    /// Leaves out what has no one meaning, or one that no event tells.
    fn without_riddles(mut self) -> Self {
        if self.source == Source::Tensors {
            // Without a batch, forwards before a backward are its step's, and a teacher before the first forward
            // is none.
            self.has_accuracy = false;
            self.has_teacher = false;
            self.two_optimizers = false;
            self.dry_run = None;
            if let Some(validation) = &mut self.validation {
                // What is evaluated right before the first forward may be its teacher's.
                validation.is_left_early &= validation.place != Some(Place::BeforeForward);
            }
        }
        let zeroes = self.zeroes_first || self.zeroes == Some(Place::BeforeForward);
        let is_first = self.answers == Some(Place::BeforeForward);
        let is_about_batch = match self.source {
            Source::Tensors => zeroes && is_first, // the first of them
            Source::Ahead(Place::AfterUpdate) => {
                is_first || self.answers == Some(Place::AfterUpdate)
            }
            _ => is_first,
        };
        if is_about_batch {
            self.answers = None; // for its loss, maybe
        }
        let has_fetch = !matches!(self.source, Source::Tensors | Source::Ahead(_));
        if !has_fetch && self.answers.is_some_and(|at| at != Place::BeforeBackward) {
            self.prepares = None; // what follows an answer may be its softmax
        }
        if let Source::Ahead(_) = self.source {
            // Two forwards in a row, one of them on a batch that was fetched long before.
            self.has_accuracy = false;
        }
        let is_one_back = match self.source {
            Source::Ahead(at) => at != Place::AfterUpdate,
            other => other == Source::Behind,
        };
        if self.micro_batches > 1 || is_one_back {
            // A second forward after the update may be on the batch that is there by then.
            self.two_optimizers = false;
        }
        if let Some(validation) = &mut self.validation
            && validation.place == Some(Place::BeforeBackward)
            && validation.says == Says::Mode
        {
            // Which may be the evaluation's.
            validation.is_left_early &= !self.has_loss && !self.has_penalty;
        }
        if let Some(validation) = &mut self.validation {
            // What is called next may go on with the last batch of a loop that was left.
            let has_more = self.answers.is_some() || self.prepares.is_some() || self.has_teacher;
            validation.is_left_early &= !has_more;
        }
        // After the update a teacher of a second optimizer's forward can't be told from an answer.
        self.has_teacher &= !self.two_optimizers;
        self
    }
}
