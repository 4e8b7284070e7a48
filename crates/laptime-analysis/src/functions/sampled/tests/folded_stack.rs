use super::*;

/// Files by a letter: two of the program's, packages, Python's library, the import system.
fn file(letter: &str) -> &'static str {
    match letter {
        "p" => "job.py",
        "m" => "model.py",
        "t" => "site-packages/torch/nn/modules/module.py",
        "T" => "site-packages/torch/__init__.py",
        "D" => "site-packages/torch/_dynamo/__init__.py",
        "n" => "site-packages/numpy/__init__.py",
        "j" => "lib/python3.11/json/encoder.py",
        "l" => "site-packages/laptime/_start.py",
        "i" => "<frozen importlib._bootstrap>",
        "h" => "lib/python3.11/threading.py",
        "q" => "lib/python3.11/multiprocessing/queues.py",
        "c" => "lib/python3.11/concurrent/futures/process.py",
        "o" => "site-packages/torch/optim/sgd.py",
        "a" => "lib/python3.11/asyncio/events.py",
        "u" => "site-packages/uvicorn/server.py",
        "f" => "site-packages/fastapi/applications.py",
        "y" => "site-packages/_pytest/config/__init__.py",
        "g" => "<string>",
        "s" => "lib/python3.11/multiprocessing/process.py",
        "-" => "",
        other => panic!("{other}"),
    }
}

/// Folds a stack of `file:function:line`, the outermost first.
fn folded(stack: &[&str]) -> Vec<Step> {
    let frames: Vec<(Function, u32)> = stack
        .iter()
        .map(|frame| {
            let mut parts = frame.split(':');
            let (letter, name, line) = (parts.next(), parts.next(), parts.next());
            let function = Function {
                name: name.unwrap().to_owned(),
                file: file(letter.unwrap()).to_owned(),
            };
            (function, line.unwrap().parse().unwrap())
        })
        .collect();
    let own = OwnCode::default();
    fold(
        &own,
        frames.iter().map(|(function, line)| (function, *line)),
    )
}

fn told(steps: &[Step]) -> Vec<String> {
    let told = steps.iter().map(|step| {
        let name = match &step.call {
            CallKind::Own { name, file } => format!("{file}!{name}"),
            CallKind::Library { name, package } => format!("{package}.{name}"),
            CallKind::Import { module } => format!("import {module}"),
            CallKind::Collection => "collection".to_owned(),
        };
        format!("{name}:{} ×{}", step.line, step.frame_count)
    });
    told.collect()
}

#[test]
fn frames_of_packages_are_one_step_by_the_line_that_calls_them() {
    let steps = folded(&[
        "p:<module>:9",
        "p:main:5",
        "t:Module.__call__:100",
        "t:Module._call_impl:200",
        "m:Net.forward:7",
        "j:dumps:1",
    ]);
    let expected = [
        "job.py!:9 ×1",
        "job.py!main:5 ×1",
        "torch.Module.__call__:5 ×2",
        "model.py!Net.forward:7 ×1",
        "json.dumps:7 ×1",
    ];
    assert_eq!(told(&steps), expected);
    assert_eq!(import_of(&steps), None);
}

#[test]
fn what_an_event_loop_calls_of_packages_is_told_by_these() {
    let steps = folded(&[
        "p:<module>:9",
        "a:run:1",
        "a:Runner.run:2",
        "a:Handle._run:3",
        "u:Server.serve:4",
        "u:Server.main_loop:5",
        "f:FastAPI.__call__:6",
        "u:Proxy.__call__:7",
        "j:dumps:8",
        "p:hash:7",
        "j:dumps:8",
    ]);
    let expected = [
        "job.py!:9 ×1",
        "asyncio.run:9 ×3",
        "uvicorn.Server.serve:0 ×2",
        "fastapi.FastAPI.__call__:0 ×3",
        "job.py!hash:7 ×1",
        "json.dumps:7 ×1",
    ];
    assert_eq!(told(&steps), expected);
    // Without a loop they are what the program calls.
    let steps = folded(&["p:<module>:9", "u:Server.serve:4", "f:FastAPI.__call__:6"]);
    assert_eq!(told(&steps)[1..], ["uvicorn.Server.serve:9 ×2"]);
}

