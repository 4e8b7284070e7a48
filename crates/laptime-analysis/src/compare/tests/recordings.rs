use super::*;
use crate::benchmark::verdict::Verdict;
use crate::compare::{
    Basis, Difference, Fact, Gate, GateOutcome, Limit, Note, NumberKind, Presence, RecordingOption,
    RowSide, Statistic,
};
use crate::testing::analyzed;
use crate::testing::scripted::{MS, Script};
use crate::time_to_target::relation::Relation;

/// Steps with a forward, and a backward of layers, in milliseconds; each run has noise of its own.
struct Training {
    steps: u64,
    forward: u64,
    layers: [u64; 2],
    seed: u64,
}

impl Training {
    fn script(&self) -> Script {
        let mut script = Script::new(7, 0);
        let mut now = 0;
        for step in 0..self.steps {
            let start = now;
            let noise = (step * 7_919 + self.seed * 104_729) % 1_009 * 100;
            let mut part = |names: &[&str], ns: u64| {
                script.span(names, now, ns);
                now += ns;
            };
            part(&["step", "forward"], self.forward * MS + noise);
            let backward = start + self.forward * MS + noise;
            for (layer, ms) in ["layer1", "layer2"].iter().zip(self.layers) {
                part(&["step", "backward", layer], ms * MS);
            }
            script.span(&["step", "backward"], backward, now - backward);
            script.span(&["step"], start, now - start);
        }
        script.header.closed = Some(crate::testing::scripted::anchor(now));
        script
    }

    fn run(&self) -> Run {
        analyzed::run(&format!("{}.lap", self.seed), &[self.script()])
    }
}

fn training(forward: u64, layers: [u64; 2], seed: u64) -> Run {
    Training {
        steps: 60,
        forward,
        layers,
        seed,
    }
    .run()
}

fn pair_of(base: &[Run], new: &[Run]) -> Pair {
    let mut found = compare(base, &[new.to_vec()], &Options::default());
    found.pairs.remove(0)
}

fn codes(pair: &Pair) -> Vec<&str> {
    pair.notes.iter().map(Note::code).collect()
}

#[test]
fn the_innermost_path_with_most_of_the_difference_is_the_cause() {
    let pair = pair_of(&[training(10, [5, 5], 1)], &[training(10, [5, 9], 2)]);
    assert_eq!(pair.verdict, Verdict::Slower);
    let cause = pair.cause.unwrap();
    assert_eq!(cause.parts.len(), 1);
    assert_eq!(cause.parts[0].path, "step/backward/layer2");
    assert!((cause.parts[0].difference_ns - 4e6).abs() < 1.0);
}

#[test]
fn of_thousands_of_steps_a_part_is_kept_and_tells_the_cause() {
    let long = |layer2: u64, seed: u64| {
        let training = Training {
            steps: 5_000,
            forward: 10,
            layers: [5, layer2],
            seed,
        };
        training.run()
    };
    let pair = pair_of(&[long(5, 1)], &[long(9, 2)]);
    assert_eq!(codes(&pair), ["single-run"]);
    let sides = pair.rows.iter().flat_map(|row| [&row.base, &row.new]);
    let ratios = sides.map(|side| side.as_ref().unwrap().step_ratio);
    assert!(
        ratios.clone().all(|ratio| (ratio - 1.0).abs() < 0.01),
        "{:?}",
        ratios.collect::<Vec<_>>()
    );
    let cause = pair.cause.unwrap();
    assert_eq!(cause.parts[0].path, "step/backward/layer2");
    assert!((cause.parts[0].difference_ns - 4e6).abs() < 1.0);
}

