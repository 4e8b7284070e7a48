use laptime_core::format::record::Record;
use laptime_core::{CallSums, CalledFunction, FunctionCalls, PathId};

use crate::Options;
use crate::summary::functions::{ExactFunctions, ExactLap};
use crate::testing::analyzed::summarize;
use crate::testing::scripted::{MS, Script};

/// Returns sums of calls, all of them primitive.
fn calls(
    path: PathId,
    caller: u32,
    function: u32,
    calls: u64,
    own: u64,
    total: u64,
) -> Record<'static> {
    Record::Calls(FunctionCalls {
        path,
        thread: 1,
        caller,
        function,
        sums: CallSums {
            calls,
            primitive: calls,
            own: own * MS,
            total: total * MS,
            primitive_from: calls,
            total_from: total * MS,
        },
    })
}

fn script() -> Script {
    let mut script = Script::new(7, 1_000 * MS);
    for (id, line, name, file) in [
        (1, 3, "main", "/home/me/train.py"),
        (2, 9, "Net.forward", "/home/me/train.py"),
        (3, 0, "<built-in method torch.relu>", "~"),
    ] {
        script.observed(Record::CalledFunction(CalledFunction {
            id,
            line,
            name,
            file,
        }));
    }
    script
}

fn exact(scripts: &[Script]) -> ExactFunctions {
    let functions = summarize(scripts, Options::default()).functions;
    functions
        .and_then(|functions| functions.exact)
        .expect("calls were counted")
}

fn own(exact: &ExactFunctions, lap: &ExactLap) -> Vec<(String, u64, u64)> {
    let told = lap.functions.iter().map(|one| {
        let name = exact.functions[one.function].name.clone();
        (name, one.call_count, one.self_ns / MS)
    });
    told.collect()
}

#[test]
fn calls_are_told_by_function_by_caller_and_by_lap() {
    let mut script = script();
    script.span(&["step"], 0, 100 * MS);
    let step = script.path(&["step"]);
    script.observed(calls(PathId::ROOT, 0, 1, 1, 10, 100));
    script.observed(calls(step, 1, 2, 4, 30, 90));
    script.observed(calls(step, 2, 3, 8, 50, 50));
    // Written later: it adds up.
    script.observed(calls(step, 2, 3, 2, 10, 10));
    let exact = exact(&[script]);
    assert_eq!(exact.call_count, 15);
    let names: Vec<&str> = exact.functions.iter().map(|one| &*one.name).collect();
    assert_eq!(
        names,
        ["<built-in method torch.relu>", "Net.forward", "main"]
    );
    let relu = &exact.functions[0];
    assert_eq!(
        (relu.call_count, relu.self_ns, relu.total_ns),
        (10, 60 * MS, 60 * MS)
    );
    assert_eq!(relu.callers.len(), 1);
    assert_eq!(
        (relu.callers[0].function, relu.callers[0].call_count),
        (1, 10)
    );
    assert_eq!(exact.functions[2].callers, []);
    let paths: Vec<&str> = exact.laps.iter().map(|lap| &*lap.path).collect();
    assert_eq!(paths, ["step", "no lap open"]);
    assert_eq!(
        own(&exact, &exact.laps[0]),
        [
            ("<built-in method torch.relu>".to_owned(), 10, 60),
            ("Net.forward".to_owned(), 4, 30)
        ]
    );
    // JSON has the callers of each lap too.
    let json = serde_json::to_value(&exact).expect("numbers and names");
    let in_step = &json["laps"][0]["functions"][0]["callers"];
    assert_eq!(
        (&in_step[0]["function"], &in_step[0]["call_count"]),
        (&1.into(), &10.into())
    );
    assert_eq!(in_step[0]["self_ns"], 60 * MS);
}

#[test]
fn the_same_function_of_several_processes_is_one() {
    let mut scripts = [script(), Script::new(8, 1_000 * MS)];
    scripts[0].observed(calls(PathId::ROOT, 0, 1, 1, 10, 10));
    scripts[1].observed(Record::CalledFunction(CalledFunction {
        id: 9,
        line: 3,
        name: "main",
        file: "/home/me/train.py",
    }));
    scripts[1].observed(calls(PathId::ROOT, 0, 9, 2, 20, 20));
    let exact = exact(&scripts);
    let told: Vec<(&str, u64, u64)> = (exact.functions.iter())
        .map(|one| (&*one.name, one.call_count, one.self_ns / MS))
        .collect();
    assert_eq!(told, [("main", 3, 30)]);
}

#[test]
fn without_counted_calls_there_are_no_functions() {
    let summary = summarize(&[script()], Options::default());
    assert_eq!(summary.functions, None);
}

#[test]
fn a_script_that_is_told_by_two_paths_has_its_functions_once() {
    let mut run = script();
    run.observed(calls(PathId::ROOT, 0, 1, 2, 10, 10));
    let mut spawned = Script::new(8, 1_000 * MS);
    spawned.observed(Record::CalledFunction(CalledFunction {
        id: 1,
        line: 3,
        name: "main",
        file: "me/train.py",
    }));
    spawned.observed(calls(PathId::ROOT, 0, 1, 3, 10, 10));
    let exact = exact(&[run, spawned]);
    let mains = exact.functions.iter().filter(|one| one.name == "main");
    let mains: Vec<(&str, u64)> = mains.map(|one| (&*one.file, one.call_count)).collect();
    assert_eq!(mains, [("/home/me/train.py", 5)]);
}
