//! Linux: process facts, files and mappings.

use std::fs::File;
use std::io;
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd, RawFd};
use std::os::unix::fs::{FileExt, MetadataExt};
use std::ptr::NonNull;
use std::sync::OnceLock;

use laptime_core::PrivateMemory;

/// Where descriptors of ours begin: high, and below 1,024, the usual limit.
const HIGH_DESCRIPTOR: RawFd = 900;
/// Fields of `statm` that are read.
const STATM_FIELDS: usize = 6;
/// How many below a lower limit are left for ours.
const HIGHEST_DESCRIPTORS: u64 = 4;

/// Boot id of the machine; zeros when the kernel does not say.
///
/// Read once: what a process writes must have the same in all its places, even if it runs out of
/// descriptors in between.
pub fn boot_id() -> [u8; 16] {
    static BOOT_ID: OnceLock<[u8; 16]> = OnceLock::new();
    *BOOT_ID.get_or_init(read_boot_id)
}

fn read_boot_id() -> [u8; 16] {
    let text = std::fs::read_to_string("/proc/sys/kernel/random/boot_id").unwrap_or_default();
    let digits: Vec<u8> = text
        .bytes()
        .filter_map(|byte| (byte as char).to_digit(16).map(|digit| digit as u8))
        .collect();
    let mut id = [0; 16];
    for (byte, pair) in id.iter_mut().zip(digits.chunks_exact(2)) {
        *byte = pair[0] << 4 | pair[1];
    }
    id
}

/// Where the start stands in `/proc/<pid>/stat`, counted after the name in parentheses.
const STARTED: usize = 19;

/// When a process started, in ticks since the boot. **Errors** when it is gone, or only its parent
/// still has to notice its end.
pub fn started_ticks(pid: u32) -> io::Result<u64> {
    // By its own name a process finds itself under a `/proc` that counts processes otherwise.
    let name = (pid != std::process::id()).then(|| pid.to_string());
    let name = name.as_deref().unwrap_or("self");
    let stat = std::fs::read_to_string(format!("/proc/{name}/stat"))?;
    let gone = || io::Error::from(io::ErrorKind::NotFound);
    // The name in parentheses may hold anything; fields count from behind it.
    let mut fields = stat.rsplit_once(") ").ok_or_else(gone)?.1.split(' ');
    if matches!(fields.next(), Some("Z" | "X")) {
        return Err(gone());
    }
    let started = fields.nth(STARTED - 1).and_then(|field| field.parse().ok());
    started.ok_or_else(gone)
}

/// When a process started, `CLOCK_BOOTTIME` nanoseconds, to a tick.
pub fn started_boottime_ns(pid: u32) -> Option<u64> {
    Some(started_ticks(pid).ok()? * tick_ns()?)
}

/// How long one of the system's ticks is, in which it counts what processors do.
pub fn tick_ns() -> Option<u64> {
    // SAFETY: no preconditions.
    let per_second = unsafe { libc::sysconf(libc::_SC_CLK_TCK) };
    (per_second > 0).then(|| 1_000_000_000 / per_second as u64)
}

/// The system's id of the calling thread.
pub fn thread_id() -> u64 {
    // SAFETY: no preconditions.
    unsafe { libc::gettid() as u64 }
}

/// Whether the calling thread is the one that the process started with.
pub fn is_main_thread() -> bool {
    thread_id() == u64::from(std::process::id())
}

/// Resident memory of this process in bytes, through a kept descriptor of `/proc/self/statm`.
pub fn resident_bytes(statm: &File) -> Option<u64> {
    memory_sizes(statm).map(|(resident_bytes, _)| resident_bytes)
}

