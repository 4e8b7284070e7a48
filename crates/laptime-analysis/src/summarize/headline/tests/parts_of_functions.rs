use super::*;
use crate::summary::functions::ImportTime;
use crate::summary::span_row::RowKind;
use crate::testing::scripted::MS;

#[test]
fn functions_are_told_beside_what_they_import_and_by_whether_they_wait() {
    let function = |name: &str, self_ns, imported_ns, waiting_ns| FunctionTime {
        name: name.into(),
        file: "train.py".into(),
        self_ns,
        total_ns: self_ns,
        waiting_ns,
        self_count: self_ns / MS,
        imported_ns,
        imported_count: imported_ns / MS,
        lines: Vec::new(),
    };
    let torch = ImportTime {
        name: "torch".into(),
        total_ns: 740 * MS,
        sample_count: 740,
    };
    let lap = LapFunctions {
        path: "program".into(),
        names: Vec::new(),
        kind: RowKind::Leftover,
        total_ns: 1_000 * MS,
        waiting_ns: 200 * MS,
        sample_count: 1_000,
        shared_count: 0,
        imports: vec![torch],
        functions: vec![
            function("_call_with_frames_removed", 740 * MS, 740 * MS, 0),
            function("main", 200 * MS, 0, 190 * MS),
            function("train", 60 * MS, 0, 0),
        ],
        stacks: Vec::new(),
    };
    let parts = sampled_functions(&lap);
    let found = parts.into_iter().filter(|(_, ns)| *ns > 0);
    let found: Vec<(PartName, u64)> = found.map(|(name, ns)| (name, ns / MS)).collect();
    let function = |name: &str, is_waiting| PartName::Function {
        name: name.to_owned(),
        is_waiting,
    };
    assert_eq!(
        found,
        [
            (PartName::Import("torch".to_owned()), 740),
            (function("main", true), 200),
            (function("train", false), 60)
        ]
    );
}
