//! What a report takes grows with what is in the recording, and no faster: names, levels, threads, processes, notes,
//! marks, each in two sizes. `cargo test -p laptime-cli --test it -- sizes --nocapture` prints the table.

use std::fs;
use std::mem::zeroed;
use std::path::Path;
use std::process::{Command, Stdio};

use laptime_core::RunInfo;
use laptime_core::SpanFlags;
use laptime_core::format::process::window_offset;

use crate::place::Place;
use crate::recording;
use crate::scripted::{MS, Script};

/// What grows, from how many to how many, and what one more may take at most.
struct Growth {
    what: &'static str,
    from: u64,
    to: u64,
    most_bytes: u64,
    make: fn(&Path, u64),
}

const GROWTHS: &[Growth] = &[
    Growth {
        what: "names",
        from: 4_000,
        to: 32_000,
        most_bytes: 3_072,
        make: |folder, count| {
            let mut script = Script::new(7, 200_000 * MS);
            for number in 0..count {
                script.span(&[&format!("name {number} of some length")], number * MS, MS);
            }
            write(folder, &[script]);
        },
    },
    Growth {
        what: "levels",
        from: 50,
        to: 500,
        // Each row has the names of all levels above it.
        most_bytes: 1 << 17,
        make: |folder, count| {
            let names: Vec<String> = (0..count).map(|level| format!("level {level}")).collect();
            let names: Vec<&str> = names.iter().map(String::as_str).collect();
            let mut script = Script::new(7, 200_000 * MS);
            for level in (1..=names.len()).rev() {
                let at = level as u64 * MS;
                script.span(&names[..level], at, (2_000 - 2 * level as u64) * MS);
            }
            write(folder, &[script]);
        },
    },
    Growth {
        what: "threads",
        from: 50,
        to: 1_000,
        most_bytes: 16_384,
        make: |folder, count| {
            let mut script = Script::new(7, 200_000 * MS);
            for track in 0..count {
                let track = track as u32 + 10;
                script.name_track(track, false, "a thread of a pool");
                script.span_on(track, &["work"], 5 * MS, MS, SpanFlags::NONE);
            }
            write(folder, &[script]);
        },
    },
    Growth {
        what: "processes",
        from: 50,
        to: 1_000,
        most_bytes: 65_536,
        make: |folder, count| {
            let scripts = (0..count).map(|number| {
                let mut script = Script::new(1_000 + number as u32, 2_000 * MS);
                script.span(&["work"], 5 * MS, MS);
                script
            });
            write(folder, &scripts.collect::<Vec<_>>());
        },
    },
    Growth {
        what: "notes",
        from: 1_000,
        to: 32_000,
        most_bytes: 1_024,
        make: |folder, count| {
            let mut script = Script::new(7, 2_000 * MS);
            script.span(&["work"], 5 * MS, MS);
            for number in 0..count {
                script.note(&format!("code-{number}"), "something that was noted");
            }
            write(folder, &[script]);
        },
    },
    Growth {
        what: "marks",
        from: 4_000,
        to: 32_000,
        most_bytes: 2_048,
        make: |folder, count| {
            let mut script = Script::new(7, 200_000 * MS);
            for number in 0..count {
                script.mark(&[&format!("mark {number}")], number * MS);
            }
            write(folder, &[script]);
        },
    },
];

const COMMANDS: &[&[&str]] = &[
    &["report", "a.lap"],
    &["report", "a.lap", "-f", "json"],
    &["report", "a.lap", "-f", "html"],
    &["compare", "a.lap", "a.lap", "--all"],
    &["export", "a.lap", "-f", "chrome"],
];

fn write(folder: &Path, scripts: &[Script]) {
    let _ = fs::remove_dir_all(folder);
    fs::create_dir(folder).unwrap();
    for script in scripts {
        let mut script = script.clone();
        script.per_window = 500;
        let mut bytes = script.prefix();
        for (index, window) in (0..).zip(script.windows()) {
            bytes.resize(window_offset(index) as usize, 0);
            bytes.extend(window);
        }
        let name = format!("{}-ab.proc", script.header.pid);
        fs::write(folder.join(name), bytes).unwrap();
    }
    let run = recording::run(1).to_json();
    fs::write(folder.join(RunInfo::FILE_NAME), run).unwrap();
}

#[expect(clippy::zombie_processes, reason = "it is waited for below")]
/// Runs a command; the most memory that it had, in bytes, and its processor time in seconds.
fn taken(command: &mut Command) -> (u64, f64) {
    command.stdout(Stdio::null()).stderr(Stdio::null());
    let child = command.spawn().unwrap();
    // SAFETY: plain data of this function, which the call fills in for a child of this process that nobody else
    // waits for.
    let usage: libc::rusage = unsafe {
        let (mut status, mut usage) = (0, zeroed());
        let pid = child.id().cast_signed();
        assert_eq!(libc::wait4(pid, &raw mut status, 0, &raw mut usage), pid);
        usage
    };
    let seconds = |time: libc::timeval| time.tv_sec as f64 + time.tv_usec as f64 / 1e6;
    let cpu = seconds(usage.ru_utime) + seconds(usage.ru_stime);
    (usage.ru_maxrss as u64 * 1_024, cpu)
}

#[test]
#[expect(clippy::disallowed_macros, reason = "a table for who asks for it")]
fn what_a_command_takes_grows_with_what_is_in_the_recording() {
    let place = Place::new();
    let folder = place.path().join("a.lap");
    println!(
        "what       command                          from MiB    s   to MiB    s   bytes each"
    );
    for Growth {
        what,
        from,
        to,
        most_bytes,
        make,
    } in GROWTHS
    {
        let mut each = Vec::new();
        for count in [*from, *to] {
            make(&folder, count);
            let taken = COMMANDS
                .iter()
                .map(|words| taken(place.command().args(*words)));
            each.push(taken.collect::<Vec<_>>());
        }
        for (at, words) in COMMANDS.iter().enumerate() {
            let (few, many) = (each[0][at], each[1][at]);
            let more = many.0.saturating_sub(few.0) / (to - from);
            let words = words.join(" ");
            println!(
                "{what:10} {words:32} {:8} {:4.1} {:8} {:4.1} {more:8}",
                few.0 >> 20,
                few.1,
                many.0 >> 20,
                many.1
            );
            assert!(more <= *most_bytes, "{what}, {words}: {more} bytes each");
        }
    }
}