/// Resident memory of this process in bytes, and the part of it that no file backs and no other process shares,
/// through a kept descriptor of `/proc/self/statm`.
pub fn memory_sizes(statm: &File) -> Option<(u64, PrivateMemory)> {
    let mut buffer = [0_u8; 128];
    let read = statm.read_at(&mut buffer, 0).ok()?;
    let text = std::str::from_utf8(&buffer[..read]).ok()?;
    // SAFETY: no preconditions.
    let page = unsafe { libc::sysconf(libc::_SC_PAGESIZE) } as u64;
    let mut pages = [0_u64; STATM_FIELDS];
    for (field, text) in pages.iter_mut().zip(text.split_whitespace()) {
        *field = text.parse::<u64>().ok()?.saturating_mul(page);
    }
    // The whole address space, resident, shared, code, two that are 0 or not of use, and data with the stack.
    let [_, resident_bytes, shared_bytes, _, _, reserved_bytes] = pages;
    let private = PrivateMemory {
        resident_bytes: resident_bytes.saturating_sub(shared_bytes),
        reserved_bytes,
    };
    Some((resident_bytes, private))
}

/// Whether no other thread of this process runs, after its first one has ended.
pub fn is_last_thread() -> bool {
    // A folder for each thread; the first one's stays until the process ends.
    std::fs::metadata("/proc/self/task").is_ok_and(|tasks| tasks.nlink() == 2 + 2)
}

/// The most that was resident since the process began.
pub fn most_resident_bytes() -> u64 {
    // SAFETY: the structure is all numbers, and filled in by the call.
    let usage = unsafe {
        let mut usage: libc::rusage = std::mem::zeroed();
        libc::getrusage(libc::RUSAGE_SELF, &raw mut usage);
        usage
    };
    usage.ru_maxrss.max(0).unsigned_abs() * 1024
}

/// How often a call is tried again that signals interrupt.
const MOST_INTERRUPTIONS: u32 = 100;

/// Sets blocks of a file aside, so that a later store through a mapping cannot fail.
///
/// Checks the file size limit first: passing it would raise SIGXFSZ, which kills.
pub fn reserve(file: &File, offset: u64, len: usize) -> io::Result<()> {
    let mut limit = libc::rlimit {
        rlim_cur: 0,
        rlim_max: 0,
    };
    // SAFETY: `limit` is a valid place for the result.
    let known = unsafe { libc::getrlimit(libc::RLIMIT_FSIZE, &raw mut limit) } == 0;
    if known && limit.rlim_cur != libc::RLIM_INFINITY && offset + len as u64 > limit.rlim_cur {
        return Err(io::Error::from_raw_os_error(libc::EFBIG));
    }
    // SAFETY: a plain call on an open descriptor.
    let allocate = || unsafe { libc::fallocate(file.as_raw_fd(), 0, offset as i64, len as i64) };
    let mut done = allocate();
    for _ in 0..MOST_INTERRUPTIONS {
        if done == 0 {
            return Ok(());
        }
        if io::Error::last_os_error().kind() != io::ErrorKind::Interrupted {
            break;
        }
        // A signal that the program handles, such as a timer's.
        done = allocate();
    }
    match io::Error::last_os_error() {
        _ if done == 0 => Ok(()),
        error if error.raw_os_error() == Some(libc::EOPNOTSUPP) => {
            write_at(file, offset, &vec![0; len])
        }
        error => Err(error),
    }
}

/// Writes all bytes at an offset.
pub fn write_at(file: &File, offset: u64, bytes: &[u8]) -> io::Result<()> {
    file.write_all_at(bytes, offset)
}

/// Which file a descriptor stands for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FileIdentity {
    device: u64,
    inode: u64,
}

/// What a descriptor stands for now; `None` where it is closed.
pub fn identity(descriptor: RawFd) -> Option<FileIdentity> {
    // SAFETY: the structure is all numbers, and filled in by the call.
    let found = unsafe {
        let mut found: libc::stat = std::mem::zeroed();
        (libc::fstat(descriptor, &raw mut found) == 0).then_some(found)
    }?;
    Some(FileIdentity {
        device: found.st_dev,
        inode: found.st_ino,
    })
}

