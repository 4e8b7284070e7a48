//! What this machine is: ceilings are kept for it, and recordings of two aren't compared.

use std::fs;
use std::io::Read;
use std::mem::MaybeUninit;

use laptime_core::Machine;

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

/// What a benchmark of this machine is kept with; Python adds its version.
pub fn here() -> Machine {
    Machine {
        processor: Some(processor()),
        cores: Some(processors() as u64),
        system: system(),
        python: None,
    }
}

/// System and architecture, as Python's `platform` calls them: `Linux x86_64`.
fn system() -> Option<String> {
    let mut names = MaybeUninit::<libc::utsname>::zeroed();
    // SAFETY: the system fills in all of it, and says whether it did.
    let names = unsafe {
        if libc::uname(names.as_mut_ptr()) != 0 {
            return None;
        }
        names.assume_init()
    };
    let text = |name: &[libc::c_char]| {
        let bytes = name.iter().map(|one| one.to_ne_bytes()[0]);
        let bytes: Vec<u8> = bytes.take_while(|one| *one != 0).collect();
        String::from_utf8_lossy(&bytes).into_owned()
    };
    Some(format!("{} {}", text(&names.sysname), text(&names.machine)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn this_machine_is_known() {
        let here = here();
        assert!(here.processor.is_some_and(|name| !name.is_empty()));
        assert!(here.cores.is_some_and(|cores| cores > 0));
        let system = here.system.unwrap();
        assert_eq!(system.split(' ').count(), 2, "{system}");
        assert!(system.is_ascii() && here.python.is_none(), "{system}");
    }
}
