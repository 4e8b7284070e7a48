//! Programs that are given longer and longer inputs, and such that only seem to be.

use laptime_core::format::record::Record;
use laptime_core::{Holds, InputSizes};

use crate::findings::tests::found;
use crate::summary::doubt::{Doubt, StepsDoubt, StepsReason};
use crate::testing::analyzed::summarize;
use crate::testing::scripted::{EPOCH_NS, MAIN, MS, Script, anchor};
use crate::{Finding, Options};

/// 200 calls, the tokens of each and how long it takes in ms.
fn program(name: &str, tokens: impl Fn(u64) -> u64, ms: impl Fn(u64) -> u64) -> Script {
    let mut script = Script::new(7, 0);
    let (mut at, mut last) = (100 * MS, 0);
    for call in 0..200 {
        let (sizes, duration) = (tokens(call), ms(call) * MS);
        if sizes != last {
            script.observed(Record::InputSizes(InputSizes {
                ticks: EPOCH_NS + at + 1_000,
                track: MAIN,
                tensor: 0,
                holds: Holds::Integers,
                sizes: [2, sizes].into_iter().collect(),
            }));
            last = sizes;
        }
        script.span(&[name, "forward"], at, duration);
        script.span(&[name], at, duration);
        at += duration;
    }
    script.header.closed = Some(anchor(at));
    script
}

#[test]
fn a_generation_without_a_cache_is_the_one_thing_told() {
    let mut script = program("evaluation", |call| 12 + call, |call| 2 + call / 10);
    script.note("inputs.grow", "/home/me/gen.py\ngenerate\n31");
    let all = found(&script);
    let [
        Finding::GrowingInputs {
            path,
            from_tokens: Some(12),
            to_tokens: Some(211),
            short_ns,
            long_ns,
            generates: true,
            site: Some(site),
            ..
        },
    ] = &all[..]
    else {
        panic!("{all:?}");
    };
    assert_eq!(path, "evaluation");
    assert!(4 * *short_ns <= *long_ns * 2, "{short_ns} {long_ns}");
    assert_eq!(
        (&*site.function, &*site.file, site.line),
        ("generate", "/home/me/gen.py", 31)
    );
}

#[test]
fn longer_inputs_are_why_the_steps_grew_longer() {
    let reasons = |script: &Script| {
        let summary = summarize(std::slice::from_ref(script), Options::default());
        let steady = summary.steady.map(|steady| steady.warnings);
        let doubts = steady.into_iter().flatten();
        let reasons = doubts.filter_map(|doubt| match doubt {
            Doubt::Steps {
                doubt: StepsDoubt::Changed { reason, .. },
                ..
            } => Some(reason),
            _ => None,
        });
        reasons.collect::<Vec<_>>()
    };
    let longer = program("evaluation", |call| 12 + call, |call| 2 + call / 10);
    assert_eq!(reasons(&longer), [StepsReason::LongerInputs]);
    let alike = program("evaluation", |_| 64, |call| 2 + call / 10);
    assert_eq!(reasons(&alike), [StepsReason::NotKnown]);
}

#[test]
fn steps_that_learn_from_longer_inputs_are_stated_and_no_generation() {
    let all = found(&program("step", |call| 12 + call, |call| 2 + call / 10));
    assert!(
        matches!(
            all[..],
            [Finding::GrowingInputs {
                generates: false,
                ..
            }]
        ),
        "{all:?}"
    );
    let stages = found(&program(
        "step",
        |call| 64 << (call / 70),
        |call| 4 << (call / 70),
    ));
    assert!(
        matches!(
            stages[..],
            [Finding::GrowingInputs {
                generates: false,
                ..
            }]
        ),
        "{stages:?}"
    );
}

#[test]
fn steps_that_grow_longer_with_inputs_of_one_size_are_told_as_before() {
    let all = found(&program("step", |_| 64, |call| 2 + call / 10));
    assert!(matches!(all[..], [Finding::Unsteady { .. }]), "{all:?}");
}

#[test]
fn lengths_in_any_order_say_nothing() {
    let length = |call: u64| 16 + call * 7_919 % 400;
    let all = found(&program("step", length, |call| 2 + length(call) / 20));
    let told = all
        .iter()
        .any(|one| matches!(one, Finding::GrowingInputs { .. }));
    assert!(!told, "{all:?}");
}