/// A second descriptor of a file, with a number that programs rarely come to.
///
/// A program's own files get the lowest free numbers, as POSIX says, and those it closes as a range
/// are low ones too. A limit that is low leaves it the numbers up to a few below it.
pub fn duplicate_high(descriptor: RawFd) -> io::Result<OwnedFd> {
    // SAFETY: the structure is all numbers, and filled in by the call.
    let limit = unsafe {
        let mut limit: libc::rlimit = std::mem::zeroed();
        if libc::getrlimit(libc::RLIMIT_NOFILE, &raw mut limit) != 0 {
            return Err(io::Error::last_os_error());
        }
        limit.rlim_cur
    };
    let room = limit.saturating_sub(HIGHEST_DESCRIPTORS).max(3);
    let lowest = RawFd::try_from(room).map_or(HIGH_DESCRIPTOR, |room| room.min(HIGH_DESCRIPTOR));
    // SAFETY: touches no memory; what it returns is new.
    unsafe {
        let high = libc::fcntl(descriptor, libc::F_DUPFD_CLOEXEC, lowest);
        if high < 0 {
            return Err(io::Error::last_os_error());
        }
        Ok(OwnedFd::from_raw_fd(high))
    }
}

/// Writes to a descriptor if it takes the bytes at once. No failure is told, and none raises a
/// signal: a pipe without readers, a file at its limit, a terminal in other hands.
pub fn write_if_ready(descriptor: RawFd, bytes: &[u8]) {
    let mut ready = libc::pollfd {
        fd: descriptor,
        events: libc::POLLOUT,
        revents: 0,
    };
    // SAFETY: one valid structure; the sets are initialised before their use; the bytes are valid
    // for their length.
    unsafe {
        if libc::poll(&raw mut ready, 1, 0) != 1 || ready.revents != libc::POLLOUT {
            return;
        }
        let mut raised: libc::sigset_t = std::mem::zeroed();
        libc::sigemptyset(&raw mut raised);
        for signal in [libc::SIGPIPE, libc::SIGXFSZ, libc::SIGTTOU] {
            libc::sigaddset(&raw mut raised, signal);
        }
        let (mut before, mut pending) = (std::mem::zeroed(), std::mem::zeroed());
        libc::pthread_sigmask(libc::SIG_BLOCK, &raw const raised, &raw mut before);
        libc::sigpending(&raw mut pending);
        libc::write(descriptor, bytes.as_ptr().cast(), bytes.len());
        // What the write raised is taken back; what was pending before is the program's.
        for signal in [libc::SIGPIPE, libc::SIGXFSZ, libc::SIGTTOU] {
            if libc::sigismember(&raw const pending, signal) == 1 {
                libc::sigdelset(&raw mut raised, signal);
            }
        }
        let at_once: libc::timespec = std::mem::zeroed();
        libc::sigtimedwait(&raw const raised, std::ptr::null_mut(), &raw const at_once);
        libc::pthread_sigmask(libc::SIG_SETMASK, &raw const before, std::ptr::null_mut());
    }
}

/// Maps a range of a file, shared and writable, and touches its pages.
pub fn map(file: &File, offset: u64, len: usize) -> io::Result<NonNull<u8>> {
    // SAFETY: a fresh mapping at an address of the kernel's choice.
    let address = unsafe {
        libc::mmap(
            std::ptr::null_mut(),
            len,
            libc::PROT_READ | libc::PROT_WRITE,
            libc::MAP_SHARED,
            file.as_raw_fd(),
            offset as i64,
        )
    };
    if address == libc::MAP_FAILED {
        return Err(io::Error::last_os_error());
    }
    // Touching pages ahead is a kindness to the hot path; kernels before 5.14 refuse, which is fine.
    // SAFETY: the range was just mapped.
    unsafe { libc::madvise(address, len, libc::MADV_POPULATE_WRITE) };
    NonNull::new(address.cast()).ok_or_else(io::Error::last_os_error)
}

/// Puts memory of this process alone, all zeros, in the place of a mapping.
pub fn make_private(base: NonNull<u8>, len: usize) {
    // SAFETY: replaces a mapping that the caller owns; where it fails, the old one stays.
    unsafe {
        libc::mmap(
            base.as_ptr().cast(),
            len,
            libc::PROT_READ | libc::PROT_WRITE,
            libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_FIXED,
            -1,
            0,
        );
    }
}