#[test]
fn a_mean_that_few_steps_make_is_told_beside_the_median() {
    let with_pauses = |forward: u64, pause: u64, seed: u64| {
        let mut script = Script::new(7, 0);
        let mut now = 0;
        for step in 0..200 {
            let noise = (step * 7_919 + seed * 104_729) % 1_009 * 100;
            let ms = forward + if step % 40 == 39 { pause } else { 0 };
            script.span(&["step"], now, ms * MS + noise);
            now += ms * MS + noise;
        }
        script.header.closed = Some(crate::testing::scripted::anchor(now));
        analyzed::run("pauses.lap", &[script])
    };
    let told = |base: (u64, u64), new: (u64, u64)| {
        let pair = pair_of(
            &[with_pauses(base.0, base.1, 1)],
            &[with_pauses(new.0, new.1, 2)],
        );
        pair.notes.iter().find_map(|note| match note {
            Note::MeanDiffers { median_ns, mean_ns } => {
                Some([median_ns / 1e6, mean_ns / 1e6].map(f64::round))
            }
            _ => None,
        })
    };
    // A step is 2 ms shorter; each fortieth pauses for 400 ms more, which is 10 ms a step.
    assert_eq!(told((20, 0), (18, 400)), Some([-2.0, 8.0]));
    assert_eq!(told((20, 0), (22, 400)), Some([2.0, 12.0]));
    assert_eq!(told((20, 400), (22, 400)), None);
    assert_eq!(told((20, 0), (22, 30)), None);
}

#[test]
fn several_parts_are_named_where_none_has_most() {
    let pair = pair_of(&[training(10, [5, 5], 1)], &[training(13, [7, 7], 2)]);
    let parts = pair.cause.unwrap().parts;
    let paths: Vec<&str> = parts.iter().map(|part| part.path.as_str()).collect();
    assert_eq!(paths, ["step/backward", "step/forward"]);
}

#[test]
fn own_differences_add_up_to_that_of_the_step() {
    let pair = pair_of(&[training(10, [5, 5], 1)], &[training(12, [4, 9], 2)]);
    let own: f64 = pair.rows.iter().map(|row| row.own_difference_ns).sum();
    assert!((own - pair.whole.difference_ns).abs() < 10.0, "{own}");
}

#[test]
fn own_differences_of_medians_add_up_as_well() {
    let pair = pair_of(&[training(10, [5, 5], 1)], &[training(12, [4, 9], 2)]);
    let own: f64 = pair
        .rows
        .iter()
        .map(|row| row.own_median_difference_ns)
        .sum();
    let whole = &pair.whole;
    assert!((own - whole.median_difference_ns).abs() < 1.0, "{own}");
    let medians = |side: &Option<RowSide>| side.as_ref().unwrap().median_ns.unwrap();
    let of_medians = medians(&whole.new) - medians(&whole.base);
    assert!((whole.median_difference_ns - of_medians).abs() < 1.0);
    assert!((pair.cause.unwrap().difference_ns - of_medians).abs() < 1.0);
}

#[test]
fn paths_of_one_side_stand_where_they_belong() {
    let mut script = Training {
        steps: 60,
        forward: 10,
        layers: [5, 5],
        seed: 2,
    }
    .script();
    script.span(&["step", "forward", "mask"], MS, MS);
    let new = analyzed::run("new.lap", &[script]);
    let pair = pair_of(&[training(10, [5, 5], 1)], std::slice::from_ref(&new));
    let paths =
        |pair: &Pair| -> Vec<String> { pair.rows.iter().map(|row| row.path.clone()).collect() };
    let at = paths(&pair)
        .iter()
        .position(|path| path == "step/forward/mask");
    assert_eq!(at, Some(2));
    assert_eq!(pair.rows[2].presence, Presence::Added);
    assert_eq!(pair.rows[2].verdict, None);
    let swapped = pair_of(&[new], &[training(10, [5, 5], 1)]);
    assert_eq!(paths(&swapped), paths(&pair));
    assert_eq!(swapped.rows[2].presence, Presence::Removed);
}

#[test]
fn swapping_the_sides_turns_the_verdict_round() {
    let (one, other) = ([training(10, [5, 5], 1)], [training(10, [5, 9], 2)]);
    let (slower, faster) = (pair_of(&one, &other), pair_of(&other, &one));
    assert_eq!(slower.verdict, Verdict::Slower);
    assert_eq!(faster.verdict, Verdict::Faster);
    let sum = slower.whole.difference_ns + faster.whole.difference_ns;
    assert!(sum.abs() < 1e-3);
}

