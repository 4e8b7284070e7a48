//! Doubts about a run in words: what recorders noted, how it ended, and what was not recorded.

use laptime_analysis::doubt::{LAUNCHES, RunDoubt};
use laptime_analysis::{DEVICE_SYNCHRONIZED, DEVICE_UNAVAILABLE, NO_PHASES, TORN_STEPS};

use super::device::WAIT_FOR_JAX;
use super::doubt_words::Words;
use crate::quantity::coarse;

/// Code of the note that a program used a device on which laps are not timed.
const DEVICE_ACTIVE: &str = "device-active";

/// Puts a doubt about a run into words.
pub fn in_words(doubt: &RunDoubt) -> Words {
    match doubt {
        RunDoubt::Noted { code, messages } => noted(code, messages),
        RunDoubt::WorkersEnded {
            count,
            path,
            age_ns,
        } => workers_ended(*count, path, *age_ns),
        RunDoubt::Signal { signal } => ended_by(*signal),
        RunDoubt::Unrecorded { interpreters } => Words::new(format!(
            "Python ran here without being recorded: {}",
            interpreters.join(", ")
        ))
        .with_hint(
            "install Laptime there too: `python -m pip install laptime`. If it is installed, `laptime.pth` is missing \
             beside it (a copied environment, a folder of PYTHONPATH: let pip install it), or the process was started \
             without the program's environment, or with -S, -I or LAPTIME=0",
        ),
        RunDoubt::ProfiledSteps => Words::new(
            "a profiler was on for the steps in rows named `profiled …`: they ran slower than \
             others, and are in no statistics of steps",
        ),
        RunDoubt::OperatorsLeftOut { count } => Words::new(format!(
            "{count} operators were left out: there were too many to keep"
        ))
        .with_hint("profile fewer steps"),
    }
}

/// Says what recorders noted, and of some codes what it means.
fn noted(code: &str, messages: &[String]) -> Words {
    let notes = messages.join("; ");
    match code {
        DEVICE_ACTIVE => Words::new(format!(
            "{notes}: times are host times and measure when work was launched there, not how long it took"
        ))
        .with_hint("synchronise inside the spans that matter, e.g. torch.cuda.synchronize()"),
        DEVICE_UNAVAILABLE => Words::new(format!(
            "laps were not timed on the device ({notes}): times are host times and measure when work was launched there, not how long it took"
        )),
        DEVICE_SYNCHRONIZED => Words::new(format!(
            "{notes}: host times are the device's too, but the program ran slower than it does by itself"
        ))
        .with_hint(
            "compare it with runs that were recorded that way only, or record without sync=True and LAPTIME_DEVICE=sync",
        ),
        NO_PHASES => Words::new(format!("{notes}, so there are no phases to show")).with_hint(
            "put lt.lap(\"name\") around the parts that matter: functions such as torch.nn.functional.conv2d belong to no module",
        ),
        TORN_STEPS => Words::new(format!(
            "{notes}: steps are told in pieces, and their times are those of the pieces"
        ))
        .with_hint("put a lap around each whole step: `with lt.lap(\"step\"):`"),
        LAUNCHES => Words::new(format!(
            "{notes}: a lap holds the work only if it waits for the result"
        ))
        .with_hint(WAIT_FOR_JAX),
        _ => Words::new(notes),
    }
}

fn workers_ended(count: u64, path: &str, age_ns: u64) -> Words {
    let (workers, most) = match count {
        1 => ("a worker process was".to_owned(), "for at least"),
        count => (
            format!("{count} worker processes were"),
            "the longest for at least",
        ),
    };
    let age = coarse(age_ns);
    Words::new(format!(
        "{workers} ended in the midst of work: in {path}, {most} {age}"
    ))
    .with_hint(
        "leaving `with Pool()` does that; close() and join() let workers finish. If nothing ended them, \
         they were killed, called os._exit or became another program (exec). Every span that finished before is counted",
    )
}

fn ended_by(signal: i32) -> Words {
    let name = match signal {
        1 => " (SIGHUP)",
        2 => " (SIGINT)",
        3 => " (SIGQUIT)",
        4 => " (SIGILL)",
        6 => " (SIGABRT)",
        7 => " (SIGBUS)",
        8 => " (SIGFPE)",
        9 => " (SIGKILL)",
        11 => " (SIGSEGV)",
        13 => " (SIGPIPE)",
        15 => " (SIGTERM)",
        _ => "",
    };
    let words = Words::new(format!("signal {signal}{name} ended the program"));
    if signal == 9 {
        words.with_hint("if nobody killed it, the machine ran out of memory: look at `dmesg`")
    } else {
        words
    }
}
