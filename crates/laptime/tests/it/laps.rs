//! The Rust face as a program uses it.

use std::collections::BTreeMap;
use std::future::Future;
use std::path::Path;
use std::pin::pin;
use std::task::{Context, Poll, Waker};

use laptime::attribute::lap;
use laptime_core::format::process::window_offset;
use laptime_core::format::record::Record;
use laptime_core::format::window::{WINDOW_LEN, Window};
use laptime_core::{PathTable, Span};

use crate::own_process::{self, name_of};

fn spans(folder: &Path) -> BTreeMap<String, Vec<Span>> {
    let mut found: BTreeMap<String, Vec<Span>> = BTreeMap::new();
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_none_or(|extension| extension != "proc") {
            continue;
        }
        let bytes = std::fs::read(path).unwrap();
        let mut paths = PathTable::new();
        let mut all = Vec::new();
        for index in 0.. {
            let offset = window_offset(index) as usize;
            let Some(slot) = bytes.get(offset..) else {
                break;
            };
            let slot = &slot[..slot.len().min(WINDOW_LEN)];
            let Some(window) = Window::parse(slot, offset as u64).unwrap() else {
                continue;
            };
            window
                .for_each(|record| match record {
                    Record::Path { id, parent, name } => {
                        paths.define(id, parent, name);
                    }
                    Record::Span(span) => all.push(span),
                    _ => {}
                })
                .unwrap();
        }
        for span in all {
            let path = laptime_core::path::join(paths.names(span.path));
            found.entry(path).or_default().push(span);
        }
    }
    found
}

fn recorded(run: impl FnOnce()) -> BTreeMap<String, Vec<Span>> {
    let folder = tempfile::tempdir().unwrap();
    let recording = laptime::record(folder.path().join("a.lap")).unwrap();
    run();
    spans(&recording.finish().unwrap())
}

fn counts(spans: &BTreeMap<String, Vec<Span>>) -> Vec<(&str, usize)> {
    spans
        .iter()
        .map(|(path, spans)| (path.as_str(), spans.len()))
        .collect()
}

#[lap]
fn decorated(depth: u32) -> u32 {
    if depth == 0 {
        0
    } else {
        decorated(depth - 1) + 1
    }
}

#[lap("named by hand")]
async fn waits_twice() -> u32 {
    let mut pending = 2;
    std::future::poll_fn(move |context| {
        if pending == 0 {
            return Poll::Ready(());
        }
        pending -= 1;
        context.waker().wake_by_ref();
        Poll::Pending
    })
    .await;
    let _lap = laptime::lap!("inside");
    7
}

#[test]
fn guards_functions_and_loops_make_a_tree() {
    own_process::run(|| {
        let spans = recorded(|| {
            for item in laptime::track([1, 2, 3], "step") {
                let _lap = laptime::lap!("forward");
                assert!(item > 0);
            }
            assert_eq!(decorated(2), 2);
            let _computed = laptime::lap!(&format!("layer {}", 3));
        });
        assert_eq!(
            counts(&spans),
            [
                ("decorated", 1),
                ("decorated/decorated", 1),
                ("decorated/decorated/decorated", 1),
                ("layer 3", 1),
                ("step", 3),
                ("step/data", 3),
                ("step/forward", 3),
            ]
        );
    });
}

#[test]
fn a_future_gets_its_lap_from_a_text_too() {
    own_process::run(|| {
        let spans = recorded(|| {
            let name = format!("shard {}", 2);
            let named = pin!(laptime::lap_future(&*name, std::future::ready(3)));
            let poll = named.poll(&mut Context::from_waker(Waker::noop()));
            assert_eq!(poll, Poll::Ready(3));
        });
        assert_eq!(counts(&spans), [("shard 2", 1)]);
    });
}