#[test]
fn a_single_run_is_noted_and_several_are_not() {
    let base: Vec<Run> = (0..4).map(|seed| training(10, [5, 5], seed)).collect();
    let new: Vec<Run> = (4..8).map(|seed| training(10, [5, 9], seed)).collect();
    assert_eq!(codes(&pair_of(&base[..1], &new[..1])), ["single-run"]);
    let pair = pair_of(&base, &new);
    assert_eq!(codes(&pair), [""; 0]);
    assert_eq!(pair.verdict, Verdict::Slower, "{:?}", pair.whole);
}

#[test]
fn runs_without_a_common_lap_are_not_comparable() {
    let mut script = Script::new(7, 50 * MS);
    script.span(&["other work"], 0, 50 * MS);
    let other = analyzed::run("other.lap", &[script]);
    let pair = pair_of(&[training(10, [5, 5], 1)], &[other]);
    assert_eq!(pair.verdict, Verdict::NotComparable);
    assert_eq!(pair.basis, Basis::Run);
}

#[test]
fn recordings_of_different_programs_say_so_first() {
    let named = |mut run: Run, name: &str| {
        run.summary.program = name.into();
        run
    };
    let fit = || named(training(10, [5, 5], 1), "fit.py");
    let mut script = Script::new(7, 50 * MS);
    script.span(&["request"], 0, 50 * MS);
    script.note("environment.threads", "1");
    let server = named(analyzed::run("server.lap", &[script]), "server.py");
    let pair = pair_of(&[fit()], &[server]);
    let alone = |name: &str| vec![name.to_owned()];
    let (base, new) = (alone("fit.py"), alone("server.py"));
    assert_eq!(
        pair.whole.reason,
        Some(RowReason::OtherProgram { base, new })
    );
    // One that was renamed is compared, and that is noted.
    let renamed = named(training(10, [5, 9], 2), "train.py");
    let pair = pair_of(&[fit()], &[renamed]);
    assert_eq!((pair.differences, pair.verdict), (vec![], Verdict::Slower));
    let (base, new) = (alone("fit.py"), alone("train.py"));
    assert_eq!(pair.notes[0], Note::OtherScript { base, new });
}

/// The option that the first difference is about.
fn option(pair: &Pair) -> Option<RecordingOption> {
    match pair.differences[..] {
        [Difference::Recorded { option, .. }, ..] => Some(option),
        _ => None,
    }
}

#[test]
fn runs_whose_laps_waited_for_the_device_are_compared_with_such_runs_alone() {
    let waited = |seed: u64| {
        let mut script = Training {
            steps: 60,
            forward: 10,
            layers: [5, 5],
            seed,
        }
        .script();
        script.note("device.synchronized", "laps waited for their device");
        analyzed::run("waited.lap", &[script])
    };
    let plain = [training(10, [5, 5], 1), training(10, [5, 5], 2)];
    let pair = pair_of(&plain, &[waited(3), waited(4)]);
    assert_eq!(pair.verdict, Verdict::NotComparable);
    assert_eq!(option(&pair), Some(RecordingOption::DeviceWait));
    let alike = pair_of(&[waited(1), waited(2)], &[waited(3), waited(4)]);
    assert_ne!(alike.verdict, Verdict::NotComparable);
}

#[test]
fn runs_recorded_with_another_option_are_not_comparable_unless_asked() {
    let with_modules = |seed: u64| {
        let (forward, layers) = (10, [5, 9]);
        let mut script = Training {
            steps: 60,
            forward,
            layers,
            seed,
        }
        .script();
        script.module(&["step", "backward", "layer2"], 0, "Linear");
        analyzed::run("modules.lap", &[script])
    };
    let plain = [training(10, [5, 5], 1), training(10, [5, 5], 2)];
    let pair = pair_of(&plain, &[with_modules(3), with_modules(4)]);
    assert_eq!(pair.verdict, Verdict::NotComparable);
    assert!(codes(&pair).contains(&"recorded-otherwise"));
    assert_eq!(option(&pair), Some(RecordingOption::Modules));
    let mixed = pair_of(&plain, &[training(10, [5, 9], 3), with_modules(4)]);
    assert_eq!(mixed.verdict, Verdict::NotComparable);
    let alike = pair_of(&[with_modules(1)], &[with_modules(2)]);
    assert_ne!(alike.verdict, Verdict::NotComparable);
    let allowed = Options {
        allow_different: true,
        ..Options::default()
    };
    let sides = [vec![with_modules(3), with_modules(4)]];
    let allowed = compare(&plain, &sides, &allowed).pairs.remove(0);
    assert_eq!(allowed.verdict, Verdict::Slower);
}

