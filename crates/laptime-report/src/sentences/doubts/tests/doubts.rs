use laptime_analysis::benchmark::warm_up::{Change, Later};
use laptime_analysis::doubt::{
    ClockDoubt, CpuLoss, CpuTaker, DeviceDoubt, LastRecords, LookedAt, NotClosed, OpenLap,
    OperationsDoubt, PartlyCounted, PartlySaid, PathPart, PathsDoubt, ProcessDoubt, ProcessName,
    RunDoubt, SaidQuantity, SpansDoubt, StepsDoubt, StepsReason, UntimedSpans,
};

use super::*;

const MS: u64 = 1_000_000;

/// Each doubt on a line: its code, its sentence, and what to do.
fn lines(doubts: impl IntoIterator<Item = Doubt>) -> String {
    let lines = doubts.into_iter().map(|doubt| {
        let Warning {
            code,
            message,
            hint,
        } = in_words(&doubt);
        match hint {
            Some(hint) => format!("{code}: {message} ({hint})"),
            None => format!("{code}: {message}"),
        }
    });
    lines.collect::<Vec<_>>().join("\n")
}

fn of_process(doubt: ProcessDoubt) -> Doubt {
    let process = ProcessName {
        program: "train.py".to_owned(),
        pid: 7,
    };
    Doubt::Process { process, doubt }
}

