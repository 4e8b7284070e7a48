use super::*;
use crate::summary::call_tree::CallKind;
use crate::summary::span_row::RowKind;
use crate::testing::scripted::MS;

/// A program of these nodes below its script: a function, its total and waiting time in ms.
fn program(nodes: &[(&str, u64, u64)]) -> Functions {
    let node = |parent, name: &str, total: u64, waiting: u64| CallNode {
        parent,
        call: CallKind::Own {
            name: name.to_owned(),
            file: "job.py".to_owned(),
        },
        line: 3,
        frame_count: 1,
        total_ns: total * MS,
        self_ns: total * MS,
        waiting_ns: waiting * MS,
        sample_count: total / 10,
        squared_ns2: 0.0,
        lines: Vec::new(),
    };
    let sum = |of: fn(&(&str, u64, u64)) -> u64| nodes.iter().map(of).sum::<u64>();
    let (total, waiting) = (sum(|one| one.1), sum(|one| one.2));
    let mut calls = vec![node(None, "", total, waiting)];
    calls[0].self_ns = 0;
    calls.extend(nodes.iter().map(|one| node(Some(0), one.0, one.1, one.2)));
    let lap = LapFunctions {
        path: "program".into(),
        names: Vec::new(),
        kind: RowKind::Leftover,
        total_ns: total * MS,
        waiting_ns: waiting * MS,
        sample_count: total / 10,
        shared_count: 0,
        imports: Vec::new(),
        functions: Vec::new(),
        stacks: Vec::new(),
        calls,
    };
    Functions {
        sample_count: total / 10,
        period_ns: 10 * MS,
        within_ns: 0,
        unread_ratio: 0.0,
        laps: vec![lap],
        exact: None,
    }
}

fn percents(parts: &FunctionParts) -> Vec<(String, u64)> {
    let named = parts.parts.named.iter();
    let named = named.map(|part| match &part.name {
        PartName::Function { name, .. } => (name.clone(), (part.ratio * 100.0).round() as u64),
        other => panic!("{other:?}"),
    });
    named.collect()
}

#[test]
fn a_program_that_works_is_told_by_its_functions() {
    let parts = sampled_parts(
        &program(&[("clean", 600, 0), ("save", 400, 10)]),
        1_100 * MS,
    );
    assert!(parts.waiting.is_none() && parts.few_samples.is_none());
    let expected = [("clean".to_owned(), 55), ("save".to_owned(), 35)];
    assert_eq!(percents(&parts), expected);
    assert_eq!(parts.all_ns, 1_100 * MS);
}

#[test]
fn shares_are_of_the_run_also_where_it_began_long_before_the_first_sample() {
    let parts = sampled_parts(&program(&[("clean", 1_000, 0)]), 2_000 * MS);
    assert_eq!(percents(&parts), [("clean".to_owned(), 50)]);
    let parts = sampled_parts(
        &program(&[("fetch", 1_000, 1_000), ("clean", 400, 0)]),
        2_000 * MS,
    );
    assert!((parts.waiting.as_ref().unwrap().ratio - 0.5).abs() < 1e-9);
    // 400 ms of the 1,000 in which it didn't wait.
    assert_eq!(percents(&parts), [("clean".to_owned(), 40)]);
}

#[test]
fn of_a_program_that_hardly_works_no_function_is_told_that_does() {
    let parts = sampled_parts(
        &program(&[("fetch", 970, 970), ("parse", 20, 0), ("write", 10, 0)]),
        1_000 * MS,
    );
    assert!(parts.waiting.is_some());
    assert!(parts.parts.named.is_empty(), "{parts:?}");
}

#[test]
fn a_program_that_mostly_waits_says_so_first_and_shares_are_of_the_rest() {
    let parts = sampled_parts(
        &program(&[("fetch", 900, 900), ("parse", 100, 0)]),
        1_000 * MS,
    );
    let waiting = parts.waiting.as_ref().unwrap();
    assert!((waiting.ratio - 0.9).abs() < 1e-9, "{waiting:?}");
    assert!(matches!(&waiting.name, PartName::Function { name, .. } if name == "fetch"));
    assert_eq!(percents(&parts), [("parse".to_owned(), 100)]);
}

#[test]
fn of_few_samples_no_share_is_told() {
    let parts = sampled_parts(&program(&[("clean", 90, 0)]), 200 * MS);
    assert_eq!(parts.few_samples, Some(9));
    assert!(parts.parts.named.is_empty() && parts.waiting.is_none());
}
