use laptime_analysis::doubt::{CpuLoss, CpuTaker, StepsDoubt};
use laptime_analysis::{
    CallSite, CodePlace, Doubt, HeldLoop, ImportTime, Keeper, Passing, RankDifference, RankName,
    ThreadsWait, WaitForRank, WorkerLap,
};

use super::*;

const MS: u64 = 1_000_000;

/// Long beginnings, without samples and with some.
fn starts() -> Vec<Finding> {
    vec![
        Finding::Startup {
            startup_ns: 6_780 * MS,
            wall_ns: 8_010 * MS,
            imports: Vec::new(),
            function: None,
        },
        Finding::Startup {
            startup_ns: 6_780 * MS,
            wall_ns: 8_010 * MS,
            imports: vec![ImportTime {
                name: "torch".to_owned(),
                by: None,
                place: Some(CodePlace {
                    file: "train.py".to_owned(),
                    line: 1,
                }),
                total_ns: 4_100 * MS,
                sample_count: 0,
            }],
            function: None,
        },
        Finding::Startup {
            startup_ns: 6_780 * MS,
            wall_ns: 8_010 * MS,
            imports: vec![ImportTime {
                name: "torch._dynamo".to_owned(),
                by: Some("Adam.__init__".to_owned()),
                place: None,
                total_ns: 1_100 * MS,
                sample_count: 0,
            }],
            function: Some(load()),
        },
    ]
}

/// Long ends: in the script or its handlers, in a function of these, and after them.
fn ends() -> Vec<Finding> {
    let end = |closing_ms: u64, function| Finding::Exit {
        exit_ns: 2_010 * MS,
        wall_ns: 6_180 * MS,
        closing_ns: Some(closing_ms * MS),
        function,
    };
    vec![end(20, None), end(20, Some(load())), end(1_950, None)]
}

/// The function that most samples are in.
fn load() -> MainFunction {
    MainFunction {
        name: "Dataset.__getitem__".to_owned(),
        file: "/home/me/data.py".to_owned(),
        line: 41,
        ratio: 0.8,
        awaited: None,
    }
}

/// A lap that keeps other tasks waiting for 200 ms each time.
fn resize(count: u64, waiting_count: u64) -> HeldLoop {
    HeldLoop {
        path: "request/render/resize".to_owned(),
        function: None,
        count,
        total_ns: count * 200 * MS,
        max_ns: 204 * MS,
        wall_ns: 2_570 * MS,
        waiting_count,
        lost_ns: waiting_count * count * 200 * MS,
        sampled: count == 3,
    }
}

/// The lap that workers spend most of their time in.
fn decode() -> WorkerLap {
    WorkerLap {
        path: "decode".to_owned(),
        worker_count: 4,
        count: 1_280,
        mean_ns: 41 * MS,
        ratio: 0.92,
    }
}

/// A wait for data of 40 ms in steps of 100 ms.
fn wait(function: Option<MainFunction>, workers: Option<WorkerLap>) -> Finding {
    Finding::DataWait {
        path: "step/data".to_owned(),
        per_step_ns: 40 * MS,
        usual_ns: None,
        longest_ns: None,
        step_ns: 100 * MS,
        total_ns: 400 * MS,
        function,
        workers,
        worker_function: None,
        is_machine_busy: false,
    }
}

/// A few of its waits make most of them.
fn of_few() -> Finding {
    let mut finding = wait(None, None);
    if let Finding::DataWait { usual_ns, .. } = &mut finding {
        *usual_ns = Some(2 * MS);
    }
    finding
}

/// One wait of ten makes most of them, whatever workers do most of their time.
fn of_one() -> Finding {
    let mut finding = wait(None, Some(decode()));
    if let Finding::DataWait {
        usual_ns,
        longest_ns,
        ..
    } = &mut finding
    {
        (*usual_ns, *longest_ns) = (Some(2 * MS), Some(382 * MS));
    }
    finding
}