#[test]
fn of_a_process_the_clock_and_the_paths_are_doubted() {
    let clock = [
        ClockDoubt::Clamped { count: 1 },
        ClockDoubt::Suspended {
            suspended_ns: 5_000 * MS,
        },
        ClockDoubt::Nominal,
        ClockDoubt::Contradicting,
        ClockDoubt::Uneven {
            change_ratio: 0.012,
        },
    ];
    let too_many = |outermost_count, inside_count| PathsDoubt::TooMany {
        outermost_count,
        inside_count,
    };
    let paths = [
        PathsDoubt::DeepRecursion { count: 2 },
        PathsDoubt::TooDeep { count: 1 },
        too_many(5, 0),
        too_many(0, 1),
        too_many(5, 6),
    ];
    let clock = clock.map(ProcessDoubt::Clock).into_iter();
    let all = clock.chain(paths.map(ProcessDoubt::Paths));
    insta::assert_snapshot!(lines(all.map(of_process)), @"
    clamped-durations: train.py (process 7): 1 duration was below zero and set to zero: the clock ran backwards (`laptime doctor` shows which clock is in use and why)
    suspended: the machine was suspended for 5.0 s while train.py (process 7) ran; that time is in no span
    nominal-clock: train.py (process 7): too short to measure the clock's rate, so durations are computed with the frequency that the CPU states
    doubtful-clock: train.py (process 7): its clock readings contradict each other, so durations and moments are doubtful (its file may be damaged: copy the recording again)
    uneven-clock: train.py (process 7): the clock's rate changed by 1.2 % during the run; durations rest on its mean (a virtual machine that moved to another host does this; run again)
    deep-recursion: train.py (process 7): 2 spans ran inside 64 of the same name, and no more levels are told apart; their time is in the innermost level (for a function that calls itself, open one lap around the first call)
    too-deep: train.py (process 7): 1 span ran more than 512 levels deep; their time is in that of <deep>, which stands for level 513 (a lap that calls itself through others nests without an end: open it once, outside)
    too-many-paths: train.py (process 7): 5 spans are in <overflow>, because there were more than 65536 different paths, more than 4 MiB of names, or more than 16 KiB of names nested in each other (use fixed names; put numbers and ids into metrics or marks)
    too-many-paths: train.py (process 7): 1 span is part of the row around them, without one of their own, because there were more than 65536 different paths, more than 4 MiB of names, or more than 16 KiB of names nested in each other (use fixed names; put numbers and ids into metrics or marks)
    too-many-paths: train.py (process 7): 5 spans are in <overflow>, and 6 are part of the row around them, because there were more than 65536 different paths, more than 4 MiB of names, or more than 16 KiB of names nested in each other (use fixed names; put numbers and ids into metrics or marks)
    ");
}

#[test]
fn of_a_process_the_end_of_its_file_is_doubted() {
    let open = OpenLap {
        path: "step/forward".to_owned(),
        age_ns: 3_210 * MS,
    };
    let plain = NotClosed {
        open: None,
        other_track_count: 0,
        is_cut: false,
        may_lack: Vec::new(),
    };
    let lost = |count, errno| ProcessDoubt::LostSpans { count, errno };
    let all = [
        ProcessDoubt::CutOff {
            there_bytes: 12_345,
            written_bytes: 65_536,
        },
        ProcessDoubt::EmptyWindows { count: 1 },
        ProcessDoubt::EmptyWindows { count: 1_200 },
        ProcessDoubt::NotClosed(NotClosed {
            open: Some(open.clone()),
            other_track_count: 1,
            may_lack: vec![
                LastRecords::DeviceTimes,
                LastRecords::Phases,
                LastRecords::Samples,
            ],
            ..plain.clone()
        }),
        ProcessDoubt::NotClosed(NotClosed {
            open: Some(open),
            is_cut: true,
            ..plain.clone()
        }),
        lost(12, Some(28)),
        lost(1, None),
        lost(0, Some(5)),
        lost(0, Some(99)),
    ];
    let nameless = Doubt::Process {
        process: ProcessName {
            program: String::new(),
            pid: 8,
        },
        doubt: ProcessDoubt::NotClosed(plain),
    };
    let all = all.map(of_process).into_iter().chain([nameless]);
    insta::assert_snapshot!(lines(all), @"
    truncated: train.py (process 7): its file is cut off: 12345 of 65536 bytes are there, so spans are missing (copy the recording again)
    empty-windows: train.py (process 7): 1 window of its file is empty, so spans are missing (copy the recording again)
    empty-windows: train.py (process 7): 1200 windows of its file are empty, so spans are missing (copy the recording again)
    not-closed: train.py (process 7) ended without closing its recording; it was in step/forward for 3.2 s, and 1 other track had open spans (it was killed, called os._exit or became another program (exec); every span that finished before is counted; device times of the last ones may be missing; automatic phases of the last batch may be missing: their time is then in the self time of the row around them; what its threads did last is in no sample, at most a second of it)
    truncated: train.py (process 7) ended without closing its recording; it was in step/forward for 3.2 s; its file is cut off, so spans after the cut are missing
    lost-spans: train.py (process 7): 12 spans were lost: the disk was full (error 28) (free some space, or record elsewhere with -o)
    lost-spans: train.py (process 7): 1 span was lost: they came faster than they could be written (time larger pieces of work: each span costs about 20 ns and 7 bytes)
    lost-spans: train.py (process 7): recording stopped: the disk reported an error (error 5) (look at the system's log)
    lost-spans: train.py (process 7): recording stopped: the recording could not be written (error 99) (record elsewhere with -o)
    not-closed: process 8 ended without closing its recording (it was killed, called os._exit or became another program (exec); every span that finished before is counted)
    ");
}

#[test]
fn of_a_run_notes_and_ends_are_doubted() {
    let noted = |code: &str, messages: &[&str]| RunDoubt::Noted {
        code: code.to_owned(),
        messages: messages.iter().map(|one| (*one).to_owned()).collect(),
    };
    let ended = |count| RunDoubt::WorkersEnded {
        count,
        path: "main/job".to_owned(),
        age_ns: 60 * MS,
    };
    let all = [
        noted("device-active", &["torch used cuda:0", "torch used cuda:1"]),
        noted("device.unavailable", &["no NVIDIA driver"]),
        noted("device.synchronized", &["laps waited for their device"]),
        noted("phases.none", &["no PyTorch module was called"]),
        noted("phases.torn", &["laps hold parts of steps"]),
        noted("launches", &["the program uses JAX"]),
        noted("operations.contradicted", &["a count contradicted it"]),
        ended(1),
        ended(2),
        RunDoubt::Signal { signal: 9 },
        RunDoubt::Signal { signal: 11 },
        RunDoubt::Signal { signal: 40 },
        RunDoubt::Unrecorded {
            interpreters: vec!["/usr/bin/python3.8".to_owned(), "/opt/python".to_owned()],
        },
        RunDoubt::ProfiledSteps,
        RunDoubt::OperatorsLeftOut { count: 1_234_567 },
    ];
    insta::assert_snapshot!(lines(all.map(Doubt::Run)), @r#"
    device-active: torch used cuda:0; torch used cuda:1: times are host times and measure when work was launched there, not how long it took (synchronise inside the spans that matter, e.g. torch.cuda.synchronize())
    device.unavailable: laps were not timed on the device (no NVIDIA driver): times are host times and measure when work was launched there, not how long it took
    device.synchronized: laps waited for their device: host times are the device's too, but the program ran slower than it does by itself (compare it with runs that were recorded that way only, or record without sync=True and LAPTIME_DEVICE=sync)
    phases.none: no PyTorch module was called, so there are no phases to show (put lt.lap("name") around the parts that matter: functions such as torch.nn.functional.conv2d belong to no module)
    phases.torn: laps hold parts of steps: steps are told in pieces, and their times are those of the pieces (put a lap around each whole step: `with lt.lap("step"):`)
    launches: the program uses JAX: a lap holds the work only if it waits for the result (write lt.sync_on(result) at the end of the laps that matter)
    operations.contradicted: a count contradicted it
    workers-ended: a worker process was ended in the midst of work: in main/job, for at least 60.0 ms (leaving `with Pool()` does that; close() and join() let workers finish. If nothing ended them, they were killed, called os._exit or became another program (exec). Every span that finished before is counted)
    workers-ended: 2 worker processes were ended in the midst of work: in main/job, the longest for at least 60.0 ms (leaving `with Pool()` does that; close() and join() let workers finish. If nothing ended them, they were killed, called os._exit or became another program (exec). Every span that finished before is counted)
    signal: signal 9 (SIGKILL) ended the program (if nobody killed it, the machine ran out of memory: look at `dmesg`)
    signal: signal 11 (SIGSEGV) ended the program
    signal: signal 40 ended the program
    unrecorded: Python ran here without being recorded: /usr/bin/python3.8, /opt/python (install Laptime there too: `python -m pip install laptime`. If it is installed, `laptime.pth` is missing beside it (a copied environment, a folder of PYTHONPATH: let pip install it), or the process was started without the program's environment, or with -S, -I or LAPTIME=0)
    profiled-steps: a profiler was on for the steps in rows named `profiled …`: they ran slower than others, and are in no statistics of steps
    kernels-bounded: 1234567 operators were left out: there were too many to keep (profile fewer steps)
    "#);
}

fn parts(count: usize) -> Vec<PathPart> {
    let names = ["step", "step/forward", "a", "b", "c", "d"];
    let parts = names.map(|path| PathPart {
        path: path.to_owned(),
        count: 2,
        span_count: 3,
    });
    parts[..count].to_vec()
}

#[test]
fn of_spans_their_order_names_and_memory_are_doubted() {
    let exceeded = |path_count| SpansDoubt::ChildrenExceed {
        path: "step".to_owned(),
        excess_ns: 12_340,
        path_count,
    };
    let unbalanced = |count, is_single_path| SpansDoubt::Unbalanced {
        count,
        path: "step".to_owned(),
        is_single_path,
    };
    let numbered = |other_kind_count| SpansDoubt::NumberedNames {
        pattern: "iteration#".to_owned(),
        span_count: 1_040,
        name_count: 1_040,
        other_kind_count,
    };
    let all = [
        exceeded(1),
        exceeded(3),
        SpansDoubt::Overlap {
            excess_ns: 123_456 * MS,
        },
        SpansDoubt::Doubled {
            doubled_ns: 3_000 * MS,
        },
        unbalanced(1, true),
        unbalanced(7, false),
        numbered(0),
        numbered(1),
        SpansDoubt::MemoryPartial { paths: parts(1) },
        SpansDoubt::MemoryPartial { paths: parts(6) },
    ];
    insta::assert_snapshot!(lines(all.map(Doubt::Spans)), @"
    children-exceed: the spans inside step ran 12.3 µs longer than it did, so its self time is shown as zero (spans were closed out of order, or lost)
    children-exceed: the spans inside step ran 12.3 µs longer than it did (3 paths in all), so its self time is shown as zero (spans were closed out of order, or lost)
    overlap: spans cover 123 s more than the wall time (spans that overlap on one thread were closed out of order)
    doubled: outermost laps of one thread overlapped for 3.0 s: that time stands in several rows (a lap that is written afterwards, with its start in the past, holds no lap that ran in it)
    unbalanced: 1 span was closed out of order, or not at all, in step (use `with` or a decorator, which close in order)
    unbalanced: 7 spans were closed out of order, or not at all, most of them in step (use `with` or a decorator, which close in order)
    numbered-names: 1040 laps iteration# have 1040 different names, which differ by a number only: each name is a row of its own, and no row tells how long such a lap usually takes (use fixed names; put numbers and ids into metrics or marks)
    numbered-names: 1040 laps iteration# have 1040 different names, which differ by a number only, and so have those of 1 other kind: each name is a row of its own, and no row tells how long such a lap usually takes (use fixed names; put numbers and ids into metrics or marks)
    memory-partial: memory was counted in only 2 of 3 spans of step: their memory is that of the counted ones (a span has memory when counting was on from its start to its end, and the thread that opened it closed it)
    memory-partial: memory was counted in only 2 of 3 spans of step, 2 of 3 spans of step/forward, 2 of 3 spans of a, 2 of 3 spans of b and some of 2 other paths: their memory is that of the counted ones (a span has memory when counting was on from its start to its end, and the thread that opened it closed it)
    ");
}

#[test]
fn of_devices_times_and_memory_are_doubted() {
    let looked_at = |path: &str, in_flight_count, look_count| LookedAt {
        path: path.to_owned(),
        in_flight_count,
        look_count,
    };
    let untimed = |path: &str| UntimedSpans {
        path: path.to_owned(),
        count: 1,
        span_count: 2,
        reason: "the device was still running",
    };
    let in_flight = |names: &[&str]| DeviceDoubt::InFlight {
        rows: names.iter().map(|name| looked_at(name, 1, 2)).collect(),
    };
    let all = [
        DeviceDoubt::RowInFlight(looked_at("step", 20, 20)),
        DeviceDoubt::RowInFlight(looked_at("step", 1, 1)),
        in_flight(&["step"]),
        in_flight(&["a", "b", "c", "d", "e", "f"]),
        DeviceDoubt::RowPeakBounds {
            count: 1,
            span_count: 2,
        },
        DeviceDoubt::PeakBounds { row_count: 1 },
        DeviceDoubt::PeakBounds { row_count: 2 },
        DeviceDoubt::Untimed {
            paths: vec![untimed("work")],
        },
        DeviceDoubt::Untimed {
            paths: ["a", "b", "c", "d", "e"].map(untimed).to_vec(),
        },
        DeviceDoubt::MixedClocks { count: 3 },
    ];
    insta::assert_snapshot!(lines(all.map(Doubt::Device)), @"
    launches: JAX was still computing what it launched when it ended, in 20 of 20 laps looked at: its time is too short (write lt.sync_on(result) at the end of the laps that matter)
    launches: JAX was still computing what it launched when it ended, in 1 of 1 lap looked at: its time is too short (write lt.sync_on(result) at the end of the laps that matter)
    launches: JAX was still computing when these laps ended: step (in 1 of 2 laps looked at); its time is too short, and the rest counts where the program waits for it (write lt.sync_on(result) at the end of the laps that matter, such as step)
    launches: JAX was still computing when these laps ended: a (in 1 of 2 laps looked at), b (in 1 of 2 laps looked at), c (in 1 of 2 laps looked at), d (in 1 of 2 laps looked at) and 2 other rows; their time is too short, and the rest counts where the program waits for it (write lt.sync_on(result) at the end of the laps that matter, such as a)
    device-memory-bounds: peaks of device memory are known within bounds in 1 of 2 spans: the least is a lower bound, the greatest an upper bound (LAPTIME_DEVICE_MEMORY=fold makes peaks exact: PyTorch's peak is then reset at each lap, and the program's own reading of it stays what it was)
    device-memory-bounds: the peaks of device memory of one row are upper bounds, not exact (LAPTIME_DEVICE_MEMORY=fold makes peaks exact: PyTorch's peak is then reset at each lap, and the program's own reading of it stays what it was)
    device-memory-bounds: the peaks of device memory of 2 rows are upper bounds, not exact (LAPTIME_DEVICE_MEMORY=fold makes peaks exact: PyTorch's peak is then reset at each lap, and the program's own reading of it stays what it was)
    device-partial: no device time is known of 1 of 2 spans of work (the device was still running): device time is that of the others
    device-partial: no device time is known of 1 of 2 spans of a (the device was still running), 1 of 2 spans of b (the device was still running), 1 of 2 spans of c (the device was still running), 1 of 2 spans of d (the device was still running), and some of 1 other paths: device time is that of the others
    mixed-clocks: 3 segments ran before the device was in use, or while a graph was captured: theirs is host time, in the same rows (begin to time after the device's first use)
    ");
}

#[test]
fn of_operations_those_that_are_not_known_are_named() {
    let said = |quantity, count| OperationsDoubt::PartlySaid {
        paths: parts(count)
            .into_iter()
            .map(|part| PartlySaid { quantity, part })
            .collect(),
    };
    let counted = PartlyCounted {
        path: "step".to_owned(),
        coverage_ratio: 0.999_9,
    };
    let all = [
        said(SaidQuantity::Flop, 1),
        said(SaidQuantity::Bytes, 5),
        OperationsDoubt::CallsLeftOut { paths: parts(2) },
        OperationsDoubt::CallsLeftOut { paths: parts(5) },
        OperationsDoubt::PartlyCounted {
            paths: vec![counted; 5],
        },
        OperationsDoubt::CountedOnce,
    ];
    insta::assert_snapshot!(lines(all.map(Doubt::Operations)), @"
    operations-partial: the program says only FLOP of 2 of 3 spans of step: sums and rates are those of these spans (give every lap of a name its flop= and bytes=, or none)
    operations-partial: the program says only bytes of 2 of 3 spans of step, bytes of 2 of 3 spans of step/forward, bytes of 2 of 3 spans of a, bytes of 2 of 3 spans of b and of some spans of 1 other paths: sums and rates are those of these spans (give every lap of a name its flop= and bytes=, or none)
    operations-uncounted: calls ran whose operations are not known in 2 of 3 spans of step, 2 of 3 spans of step/forward: FLOP are without these, and rates are of the other spans, where these are known
    operations-uncounted: calls ran whose operations are not known in 2 of 3 spans of step, 2 of 3 spans of step/forward, 2 of 3 spans of a, 2 of 3 spans of b, and so in 1 other paths: FLOP are without these, and rates are of the other spans, where these are known
    operations-uncounted: of the calls of operators only some were counted, 99.9 % of those in step, 99.9 % of those in step, 99.9 % of those in step, 99.9 % of those in step, and so in 1 other paths: FLOP and rates are at least these
    operations-once: no row has FLOP: each call of the model ran while its operations were being counted, which is slower. The laps after that have FLOP: let the program do the same again, or count the model alone (lt.count(model, inputs), laptime ops)
    ");
}

#[test]
fn of_steps_a_change_and_a_busy_machine_are_told() {
    let loss = |taker, ratio| CpuLoss { taker, ratio };
    let (threads, host) = (CpuTaker::OtherThreads, CpuTaker::Host);
    let changes = |all: &[(usize, f64)]| {
        let all = all.iter();
        let all = all.map(|(at, ratio)| Change {
            at: *at,
            ratio: *ratio,
        });
        Later::Changes(all.collect())
    };
    let once = changes(&[(60, 0.5)]);
    let doubt = |later: &Later, looked_at_count, reason| StepsDoubt::Changed {
        later: later.clone(),
        noun: "step".to_owned(),
        looked_at_count,
        reason,
    };
    let busier = |taker| StepsReason::BusyMachine {
        taker,
        before_ratio: 0.01,
        after_ratio: 0.3,
    };
    let busy = |taker, ratio, noun: &str| StepsDoubt::BusyMachine {
        loss: loss(taker, ratio),
        noun: noun.to_owned(),
    };
    let all = [
        StepsDoubt::BusyWarmUp {
            loss: loss(threads, 0.8),
            noun: "batch".to_owned(),
        },
        busy(threads, 0.66, "step"),
        busy(threads, 0.123, ""),
        busy(host, 0.25, "step"),
        doubt(&once, None, busier(threads)),
        doubt(&Later::Trend(0.4), None, busier(host)),
        doubt(&changes(&[(50, 0.5), (75, -0.3)]), None, busier(threads)),
        doubt(
            &once,
            None,
            StepsReason::PartlyBusyMachine(loss(threads, 0.4)),
        ),
        doubt(
            &once,
            None,
            StepsReason::NotTheCpu {
                delayed_ratio: 0.003,
            },
        ),
        doubt(&Later::Trend(2.6), None, StepsReason::LongerInputs),
        doubt(&once, Some(512), StepsReason::NotKnown),
    ];
    let all = all.map(|doubt| Doubt::Steps { pid: None, doubt });
    let of_one = Doubt::Steps {
        pid: Some(8),
        doubt: busy(host, 0.5, "step"),
    };
    insta::assert_snapshot!(lines(all.into_iter().chain([of_one])), @"
    busy-machine: the thread that takes the batches waited for a CPU for 80 % of the time (leave a CPU free and run again: fewer workers and threads (`OMP_NUM_THREADS`), no other programs, no limit on the container's CPU)
    busy-machine: the machine was busy: the thread that takes the steps waited for a CPU for 66 % of the time, so the numbers are unreliable (leave a CPU free and run again: fewer workers and threads (`OMP_NUM_THREADS`), no other programs, no limit on the container's CPU)
    busy-machine: the machine was busy: the main thread waited for a CPU for 12 % of the time, so the numbers are unreliable (leave a CPU free and run again: fewer workers and threads (`OMP_NUM_THREADS`), no other programs, no limit on the container's CPU)
    busy-machine: the machine was busy: the host of this virtual machine took 25 % of its CPU time, so the numbers are unreliable (other virtual machines on that host took the CPU time: run again, or on a machine of its own)
    step-time-changed: from step 60 on, steps were 50 % longer. The reason is a busy machine: the thread that takes the steps waited for a CPU for 30 % of the time from there on, 1.0 % before (the tables mix the shorter and the longer steps; leave a CPU free and run again: fewer workers and threads (`OMP_NUM_THREADS`), no other programs, no limit on the container's CPU)
    step-time-changed: steps grew longer: the median of their last third is 40 % above that of the first. The reason is a busy machine: the host of this virtual machine took 30 % of its CPU time in their last third, 1.0 % in the first (the tables mix the shorter and the longer steps; other virtual machines on that host took the CPU time: run again, or on a machine of its own)
    step-time-changed: from step 50 on, steps were 50 % longer; from step 75 on, 30 % shorter than just before. The reason is a busy machine: the thread that takes the steps waited for a CPU for 30 % of the time after the largest change, 1.0 % before it (the tables mix the shorter and the longer steps; leave a CPU free and run again: fewer workers and threads (`OMP_NUM_THREADS`), no other programs, no limit on the container's CPU)
    step-time-changed: from step 60 on, steps were 50 % longer. The machine was busy too, which explains only a part of that: the thread that takes the steps waited for a CPU for 40 % of the time (the tables mix the shorter and the longer steps; leave a CPU free and run again: fewer workers and threads (`OMP_NUM_THREADS`), no other programs, no limit on the container's CPU)
    step-time-changed: from step 60 on, steps were 50 % longer, though the thread that takes the steps waited for a CPU for only 0.3 % of the time (the tables mix the shorter and the longer steps; look at the program, its other threads, and what Laptime can't see: the CPU's clock speed and memory bandwidth)
    step-time-changed: steps grew longer: the median of their last third is 3.6 times that of the first, as their inputs did (the tables mix the shorter and the longer steps)
    step-time-changed: from step 60 on, steps were 50 % longer (of the first 512 steps) (the tables mix the shorter and the longer steps; run longer, or compare equal stretches)
    busy-machine: process 8: the machine was busy: the host of this virtual machine took 50 % of its CPU time, so the numbers are unreliable (other virtual machines on that host took the CPU time: run again, or on a machine of its own)
    ");
}

#[test]
fn a_doubt_of_one_of_several_recordings_says_whose_it_is() {
    let worded = Warning::new("truncated", "its file is cut off").with_hint("copy it again");
    assert_eq!(in_words(&Doubt::Worded(worded.clone())), worded);
    let doubt = Doubt::Recording {
        name: "1.lap".to_owned(),
        doubt: Box::new(Doubt::Worded(worded)),
    };
    insta::assert_snapshot!(lines([doubt]), @"
    truncated: 1.lap: its file is cut off (copy it again)
    ");
}
