//! No time is counted twice, whatever a program does, in whichever order.

use proptest::prelude::*;

use crate::program::{BACKWARD, FORWARD, Forward, Module, Program, STEP, evaluating, loss};
use crate::script::Span;

/// A part of a round.
#[derive(Debug, Clone, Copy)]
enum Part {
    Forward { raises: bool },
    Loss,
    Teacher,
    Evaluate,
    Backward { raises: bool },
    Gradient,
    Zero,
    Step,
    Closure { raises: bool },
    Function,
    Exchange,
    Else,
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
    ]
}

fn does(program: &Program, part: Part) {
    match part {
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
fn adds_up(spans: &[Span]) -> Result<(), TestCaseError> {
    for span in spans {
        let parent = span.path.rsplit_once('/').map(|(parent, _)| parent);
        let lies_in = |one: &&Span| {
            parent.is_some_and(|parent| one.path == parent)
                && one.start <= span.start
                && span.end() <= one.end()
        };
        let is_held = parent.is_none() || spans.iter().any(|one| lies_in(&one));
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
        let mut numbers = program.rounds(rounds.len() as u32, has_loader);
        for round in rounds {
            numbers.next();
            for part in round {
                does(&program, part);
            }
        }
        numbers.next();
        if fails { program.fail() } else { program.finish() }
        prop_assert!(program.script().open_paths().is_empty());
        adds_up(&program.spans())?;
    }
}