/// Workers without laps whose function is known, where no CPU is free for more of them or not.
fn by_workers(function: Option<MainFunction>, is_crowded: bool) -> Finding {
    let mut finding = wait(None, None);
    if let Finding::DataWait {
        worker_function,
        is_machine_busy,
        ..
    } = &mut finding
    {
        (*worker_function, *is_machine_busy) = (function, is_crowded);
    }
    finding
}

/// A loop that does most of its work between its steps.
fn between(function: Option<MainFunction>) -> Finding {
    Finding::BetweenSteps {
        path: "step".to_owned(),
        total_ns: 7_040 * MS,
        during_ns: 7_490 * MS,
        function,
    }
}

/// Findings about what steps and tasks wait for.
fn waits() -> Vec<Finding> {
    let starts = |count, total_ms| Finding::WorkerStarts {
        count,
        total_ns: total_ms * MS,
        wall_ns: 30_300 * MS,
    };
    vec![
        wait(None, None),
        of_few(),
        of_one(),
        wait(Some(load()), None),
        wait(None, Some(decode())),
        by_workers(Some(load()), false),
        by_workers(Some(load()), true),
        by_workers(None, true),
        starts(1, 4_900),
        starts(4, 19_400),
        Finding::HeldLoop(resize(1, 1)),
        Finding::HeldLoop(resize(10, 4)),
        Finding::HeldLoop(resize(3, 1)),
        Finding::HeldLoop(HeldLoop {
            path: String::new(),
            function: Some(load()),
            ..resize(3, 0)
        }),
    ]
}

/// A finding about a part that takes so many percent of the steps.
fn hot(path: &str, class: &str, percent: u64, function: Option<MainFunction>) -> Finding {
    Finding::HotSpot {
        path: path.to_owned(),
        class: class.to_owned(),
        step_path: path
            .split('/')
            .next()
            .filter(|first| *first == "request")
            .unwrap_or("step")
            .to_owned(),
        self_ns: percent * MS,
        steps_ns: 100 * MS,
        function,
    }
}

/// Memory that is kept outside of the steps.
fn between_steps() -> Finding {
    Finding::MemoryGrowth {
        path: "step".to_owned(),
        step_count: 200,
        per_step_bytes: 65_700,
        uncertainty_bytes: 900,
        kept_bytes: 13_140_000,
        keepers: Vec::new(),
        passing: None,
        between: true,
    }
}

/// A forward that allocates what another lap frees.
fn passing(to: &str) -> Passing {
    Passing {
        from_path: "step/forward".to_owned(),
        from_bytes: 200_000,
        to_path: to.to_owned(),
        to_bytes: -189_700,
        also: Vec::new(),
    }
}

/// A wait for threads at the end.
fn ended(function: Option<MainFunction>) -> ThreadsWait {
    ThreadsWait {
        total_ns: 2_010 * MS,
        wall_ns: 2_280 * MS,
        function,
    }
}

/// Three laps that leave it together.
fn together(lap: &Keeper) -> Vec<Keeper> {
    let part = |name: &str, per_step_bytes| Keeper {
        path: format!("{}/{name}", lap.path),
        per_step_bytes,
    };
    vec![part("a", 5_120), part("b", 3_072), part("c", 2_048)]
}

/// Memory that grows, and threads that are waited for.
fn of_memory() -> Vec<Finding> {
    let keeper = Keeper {
        path: "step/forward/stats".to_owned(),
        per_step_bytes: 10_240,
    };
    let other = Keeper {
        path: "step/forward".to_owned(),
        per_step_bytes: 9_800,
    };
    let growth = |keepers, passing| Finding::MemoryGrowth {
        path: "step".to_owned(),
        step_count: 200,
        per_step_bytes: 10_300,
        uncertainty_bytes: 12,
        kept_bytes: 2_060_000,
        between: false,
        passing,
        keepers,
    };
    vec![
        growth(vec![keeper.clone()], None),
        growth(vec![keeper.clone()], Some(passing("step/backward"))),
        growth(vec![keeper, other.clone()], Some(passing("step"))),
        growth(Vec::new(), Some(passing("step/backward"))),
        growth(
            Vec::new(),
            Some(Passing {
                also: vec![Keeper {
                    path: "step/data".to_owned(),
                    per_step_bytes: 140_000,
                }],
                ..passing("step/backward")
            }),
        ),
        growth(together(&other), None),
        growth(Vec::new(), None),
        between_steps(),
    ]
}

