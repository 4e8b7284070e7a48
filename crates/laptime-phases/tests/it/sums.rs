//! No time is counted twice, whatever a program does, in whichever order.

use laptime_core::SpanFlags;
use proptest::prelude::*;

use crate::program::{BACKWARD, Batches, FORWARD, Forward, Loader, Module, Program, STEP};
use crate::program::{evaluating, loss};
use crate::script::Span;

/// A part of a round.
#[derive(Debug, Clone, Copy)]
enum Part {
    Forward {
        raises: bool,
    },
    Loss,
    Teacher,
    Evaluate,
    Backward {
        raises: bool,
    },
    Gradient,
    Zero,
    Step,
    Closure {
        raises: bool,
    },
    Function,
    Exchange,
    Else,
    /// A batch of one of the loaders, the next pass of which begins where there is none.
    Fetch {
        loader: usize,
    },
    /// The iterator of one of the loaders is made.
    Begin {
        loader: usize,
    },
    /// A loop over one of the loaders is left.
    Leave {
        loader: usize,
    },
    /// A module with laps inside of its call.
    Layers,
    /// A lap of the program's begins, or the last one ends.
    Lap,
}

fn parts() -> impl Strategy<Value = Part> {
    let raises = || prop::bool::weighted(0.2);
    prop_oneof![
        4 => raises().prop_map(|raises| Part::Forward { raises }),
        2 => Just(Part::Loss),
        1 => Just(Part::Teacher),
        1 => Just(Part::Evaluate),
        4 => raises().prop_map(|raises| Part::Backward { raises }),
        1 => Just(Part::Gradient),
        2 => Just(Part::Zero),
        4 => Just(Part::Step),
        1 => raises().prop_map(|raises| Part::Closure { raises }),
        1 => Just(Part::Function),
        1 => Just(Part::Exchange),
        1 => Just(Part::Else),
        3 => (0..LOADERS).prop_map(|loader| Part::Fetch { loader }),
        1 => (0..LOADERS).prop_map(|loader| Part::Begin { loader }),
        1 => (0..LOADERS).prop_map(|loader| Part::Leave { loader }),
        1 => Just(Part::Layers),
        1 => Just(Part::Lap),
    ]
}

const LOADERS: usize = 3;

/// What a program holds meanwhile.
struct Held {
    loaders: Vec<Loader>,
    passes: Vec<Option<Batches>>,
    lap: Option<u64>,
}

impl Held {
    fn new(program: &Program) -> Self {
        Self {
            loaders: (0..LOADERS).map(|_| program.loader(3)).collect(),
            passes: (0..LOADERS).map(|_| None).collect(),
            lap: None,
        }
    }

    fn data(&mut self, part: Part) {
        match part {
            Part::Fetch { loader } => {
                let pass = self.passes[loader].get_or_insert_with(|| self.loaders[loader].pass());
                if pass.next().is_none() {
                    self.passes[loader] = None;
                }
            }
            Part::Begin { loader } => {
                let mut pass = self.loaders[loader].pass();
                pass.begin(9);
                self.passes[loader] = Some(pass);
            }
            Part::Leave { loader } => self.passes[loader] = None,
            _ => {}
        }
    }

    fn lap(&mut self, program: &Program) {
        match self.lap.take() {
            Some(lap) => program.script().close_lap(lap),
            None => self.lap = Some(program.script().open_lap("mine")),
        }
    }
}

fn does(program: &Program, held: &mut Held, part: Part) {
    match part {
        Part::Fetch { .. } | Part::Begin { .. } | Part::Leave { .. } => held.data(part),
        Part::Layers => program.call_around(Forward::default(), || drop(program.lap("Layer"))),
        Part::Lap => held.lap(program),
        Part::Forward { raises } => program.call(Forward {
            raises,
            ..Forward::default()
        }),
        Part::Loss => program.call(loss(2)),
        Part::Teacher => {
            let _no = program.no_grad();
            program.call(Forward {
                module: Module::Frozen,
                number: 9,
                ..evaluating(FORWARD)
            });
        }
        Part::Evaluate => program.call(evaluating(FORWARD)),
        Part::Backward { raises } => program.backward_around(BACKWARD, raises, || ()),
        Part::Gradient => program.gradient(),
        Part::Zero => program.zero_grad(),
        Part::Step => program.step(),
        Part::Closure { raises } => program.step_around(STEP, raises, || {
            program.zero_grad();
            program.call(Forward {
                raises,
                ..Forward::default()
            });
            if !raises {
                program.backward();
            }
        }),
        Part::Function => program.function(|| program.forward()),
        Part::Exchange => program.exchange(9),
        Part::Else => program.other(5_000),
    }
}

/// Whether each span lies in one of its parent's, and those of one parent lie one after the other.
pub fn adds_up(spans: &[Span]) -> Result<(), TestCaseError> {
    for span in spans {
        let parent = span.path.rsplit_once('/').map(|(parent, _)| parent);
        let lies_in = |one: &&Span| {
            parent.is_some_and(|parent| one.path == parent)
                && one.start <= span.start
                && span.end() <= one.end()
        };
        // A lap of the program's was written under the name that its unit had by then.
        let is_lap = span.path.ends_with("mine") || span.path.ends_with("Layer");
        let is_held = is_lap || parent.is_none() || spans.iter().any(|one| lies_in(&one));
        prop_assert!(is_held, "{span:?} in {spans:?}");
        let overlaps = |one: &&Span| {
            !std::ptr::eq(*one, span)
                && one.path.rsplit_once('/').map(|(parent, _)| parent) == parent
                && one.start.max(span.start) < one.end().min(span.end())
        };
        let other = spans.iter().find(overlaps);
        prop_assert!(other.is_none(), "{span:?} and {other:?}");
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 4_000, ..ProptestConfig::default() })]
    #[test]
    fn no_time_is_counted_twice(
        has_loader: bool,
        by_hand: bool,
        fails: bool,
        rounds in prop::collection::vec(prop::collection::vec(parts(), 0..6), 1..6),
    ) {
        let program = Program::new();
        if by_hand {
            program.updates_by_hand();
        }
        let mut held = Held::new(&program);
        let mut numbers = program.rounds(rounds.len() as u32, has_loader);
        for round in rounds {
            numbers.next();
            for part in round {
                does(&program, &mut held, part);
            }
        }
        numbers.next();
        if held.lap.is_some() {
            held.lap(&program);
        }
        if fails { program.fail() } else { program.finish() }
        prop_assert!(program.script().open_paths().is_empty());
        // A lap of the program's that crosses the end of a step is told to do so, and doesn't add up.
        let spans = program.spans();
        if spans.iter().all(|span| !span.flags.has(SpanFlags::UNBALANCED)) {
            adds_up(&spans)?;
        }
    }
}