#[test]
fn a_future_knows_its_busy_time_and_its_wall_time() {
    own_process::run(|| {
        let mut between = 0;
        let spans = recorded(|| {
            let mut future = pin!(waits_twice());
            let mut context = Context::from_waker(Waker::noop());
            while future.as_mut().poll(&mut context).is_pending() {
                let _other = laptime::lap!("between");
                between += 1;
            }
        });
        assert_eq!(
            counts(&spans),
            [
                ("between", 2),
                ("named by hand", 1),
                ("named by hand/inside", 1)
            ]
        );
        let span = spans["named by hand"][0];
        let others: u64 = spans["between"].iter().map(|span| span.duration).sum();
        assert!(span.wall.unwrap() >= span.duration + others);
        assert_eq!(between, 2);
    });
}

#[test]
fn a_future_that_is_dropped_half_way_is_recorded() {
    own_process::run(|| {
        let spans = recorded(|| {
            let mut context = Context::from_waker(Waker::noop());
            let mut future = Box::pin(waits_twice());
            assert!(future.as_mut().poll(&mut context).is_pending());
        });
        assert_eq!(counts(&spans), [("named by hand", 1)]);
    });
}

#[test]
fn a_panic_closes_its_laps() {
    own_process::run(|| {
        let spans = recorded(|| {
            let _outer = laptime::lap!("outer");
            let caught = std::panic::catch_unwind(|| {
                let _inner = laptime::lap!("inner");
                panic!("expected by the test");
            });
            assert!(caught.is_err());
        });
        assert_eq!(counts(&spans), [("outer", 1), ("outer/inner", 1)]);
        assert!(spans.values().flatten().all(|span| span.flags.0 == 0));
    });
}

#[test]
fn a_future_that_panics_closes_its_lap() {
    own_process::run(|| {
        let spans = recorded(|| {
            let caught = std::panic::catch_unwind(|| {
                let named = pin!(laptime::lap_future("fails", async {
                    panic!("expected by the test");
                }));
                named.poll(&mut Context::from_waker(Waker::noop()))
            });
            assert!(caught.is_err());
            let _after = laptime::lap!("after it");
        });
        assert_eq!(counts(&spans), [("after it", 1), ("fails", 1)]);
    });
}

#[cfg(feature = "tracing")]
#[test]
fn tracing_spans_become_laps() {
    own_process::run(|| {
        use tracing_subscriber::layer::SubscriberExt;
        let spans = recorded(|| {
            let subscriber = tracing_subscriber::registry().with(laptime::layer());
            tracing::subscriber::with_default(subscriber, || {
                let outer = tracing::info_span!("request").entered();
                tracing::info_span!("parse").in_scope(|| {
                    let _lap = laptime::lap!("tokens");
                });
                drop(outer);
            });
        });
        assert_eq!(
            counts(&spans),
            [
                ("request", 1),
                ("request/parse", 1),
                ("request/parse/tokens", 1)
            ]
        );
    });
}

#[cfg(feature = "tracing")]
#[test]
fn a_tracing_span_that_is_made_once_and_used_elsewhere_is_a_lap_each_time() {
    own_process::run(|| {
        use tracing_subscriber::layer::SubscriberExt;
        let spans = recorded(|| {
            let subscriber = tracing_subscriber::registry().with(laptime::layer());
            tracing::subscriber::with_default(subscriber, || {
                let linear = tracing::info_span!("linear");
                for _ in 0..3 {
                    let _forward = laptime::lap!("forward");
                    for _ in 0..2 {
                        linear.in_scope(|| drop(laptime::lap!("matmul")));
                    }
                }
                // A model that is never dropped.
                std::mem::forget(linear);
            });
        });
        assert_eq!(
            counts(&spans),
            [
                ("forward", 3),
                ("forward/linear", 6),
                ("forward/linear/matmul", 6)
            ]
        );
    });
}

#[cfg(feature = "tracing")]
#[test]
fn a_tracing_span_that_runs_in_pieces_where_it_was_made_is_one_lap() {
    own_process::run(|| {
        use tracing_subscriber::layer::SubscriberExt;
        let spans = recorded(|| {
            let subscriber = tracing_subscriber::registry().with(laptime::layer());
            tracing::subscriber::with_default(subscriber, || {
                let _serve = laptime::lap!("serve");
                let request = tracing::info_span!("request");
                let task = request.in_scope(|| tracing::info_span!("task"));
                for _ in 0..3 {
                    request.in_scope(|| ());
                    task.in_scope(|| ()); // by an executor that knows nothing of the request
                }
            });
        });
        assert_eq!(
            counts(&spans),
            [("serve", 1), ("serve/request", 1), ("serve/task", 1)]
        );
    });
}

