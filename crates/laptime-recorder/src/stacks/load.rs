//! How the machine is loaded: whether a processor is idle, and how many processes of the recording run.
//!
//! Two things say that none is idle: `/proc/stat`, for the whole machine, and the processor time of this
//! process, where it may not use all of the machine (an affinity, a limit of its cgroup). Both are read once a
//! second. How late the sampler's own thread is woken would be cheaper still, but says little: a thread that
//! mostly sleeps is given a busy processor at once. The load average is of the last minute.
//!
//! Files are opened by the sampler's thread, which has a table of its own for them.

use std::fs;
use std::path::PathBuf;

use crate::clock;
use crate::processors::Processors;

/// When load is read, after the start and then again and again.
const FIRST_NS: u64 = 250_000_000;
const EVERY_NS: u64 = 1_000_000_000;
/// Of so many readings, one counts the processes: they come and go more slowly, and may be thousands of files.
const COUNT_EVERY: u64 = 10;
/// Of the processors that it may use, a process that uses so many in a hundred leaves none idle.
const BUSY_PERCENT: u128 = 90;

/// Times at one moment, in ns.
#[derive(Debug, Clone, Copy, Default)]
#[expect(clippy::struct_field_names, reason = "names carry their units")]
struct Reading {
    at_ns: u64,
    /// What the machine's processors ran so far, or its host in their place, where the system says so.
    machine_ns: Option<u64>,
    /// What this process has run.
    process_ns: u64,
}

/// What was read last, and what it says.
#[derive(Debug)]
pub struct Load {
    folder: PathBuf,
    /// Processors of the machine, and those that this process may use.
    online: u64,
    allowed: u64,
    next_ns: u64,
    readings: u64,
    last: Reading,
    is_busy: bool,
    processes: u64,
}

impl Load {
    /// Begins for a recording's folder.
    pub fn new(folder: PathBuf) -> Self {
        // SAFETY: no preconditions.
        let online = unsafe { libc::sysconf(libc::_SC_NPROCESSORS_ONLN) };
        // Heeds the affinity and the limit of a cgroup.
        let allowed = std::thread::available_parallelism();
        let last = read();
        Self {
            folder,
            online: u64::try_from(online).unwrap_or(1).max(1),
            allowed: allowed.map_or(1, |count| count.get() as u64),
            next_ns: last.at_ns + FIRST_NS,
            readings: 0,
            last,
            is_busy: false,
            processes: 1,
        }
    }

    /// Reads again if it is time to.
    pub fn look(&mut self, now_ns: u64) {
        if now_ns < self.next_ns {
            return;
        }
        let now = read();
        self.is_busy = is_busy(&self.last, &now, self.online, self.allowed);
        self.last = now;
        self.next_ns = now.at_ns + EVERY_NS;
        if self.readings % COUNT_EVERY == 1 {
            self.processes = self.count();
        }
        self.readings += 1;
    }

    /// Whether no processor is idle.
    pub fn is_busy(&self) -> bool {
        self.is_busy
    }

    /// Processes of the recording that run on this machine.
    pub fn processes(&self) -> u64 {
        self.processes
    }

    /// Processors that this process may use.
    pub fn processors(&self) -> u64 {
        self.allowed
    }

    fn count(&self) -> u64 {
        let entries = fs::read_dir(&self.folder).into_iter().flatten().flatten();
        let names = entries.map(|entry| entry.file_name());
        let running = names.filter(|name| name.to_str().and_then(process_of).is_some_and(is_alive));
        running.count().max(1) as u64
    }
}

fn read() -> Reading {
    let machine = Processors::open().and_then(|processors| processors.read());
    Reading {
        at_ns: clock::monotonic_ns(),
        machine_ns: machine.map(|time| time.busy_ns.saturating_add(time.stolen_ns)),
        process_ns: clock::process_ns(),
    }
}

/// Whether between two readings less than half a processor was idle.
fn is_busy(before: &Reading, now: &Reading, online: u64, allowed: u64) -> bool {
    let passed = u128::from(now.at_ns.saturating_sub(before.at_ns));
    let used = u128::from(now.process_ns.saturating_sub(before.process_ns));
    let by_itself = used * 100 >= passed * u128::from(allowed) * BUSY_PERCENT;
    let by_all = before.machine_ns.zip(now.machine_ns).is_some_and(|ends| {
        let ran = u128::from(ends.1.saturating_sub(ends.0));
        ran * 2 >= passed * u128::from(online * 2 - 1)
    });
    passed > 0 && (by_itself || by_all)
}

/// The process of a file `<pid>-<nonce>.proc`.
fn process_of(name: &str) -> Option<i32> {
    let (pid, _) = name.strip_suffix(".proc")?.split_once('-')?;
    pid.parse().ok().filter(|pid| *pid > 0)
}

/// Whether a process runs here, or is only just gone.
fn is_alive(pid: i32) -> bool {
    // SAFETY: sends nothing.
    let sent = unsafe { libc::kill(pid, 0) };
    sent == 0 || std::io::Error::last_os_error().raw_os_error() == Some(libc::EPERM)
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECOND_NS: u64 = 1_000_000_000;

    /// Whether that is busy which in a second ran so much on the machine, and in the process, in ms.
    fn busy(machine: Option<u64>, process: u64, online: u64, allowed: u64) -> bool {
        let now = Reading {
            at_ns: SECOND_NS,
            machine_ns: machine.map(|ms| ms * 1_000_000),
            process_ns: process * 1_000_000,
        };
        let before = Reading {
            machine_ns: Some(0),
            ..Reading::default()
        };
        is_busy(&before, &now, online, allowed)
    }

    #[test]
    fn a_machine_is_busy_when_less_than_half_a_processor_is_idle() {
        assert!(!busy(Some(1_000), 1_000, 2, 2));
        assert!(!busy(Some(1_400), 1_000, 2, 2));
        assert!(busy(Some(1_600), 1_000, 2, 2));
        assert!(!busy(Some(63_000), 1_000, 64, 64));
        assert!(busy(Some(63_600), 1_000, 64, 64));
    }

    #[test]
    fn a_process_that_uses_all_that_it_may_leaves_none_idle_either() {
        assert!(busy(Some(4_000), 3_800, 64, 4));
        assert!(!busy(Some(4_000), 1_000, 64, 4));
        assert!(busy(None, 1_990, 2, 2));
        assert!(!busy(None, 1_000, 2, 2));
    }

    #[test]
    fn one_processor_that_is_in_use_is_busy() {
        assert!(busy(Some(990), 990, 1, 1));
        assert!(!busy(Some(100), 100, 1, 1));
    }

    #[test]
    fn no_time_says_nothing() {
        let same = Reading::default();
        assert!(!is_busy(&same, &same, 2, 2));
    }

    #[test]
    fn files_of_processes_that_run_are_counted() {
        let folder = tempfile::tempdir().unwrap();
        let own = std::process::id();
        let names = [
            format!("{own}-0a0b0c0d.proc"),
            format!("{own}-0a0b0c0e.proc"),
            format!("{}-0a0b0c0f.proc", i32::MAX),
            "run.json".to_owned(),
        ];
        for name in names {
            fs::write(folder.path().join(name), "").unwrap();
        }
        assert_eq!(Load::new(folder.path().to_owned()).count(), 2);
        assert_eq!(Load::new(folder.path().join("gone")).count(), 1);
    }
}
