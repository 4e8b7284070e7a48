use crate::testing::analyzed::summarize;
use crate::testing::scripted::{MS, Script};
use crate::{ModuleRow, Options, Summary, by_class, by_module};

/// Returns two convolutions in a network, forward and backward, and a lap of its own in one of them.
fn network() -> Script {
    let mut script = Script::new(1, 100 * MS);
    let (first, second) = (
        ["step", "forward", "Net", "0"],
        ["step", "forward", "Net", "1"],
    );
    script.span(&first, 1, 3 * MS);
    script.span(&[first.as_slice(), &["mine"]].concat(), 2, MS);
    script.span(&second, 4 * MS, 2 * MS);
    script.span(&["step", "forward", "Net"], 1, 6 * MS);
    script.span(&["step", "forward"], 1, 7 * MS);
    script.span(&["step", "backward", "Net", "1"], 8 * MS, 4 * MS);
    script.span(&["step", "backward", "Net"], 8 * MS, 5 * MS);
    script.span(&["step", "backward"], 8 * MS, 6 * MS);
    script.span(&["step"], 1, 20 * MS);
    script.module(&["step", "forward", "Net"], 0, "Net");
    script.module(&first, 1, "Conv2d");
    script.module(&second, 1, "Conv2d");
    script
}

fn module_times(rows: &[ModuleRow]) -> Vec<(&str, &str, u64, u64, u64)> {
    let told = rows.iter().map(|row| {
        let (forward, backward) = (row.forward_ns / MS, row.backward_ns / MS);
        (
            row.module.as_str(),
            row.class.as_str(),
            row.count,
            forward,
            backward,
        )
    });
    told.collect()
}

fn summary(script: Script) -> Summary {
    summarize(&[script], Options::default())
}

#[test]
fn a_module_has_its_class_in_every_phase_and_a_lap_inside_has_none() {
    let summary = summary(network());
    let class = |path: &str| {
        let row = summary.rows.iter().find(|row| row.path == path).unwrap();
        (row.module.clone(), row.module_class.clone())
    };
    assert_eq!(class("step/forward/Net"), ("Net".into(), "Net".into()));
    let of_second = ("Net/1".to_owned(), "Conv2d".to_owned());
    assert_eq!(class("step/forward/Net/1"), of_second);
    assert_eq!(class("step/backward/Net/1"), of_second);
    assert_eq!(class("step/forward/Net/0/mine"), Default::default());
    assert_eq!(class("step/forward"), Default::default());
}

#[test]
fn forward_and_backward_of_a_module_are_one_row_of_its_own_time() {
    let summary = summary(network());
    let modules = by_module(&summary.rows);
    assert_eq!(
        module_times(&modules),
        [
            ("Net/1", "Conv2d", 1, 2, 4),
            ("Net/0", "Conv2d", 1, 3, 0),
            ("Net", "Net", 1, 1, 1)
        ]
    );
    let classes = by_class(&summary.rows);
    assert_eq!(
        module_times(&classes),
        [("", "Conv2d", 2, 5, 4), ("", "Net", 1, 1, 1)]
    );
}

#[test]
fn where_there_is_no_room_for_a_path_no_module_is_named() {
    let mut script = Script::new(1, 100 * MS);
    script.span(&["<overflow>"], 1, MS);
    script.module(&["<overflow>"], 0, "Conv2d");
    assert!(by_module(&summary(script).rows).is_empty());
}

#[test]
fn a_module_whose_outermost_one_was_never_said_is_left_out() {
    let mut script = Script::new(1, 100 * MS);
    script.span(&["forward", "Net", "0"], 1, MS);
    script.module(&["forward", "Net", "0"], 1, "Conv2d");
    assert!(by_module(&summary(script).rows).is_empty());
}
