//! What the machine's processors did since the boot, and what its host took of them.
//!
//! On a virtual machine a thread that has a CPU may stand still all the same: the host runs something
//! else there. From `/proc/stat`, in the system's ticks of mostly 10 ms.

use std::fs::File;
use std::os::unix::fs::FileExt;

use crate::own_file::OwnFile;
use crate::platform;

/// Nanoseconds since the boot, over all processors.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ProcessorTime {
    /// How long processors ran something.
    pub busy_ns: u64,
    /// How long processors had something to run, and the host ran something else.
    pub stolen_ns: u64,
}

/// An open `/proc/stat`.
#[derive(Debug)]
pub struct Processors {
    file: OwnFile,
    tick_ns: u64,
}

impl Processors {
    /// `None` where the system doesn't say.
    pub fn open() -> Option<Self> {
        let file = File::open("/proc/stat").and_then(OwnFile::new).ok()?;
        let tick_ns = platform::tick_ns()?;
        Some(Self { file, tick_ns })
    }

    /// The times since the boot so far.
    ///
    /// **Cost** 10 to 20 µs on two processors: the system adds up all of them, and all their interrupts.
    pub fn read(&self) -> Option<ProcessorTime> {
        let mut buffer = [0_u8; 256];
        let read = self.file.get().ok()?.read_at(&mut buffer, 0).ok()?;
        let text = std::str::from_utf8(buffer.get(..read)?).ok()?;
        times(text.lines().next()?, self.tick_ns)
    }
}

/// The times in the first line, which are: user, nice, system, idle, waiting for a disk, two of interrupts, stolen.
fn times(line: &str, tick_ns: u64) -> Option<ProcessorTime> {
    let numbers = line.strip_prefix("cpu ")?.split_whitespace();
    let numbers: Vec<u64> = numbers.map_while(|number| number.parse().ok()).collect();
    let [user, nice, system, _, _, hard, soft, stolen] = *numbers.first_chunk()?;
    let busy = [user, nice, system, hard, soft].into_iter();
    let in_ns = |ticks: u64| ticks.saturating_mul(tick_ns);
    Some(ProcessorTime {
        busy_ns: in_ns(busy.fold(0, u64::saturating_add)),
        stolen_ns: in_ns(stolen),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_ran_and_what_was_stolen_stand_in_the_first_line() {
        let line = "cpu  700 20 60 9000 5 3 4 16 99 99";
        let expected = ProcessorTime {
            busy_ns: 7_870_000_000,
            stolen_ns: 160_000_000,
        };
        assert_eq!(times(line, 10_000_000), Some(expected));
        assert_eq!(times("cpu  1 2 3 4", 10_000_000), None);
        assert_eq!(times("cpu0 1 2 3 4 5 6 7 8", 10_000_000), None);
    }

    #[test]
    fn the_machine_was_busy_at_some_time() {
        let read = Processors::open().and_then(|processors| processors.read());
        assert!(read.is_none_or(|read| read.busy_ns > 0));
    }
}