/// One of each kind.
pub fn every_kind() -> Vec<Finding> {
    let cause = Cause {
        path: "step/data".to_owned(),
        slow_ns: 90 * MS,
        usual_ns: 2 * MS,
        excess_ns: 490 * MS,
    };
    let path = || "step".to_owned();
    let slow = |cause, outside_ns, is_bare| Finding::SlowSteps {
        path: path(),
        one_in: 20,
        slow_ns: 111 * MS,
        usual_ns: 20 * MS,
        excess_ns: 700 * MS,
        cause,
        outside_ns,
        is_bare,
    };
    let mut all = starts();
    all.extend(ends());
    all.extend([between(None), between(Some(load()))]);
    all.extend(waits());
    all.extend([
        Finding::Overhead {
            span_count: 10_000_000,
            recording_ns: 500 * MS,
            wall_ns: 5_000 * MS,
        },
        Finding::Recompilation {
            path: "step/forward/compile".to_owned(),
            count: 4,
            is_after_warm_up: true,
            total_ns: 3_000 * MS,
        },
        slow(Some(cause), 0, false),
        slow(None, 0, false),
        slow(None, 600 * MS, false),
        slow(None, 600 * MS, true),
        hot("step/forward/conv", "", 60, Some(load())),
        Finding::InFunction {
            path: "step/forward".to_owned(),
            total_ns: 45 * MS,
            steps_ns: 100 * MS,
            function: MainFunction { line: 0, ..load() },
        },
        hot("net/2", "Conv2d", 90, None),
        hot("request/render/resize", "", 55, None),
        Finding::Occasional {
            path: "request/database".to_owned(),
            step_path: "request".to_owned(),
            count: 9,
            step_count: 199,
            mean_ns: 60 * MS,
            usual_ns: 3 * MS,
            total_ns: 540 * MS,
        },
        outside_steps(None),
        outside_steps(Some("fit/load")),
        warm_up(None),
        warm_up(Some(0.8)),
        ranks_finding(),
    ]);
    all.extend(of_inputs());
    all.extend(of_memory());
    all.extend(uncounted_memory_tests::rises(&load()));
    all.extend(uncounted_memory_tests::uncounted_memory(&load()));
    all.extend([None, Some(load())].map(|function| Finding::ThreadsWait(ended(function))));
    all.extend([None, Some("step")].map(collections));
    all.extend([Finding::MemoryBound {
        path: "step/forward".to_owned(),
        total_ns: 10 * MS,
        intensity: 2.31,
    }]);
    all
}

/// Garbage collections of a run or of steps.
fn collections(path: Option<&str>) -> Finding {
    Finding::GarbageCollection {
        path: path.map(str::to_owned),
        total_ns: 4_000 * MS,
        during_ns: 10_000 * MS,
        place: path.is_none().then(|| CodePlace {
            file: "/home/me/train.py".to_owned(),
            line: 12,
        }),
    }
}

/// Inputs that grow: a generation with and without a place, and pictures.
fn of_inputs() -> Vec<Finding> {
    let tokens = |site, generates| Finding::GrowingInputs {
        path: if generates { "evaluation" } else { "step" }.to_owned(),
        from_sizes: vec![1, 12],
        to_sizes: vec![1, 1_412],
        from_tokens: Some(12),
        to_tokens: Some(1_412),
        short_ns: 2 * MS,
        long_ns: 9 * MS,
        extra_ns: 4_000 * MS,
        generates,
        site,
    };
    let site = CallSite {
        function: "generate".to_owned(),
        file: "/home/me/gen.py".to_owned(),
        line: 31,
    };
    vec![
        tokens(Some(site), true),
        tokens(None, false),
        Finding::GrowingInputs {
            path: "step".to_owned(),
            from_sizes: vec![16, 3, 32, 32],
            to_sizes: vec![16, 3, 64, 64],
            from_tokens: None,
            to_tokens: None,
            short_ns: 5 * MS,
            long_ns: 19 * MS,
            extra_ns: 4_000 * MS,
            generates: false,
            site: None,
        },
    ]
}

