use std::collections::HashMap;

use super::*;

/// Returns the tree of stacks, each with its time: functions of the program, and of packages where a dot is in the name.
pub(in crate::compare::functions) fn tree<S: AsRef<str>>(stacks: &[(&[S], u64)]) -> Vec<CallNode> {
    let mut nodes: Vec<CallNode> = Vec::new();
    let mut known: HashMap<(Option<usize>, &str), usize> = HashMap::new();
    for (names, ns) in stacks {
        let mut parent = None;
        for (depth, name) in names.iter().enumerate() {
            let at = *known.entry((parent, name.as_ref())).or_insert_with(|| {
                nodes.push(CallNode {
                    parent,
                    call: call(name.as_ref()),
                    line: 3,
                    lines_by_time: crate::summary::call_tree::LinesByTime::default(),
                    beside: crate::summary::call_tree::Beside::No,
                    frame_count: 1,
                    total_ns: 0,
                    self_ns: 0,
                    waiting_ns: 0,
                    sample_count: 0,
                    squared_ns2: 0.0,
                    lines: Vec::new(),
                });
                nodes.len() - 1
            });
            let node = &mut nodes[at];
            node.total_ns += ns;
            node.self_ns += if depth + 1 == names.len() { *ns } else { 0 };
            node.sample_count += 1;
            node.squared_ns2 += (*ns as f64).powi(2);
            parent = Some(at);
        }
    }
    nodes
}

pub(in crate::compare::functions) fn own(name: &str) -> CallKind {
    CallKind::Own {
        name: name.to_owned(),
        file: "/home/me/job.py".to_owned(),
    }
}

pub(in crate::compare::functions) fn library(name: &str, package: &str) -> CallKind {
    CallKind::Library {
        name: name.to_owned(),
        package: package.to_owned(),
    }
}

fn call(name: &str) -> CallKind {
    match name.split_once('.') {
        Some((package, name)) => library(name, package),
        None => own(name),
    }
}

/// Returns a number that is a whole one.
fn whole(number: f64) -> u64 {
    number.round() as u64
}

#[test]
fn what_a_function_calls_of_packages_is_its_own_time() {
    let tree = tree(&[
        (&["main", "save", "json.dumps"], 30),
        (&["main", "save"], 5),
        (&["main", "pandas.apply", "clean"], 20),
        (&["main", "pandas.apply"], 4),
        (&["main"], 1),
    ]);
    let run = RunTimes::of_tree(&tree, 1.0);
    let times = |name: &str| {
        let times = &run.by_function[&own(name)];
        (times.own.ns, times.total.ns, times.own.sample_count)
    };
    assert_eq!(times("save"), (35.0, 35.0, 2.0));
    assert_eq!(times("clean"), (20.0, 20.0, 1.0));
    assert_eq!(times("main"), (5.0, 60.0, 2.0));
    let save = &run.by_function[&own("save")];
    assert_eq!(whole(save.libraries[&library("dumps", "json")].ns), 30);
    assert_eq!(whole(run.whole.ns), 60);
    assert_eq!(run.by_function.len(), 3);
    // Self times are all of the time, and so are the squares of their samples.
    let own_parts = || run.by_function.values().map(|times| times.own);
    assert_eq!(whole(own_parts().map(|part| part.ns).sum()), 60);
    let squares: f64 = own_parts().map(|part| part.squared_ns2).sum();
    assert_eq!(whole(squares), whole(run.whole.squared_ns2));
}
