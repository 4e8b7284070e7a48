use laptime_core::format::record::Record;
use laptime_core::{ProcessMemory, Span, SpanMemory};
use proptest::prelude::*;

use crate::Options;
use crate::summary::Summary;
use crate::testing::analyzed::summarize;
use crate::testing::scripted::{EPOCH_NS, MAIN, MS, Script, anchor};

/// Bytes that a program left in each of its parts.
#[derive(Debug, Clone, Copy)]
struct Left {
    startup: i64,
    lap: i64,
    between: i64,
    after: i64,
    exit: i64,
}

/// A program of a second with two laps, that exits after so many ms and notes what it had then.
fn program(left: Left, exits_ms: Option<u64>) -> Script {
    let mut script = Script::new(7, 0);
    let path = script.path(&["work"]);
    for index in 0..2 {
        let memory = SpanMemory {
            net_bytes: left.lap,
            peak_bytes: 1 << 40,
        };
        let start = EPOCH_NS + (300 + 200 * index) * MS;
        script.push(Span::plain(path, start, 100 * MS, MAIN).with_memory(Some(memory)));
    }
    let closed = left.startup + 2 * left.lap + left.between;
    script.note("memory.before-laps", &left.startup.to_string());
    script.note("memory.after-laps", &closed.to_string());
    if let Some(at_ms) = exits_ms {
        let at = script.ticks(at_ms * MS).to_string();
        script.note("interpreter.exits", &at);
        script.note("memory.at-exit", &(closed + left.after).to_string());
    }
    script.observed(Record::Memory {
        ticks: EPOCH_NS + 990 * MS,
        memory: ProcessMemory {
            bytes: closed + left.after + left.exit,
            peak_bytes: 1 << 40,
        },
    });
    script.header.closed = Some(anchor(1_000 * MS));
    script
}

fn kept(summary: &Summary, name: &str) -> Option<i64> {
    let row = summary.rows.iter().find(|row| row.path == name)?;
    row.memory.host_memory_kept_bytes
}

const LEFT: Left = Left {
    startup: 50_000,
    lap: 300,
    between: 20,
    after: 7_000,
    exit: -40_000,
};

#[test]
fn each_part_outside_of_laps_has_what_it_left() {
    let summary = summarize(&[program(LEFT, Some(800))], Options::default());
    let each = ["startup", "work", "other", "after", "exit"].map(|name| kept(&summary, name));
    assert!(summary.warnings.is_empty(), "{:?}", summary.warnings);
    assert_eq!(each, [50_000, 600, 20, 7_000, -40_000].map(Some));
}

#[test]
fn what_follows_the_last_lap_is_the_exit_where_no_row_or_note_tells_them_apart() {
    for exits_ms in [Some(600), None] {
        let summary = summarize(&[program(LEFT, exits_ms)], Options::default());
        assert_eq!(kept(&summary, "after"), None);
        assert_eq!(kept(&summary, "exit"), Some(-33_000), "{exits_ms:?}");
    }
}

#[test]
fn a_recording_without_the_notes_has_it_all_between_laps() {
    let mut script = program(LEFT, Some(800));
    script.forget_notes();
    let summary = summarize(&[script], Options::default());
    assert_eq!(kept(&summary, "other"), Some(50_020 + 7_000 - 40_000));
    assert_eq!(kept(&summary, "startup"), None);
}

proptest! {
    #[test]
    fn what_all_rows_left_adds_up_to_what_the_process_has(
        parts in prop::array::uniform5(-1_000_000_000..1_000_000_000_i64), exits in prop::option::of(600_u64..990),
    ) {
        let [startup, lap, between, after, exit] = parts;
        let left = Left { startup, lap, between, after, exit };
        let summary = summarize(&[program(left, exits)], Options::default());
        let rows = summary.rows.iter().filter_map(|row| row.memory.host_memory_kept_bytes);
        prop_assert_eq!(rows.sum::<i64>(), startup + 2 * lap + between + after + exit);
    }
}
