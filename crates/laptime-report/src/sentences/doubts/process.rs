//! Doubts about the file of one process in words.

use laptime_analysis::doubt::{
    ClockDoubt, LastRecords, NotClosed, PathsDoubt, ProcessDoubt, ProcessName,
};
use laptime_core::PathTable;

use super::doubt_words::Words;
use super::spans::FIXED_NAMES;
use crate::quantity::{coarse, plain_plural};

/// Advice about a file that lost a part.
const COPY_AGAIN: &str = "copy the recording again";

/// Puts a doubt about the file of a process into words.
pub fn in_words(process: &ProcessName, doubt: &ProcessDoubt) -> Words {
    let process = &called(process);
    match doubt {
        ProcessDoubt::Clock(doubt) => clock(process, doubt),
        ProcessDoubt::Paths(doubt) => paths(process, doubt),
        ProcessDoubt::CutOff {
            there_bytes,
            written_bytes,
        } => Words::new(format!(
            "{process}: its file is cut off: {there_bytes} of {written_bytes} bytes are there, so spans are missing",
        ))
        .with_hint(COPY_AGAIN),
        ProcessDoubt::EmptyWindows { count } => Words::new(format!(
            "{process}: {} of its file {} empty, so spans are missing",
            plain_plural(*count, "window", "windows"),
            if *count == 1 { "is" } else { "are" },
        ))
        .with_hint(COPY_AGAIN),
        ProcessDoubt::NotClosed(doubt) => not_closed(process, doubt),
        ProcessDoubt::LostSpans { count, errno } => lost(process, *count, *errno),
    }
}

/// Says how a process is called in a message.
fn called(process: &ProcessName) -> String {
    if process.program.is_empty() {
        format!("process {}", process.pid)
    } else {
        format!("{} (process {})", process.program, process.pid)
    }
}

fn clock(process: &str, doubt: &ClockDoubt) -> Words {
    match doubt {
        ClockDoubt::Clamped { count } => Words::new(format!(
            "{process}: {} below zero and set to zero: the clock ran backwards",
            plain_plural(*count, "duration was", "durations were"),
        ))
        .with_hint("`laptime doctor` shows which clock is in use and why"),
        ClockDoubt::Suspended { suspended_ns } => Words::new(format!(
            "the machine was suspended for {} while {process} ran; that time is in no span",
            coarse(*suspended_ns),
        )),
        ClockDoubt::Nominal => Words::new(format!(
            "{process}: too short to measure the clock's rate, so durations are computed with the frequency that the CPU states",
        )),
        ClockDoubt::Contradicting => Words::new(format!(
            "{process}: its clock readings contradict each other, so durations and moments are doubtful",
        ))
        .with_hint("its file may be damaged: copy the recording again"),
        ClockDoubt::Uneven { change_ratio } => Words::new(format!(
            "{process}: the clock's rate changed by {:.1} % during the run; durations rest on its mean",
            change_ratio * 100.0,
        ))
        .with_hint("a virtual machine that moved to another host does this; run again"),
    }
}

fn paths(process: &str, doubt: &PathsDoubt) -> Words {
    match doubt {
        PathsDoubt::DeepRecursion { count } => Words::new(format!(
            "{process}: {} inside {} of the same name, and no more levels are told apart; their time is \
             in the innermost level",
            plain_plural(*count, "span ran", "spans ran"),
            PathTable::MAX_RECURSION,
        ))
        .with_hint("for a function that calls itself, open one lap around the first call"),
        PathsDoubt::TooDeep { count } => Words::new(format!(
            "{process}: {} more than {} levels deep; their time is in that of <deep>, which stands \
             for level {}",
            plain_plural(*count, "span ran", "spans ran"),
            PathTable::MOST_LEVELS,
            PathTable::MOST_LEVELS + 1,
        ))
        .with_hint("a lap that calls itself through others nests without an end: open it once, outside"),
        PathsDoubt::TooMany {
            outermost_count,
            inside_count,
        } => too_many(process, *outermost_count, *inside_count),
    }
}

fn too_many(process: &str, outermost: u64, inside: u64) -> Words {
    let are = |count, after| format!("{}{after}", plain_plural(count, "span is", "spans are"));
    let place = match (outermost, inside) {
        (_, 0) => are(outermost, " in <overflow>"),
        (0, _) => are(
            inside,
            " part of the row around them, without one of their own",
        ),
        _ => format!(
            "{} in <overflow>, and {inside} are part of the row around them",
            are(outermost, "")
        ),
    };
    Words::new(format!(
        "{process}: {place}, because there were more than {} different paths, more than {} MiB of names, or more \
         than {} KiB of names nested in each other",
        PathTable::LIMIT,
        PathTable::NAMES_LIMIT >> 20,
        PathTable::CHAIN_LIMIT >> 10,
    ))
    .with_hint(FIXED_NAMES)
}

fn not_closed(process: &str, doubt: &NotClosed) -> Words {
    let mut message = format!("{process} ended without closing its recording");
    if let Some(open) = &doubt.open {
        let age = coarse(open.age_ns);
        message.extend(["; it was in ", &open.path, " for ", &age]);
    }
    if doubt.other_track_count > 0 {
        let more = plain_plural(doubt.other_track_count, "other track", "other tracks");
        message.extend([", and ", &more, " had open spans"]);
    }
    if doubt.is_cut {
        message += "; its file is cut off, so spans after the cut are missing";
        return Words::new(message);
    }
    let missing: String = doubt.may_lack.iter().map(|last| may_lack(*last)).collect();
    Words::new(message).with_hint(format!(
        "it was killed, called os._exit or became another program (exec); every span that finished before is \
         counted{missing}"
    ))
}

fn may_lack(records: LastRecords) -> &'static str {
    match records {
        LastRecords::DeviceTimes => "; device times of the last ones may be missing",
        LastRecords::Phases => {
            "; automatic phases of the last batch may be missing: their time is then in the self time of the row around them"
        }
        LastRecords::Samples => {
            "; what its threads did last is in no sample, at most a second of it"
        }
    }
}

fn lost(process: &str, count: u64, errno: Option<i32>) -> Words {
    const ELSEWHERE: &str = "record elsewhere with -o";
    let (reason, hint) = match errno {
        Some(28) => (
            "the disk was full",
            "free some space, or record elsewhere with -o",
        ),
        Some(122) => ("the disk quota was used up", ELSEWHERE),
        Some(27) => ("the file-size limit was reached", "raise `ulimit -f`"),
        Some(5) => ("the disk reported an error", "look at the system's log"),
        Some(30) => ("the file system is read-only", ELSEWHERE),
        Some(_) => ("the recording could not be written", ELSEWHERE),
        None => (
            "they came faster than they could be written",
            "time larger pieces of work: each span costs about 20 ns and 7 bytes",
        ),
    };
    let number = errno.map(|errno| format!(" (error {errno})"));
    let number = number.unwrap_or_default();
    let lost = match count {
        0 => "recording stopped".to_owned(),
        count => plain_plural(count, "span was lost", "spans were lost"),
    };
    Words::new(format!("{process}: {lost}: {reason}{number}")).with_hint(hint)
}
