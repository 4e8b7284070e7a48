use super::*;
use crate::summary::call_tree::CallKind;
use crate::summary::code_line::CodePlace;
use crate::summary::functions::{CollectionTime, OTHER_PROCESSES};
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
        lines_by_time: crate::summary::call_tree::LinesByTime::default(),
        beside: crate::summary::call_tree::Beside::No,
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
        running_count: 0,
        shared_count: 0,
        imports: Vec::new(),
        collections: Vec::new(),
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
    let expected = [("clean".to_owned(), 55), ("save".to_owned(), 36)];
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
    assert_eq!(percents(&parts), [("clean".to_owned(), 20)]);
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
fn a_program_that_mostly_waits_says_so_first() {
    let parts = sampled_parts(
        &program(&[("fetch", 900, 900), ("parse", 100, 0)]),
        1_000 * MS,
    );
    let waiting = parts.waiting.as_ref().unwrap();
    assert!((waiting.ratio - 0.9).abs() < 1e-9, "{waiting:?}");
    assert!(matches!(&waiting.name, PartName::Function { name, .. } if name == "fetch"));
    assert_eq!(percents(&parts), [("parse".to_owned(), 10)]);
    assert!(waiting.is_all);
}

#[test]
fn what_waits_and_works_has_two_shares_and_says_so() {
    let nodes = [("fetch", 700, 500), ("parse", 300, 0)];
    let parts = sampled_parts(&program(&nodes), 1_000 * MS);
    let waiting = parts.waiting.as_ref().unwrap();
    // Its row in the tree of calls has 70 %.
    assert!((waiting.ratio - 0.5).abs() < 1e-9 && !waiting.is_all);
    let expected = [("parse".to_owned(), 30), ("fetch".to_owned(), 20)];
    assert_eq!(percents(&parts), expected);
    let work_alone: Vec<bool> = (parts.parts.named.iter())
        .map(|part| part.is_work_alone)
        .collect();
    assert_eq!(work_alone, [false, true]);
}

#[test]
fn a_part_has_all_the_time_of_its_row_where_waiting_is_not_told() {
    let parts = sampled_parts(
        &program(&[("load", 500, 40), ("parse", 500, 0)]),
        1_000 * MS,
    );
    assert!(parts.waiting.is_none());
    let expected = [("load".to_owned(), 50), ("parse".to_owned(), 50)];
    let mut found = percents(&parts);
    found.sort();
    assert_eq!(found, expected);
}

#[test]
fn of_few_samples_no_share_is_told() {
    let parts = sampled_parts(&program(&[("clean", 90, 0)]), 200 * MS);
    assert_eq!(parts.few_samples, Some(9));
    assert!(parts.parts.named.is_empty() && parts.waiting.is_none());
}

#[test]
fn a_package_that_works_for_the_main_thread_is_told_with_the_call_that_waits_for_it() {
    let library = |name: &str, package: &str| CallKind::Library {
        name: name.to_owned(),
        package: package.to_owned(),
    };
    let waits_in = |package: &str, waiting: u64| {
        let mut functions = program(&[("send", 1_000, waiting)]);
        let mut call = functions.laps[0].calls[1].clone();
        (call.call, call.parent) = (library("Future.result", package), Some(1));
        functions.laps[0].calls.push(call);
        let mut workers = program(&[("", 1_500, 0)]).laps.remove(0);
        workers.calls.truncate(1);
        workers.calls[0].call = library("Queue.get", "multiprocessing");
        workers.path = OTHER_PROCESSES.to_owned();
        functions.laps.push(workers);
        sampled_parts(&functions, 1_000 * MS)
    };
    let parts = waits_in("concurrent", 900);
    let waits = parts.waits_for_parts.expect("it waits for them");
    assert!(parts.waiting.is_none() && (waits.ratio - 0.9).abs() < 1e-9);
    let place = CodePlace {
        file: "job.py".to_owned(),
        line: 3,
    };
    assert!(matches!(waits.name, PartName::Called { place: Some(at), .. } if at == place));
    // It waits for the network, or works itself.
    assert_eq!(waits_in("urllib", 900).waits_for_parts, None);
    assert_eq!(waits_in("concurrent", 300).waits_for_parts, None);
}

#[test]
fn garbage_collections_are_a_part_beside_the_functions() {
    let line = |line| CodePlace {
        file: "job.py".to_owned(),
        line,
    };
    let told = |lines: &[(u32, u64)]| {
        let mut functions = program(&[("clean", 300, 0), ("save", 100, 0)]);
        let lap = &mut functions.laps[0];
        lap.total_ns += 600 * MS;
        lap.collections = (lines.iter())
            .map(|(at, ms)| CollectionTime {
                place: Some(line(*at)),
                total_ns: ms * MS,
                sample_count: ms / 10,
            })
            .collect();
        let outermost = CallNode {
            parent: None,
            call: CallKind::Collection,
            total_ns: 600 * MS,
            self_ns: 600 * MS,
            ..lap.calls[0].clone()
        };
        lap.calls.push(outermost);
        let parts = sampled_parts(&functions, 1_000 * MS)
            .parts
            .named
            .into_iter();
        let parts = parts.map(|part| (part.name, (part.ratio * 100.0).round() as u64));
        parts.collect::<Vec<_>>()
    };
    let [
        (PartName::Collection { place: None }, 60),
        (PartName::Function { name, .. }, 30),
        (PartName::Function { .. }, 10),
    ] = &told(&[(3, 300), (4, 300)])[..]
    else {
        panic!("{:?}", told(&[(3, 300), (4, 300)]));
    };
    assert_eq!(name, "clean");
    let place = Some(line(3));
    let one_line = told(&[(3, 580), (4, 20)]);
    assert_eq!(one_line[0], (PartName::Collection { place }, 60));
}