/// Undoes [`map`].
///
/// # Safety
/// Nothing may use the range any more.
pub unsafe fn unmap(base: NonNull<u8>, len: usize) {
    // SAFETY: the caller's promise.
    unsafe { libc::munmap(base.as_ptr().cast(), len) };
}

/// Blocks every signal in the calling thread: the program's handlers run on its own threads, and
/// SIGXFSZ does not kill it from here.
pub fn block_signals() {
    // SAFETY: the set is initialised by sigfillset before its use.
    unsafe {
        let mut set = std::mem::zeroed();
        libc::sigfillset(&raw mut set);
        libc::pthread_sigmask(libc::SIG_SETMASK, &raw const set, std::ptr::null_mut());
    }
}

/// Gives the calling thread a table of file descriptors of its own, with nothing in it.
///
/// What it opens from here on takes no number of the process's, and nothing that the process closes
/// is kept open by it.
pub fn leave_descriptors() -> io::Result<()> {
    let everything = |flags: libc::c_uint| {
        // SAFETY: closes descriptors of the calling thread's own table; nothing that runs on it uses any.
        unsafe { libc::syscall(libc::SYS_close_range, 0, libc::c_uint::MAX, flags) }
    };
    if everything(libc::CLOSE_RANGE_UNSHARE) == 0 {
        return Ok(());
    }
    // SAFETY: takes a copy of the table and touches no memory.
    if unsafe { libc::unshare(libc::CLONE_FILES) } != 0 {
        return Err(io::Error::last_os_error());
    }
    if everything(0) == 0 {
        return Ok(());
    }
    let open = std::fs::read_dir("/proc/thread-self/fd")?;
    let numbers = open.filter_map(|entry| entry.ok()?.file_name().to_str()?.parse().ok());
    for number in numbers.collect::<Vec<RawFd>>() {
        // SAFETY: as above.
        unsafe { libc::close(number) };
    }
    Ok(())
}

/// Last component of the program's name; under a Python interpreter that of the script or module.
pub fn program_name() -> String {
    let name = name_in(std::env::args_os().map(|word| word.to_string_lossy().into_owned()));
    if name.starts_with("ipykernel") {
        return notebook_name(std::env::var_os("JPY_SESSION_NAME"));
    }
    name
}

/// A kernel runs cells of a notebook, which its server names.
fn notebook_name(session: Option<std::ffi::OsString>) -> String {
    let session = session.unwrap_or_default();
    let name = std::path::Path::new(&session).file_name();
    name.map_or_else(
        || "notebook".to_owned(),
        |name| name.to_string_lossy().into_owned(),
    )
}

fn name_in(mut words: impl Iterator<Item = String>) -> String {
    let last = |path: &str| path.rsplit('/').next().unwrap_or_default().to_owned();
    let program = last(&words.next().unwrap_or_default());
    if !program.starts_with("python") {
        return program;
    }
    while let Some(word) = words.next() {
        match word.as_str() {
            "-m" => return words.next().unwrap_or(program),
            "-c" | "-" => return program,
            // Options whose value is a word of its own.
            "-X" | "-W" => drop(words.next()),
            option if option.starts_with('-') => {}
            script => return last(script),
        }
    }
    program
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_notebook_is_named_by_its_file() {
        let name = |session: &str| notebook_name(Some(session.into()));
        assert_eq!(name("/home/me/first steps.ipynb"), "first steps.ipynb");
        assert_eq!(notebook_name(None), "notebook");
    }

    #[test]
    fn a_program_is_named_by_what_the_user_wrote() {
        let name = |line: &str| name_in(line.split_whitespace().map(str::to_owned));
        assert_eq!(name("/usr/bin/program --flag"), "program");
        assert_eq!(
            name("/usr/bin/python3.11 -B examples/train.py --lr 1"),
            "train.py"
        );
        assert_eq!(
            name("python -X importtime -m package.train x"),
            "package.train"
        );
        assert_eq!(name("python -c print(1)"), "python");
        assert_eq!(name("python"), "python");
        assert_eq!(name(""), "");
    }
}
