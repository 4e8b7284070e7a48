//! Long turns of tasks without laps, while others are ready and while none is.

use laptime_core::format::record::Record;
use laptime_core::{PathId, Runner, SampledStack, StackFrame};
use proptest::prelude::*;

use crate::testing::analyzed::summarize;
use crate::testing::scripted::{EPOCH_NS, MAIN, MS, Script};
use crate::{Finding, HeldLoop, Options};

/// The thread that a script begins with.
const THREAD: u64 = 40 + MAIN as u64;

/// A look at the event loop's thread, every 10 ms.
#[derive(Debug, Clone, Copy)]
struct Look {
    is_task: bool,
    in_same_turn: bool,
    others_ready: bool,
}

/// Scripts a program without laps whose event loop is looked at: `hash` in line 9, called by `login`.
fn looked_at(looks: &[Look]) -> Script {
    let mut script = Script::new(7, 2_000 * MS);
    script.name_track(MAIN, false, "main");
    let library = "/usr/lib/python3.11/hashlib.py";
    let functions = [(1, "login", "/home/me/serve.py"), (2, "hash", library)];
    for (id, name, file) in functions {
        script.observed(Record::Function { id, name, file });
        script.observed(Record::Frame(StackFrame {
            id,
            parent: id - 1,
            function: id,
            line: 8 + id,
        }));
    }
    for (number, look) in (0..).zip(looks) {
        let task = Runner::Task {
            track: 0,
            path: PathId::ROOT,
        };
        script.observed(Record::Stack(SampledStack {
            ticks: EPOCH_NS + (100 + number * 10) * MS,
            thread: THREAD,
            frame: 2,
            is_running: true,
            has_interpreter: true,
            in_same_turn: look.in_same_turn,
            others_ready: look.others_ready,
            runner: if look.is_task { task } else { Runner::Thread },
            within_ns: 1_000,
            stands_for_ns: 10 * MS,
        }));
    }
    script
}

/// Scripts turns of 300 ms each.
fn turns(count: usize, others_ready: bool) -> Script {
    let turn = (0..=30).map(|number| Look {
        is_task: true,
        in_same_turn: number > 0,
        others_ready,
    });
    let looks: Vec<Look> = std::iter::repeat_n(turn, count).flatten().collect();
    looked_at(&looks)
}

fn held_loop(script: &Script) -> Option<HeldLoop> {
    let summary = summarize(std::slice::from_ref(script), Options::default());
    summary
        .findings
        .into_iter()
        .find_map(|finding| match finding {
            Finding::HeldLoop(held) => Some(held),
            _ => None,
        })
}

#[test]
fn a_function_of_the_program_that_keeps_others_from_their_turn_is_named() {
    let held = held_loop(&turns(3, true)).expect("it blocks the loop");
    let function = held.function.expect("samples tell it");
    assert_eq!((function.name.as_str(), function.line), ("login", 9));
    assert_eq!(
        (held.count, held.total_ns, held.max_ns),
        (3, 930 * MS, 300 * MS)
    );
    assert!(held.sampled && held.path.is_empty());
}

#[test]
fn a_task_that_computes_while_nobody_else_is_ready_blocks_nothing() {
    assert_eq!(held_loop(&turns(3, false)), None);
}

proptest! {
    #[test]
    fn all_time_of_tasks_in_it_is_told_and_no_longer_turn_than_was_seen(
        looks in prop::collection::vec((any::<bool>(), any::<bool>(), any::<bool>()), 1..80)
    ) {
        let looks: Vec<Look> = looks
            .into_iter()
            .map(|(is_task, in_same_turn, others_ready)| Look { is_task, in_same_turn, others_ready })
            .collect();
        if let Some(held) = held_loop(&looked_at(&looks)) {
            let of_tasks = looks.iter().filter(|look| look.is_task).count() as u64;
            prop_assert_eq!(held.total_ns, of_tasks * 10 * MS);
            // Between two looks of a task, the later of which is in the same turn.
            let pairs = looks.windows(2);
            let seen = pairs.filter(|pair| pair.iter().all(|look| look.is_task) && pair[1].in_same_turn);
            prop_assert!(held.max_ns <= seen.count() as u64 * 10 * MS && held.count > 0);
            prop_assert!(looks.iter().any(|look| look.others_ready && look.is_task));
        }
    }
}