/// A rank that the others wait for.
fn ranks_finding() -> Finding {
    let name = |pid: u32, rank: &str| RankName {
        pid,
        rank: Some(rank.to_owned()),
    };
    Finding::Ranks {
        holds_up: true,
        difference: RankDifference::Work {
            slow: name(8, "1"),
            fast: name(7, "0"),
            part: Some("forward".to_owned()),
            slow_ns: 15 * MS,
            fast_ns: 5 * MS,
            wait: Some(WaitForRank {
                part: "backward".to_owned(),
                per_step_ns: 10 * MS,
            }),
        },
    }
}

/// A lap of 4.36 s whose steps take 0.08 s.
fn outside_steps(part: Option<&str>) -> Finding {
    Finding::OutsideSteps {
        path: "fit".to_owned(),
        step_path: "fit/step".to_owned(),
        total_ns: 4_360 * MS,
        outside_ns: 4_280 * MS,
        part: part.map(str::to_owned),
        part_ns: part.map(|_| 4_000 * MS),
        function: None,
    }
}

/// A warm-up that was most of the run, and what took the CPU meanwhile.
fn warm_up(busy_ratio: Option<f64>) -> Finding {
    Finding::WarmUp {
        path: "step".to_owned(),
        warm_up_count: 2,
        warm_up_ns: 1_320 * MS,
        steady_count: 62,
        steady_ns: 412 * MS,
        busy: busy_ratio.map(|ratio| Doubt::Steps {
            pid: None,
            doubt: StepsDoubt::BusyWarmUp {
                loss: CpuLoss {
                    taker: CpuTaker::OtherThreads,
                    ratio,
                },
                noun: "step".to_owned(),
            },
        }),
    }
}