#[test]
fn steps_of_other_names_are_compared_as_whole_runs() {
    let once = |ms: u64, seed: u64| {
        let mut script = Script::new(7, ms * MS);
        script.span(&["load"], 0, ms * MS / 2);
        script.span(&["solve"], ms * MS / 2, ms * MS / 2 + seed * 10_000);
        analyzed::run("once.lap", &[script])
    };
    let side = |ms: u64| -> Vec<Run> { (0..5).map(|seed| once(ms, seed)).collect() };
    let pair = pair_of(&side(100), &side(150));
    assert_eq!((pair.basis, pair.noun.as_str()), (Basis::Run, "run"));
    assert_eq!(codes(&pair), ["no-common-step"]);
    let solve = pair.rows.iter().find(|row| row.path == "solve").unwrap();
    assert_eq!(solve.verdict, Some(Verdict::Slower), "{solve:?}");
}

#[test]
fn work_of_another_size_is_not_comparable() {
    let with = |flop: u128| {
        let mut run = training(10, [5, 5], 1);
        let steady = run.summary.steady.as_mut().unwrap();
        let step = steady.rows.iter_mut().find(|row| row.path == "step");
        let step = step.unwrap();
        step.work.flop = step.count.map(|count| flop * u128::from(count));
        run
    };
    let pair = pair_of(&[with(1_000)], &[with(2_000)]);
    assert_eq!(pair.verdict, Verdict::NotComparable);
    assert_eq!(
        pair.differences[0],
        Difference::StepWork {
            noun: "step".to_owned(),
            base_flop: 1_000.0,
            new_flop: 2_000.0
        }
    );
    assert_eq!(pair_of(&[with(1_000)], &[with(1_000)]).differences, []);
}

#[test]
fn what_one_side_does_not_tell_is_no_difference() {
    let on = |machine: &str| {
        let mut run = training(10, [5, 5], 1);
        let facts = &mut run.summary.environment;
        facts.insert("machine".to_owned(), machine.to_owned());
        run
    };
    let silent = training(10, [5, 5], 2);
    assert_eq!(pair_of(&[on("one")], &[silent]).differences, []);
    let pair = pair_of(&[on("one")], &[on("other")]);
    assert_eq!(pair.verdict, Verdict::NotComparable);
    let allowed = Options {
        allow_different: true,
        ..Options::default()
    };
    let found = compare(&[on("one")], &[vec![on("other")]], &allowed);
    assert_eq!(found.pairs[0].verdict, Verdict::Same);
    assert_eq!(found.pairs[0].differences.len(), 1);
}

#[test]
fn steps_on_a_device_are_not_compared_with_those_on_none() {
    let without = || {
        let mut script = Training {
            steps: 10,
            forward: 10,
            layers: [5, 5],
            seed: 1,
        }
        .script();
        script.note(
            crate::summarize::columns::device_time::NOT_USED,
            "no NVIDIA driver",
        );
        analyzed::run("none.lap", &[script])
    };
    let with_one = || {
        let mut run = training(10, [5, 5], 1);
        let facts = &mut run.summary.environment;
        facts.insert("device".to_owned(), "A100".to_owned());
        run
    };
    let pair = pair_of(&[with_one()], &[without()]);
    assert_eq!(pair.verdict, Verdict::NotComparable);
    let values = |value: &str| vec![value.to_owned()];
    assert_eq!(
        pair.differences[0],
        Difference::Fact {
            fact: Fact::Device,
            base: values("A100"),
            new: values("none")
        }
    );
    assert_eq!(pair_of(&[without()], &[without()]).differences, []);
    let silent = || training(10, [5, 5], 2);
    assert_eq!(pair_of(&[with_one()], &[silent()]).differences, []);
    assert_eq!(pair_of(&[silent()], &[without()]).differences, []);
}