#[test]
fn a_call_that_only_inner_functions_of_a_package_are_seen_of_has_no_name() {
    let last = |stack: &[&str]| told(&folded(stack)).pop().unwrap();
    let script = "p:<module>:3";
    for inner in [
        "t:boolean_dispatch.<locals>.fn:1",
        "t:fn:1",
        "t:wrapper:1",
        "t:Module._wrapped_call_impl:1",
    ] {
        assert_eq!(last(&[script, inner, "t:_max_pool2d:9"]), "torch.:3 ×2");
        let named = [script, inner, "t:Linear.forward:9"];
        assert_eq!(last(&named), "torch.Linear.forward:3 ×2");
    }
    // A class says more than a line.
    let called = "torch.Module.__call__:3 ×1";
    assert_eq!(last(&[script, "t:Module.__call__:1"]), called);
    // The interpreter's own threads have no line.
    assert_eq!(last(&["h:_shutdown:1"]), "threading._shutdown:0 ×1");
}

#[test]
fn a_function_of_a_private_package_is_told_with_its_module() {
    let steps = folded(&["p:<module>:3", "y:main:9"]);
    assert_eq!(told(&steps)[1], "_pytest._pytest.config.main:3 ×1");
}

#[test]
fn a_function_that_recurs_is_one_step_and_parts_without_a_name_belong_to_theirs() {
    let steps = folded(&[
        "p:<module>:9",
        "p:walk:5",
        "p:walk.<locals>.<listcomp>:5",
        "p:visit:8",
        "p:walk:6",
        "p:<lambda>:2",
    ]);
    assert_eq!(
        told(&steps),
        ["job.py!:9 ×1", "job.py!walk:5 ×1", "job.py!visit:8 ×1"]
    );
}

#[test]
fn an_import_belongs_to_the_line_that_made_it_with_all_that_it_drags_in() {
    let steps = folded(&[
        "p:<module>:2",
        "i:_find_and_load:1",
        "T:<module>:50",
        "i:_find_and_load:1",
        "n:<module>:4",
    ]);
    assert_eq!(told(&steps)[1], "import torch:2 ×1");
    let import = import_of(&steps).unwrap();
    assert_eq!((&*import.module, &import.by), ("torch", &None));
    assert_eq!(import.place, Some(("job.py".to_owned(), 2)));
}

#[test]
fn an_import_that_a_package_makes_late_belongs_to_the_call_of_the_package() {
    let steps = folded(&[
        "p:<module>:20",
        "t:Adam.__init__:30",
        "t:Optimizer.__init__:40",
        "i:_find_and_load:1",
        "D:<module>:5",
    ]);
    let import = import_of(&steps).unwrap();
    assert_eq!(import.module, "torch._dynamo");
    assert_eq!(import.by.as_deref(), Some("Adam.__init__"));
    assert_eq!(import.place, Some(("job.py".to_owned(), 20)));
}

#[test]
fn what_a_module_of_the_program_imports_belongs_to_the_module() {
    let steps = folded(&[
        "p:<module>:3",
        "i:_find_and_load:1",
        "m:<module>:1",
        "i:_find_and_load:1",
        "T:<module>:5",
    ]);
    let import = import_of(&steps).unwrap();
    assert_eq!(
        (&*import.module, import.place),
        ("torch", Some(("model.py".to_owned(), 1)))
    );
    // Its own code is the time of its import.
    let import = import_of(&folded(&[
        "p:<module>:3",
        "i:_find_and_load:1",
        "m:<module>:8",
    ]));
    let import = import.unwrap();
    assert_eq!(
        (&*import.module, import.place),
        ("model", Some(("job.py".to_owned(), 3)))
    );
    assert_eq!(import_of(&folded(&["p:<module>:3"])), None);
}

#[test]
fn code_that_is_run_and_not_imported_is_no_import() {
    let steps = folded(&["p:main:5", "j:exec_cell:3", "m:<module>:1", "m:work:4"]);
    let expected = [
        "job.py!main:5 ×1",
        "json.exec_cell:5 ×1",
        "model.py!:1 ×1",
        "model.py!work:4 ×1",
    ];
    assert_eq!(told(&steps), expected);
    assert_eq!(import_of(&steps), None);
}

#[test]
fn frames_of_laptime_are_gone() {
    let steps = folded(&["p:<module>:9", "l:wrapped:5", "p:main:5"]);
    assert_eq!(told(&steps), ["job.py!:9 ×1", "job.py!main:5 ×1"]);
}

#[test]
fn a_thread_is_told_by_what_it_does_and_not_by_how_it_started() {
    let steps = folded(&["h:Thread._bootstrap:5", "h:Thread.run:5", "q:Queue._feed:9"]);
    assert_eq!(told(&steps), ["multiprocessing.Queue._feed:0 ×1"]);
    let steps = folded(&["h:Thread._bootstrap:5", "h:Thread.run:5", "p:work:9"]);
    assert_eq!(
        told(&steps),
        ["threading.Thread.run:0 ×1", "job.py!work:9 ×1"]
    );
}

