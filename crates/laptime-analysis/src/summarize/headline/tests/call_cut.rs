use super::*;
use crate::summary::code_line::{CodePlace, LineTime};
use crate::summary::headline::PartName;

/// A node of a tree: its caller, what it is, its line, total and waiting time.
type Node<'n> = (Option<usize>, &'n str, u32, u64, u64);

/// Makes a tree. A name that begins with `import ` is an import, one with a dot a package's function, an empty one the
/// script.
fn tree(nodes: &[Node<'_>]) -> Vec<CallNode> {
    let called = |parent: usize| {
        let below = nodes.iter().filter(|node| node.0 == Some(parent));
        below.map(|node| node.3).sum::<u64>()
    };
    let nodes = nodes.iter().enumerate();
    let made = nodes.map(|(at, (parent, name, line, total_ns, waiting_ns))| {
        let self_ns = total_ns - called(at);
        CallNode {
            parent: *parent,
            call: kind(name),
            line: *line,
            lines_by_time: crate::summary::call_tree::LinesByTime::default(),
            beside: crate::summary::call_tree::Beside::No,
            frame_count: 1,
            total_ns: *total_ns,
            self_ns,
            waiting_ns: *waiting_ns,
            sample_count: *total_ns,
            squared_ns2: 0.0,
            lines: vec![LineTime {
                line: *line,
                self_ns,
                waiting_ns: self_ns.min(*waiting_ns),
            }],
        }
    });
    made.collect()
}

fn kind(name: &str) -> CallKind {
    if let Some(module) = name.strip_prefix("import ") {
        return CallKind::Import {
            module: module.to_owned(),
        };
    }
    match name.split_once('.') {
        Some((package, name)) => CallKind::Library {
            name: name.to_owned(),
            package: package.to_owned(),
        },
        None => CallKind::Own {
            name: name.to_owned(),
            file: "job.py".to_owned(),
        },
    }
}

/// Returns the parts of a tree.
fn parts_of(tree: &[CallNode], time: CallTime) -> Vec<Part> {
    cut(tree, time).into_iter().map(|cut| cut.part).collect()
}

/// Returns what is told of a tree: name, line and percent.
fn told(nodes: &[Node<'_>], time: CallTime) -> Vec<(String, u32, u64)> {
    let parts = parts_of(&tree(nodes), time).into_iter();
    let told = parts.map(|part| {
        let (name, place) = match part.name {
            PartName::Import { module, place } => (format!("import {module}"), place),
            PartName::Function { name, place } | PartName::Called { name, place, .. } => {
                (name, place)
            }
            other => panic!("{other:?}"),
        };
        let line = place.map_or(0, |place| place.line);
        (name, line, (part.ratio * 100.0).round() as u64)
    });
    told.collect()
}

fn working(nodes: &[Node<'_>]) -> Vec<(String, u32, u64)> {
    told(nodes, CallTime::Working)
}

fn named(name: &str, line: u32, percent: u64) -> (String, u32, u64) {
    (name.to_owned(), line, percent)
}

#[test]
fn what_only_calls_is_passed_through_and_the_parts_below_are_told() {
    let found = working(&[
        (None, "", 21, 1_000, 0),
        (Some(0), "main", 19, 980, 0),
        (Some(1), "clean", 8, 540, 0),
        (Some(1), "save", 11, 320, 0),
        (Some(1), "load", 3, 50, 0),
    ]);
    assert_eq!(found, [named("clean", 8, 54), named("save", 11, 32)]);
}

#[test]
fn imports_beside_a_function_do_not_hide_what_it_calls() {
    let found = working(&[
        (None, "", 21, 1_000, 0),
        (Some(0), "main", 19, 750, 0),
        (Some(1), "clean", 8, 400, 0),
        (Some(1), "save", 11, 340, 0),
        (Some(0), "import pandas", 2, 240, 0),
    ]);
    let pandas = named("import pandas", 2, 24);
    assert_eq!(
        found,
        [named("clean", 8, 40), named("save", 11, 34), pandas]
    );
}

#[test]
fn a_call_of_a_package_has_all_its_time_and_says_what_it_is_mostly() {
    let apply = |clean: u64| {
        [
            (None, "", 21, 1_000, 0),
            (Some(0), "main", 19, 1_000, 0),
            (Some(1), "pandas.DataFrame.apply", 18, 700, 0),
            (Some(2), "clean", 5, clean, 0),
            (Some(1), "pandas.DataFrame.to_csv", 20, 300, 0),
        ]
    };
    let mostly = |clean| {
        let parts = parts_of(&tree(&apply(clean)), CallTime::Working);
        let inner = parts[0].mostly.clone();
        inner.map(|name| match name {
            PartName::Function { name, .. } => name,
            other => panic!("{other:?}"),
        })
    };
    let expected = [
        named("DataFrame.apply", 18, 70),
        named("DataFrame.to_csv", 20, 30),
    ];
    assert_eq!(working(&apply(500)), expected);
    assert_eq!(mostly(500), Some("clean".to_owned()));
    assert_eq!(mostly(350), None);
    // A package that only calls it is passed through.
    assert_eq!(working(&apply(650))[0], named("clean", 5, 65));
}

#[test]
fn the_own_time_of_a_function_is_not_told_as_the_function() {
    let nodes = tree(&[
        (None, "", 21, 1_000, 0),
        (Some(0), "main", 19, 1_000, 0),
        (Some(1), "clean", 8, 600, 0),
    ]);
    let parts = parts_of(&nodes, CallTime::Working);
    let line = PartName::Line {
        function: "main".to_owned(),
        place: CodePlace {
            file: "job.py".to_owned(),
            line: 19,
        },
    };
    assert_eq!(parts[1].name, line);
    // All of its time is its own: then it is told by its name.
    let all = parts_of(&tree(&[(None, "main", 19, 10, 0)]), CallTime::Working);
    assert!(matches!(&all[0].name, PartName::Function { name, .. } if name == "main"));
}

#[test]
fn functions_that_a_package_calls_are_told_in_its_place() {
    let found = working(&[
        (None, "", 21, 1_000, 0),
        (Some(0), "main", 19, 1_000, 0),
        (Some(1), "pandas.DataFrame.apply", 18, 800, 0),
        (Some(2), "clean", 5, 400, 0),
        (Some(2), "parse", 9, 300, 0),
        (Some(1), "pandas.DataFrame.to_csv", 20, 200, 0),
    ]);
    let expected = [
        named("clean", 5, 40),
        named("parse", 9, 30),
        named("DataFrame.to_csv", 20, 20),
    ];
    assert_eq!(found, expected);
}

#[test]
fn a_wrapper_around_a_part_is_passed_through() {
    let found = working(&[
        (None, "", 21, 1_000, 0),
        (Some(0), "retry", 2, 600, 0),
        (Some(1), "fetch", 8, 590, 0),
        (Some(0), "parse", 11, 400, 0),
    ]);
    assert_eq!(found, [named("fetch", 8, 59), named("parse", 11, 40)]);
}

#[test]
fn a_script_without_functions_is_told_by_its_lines() {
    let mut nodes = tree(&[(None, "", 8, 1_000, 0)]);
    nodes[0].lines = [(8, 600), (11, 350), (12, 50)]
        .map(|(line, self_ns)| LineTime {
            line,
            self_ns,
            waiting_ns: 0,
        })
        .to_vec();
    let parts = parts_of(&nodes, CallTime::Working);
    let shares: Vec<u64> = parts
        .iter()
        .map(|part| (part.ratio * 100.0).round() as u64)
        .collect();
    // The last line is short beside the one above, and told with it.
    assert_eq!(shares, [60, 40]);
}

#[test]
fn a_loop_over_many_lines_is_told_as_its_function() {
    let mut nodes = tree(&[(None, "", 9, 1_000, 0), (Some(0), "clean", 8, 1_000, 0)]);
    nodes[1].lines = (1..=20)
        .map(|line| LineTime {
            line,
            self_ns: 50,
            waiting_ns: 0,
        })
        .collect();
    let parts = parts_of(&nodes, CallTime::Working);
    let shares: Vec<u64> = parts
        .iter()
        .map(|part| (part.ratio * 100.0).round() as u64)
        .collect();
    assert_eq!(shares, [100]);
}

#[test]
fn a_function_counts_once_whoever_calls_it() {
    let found = working(&[
        (None, "", 21, 1_000, 0),
        (Some(0), "json.loads", 3, 300, 0),
        (Some(1), "hook", 5, 300, 0),
        (Some(0), "json.load", 4, 300, 0),
        (Some(3), "hook", 6, 300, 0),
        (Some(0), "save", 11, 400, 0),
    ]);
    assert_eq!(found, [named("hook", 5, 60), named("save", 11, 40)]);
}

#[test]
fn work_and_waiting_have_lines_of_their_own() {
    let mut nodes = tree(&[(None, "check", 15, 1_000, 800)]);
    nodes[0].lines = [(15, 780, 780), (17, 200, 0), (18, 20, 20)]
        .map(|(line, self_ns, waiting_ns)| LineTime {
            line,
            self_ns,
            waiting_ns,
        })
        .to_vec();
    let line = |time| match &parts_of(&nodes, time)[..] {
        [
            Part {
                name: PartName::Function { place, .. },
                ..
            },
        ] => place.as_ref().map(|at| at.line),
        other => panic!("{other:?}"),
    };
    assert_eq!(line(CallTime::Working), Some(17));
    assert_eq!(line(CallTime::Waiting), Some(15));
}

#[test]
fn waiting_is_cut_by_itself() {
    let nodes: [Node<'_>; 3] = [
        (None, "", 21, 1_000, 900),
        (Some(0), "fetch", 8, 900, 880),
        (Some(0), "parse", 11, 100, 20),
    ];
    assert_eq!(told(&nodes, CallTime::Waiting), [named("fetch", 8, 98)]);
    let expected = [named("parse", 11, 80), named("fetch", 8, 20)];
    assert_eq!(working(&nodes), expected);
}

#[test]
fn nothing_is_told_of_no_time() {
    assert_eq!(working(&[]), []);
    assert_eq!(working(&[(None, "", 1, 10, 10)]), []);
}

proptest::proptest! {
    #[test]
    fn parts_are_shares_of_a_whole_and_none_is_below_another(
        calls in proptest::collection::vec((0_usize..12, 0_u64..1_000, 0_u8..4), 1..14),
    ) {
        let mut made: Vec<CallNode> = Vec::new();
        for (parent, self_ns, is) in calls {
            let parent = (!made.is_empty()).then(|| parent % made.len());
            let name = match is {
                0 => format!("package.call{}", made.len()),
                1 => format!("import module{}", made.len()),
                _ => format!("own{}", made.len()),
            };
            let mut node = tree(&[(None, &name, 1 + made.len() as u32, self_ns, 0)]).remove(0);
            node.parent = parent;
            made.push(node);
        }
        for at in (0..made.len()).rev() {
            if let Some(parent) = made[at].parent {
                made[parent].total_ns += made[at].total_ns;
            }
        }
        let parts = parts_of(&made, CallTime::Working);
        let sum: f64 = parts.iter().map(|part| part.ratio).sum();
        proptest::prop_assert!(sum <= 1.0 + 1e-9, "{parts:?}");
        proptest::prop_assert!(parts.len() <= MOST_PARTS);
        proptest::prop_assert!(parts.iter().all(|part| part.ratio >= LEAST_RATIO - 1e-2 || parts.len() == 1));
        let sorted = parts.windows(2).all(|two| two[0].ratio >= two[1].ratio);
        proptest::prop_assert!(sorted);
    }
}

#[test]
fn the_head_of_a_loop_is_told_with_its_body() {
    let lines = |lines: &[(u32, u64)]| {
        let all: u64 = lines.iter().map(|line| line.1).sum();
        let mut tree = tree(&[(None, "", 5, all, 0)]);
        tree[0].lines = (lines.iter())
            .map(|(line, self_ns)| LineTime {
                line: *line,
                self_ns: *self_ns,
                waiting_ns: 0,
            })
            .collect();
        let parts = parts_of(&tree, CallTime::Working).into_iter();
        let told = parts.map(|part| match part.name {
            PartName::Function {
                place: Some(place), ..
            }
            | PartName::Line { place, .. } => (place.line, (part.ratio * 100.0).round() as u64),
            other => panic!("{other:?}"),
        });
        told.collect::<Vec<_>>()
    };
    assert_eq!(lines(&[(4, 30), (5, 70)]), [(5, 100)]);
    // A loop in a loop.
    assert_eq!(lines(&[(3, 10), (4, 25), (5, 75)]), [(5, 100)]);
    // Two lines that each do something.
    assert_eq!(lines(&[(4, 45), (5, 55)]), [(5, 55), (4, 45)]);
    // A condition that takes long.
    assert_eq!(lines(&[(4, 70), (5, 30)]), [(4, 100)]);
    assert_eq!(lines(&[(4, 30), (9, 70)]), [(9, 70), (4, 30)]);
}

#[test]
fn a_function_that_works_in_several_lines_is_one_part_at_the_longest() {
    let mut nodes = tree(&[
        (None, "", 26, 1_000, 0),
        (Some(0), "main", 23, 1_000, 0),
        (Some(1), "dist", 17, 970, 0),
    ]);
    nodes[2].lines = [(14, 230), (15, 130), (17, 610)]
        .map(|(line, self_ns)| LineTime {
            line,
            self_ns,
            waiting_ns: 0,
        })
        .to_vec();
    let parts = parts_of(&nodes, CallTime::Working);
    let place = Some(CodePlace {
        file: "job.py".to_owned(),
        line: 17,
    });
    let name = PartName::Function {
        name: "dist".to_owned(),
        place,
    };
    assert_eq!(parts.len(), 1, "{parts:?}");
    assert_eq!(parts[0].name, name);
}

#[test]
fn lines_beside_callees_are_told_where_one_of_them_has_the_time() {
    let told = |lines: [(u32, u64); 2]| {
        let mut nodes = tree(&[
            (None, "", 26, 1_000, 0),
            (Some(0), "main", 23, 1_000, 0),
            (Some(1), "clean", 8, 400, 0),
        ]);
        nodes[1].lines = lines
            .map(|(line, self_ns)| LineTime {
                line,
                self_ns,
                waiting_ns: 0,
            })
            .to_vec();
        let parts = parts_of(&nodes, CallTime::Working);
        parts[0].name.clone()
    };
    let one = told([(20, 550), (23, 50)]);
    assert!(matches!(one, PartName::Line { place, .. } if place.line == 20));
    let two = told([(20, 350), (23, 250)]);
    assert!(matches!(two, PartName::Itself { place, .. } if place.line == 20));
}

#[test]
fn functions_that_wait_in_one_helper_are_told_themselves() {
    let nodes: [Node<'_>; 7] = [
        (None, "", 17, 1_000, 1_000),
        (Some(0), "main", 15, 1_000, 1_000),
        (Some(1), "archive", 8, 590, 590),
        (Some(2), "sh", 4, 590, 590),
        (Some(1), "versions", 6, 70, 70),
        (Some(4), "sh", 4, 70, 70),
        (Some(1), "wait_for_mirror", 11, 340, 340),
    ];
    let expected = [named("archive", 8, 59), named("wait_for_mirror", 11, 34)];
    assert_eq!(told(&nodes, CallTime::Waiting), expected);
    // What works in one helper works there.
    let working = nodes.map(|(parent, name, line, total, _)| (parent, name, line, total, 0));
    let expected = [named("sh", 4, 66), named("wait_for_mirror", 11, 34)];
    assert_eq!(told(&working, CallTime::Working), expected);
}