#[test]
fn the_time_to_what_both_learned_stands_beside() {
    let learning = |each_ms: u64| {
        let mut script = Training {
            steps: 60,
            forward: 10,
            layers: [5, 5],
            seed: 1,
        }
        .script();
        for epoch in 0..4 {
            let accuracy = 0.5 + epoch as f64 / 10.0;
            script.metric(&["test_acc"], (epoch + 1) * each_ms * MS, accuracy);
        }
        analyzed::run("a.lap", &[script])
    };
    let pair = pair_of(&[learning(100)], &[learning(50)]);
    let find = |kind: NumberKind| {
        let mut numbers = pair.other_numbers.iter();
        let number = numbers.find(|one| one.kind == kind).unwrap();
        (number.base, number.new)
    };
    let metric = || "test_acc".to_owned();
    let last = NumberKind::LastValue { metric: metric() };
    assert_eq!(find(last), (Some(0.8), Some(0.8)));
    let time = NumberKind::TimeToValue {
        metric: metric(),
        relation: Relation::AtLeast,
        value: 0.8,
    };
    assert_eq!(find(time), (Some(400e6), Some(200e6)));
}

#[test]
fn gates_are_read_as_they_are_written() {
    let gate: Gate = "a > b:c/step:p95 > 2.5 ms".parse().unwrap();
    assert_eq!(
        (gate.path.as_str(), gate.statistic),
        ("a > b:c/step", Statistic::P95)
    );
    assert_eq!(gate.limit, Limit::Absolute(2.5e6));
    assert_eq!(gate.to_string(), "a > b:c/step:p95 > 2.5 ms");
    let gate: Gate = "step:peak>10MiB".parse().unwrap();
    assert_eq!(gate.limit, Limit::Absolute(10.0 * 1_048_576.0));
    let gate: Gate = "step:p50 > 5 %".parse().unwrap();
    assert_eq!(gate.limit, Limit::Ratio(0.05));
}

#[test]
fn limits_are_on_what_a_step_takes_in_a_lap_however_often_it_runs() {
    let often = |times: u64, us: u64| {
        let mut script = Script::new(7, 0);
        let mut now = 0;
        for _ in 0..100 {
            let start = now;
            for _ in 0..times {
                script.span(&["step", "forward"], now, us * 1_000);
                now += us * 1_000;
            }
            script.span(&["step"], start, now - start);
        }
        script.header.closed = Some(crate::testing::scripted::anchor(now));
        [analyzed::run("often.lap", &[script])]
    };
    for statistic in ["mean", "p90", "p95", "p99", "max"] {
        let options = Options {
            gates: vec![format!("step/forward:{statistic} > 5%").parse().unwrap()],
            ..Options::default()
        };
        // Once 400 µs, then four times 200 µs.
        let found = compare(&often(1, 400), &[often(4, 200).to_vec()], &options);
        let gate = &found.pairs[0].gates[0];
        assert_eq!(gate.outcome, GateOutcome::Exceeded, "{statistic}: {gate:?}");
        assert!((gate.new.unwrap() / 8e5 - 1.0).abs() < 0.01, "{gate:?}");
    }
}

