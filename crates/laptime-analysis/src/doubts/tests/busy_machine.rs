use super::*;
use crate::analyzer::Options;
use crate::summary::doubt::Doubt;
use crate::summary::finding::Finding;
use crate::testing::analyzed::summarize;
use crate::testing::scripted::{EPOCH_NS, MAIN, MS, Script, anchor};

/// Steps one after the other from 1 s on; `step_ms` says how long each is, and `delayed` and
/// `stolen` which part of it the thread and the machine lost. All is noted at each step's end.
struct Run {
    step_ms: fn(u64) -> f64,
    delayed: fn(u64) -> f64,
    stolen: Option<fn(u64) -> f64>,
}

const NEVER: fn(u64) -> f64 = |_| 0.0;
/// From step 60 on, steps take half as long again.
const LATER_SLOWER: fn(u64) -> f64 = |step| if step < 60 { 20.0 } else { 30.0 };

impl Run {
    fn script(&self) -> Script {
        let mut script = Script::new(7, 0);
        script.name_track(MAIN, false, "main");
        let mut now = 1_000 * MS;
        let (mut delayed_ns, mut busy_ns, mut stolen_ns) = (0.0, 5e9, 5e8);
        for step in 0..100 {
            let jitter = (step * 7_919 % 100) as f64 * 1e3;
            let ns = (self.step_ms)(step) * 1e6 + jitter;
            script.span(&["step"], now, ns as u64);
            now += ns as u64;
            delayed_ns += (self.delayed)(step) * ns;
            script.delayed(MAIN, now, delayed_ns as u64);
            if let Some(stolen) = self.stolen {
                let share = stolen(step);
                busy_ns += (1.0 - share) * ns;
                stolen_ns += share * ns;
                script.processors(now, busy_ns as u64, stolen_ns as u64);
            }
        }
        script.header.closed = Some(anchor(now));
        script
    }

    fn doubts(&self) -> Vec<StepsDoubt> {
        doubts_of(self.script())
    }

    fn doubt(&self) -> StepsDoubt {
        let [only] = self.doubts().try_into().unwrap();
        only
    }

    /// Why steps changed, with parts of the time in percent.
    fn reason(&self) -> (&'static str, Option<CpuTaker>, Vec<i64>) {
        match self.doubt() {
            StepsDoubt::Changed { reason, .. } => of_reason(reason),
            other => panic!("{other:?}"),
        }
    }
}

fn of_reason(reason: StepsReason) -> (&'static str, Option<CpuTaker>, Vec<i64>) {
    match reason {
        StepsReason::BusyMachine {
            taker,
            before_ratio,
            after_ratio,
        } => {
            let ratios = [before_ratio, after_ratio].map(percent);
            ("busy", Some(taker), ratios.to_vec())
        }
        StepsReason::PartlyBusyMachine(loss) => {
            ("partly busy", Some(loss.taker), vec![percent(loss.ratio)])
        }
        StepsReason::NotTheCpu { delayed_ratio } => {
            ("not the cpu", None, vec![percent(10.0 * delayed_ratio)])
        }
        StepsReason::LongerInputs => ("longer inputs", None, Vec::new()),
        StepsReason::NotKnown => ("not known", None, Vec::new()),
    }
}

fn percent(ratio: f64) -> i64 {
    (100.0 * ratio).round() as i64
}

/// Steps that changed, as places and percents.
fn changes(doubt: &StepsDoubt) -> Vec<(usize, i64)> {
    match doubt {
        StepsDoubt::Changed {
            later: Later::Changes(changes),
            ..
        } => {
            let each = changes.iter();
            each.map(|change| (change.at, percent(change.ratio)))
                .collect()
        }
        other => panic!("{other:?}"),
    }
}

fn doubts_of(script: Script) -> Vec<StepsDoubt> {
    let summary = summarize(&[script], Options::default());
    let doubts = summary.steady.unwrap().warnings.into_iter();
    let of_steps = doubts.map(|doubt| match doubt {
        Doubt::Steps { pid: None, doubt } => doubt,
        other => panic!("{other:?}"),
    });
    of_steps.collect()
}

