//! What this machine is: ceilings are kept for it, and recordings of two aren't compared.

use std::fs;
use std::io::Read;

/// Bytes of the list of processors in which the first one's name stands; all of it takes
/// milliseconds to make where there are many.
const FIRST_PROCESSOR: u64 = 4_096;

/// What this machine is: its processor, and how many of them this process may use.
pub fn machine() -> String {
    format!("{}, {} processors", processor(), processors())
}

/// What the processor is called.
pub fn processor() -> String {
    let mut text = Vec::new();
    // Without the list the name is that of the architecture.
    let _ = fs::File::open("/proc/cpuinfo")
        .and_then(|list| list.take(FIRST_PROCESSOR).read_to_end(&mut text));
    let text = String::from_utf8_lossy(&text);
    text.lines()
        .find(|line| line.starts_with("model name"))
        .and_then(|line| line.split_once(':'))
        .map_or(std::env::consts::ARCH, |(_, name)| name.trim())
        .to_owned()
}

/// Processors that this process may use.
pub fn processors() -> usize {
    std::thread::available_parallelism().map_or(1, Into::into)
}
