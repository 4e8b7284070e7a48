//! The program that is killed: records its sequence on every thread until then.

use std::path::Path;

use laptime_recorder::{RecordOptions, Site, enter, exit, record};

use crate::sequence::{DEEP_NAMES, Name, Operation, operation};
use crate::truth::{THREADS, Truth};

/// Never returns.
pub fn run(folder: &Path, truth: &Path) -> ! {
    let truth = Truth::map(truth).expect("the truth page maps");
    let recording = record(folder, &RecordOptions::default()).expect("the recording starts");
    let threads: Vec<_> = (0..THREADS)
        .map(|thread| {
            std::thread::Builder::new()
                .name(format!("writer-{thread}"))
                .spawn(move || work(thread, truth))
                .expect("a thread starts")
        })
        .collect();
    for thread in threads {
        let _ = thread.join();
    }
    drop(recording);
    unreachable!("the threads work until they are killed");
}

fn work(thread: usize, truth: Truth) {
    let site = |name: Name| Site::intern(&name.text());
    let plain = [Name::Outer, Name::First, Name::Second].map(site);
    let deep: Vec<_> = (0..DEEP_NAMES)
        .map(|number| site(Name::Deep(number)))
        .collect();
    let (mut open, mut finished, mut sum) = (Vec::with_capacity(8), 0, 0);
    for number in 0.. {
        let wanted = operation(number);
        truth.begin(thread, number);
        match wanted {
            Operation::Open(name) => {
                let site = match name {
                    Name::Outer => plain[0],
                    Name::First => plain[1],
                    Name::Second => plain[2],
                    Name::Deep(number) => deep[number as usize],
                };
                open.push(enter(site).expect("recording is on"));
            }
            Operation::Close(_) => {
                let span = open.pop().expect("the sequence is balanced");
                sum += exit(span).expect("it is open");
                truth.finished(thread, finished, sum);
                finished += 1;
            }
        }
        truth.done(thread, number);
    }
}