/// Who made the numbers unreliable, and which part of the time that was in percent.
fn unreliable_by(doubt: &StepsDoubt) -> (CpuTaker, i64) {
    match doubt {
        StepsDoubt::BusyMachine { loss, noun } if noun == "step" => {
            (loss.taker, percent(loss.ratio))
        }
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_machine_that_is_busy_all_the_time_makes_the_numbers_unreliable() {
    let run = Run {
        step_ms: |_| 20.0,
        delayed: |_| 0.66,
        stolen: Some(NEVER),
    };
    let doubt = run.doubt();
    assert_eq!(doubt.code(), "busy-machine");
    assert_eq!(unreliable_by(&doubt), (CpuTaker::OtherThreads, 66));
}

#[test]
fn a_host_that_takes_the_processors_of_a_virtual_machine_is_named() {
    let run = Run {
        step_ms: |_| 20.0,
        delayed: |_| 0.02,
        stolen: Some(|_| 0.25),
    };
    assert_eq!(unreliable_by(&run.doubt()), (CpuTaker::Host, 25));
}

#[test]
fn of_two_that_took_the_cpu_the_one_that_took_more_is_named() {
    let named = |delayed: fn(u64) -> f64, stolen| {
        let run = Run {
            step_ms: |_| 20.0,
            delayed,
            stolen: Some(stolen),
        };
        unreliable_by(&run.doubt())
    };
    assert_eq!(named(|_| 0.2, |_| 0.5), (CpuTaker::Host, 50));
    assert_eq!(named(|_| 0.5, |_| 0.2), (CpuTaker::OtherThreads, 50));
}

#[test]
fn a_quiet_machine_is_no_doubt() {
    let run = Run {
        step_ms: |_| 20.0,
        delayed: |_| 0.09,
        stolen: Some(|_| 0.09),
    };
    assert_eq!(run.doubts(), []);
}

#[test]
fn a_change_that_waiting_for_a_cpu_accounts_for_has_the_busy_machine_as_its_reason() {
    let run = Run {
        step_ms: LATER_SLOWER,
        delayed: |step| if step < 60 { 0.01 } else { 0.3 },
        stolen: None,
    };
    let doubt = run.doubt();
    assert_eq!(doubt.code(), "step-time-changed");
    assert_eq!(changes(&doubt), [(60, 50)]);
    let busy = ("busy", Some(CpuTaker::OtherThreads), vec![1, 30]);
    assert_eq!(run.reason(), busy);
}

#[test]
fn a_change_with_a_busy_machine_before_and_after_has_both() {
    let run = Run {
        step_ms: LATER_SLOWER,
        delayed: |_| 0.4,
        stolen: None,
    };
    let partly = ("partly busy", Some(CpuTaker::OtherThreads), vec![40]);
    assert_eq!(run.reason(), partly);
}

#[test]
fn a_change_while_the_machine_grew_busier_and_steps_shorter_is_not_explained_by_it() {
    let run = Run {
        step_ms: |step| if step < 60 { 30.0 } else { 20.0 },
        delayed: |step| if step < 60 { 0.01 } else { 0.3 },
        stolen: None,
    };
    assert_ne!(run.reason().0, "busy");
}

#[test]
fn a_machine_that_becomes_quiet_is_the_reason_for_shorter_steps() {
    let run = Run {
        step_ms: |step| if step < 60 { 30.0 } else { 20.0 },
        delayed: |step| if step < 60 { 0.3 } else { 0.01 },
        stolen: None,
    };
    assert_eq!(changes(&run.doubt()), [(60, -33)]);
    let busy = ("busy", Some(CpuTaker::OtherThreads), vec![30, 1]);
    assert_eq!(run.reason(), busy);
}

#[test]
fn a_trend_that_waiting_for_a_cpu_accounts_for_has_the_busy_machine_as_its_reason() {
    let run = Run {
        step_ms: |step| 20.0 / (1.0 - 0.004 * step as f64),
        delayed: |step| 0.004 * step as f64,
        stolen: None,
    };
    let doubt = run.doubt();
    let StepsDoubt::Changed {
        later: Later::Trend(ratio),
        ..
    } = doubt
    else {
        panic!("{doubt:?}");
    };
    assert_eq!(percent(ratio), 40);
    let busy = ("busy", Some(CpuTaker::OtherThreads), vec![7, 33]);
    assert_eq!(run.reason(), busy);
}

#[test]
fn of_several_changes_the_largest_has_a_busy_machine_as_its_reason() {
    let run = Run {
        step_ms: |step| match step {
            0..50 => 20.0,
            50..75 => 30.0,
            _ => 21.0,
        },
        delayed: |step| {
            if (50..75).contains(&step) { 0.34 } else { 0.01 }
        },
        stolen: None,
    };
    assert_eq!(changes(&run.doubt()), [(50, 50), (75, -30)]);
    let busy = ("busy", Some(CpuTaker::OtherThreads), vec![1, 34]);
    assert_eq!(run.reason(), busy);
}

#[test]
fn a_change_with_the_cpu_at_hand_is_the_programs_or_of_what_cannot_be_seen() {
    let run = Run {
        step_ms: LATER_SLOWER,
        delayed: |_| 0.003,
        stolen: Some(NEVER),
    };
    assert_eq!(changes(&run.doubt()), [(60, 50)]);
    let tenths_of_a_percent = 3;
    let reason = ("not the cpu", None, vec![tenths_of_a_percent]);
    assert_eq!(run.reason(), reason);
}

#[test]
fn without_a_word_of_the_machines_host_it_is_not_called_idle() {
    let run = Run {
        step_ms: LATER_SLOWER,
        delayed: |_| 0.003,
        stolen: None,
    };
    assert_eq!(changes(&run.doubt()), [(60, 50)]);
    assert_eq!(run.reason().0, "not known");
}

#[test]
fn of_a_thread_that_was_not_watched_nothing_is_claimed() {
    let mut script = Script::new(7, 10_000 * MS);
    script.name_track(5, false, "trainer");
    script.name_track(MAIN, false, "main");
    for step in 0..100 {
        let start = step * 30 * MS;
        let path = script.path(&["step"]);
        let ns = if step < 60 { 20 } else { 30 } * MS + step % 7 * 1_000;
        let track = 5;
        script.push(laptime_core::Span::plain(path, EPOCH_NS + start, ns, track));
        script.delayed(MAIN, start + ns, start / 2);
    }
    let doubts = doubts_of(script);
    assert_eq!(doubts.len(), 1);
    assert_eq!(changes(&doubts[0]), [(60, 50)]);
    assert!(matches!(
        doubts[0],
        StepsDoubt::Changed {
            reason: StepsReason::NotKnown,
            ..
        }
    ));
}

/// A first part of long steps, during which the thread is kept from its CPU for a part of the time.
fn findings_of(step_ms: fn(u64) -> f64, delayed: fn(u64) -> f64) -> Vec<Finding> {
    let run = Run {
        step_ms,
        delayed,
        stolen: None,
    };
    summarize(&[run.script()], Options::default()).findings
}

const LONG_START: fn(u64) -> f64 = |step| if step < 12 { 1_800.0 } else { 20.0 };

#[test]
fn a_warm_up_on_a_busy_machine_says_so_instead_of_asking_for_more_steps() {
    let all = findings_of(LONG_START, |step| if step < 12 { 0.8 } else { 0.0 });
    let [
        Finding::WarmUp {
            busy: Some(busy), ..
        },
    ] = &all[..]
    else {
        panic!("{all:?}");
    };
    let Doubt::Steps {
        pid: None,
        doubt: StepsDoubt::BusyWarmUp { loss, noun },
    } = busy
    else {
        panic!("{busy:?}");
    };
    assert_eq!((percent(loss.ratio), noun.as_str()), (80, "step"));
    let quiet = findings_of(LONG_START, NEVER);
    assert!(
        matches!(&quiet[..], [Finding::WarmUp { busy: None, .. }]),
        "{quiet:?}"
    );
}

#[test]
fn numbers_that_a_busy_machine_made_unreliable_are_no_reason_for_advice() {
    // Warm-up is longer than the rest, and one step in ten takes five times as long.
    let steps: fn(u64) -> f64 = |step| match step {
        0..12 => 300.0,
        step if step % 10 == 3 => 100.0,
        _ => 20.0,
    };
    let quiet = findings_of(steps, NEVER);
    let has = |all: &[Finding], of: fn(&Finding) -> bool| all.iter().any(of);
    let is_warm_up: fn(&Finding) -> bool = |one| matches!(one, Finding::WarmUp { .. });
    let is_slow: fn(&Finding) -> bool = |one| matches!(one, Finding::SlowSteps { .. });
    assert!(has(&quiet, is_warm_up) && has(&quiet, is_slow), "{quiet:?}");
    let busy = findings_of(steps, |_| 0.6);
    assert!(
        matches!(&busy[..], [Finding::Unsteady { is_busy: true, .. }]),
        "{busy:?}"
    );
}

#[test]
fn a_change_of_steps_that_take_next_to_nothing_is_no_finding() {
    let is_unsteady = |one: &Finding| matches!(one, Finding::Unsteady { .. });
    let short = findings_of(|step| LATER_SLOWER(step) / 100.0, NEVER);
    assert!(!short.iter().any(is_unsteady), "{short:?}");
    let long = findings_of(LATER_SLOWER, NEVER);
    assert!(
        matches!(&long[..], [Finding::Unsteady { is_busy: false, .. }]),
        "{long:?}"
    );
}

#[test]
fn of_several_processes_each_doubt_says_whose_it_is() {
    let busy = Run {
        step_ms: |_| 20.0,
        delayed: |_| 0.66,
        stolen: None,
    };
    let mut other = busy.script();
    other.header.pid = 8;
    let quiet = Run {
        delayed: NEVER,
        ..busy
    };
    let summary = summarize(&[quiet.script(), other], Options::default());
    let [only] = summary.steady.unwrap().warnings.try_into().unwrap();
    assert!(
        matches!(
            only,
            Doubt::Steps {
                pid: Some(8),
                doubt: StepsDoubt::BusyMachine { .. }
            }
        ),
        "{only:?}"
    );
}