#[test]
fn each_kind_is_a_sentence_with_what_to_try() {
    let all = every_kind();
    let root: serde_json::Value =
        serde_json::from_str(include_str!("../../../../../../docs/summary.schema.json")).unwrap();
    let schema = &root["properties"]["findings"];
    let mut summary = crate::tests::killed();
    summary.findings.clone_from(&all);
    let worded = crate::WordedFinding::all(&summary, &crate::next_command::Origin::default());
    assert_eq!(worded.len(), all.len());
    let value = serde_json::to_value(&worded).unwrap();
    let wrong = crate::schema_tests::violations(schema, &value, &root, "findings");
    assert_eq!(wrong, Vec::<String>::new());
    let text: Vec<String> = all.iter().filter_map(finding_sentence).collect();
    insta::assert_snapshot!(text.join("\n"), @r#"
    6.78 s pass before the first lap, 85 % of the run: imports, reading data, building the model. Where functions were sampled, `laptime report --functions` tells them apart; `python -X importtime SCRIPT` lists the imports.
    6.78 s pass before the first lap, 85 % of the run: `import torch` (train.py:1) took 4.10 s.
    6.78 s pass before the first lap, 85 % of the run, mostly in `Dataset.__getitem__` (data.py:41). `Adam()` took 1.10 s to import torch._dynamo.
    2.01 s pass after the last lap, 33 % of the run: what the script does without laps, threads and worker pools that are waited for, exit handlers (`atexit`). Where functions were sampled, `laptime report --functions` tells which. Threads that need not finish can be `daemon=True`; pools end sooner by `shutdown(cancel_futures=True)`.
    2.01 s pass after the last lap, 33 % of the run, mostly in `Dataset.__getitem__` (data.py:41): look there first.
    1.95 s pass after the exit handlers, 32 % of the run: Python frees what is left, and libraries end. Large lists and dictionaries take longest. `os._exit(0)`, once all files are closed, skips it.
    7.04 s pass between the steps, 94 % of the time from the first step to the last: nothing watches what runs there. Put a lap around it. Where functions were sampled, `laptime report --functions` may name what runs there. If it calls `model.forward(x)`, call `model(x)`: that is seen.
    7.04 s pass between the steps, 94 % of the time from the first step to the last, mostly in `Dataset.__getitem__` (data.py:41). Put a lap around it. If it calls `model.forward(x)`, call `model(x)`: that is seen.
    Each step waits 40.0 ms for data on average, 40 % of its time (step/data). Prepare batches ahead, by more workers of a `DataLoader` (`num_workers`, `prefetch_factor`), or do less work per sample.
    Each step waits 40.0 ms for data on average, 40 % of its time (step/data), though half of the waits take less than 2.00 ms. If the loader has workers, and the long ones are at the start and end of each epoch, that is where it starts and ends them: `persistent_workers=True` does so once. Otherwise prepare batches ahead, by more workers (`num_workers`, `prefetch_factor`), or do less work per sample.
    Each step waits 40.0 ms for data on average, 40 % of its time (step/data), though one wait took 382 ms and half of the waits take less than 2.00 ms. Look for what happened then, such as files that were read for the first time or an epoch that began: more workers don't help where a single wait is long.
    Each step waits 40.0 ms for data on average, 40 % of its time (step/data, mostly in `Dataset.__getitem__` (data.py:41)). Prepare batches ahead, by more workers of a `DataLoader` (`num_workers`, `prefetch_factor`), or do less work per sample.
    Each step waits 40.0 ms for data on average, 40 % of its time (step/data). The workers spend 92 % of their time in decode (41.0 ms each time, 1,280 times): make it cheaper, or use more workers (`num_workers`).
    Each step waits 40.0 ms for data on average, 40 % of its time (step/data). The workers spend 80 % of their running time in `Dataset.__getitem__` (data.py:41): make it cheaper, or use more workers (`num_workers`).
    Each step waits 40.0 ms for data on average, 40 % of its time (step/data). The workers spend 80 % of their running time in `Dataset.__getitem__` (data.py:41): make it cheaper, no CPU is free for more workers.
    Each step waits 40.0 ms for data on average, 40 % of its time (step/data). No CPU is free for more workers: do less work per sample, or leave workers and the training fewer threads (`OMP_NUM_THREADS`).
    The first batch waits 4.90 s for the loader's workers to start, 16 % of the run. With the start method `spawn` each of them imports what the script imports: `fork`, or imports where they are used, start them sooner.
    Each epoch waits 4.85 s for the loader's workers to start and end: 19.4 s in 4 epochs, 64 % of the run. With `persistent_workers=True` they do so once.
    request/render/resize blocks the event loop: once, for 200 ms, 8 % of the run. Another task waited meanwhile. Run what takes long there with `await asyncio.to_thread(…)`, or use a library that can be awaited; what computes in Python needs a process.
    request/render/resize blocks the event loop: 10 times, for 200 ms on average, 78 % of the run. Up to 4 other tasks waited meanwhile. Run what takes long there with `await asyncio.to_thread(…)`, or use a library that can be awaited; what computes in Python needs a process.
    request/render/resize blocks the event loop: for at least 600 ms (samples saw it 3 times), 23 % of the run. Another task waited meanwhile. Run what takes long there with `await asyncio.to_thread(…)`, or use a library that can be awaited; what computes in Python needs a process.
    `Dataset.__getitem__` (data.py:41) blocks the event loop: for 600 ms in all, 23 % of the run, once for at least 204 ms. Others that were ready to run waited meanwhile. Run what takes long there with `await asyncio.to_thread(…)`, or use a library that can be awaited; what computes in Python needs a process.
    Recording 10,000,000 laps took about 500 ms, 10 % of the run. Put laps around larger pieces of work.
    step/forward/compile ran 4 times after warm-up, 3.00 s in all. Find out what changes from step to step: `TORCH_LOGS=recompiles` or `JAX_LOG_COMPILES=1` print it.
    At least one in 20 steps takes 111 ms or longer; the median is 20.0 ms. What all steps take beyond the median adds up to 700 ms. 70 % of that is step/data, which usually takes 2.00 ms, and at times 90.0 ms or longer: look there first.
    At least one in 20 steps takes 111 ms or longer; the median is 20.0 ms. What all steps take beyond the median adds up to 700 ms. Several laps inside grow together: look for what slows all of them.
    At least one in 20 steps takes 111 ms or longer; the median is 20.0 ms. What all steps take beyond the median adds up to 700 ms. Most of that is in none of the laps inside: put laps around the other parts.
    At least one in 20 steps takes 111 ms or longer; the median is 20.0 ms. What all steps take beyond the median adds up to 700 ms. No lap is inside: put laps around its parts.
    step/forward/conv alone takes 60 % of a step, mostly in `Dataset.__getitem__` (data.py:41). No other lap inside a phase takes half as much.
    step/forward takes 45 % of the steps' time, mostly in `Dataset.__getitem__` (data.py).
    net/2 (Conv2d) alone takes 90 % of a step, forward and backward together. No other module takes half as much.
    request/render/resize alone takes 55 % of a request. No other lap inside its parts takes half as much.
    request/database runs in few requests, 9 times in 199, and takes 60.0 ms each time. A request usually takes 3.00 ms. It costs 540 ms in all.
    98 % of fit (4.28 s) is outside of its steps: look there first. Put laps around what runs there. Where functions were sampled, `laptime report --functions` tells what that is.
    98 % of fit (4.28 s) is outside of its steps: fit/load takes 4.00 s of it.
    Warm-up took longer than all that followed: 1.32 s for the first 2 steps, 412 ms for the 62 after them. Take more steps, or its cost remains most of the run.
    Warm-up took longer than all that followed: 1.32 s for the first 2 steps, 412 ms for the 62 after them. The machine was busy meanwhile: the thread that takes the steps waited for a CPU for 80 % of the time. Run again before you look for a reason in the program.
    Rank 1 (process 8) holds the others up: its forward takes 15.0 ms per step where rank 0 (process 7) needs 5.0 ms; they wait 10.0 ms of each step in their backward.
    Each call is given a longer input: 12 tokens, then 1,412 (gen.py:31). The third of the evaluations with the shortest inputs takes 2.00 ms each, the third with the longest 9.00 ms. If it generates, keep the cache of earlier tokens: then a call is given the new ones alone.
    Inputs grew from 12 tokens to 1,412, and the time of a step with them: 2.00 ms in the third of the steps with the smallest inputs, 9.00 ms in the third with the largest. If that is meant, compare steps with inputs of one size.
    Inputs grew from [16, 3, 32, 32] to [16, 3, 64, 64], and the time of a step with them: 5.00 ms in the third of the steps with the smallest inputs, 19.0 ms in the third with the largest. If that is meant, compare steps with inputs of one size.
    Each step leaves 10.1 KiB (± 12 B) of memory behind: 1.96 MiB after 200 steps. It is left in step/forward/stats (10.0 KiB each time): look for lists or caches that keep it, there or where it is handed on.
    Each step leaves 10.1 KiB (± 12 B) of memory behind: 1.96 MiB after 200 steps. It is probably left in step/forward/stats (10.0 KiB each time). But step/backward frees memory that others allocate, such as step/forward (185 KiB each time), so a part of that may be kept instead. Look for lists or caches that grow there.
    Each step leaves 10.1 KiB (± 12 B) of memory behind: 1.96 MiB after 200 steps. It is probably left in step/forward/stats (10.0 KiB each time) or in step/forward (9.57 KiB each time). But the step outside of its laps frees memory that others allocate, such as step/forward (185 KiB each time), so a part of that may be kept instead. Look for lists or caches that grow there.
    Each step leaves 10.1 KiB (± 12 B) of memory behind: 1.96 MiB after 200 steps. step/forward leaves 195 KiB each time and step/backward frees 185 KiB. Bytes alone don't tell which lap allocated what is kept: look for lists or caches that grow, such as losses or outputs that are kept with their graphs, or what a dataset caches.
    Each step leaves 10.1 KiB (± 12 B) of memory behind: 1.96 MiB after 200 steps. step/forward leaves 195 KiB each time, step/data 137 KiB, and step/backward frees 185 KiB. Bytes alone don't tell which lap allocated what is kept: look for lists or caches that grow, such as losses or outputs that are kept with their graphs, or what a dataset caches.
    Each step leaves 10.1 KiB (± 12 B) of memory behind: 1.96 MiB after 200 steps. It is left in step/forward/a (5.00 KiB each time), in step/forward/b (3.00 KiB each time) and in step/forward/c (2.00 KiB each time): look for lists or caches that keep it, there or where it is handed on.
    Each step leaves 10.1 KiB (± 12 B) of memory behind: 1.96 MiB after 200 steps. No single lap inside keeps as much: look for what each step appends to lists or caches, such as losses that are kept with their graphs, or what a dataset caches.
    Each step leaves 64.2 KiB (± 900 B) of memory behind, outside of its lap: 12.5 MiB after 200 steps. Look for what the loop keeps from step to step; laps around its other parts show which one it is.
    Memory grows all the time, by 9.25 MiB (± 117 KiB) per second: 44.3 MiB in 4.79 s. Look for lists and caches that the program adds to. `laptime run --memory SCRIPT` samples functions and names this one, if it is one. A lap around each round of its loop, such as `for item in lt.track(items, "step")`, tells what a round leaves, and laps inside tell where.
    Memory grows all the time, by 9.25 MiB (± 117 KiB) per second: 44.3 MiB in 4.79 s. While memory rose, the program computed mostly in `Dataset.__getitem__` (data.py:41): that may keep it, call what keeps it, or take turns with it. A lap around each round of its loop, such as `for item in lt.track(items, "step")`, tells what a round leaves, and laps inside tell where.
    Memory grows all the time, by 9.25 MiB (± 117 KiB) per second: 44.3 MiB in 4.79 s. Samples don't tell in which function. Look for lists and caches that the program adds to. A lap around each round of its loop, such as `for item in lt.track(items, "step")`, tells what a round leaves, and laps inside tell where.
    Memory grows all the time, by 9.25 MiB (± 117 KiB) per second: 44.3 MiB in 4.79 s, 80 % of it while `Dataset.__getitem__` (data.py:41) ran. Look for lists and caches that are added to there.
    Memory of the process grows all the time, by 1.20 MiB (± 30.3 KiB) per step: 1.41 GiB in 1,200 steps. `laptime run --memory SCRIPT` names the laps that keep it. Lists and caches that grow are the usual cause, such as losses that are kept with their graphs.
    Memory of the process grows all the time, by 1.20 MiB (± 30.3 KiB) per step: 1.41 GiB in 1,200 steps. Counted allocations grow by 2.00 MiB meanwhile: look for a library that allocates in its own way, or for memory that is freed in pieces too small to be given back.
    Memory of the process rises evenly, by 1.20 MiB (± 30.3 KiB) per second, and still does at the end: 1.41 GiB in 12.4 s. That is normal where a script collects data, and a leak where it is to run for long. Look for lists and caches that the program adds to. `laptime run --memory SCRIPT` tells whether they are what grows, or a library; with laps, which of them keeps it.
    Memory in use on GPU 1 (NVIDIA H200) grows all the time, by 12.0 MiB (± 1.00 MiB) per step: 3.52 GiB in 300 steps. Look for tensors that each step keeps, such as losses with their graphs. `laptime run --memory SCRIPT` tells each lap's memory there.
    Memory in use on GPU 1 (NVIDIA H200), by all that use it, grows all the time, by 12.0 MiB (± 1.00 MiB) per step: 3.52 GiB in 300 steps. Look for tensors that each step keeps, such as losses with their graphs.
    Memory of the process grows all the time, by 1.20 MiB (± 30.3 KiB) per step: 1.41 GiB in 1,200 steps, 80 % of it while `Dataset.__getitem__` (data.py:41) ran. `laptime run --memory SCRIPT` names the laps that keep it. Lists and caches that grow are the usual cause, such as losses that are kept with their graphs.
    Memory of the process rises evenly, by 1.20 MiB (± 30.3 KiB) per second, and still does at the end: 1.41 GiB in 12.4 s, 80 % of it while `Dataset.__getitem__` (data.py:41) ran. That is normal where a script collects data, and a leak where it is to run for long. Look for lists and caches that are added to there.
    Memory of the process rises evenly, by 1.20 MiB (± 30.3 KiB) per second, and still does at the end: 1.41 GiB in 12.4 s. That is normal where a script collects data, and a leak where it is to run for long. While memory rose, the program computed mostly in `Dataset.__getitem__` (data.py:41): that may keep it, call what keeps it, or take turns with it.
    Memory of the process rises evenly, by 1.20 MiB (± 30.3 KiB) per second, until 1.01 s before the end: 1.41 GiB in 12.4 s. That is normal where a script collects data, and a leak where it is to run for long. Look for lists and caches that the program adds to. `laptime run --memory SCRIPT` tells whether they are what grows, or a library; with laps, which of them keeps it.
    Memory of the process rises evenly, by 1.20 MiB (± 30.3 KiB) per second, and still does at the end: 1.41 GiB in 12.4 s. That is normal where a script collects data, and a leak where it is to run for long. Counting ended before the process did, so it doesn't tell who keeps it.
    Memory of the process rises evenly, by 1.20 MiB (± 30.3 KiB) per second, and still does at the end: 1.41 GiB in 12.4 s. That is normal where a script collects data, and a leak where it is to run for long. Counted allocations grow by 1.40 GiB meanwhile. Look for lists and caches that the program adds to.
    The script was done, and Python waited 2.01 s for its threads to end, 88 % of the run. Threads that need not finish can be `daemon=True`; pools end sooner by `shutdown(cancel_futures=True)`.
    The script was done, and Python waited 2.01 s for its threads to end, 88 % of the run. Meanwhile these were mostly in `Dataset.__getitem__` (data.py:41). Threads that need not finish can be `daemon=True`; pools end sooner by `shutdown(cancel_futures=True)`.
    Garbage collection takes 4.00 s, 40 % of the run: to find objects that only refer to each other, Python looks through all that live, again and again. Nearly all of it began in one line (train.py:12): if that calls `gc.collect()`, do it less often. Raise `gc.set_threshold()`, call `gc.freeze()` once what stays is loaded, or keep fewer lists, dicts and objects alive.
    Garbage collection takes 4.00 s, 40 % of the time of all steps: to find objects that only refer to each other, Python looks through all that live, again and again. Raise `gc.set_threshold()`, call `gc.freeze()` once what stays is loaded, or keep fewer lists, dicts and objects alive.
    step/forward is limited by memory bandwidth (2.31 FLOP per byte). Larger batches, fused operators or smaller number types help; faster arithmetic doesn't.
    "#);
}

#[test]
fn the_place_of_a_finding_stands_before_it_and_once() {
    let all = every_kind();
    let placed =
        |finding: &Finding| super::place::first(finding, &finding_sentence(finding).unwrap());
    let told: Vec<String> = all.iter().map(placed).collect();
    let beginning = |of: &str| {
        let found = told.iter().filter(|line| line.contains(of));
        found.cloned().collect::<Vec<_>>()
    };
    let waits = beginning("for data on average");
    let first = "step/data: Each step waits 40.0 ms for data on average, 40 % of its time.";
    assert!(waits[0].starts_with(first), "{waits:?}");
    let sampled = waits
        .iter()
        .find(|line| line.starts_with("data.py:41: Each step waits"));
    assert_eq!(sampled.unwrap().matches("data.py:41").count(), 1);
    // What begins with its place has it once.
    let blocked = beginning("blocks the event loop");
    assert!(blocked[0].starts_with("request/render/resize blocks"));
    let start = beginning("`import torch` (train.py:1) took 4.10 s");
    assert!(start[0].starts_with("6.78 s pass before"), "{start:?}");
}