#[test]
fn a_forked_process_begins_where_it_was_started() {
    let steps = folded(&[
        "p:<module>:20",
        "p:main:18",
        "q:Queue.get:3",
        "s:BaseProcess._bootstrap:100",
        "p:score:9",
    ]);
    assert_eq!(told(&steps), ["job.py!score:9 ×1"]);
}

proptest::proptest! {
    #[test]
    fn every_step_is_known_and_no_function_of_the_program_comes_twice(
        frames in proptest::collection::vec(
            (
                proptest::sample::select(vec!["p", "m", "t", "T", "n", "j", "l", "i"]),
                proptest::sample::select(vec!["<module>", "a", "b", "a.<locals>.<lambda>", "<listcomp>"]),
                1_u32..50,
            ),
            0..30,
        ),
    ) {
        let stack: Vec<String> = frames
            .iter()
            .map(|(letter, name, line)| format!("{letter}:{name}:{line}"))
            .collect();
        let stack: Vec<&str> = stack.iter().map(String::as_str).collect();
        let steps = folded(&stack);
        let counted: u32 = steps.iter().map(|step| step.frame_count).sum();
        proptest::prop_assert!(counted as usize <= stack.len());
        let own: Vec<&CallKind> = steps
            .iter()
            .map(|step| &step.call)
            .filter(|call| call.own().is_some())
            .collect();
        for (at, call) in own.iter().enumerate() {
            proptest::prop_assert!(!own[..at].contains(call), "{steps:?}");
        }
        let two = steps.windows(2);
        let is_library = |step: &Step| step.call.own().is_none();
        for two in two.filter(|two| is_library(&two[0]) && is_library(&two[1])) {
            // Only an import stands below a call of a package.
            let is_import = matches!(two[1].call, CallKind::Import { .. });
            proptest::prop_assert!(is_import, "{steps:?}");
        }
    }
}

#[test]
fn functions_left_out_of_a_deep_stack_are_no_step() {
    let steps = folded(&[
        "p:<module>:9",
        "p:depth:5",
        "-:<functions left out>:0",
        "p:depth:5",
        "j:dumps:1",
    ]);
    let expected = ["job.py!:9 ×1", "job.py!depth:5 ×1", "json.dumps:5 ×1"];
    assert_eq!(told(&steps), expected);
}

#[test]
fn a_function_that_recurs_is_told_by_the_line_that_it_is_in_now() {
    let steps = folded(&[
        "p:<module>:9",
        "p:walk:2",
        "p:visit:7",
        "p:walk:2",
        "p:visit:5",
    ]);
    let expected = ["job.py!:9 ×1", "job.py!walk:2 ×1", "job.py!visit:5 ×1"];
    assert_eq!(told(&steps), expected);
}

#[test]
fn a_call_of_a_package_is_named_by_its_first_function_that_is_no_inside_of_it() {
    let around = |names: &[&str]| {
        let frames = names.iter().map(|name| format!("o:{name}:1"));
        let stack: Vec<String> = ["p:fit:5".to_owned()].into_iter().chain(frames).collect();
        let stack: Vec<&str> = stack.iter().map(String::as_str).collect();
        told(&folded(&stack)).pop().unwrap()
    };
    // What decorators put around it, and what it calls in turn.
    let step = [
        "profile_hook.<locals>.wrapper",
        "_use_grad.<locals>._use",
        "SGD.step",
        "SGD.fused",
    ];
    assert_eq!(around(&step), "torch.SGD.step:5 ×4");
    let module = [
        "Module._wrapped_call_impl",
        "Module._call_impl",
        "Linear.forward",
    ];
    assert_eq!(around(&module), "torch.Linear.forward:5 ×3");
    assert_eq!(
        around(&["Loader.__next__", "Loader.next_data"]),
        "torch.Loader.__next__:5 ×2"
    );
    // Where there is none, the outermost is known best.
    let inside = ["Module._wrapped_call_impl", "Module._call_impl"];
    assert_eq!(around(&inside), "torch.:5 ×2");
}

#[test]
fn the_start_of_a_process_is_no_step_of_what_it_does() {
    let steps = folded(&[
        "s:BaseProcess._bootstrap:1",
        "s:BaseProcess.run:2",
        "c:_process_worker:3",
        "q:Queue.get:4",
    ]);
    assert_eq!(told(&steps), ["multiprocessing.Queue.get:0 ×2"]);
    let steps = folded(&["g:<module>:1", "s:prepare:2"]);
    assert_eq!(told(&steps), ["multiprocessing.prepare:0 ×1"]);
    let steps = folded(&["g:<module>:1", "i:_find_and_load:2", "n:<module>:3"]);
    assert_eq!(told(&steps), ["import numpy:0 ×1"]);
}