#[test]
fn a_run_that_lacks_a_lap_spends_no_time_in_it() {
    let with_mask = |has: bool, seed: u64| {
        let mut script = Training {
            steps: 60,
            forward: 10,
            layers: [5, 5],
            seed,
        }
        .script();
        for step in (0..60).filter(|_| has) {
            script.span(&["step", "forward", "mask"], step * 20 * MS + MS, MS);
        }
        analyzed::run("mask.lap", &[script])
    };
    let base = [with_mask(true, 1), with_mask(false, 2), with_mask(false, 3)];
    let new: Vec<Run> = (4..7).map(|seed| with_mask(true, seed)).collect();
    let pair = pair_of(&base, &new);
    let mask = pair.rows.iter().find(|row| row.path == "step/forward/mask");
    let mask = mask.unwrap();
    // A millisecond in a third of the base's steps, and in all of the others.
    assert!(
        (mask.difference_ns / (2e6 / 3.0) - 1.0).abs() < 0.05,
        "{mask:?}"
    );
}

#[test]
fn what_recordings_say_against_themselves_is_said_of_the_comparison() {
    let mut cut = training(10, [5, 5], 1);
    let warning = laptime_core::Warning::new("truncated", "its file is cut off");
    cut.summary.warnings.push(warning.into());
    let pair = pair_of(&[cut], &[training(10, [5, 5], 2)]);
    let note = pair.notes.iter().find(|note| note.code() == "truncated");
    let Some(Note::Damaged { run, doubt }) = note else {
        panic!("{note:?}")
    };
    let words = doubt.words().unwrap();
    assert_eq!(
        (&run[..], &words.message[..]),
        ("1.lap", "its file is cut off")
    );
}

#[test]
fn steps_that_waited_for_a_cpu_are_not_told_to_be_slower() {
    // Steps of so many milliseconds, of which a part went by without a CPU.
    let busy = |ms: u64, delayed_percent: u64, seed: u64| {
        let mut script = Script::new(7, 0);
        script.name_track(crate::testing::scripted::MAIN, false, "main");
        let (mut now, mut delayed_ns) = (1_000 * MS, 0);
        for step in 0..100 {
            let ns = ms * MS + (step * 7_919 + seed * 104_729) % 1_009 * 100;
            script.span(&["step", "forward"], now, ns / 2);
            script.span(&["step"], now, ns);
            now += ns;
            delayed_ns += ns * delayed_percent / 100;
            script.delayed(crate::testing::scripted::MAIN, now, delayed_ns);
        }
        script.header.closed = Some(crate::testing::scripted::anchor(now));
        analyzed::run("busy.lap", &[script])
    };
    let judged = |base: &[Run], new: &[Run]| {
        let pair = pair_of(base, new);
        let verdicts = pair.rows.iter().map(|row| row.verdict);
        assert!(
            verdicts
                .clone()
                .all(|verdict| verdict == Some(pair.verdict))
        );
        (pair.verdict, codes(&pair).contains(&"kept-from-cpu"))
    };
    let free = [busy(20, 1, 1), busy(20, 1, 2)];
    let kept = [busy(30, 34, 3), busy(30, 34, 4)];
    let slower = busy(30, 1, 5);
    assert_eq!(
        judged(&free[..1], &kept[..1]),
        (Verdict::Inconclusive, false)
    );
    assert_eq!(
        judged(&kept[..1], &free[..1]),
        (Verdict::Inconclusive, false)
    );
    assert_eq!(judged(&free[..1], &[slower]), (Verdict::Slower, false));
    assert_eq!(judged(&free, &kept), (Verdict::Slower, true));
}

#[test]
fn runs_without_laps_are_compared_by_their_times() {
    let plain = |program: &str, ms: u64| {
        let mut run = analyzed::run("plain.lap", &[Script::new(7, ms * MS)]);
        program.clone_into(&mut run.summary.program);
        run
    };
    let runs = |program, ms: [u64; 5]| ms.map(|ms| plain(program, ms));
    let (base, slower) = (
        runs("a.py", [100, 101, 102, 99, 100]),
        runs("a.py", [150, 151, 152, 149, 150]),
    );
    assert_eq!(pair_of(&base, &slower).verdict, Verdict::Slower);
    assert_eq!(pair_of(&base, &base).verdict, Verdict::Inconclusive);
    let other = pair_of(&base, &runs("b.py", [150, 151, 152, 149, 150]));
    assert_eq!(other.verdict, Verdict::Slower);
    assert_eq!(other.notes[0].code(), "other-script");
}