#[cfg(feature = "report")]
#[test]
fn the_report_of_this_process_is_a_table() {
    own_process::run(|| {
        laptime::enable();
        drop(laptime::lap!("reported"));
        assert!(laptime::report().to_string().contains("reported"));
    });
}

#[test]
fn a_program_that_only_links_the_crate_records_when_the_environment_says_so() {
    let folder = tempfile::tempdir().unwrap();
    let run = |envs: &[(&str, &Path)]| {
        let mut program = own_process::command(name_of(&child_with_one_lap));
        program.env_remove("LAPTIME_RUN").env_remove("LAPTIME");
        program.envs(envs.iter().copied());
        own_process::check(program);
    };
    let one_lap = |folder: &Path| counts(&spans(folder)) == [("child", 1)];
    let joined = folder.path().join("run.lap");
    recording_in_progress(&joined);
    run(&[("LAPTIME_RUN", &joined)]);
    assert!(one_lap(&joined));
    let own = folder.path().join("own.lap");
    run(&[("LAPTIME", &own)]);
    assert!(one_lap(&own) && own.join("run.json").exists());
    let off = folder.path().join("off.lap");
    recording_in_progress(&off);
    run(&[("LAPTIME_RUN", &off), ("LAPTIME", Path::new("0"))]);
    assert!(spans(&off).is_empty());
    // A folder that is no recording, or is gone, costs the recording and not the program.
    let foreign = folder.path().join("foreign");
    std::fs::create_dir(&foreign).unwrap();
    run(&[("LAPTIME_RUN", &foreign)]);
    assert_eq!(std::fs::read_dir(&foreign).unwrap().count(), 0);
    run(&[("LAPTIME_RUN", &folder.path().join("gone"))]);
}

/// A recording that this process keeps open.
fn recording_in_progress(folder: &Path) {
    std::fs::create_dir(folder).unwrap();
    let run = laptime_core::RunInfo {
        format: laptime_core::run::FORMAT_VERSION,
        laptime: String::new(),
        program: "a test".to_owned(),
        started_monotonic_ns: 0,
        started_realtime_ns: 0,
        boot_id: laptime_recorder::keeper::boot_id(),
        pid: None,
        keeper: Some(laptime_recorder::keeper::this_process()),
        end: None,
        unrecorded: Vec::new(),
        processes: None,
    };
    std::fs::write(folder.join("run.json"), run.to_json()).unwrap();
}

/// Not a test of its own: the program that the test above starts.
#[test]
#[ignore = "started by the test above"]
fn child_with_one_lap() {
    drop(laptime::lap!("child"));
}

#[test]
fn a_lap_is_told_its_work_in_any_integer() {
    own_process::run(|| {
        let spans = recorded(|| {
            let (m, n, k) = (4_usize, 5_usize, 6_usize);
            {
                let _lap = laptime::lap!("gemm", flop = 2 * m * n * k, bytes = 4_u64);
                let _inside = laptime::lap!("inside");
            }
            {
                let name = format!("computed {m}");
                let lap = laptime::lap!(&name, bytes = 1 << 20);
                let _late = lap.flop(u128::MAX).bytes(3_i32);
            }
            let _below = laptime::lap!("below", flop = -3);
        });
        let work = |path: &str| (spans[path][0].work.flop, spans[path][0].work.bytes);
        assert_eq!(work("gemm"), (Some(240), Some(4)));
        assert_eq!(work("gemm/inside"), (None, None));
        assert_eq!(work("computed 4"), (Some(u128::MAX), Some(3)));
        assert_eq!(work("below"), (None, None));
    });
}

#[test]
fn a_lap_with_work_is_nothing_while_nothing_is_recorded() {
    own_process::run(|| {
        laptime::disable();
        let lap = laptime::lap!("gemm", flop = 1);
        drop(lap.bytes(2));
    });
}
