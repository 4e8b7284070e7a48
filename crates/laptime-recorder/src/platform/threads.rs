//! Threads of this process, told by what others call them.

use std::fs::File;
use std::io::Read;
use std::sync::OnceLock;

use super::thread_id;

/// How far into its own record the C library keeps a thread's id, in words of 32 bit: beyond that
/// nobody looks.
const MOST_WORDS: usize = 512;

/// The system's id of a thread, by its `pthread_t`. `None` when no such thread is there any more.
///
/// Interpreters before `CPython` 3.11 note nothing else of a thread. The C library keeps the id in a
/// record to which `pthread_t` points (glibc, musl); where in it is seen from the calling thread's
/// own. The thread may end meanwhile, so the record is read through the system, which says where
/// nothing is.
pub fn thread_id_of(pthread: u64) -> Option<u64> {
    static OFFSET: OnceLock<Option<u64>> = OnceLock::new();
    let offset = (*OFFSET.get_or_init(offset_of_id))?;
    let id = read(pthread.checked_add(offset)?)?;
    is_thread(id).then_some(u64::from(id))
}

/// Whether a thread of this process runs, or waits for a processor, rather than for something else.
pub fn is_running(thread: u64) -> bool {
    // A name has 16 characters at most, so the state is among the first bytes; one call reads them.
    let mut stat = [0; 64];
    let file = File::open(format!("/proc/self/task/{thread}/stat"));
    let len = file.and_then(|mut file| file.read(&mut stat)).unwrap_or(0);
    let stat = &stat[..len];
    // The name before it may hold anything, brackets too.
    let after_name = stat.iter().rposition(|byte| *byte == b')').map(|at| at + 2);
    after_name.and_then(|at| stat.get(at)) == Some(&b'R')
}

/// The processor time that a thread of this process has used; `None` where there is no such thread.
///
/// **Cost** 0.3 µs: no file is opened.
pub fn used_ns(thread: u64) -> Option<u64> {
    // The kernel's number of a thread's clock: three low bits that say which kind, the id above.
    const CLOCK_OF_THREAD: i32 = 0b110;
    let clock = !i32::try_from(thread).ok()? << 3 | CLOCK_OF_THREAD;
    let mut time = libc::timespec {
        tv_sec: 0,
        tv_nsec: 0,
    };
    // SAFETY: `time` is valid for the call.
    let found = unsafe { libc::clock_gettime(clock, &raw mut time) };
    (found == 0).then_some(time.tv_sec as u64 * 1_000_000_000 + time.tv_nsec as u64)
}

fn is_thread(id: u32) -> bool {
    id != 0 && std::fs::metadata(format!("/proc/self/task/{id}")).is_ok()
}

/// Where the id stands in the record of the calling thread.
fn offset_of_id() -> Option<u64> {
    // SAFETY: no preconditions.
    let own = unsafe { libc::pthread_self() } as u64;
    let id = u32::try_from(thread_id()).ok()?;
    (0..MOST_WORDS as u64)
        .map(|word| word * 4)
        .find(|offset| read(own + offset) == Some(id))
}

/// A word of this process's memory; `None` where there is none.
fn read(address: u64) -> Option<u32> {
    let mut word = 0_u32;
    let len = std::mem::size_of_val(&word);
    let local = libc::iovec {
        iov_base: (&raw mut word).cast(),
        iov_len: len,
    };
    let remote = libc::iovec {
        iov_base: address as *mut libc::c_void,
        iov_len: len,
    };
    // SAFETY: the local range is `word`; the other one is checked by the system.
    let read = unsafe {
        let process = libc::getpid();
        libc::process_vm_readv(process, &raw const local, 1, &raw const remote, 1, 0)
    };
    (usize::try_from(read) == Ok(len)).then_some(word)
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc;

    use super::*;

    #[test]
    fn threads_are_found_by_what_the_c_library_calls_them_until_they_end() {
        let (tell, told) = mpsc::channel();
        let (end, ends) = mpsc::channel::<()>();
        let thread = std::thread::spawn(move || {
            // SAFETY: no preconditions.
            tell.send((unsafe { libc::pthread_self() } as u64, thread_id()))
                .unwrap();
            let _ = ends.recv();
        });
        let (pthread, id) = told.recv().unwrap();
        assert_eq!(thread_id_of(pthread), Some(id));
        // SAFETY: no preconditions.
        let own = unsafe { libc::pthread_self() } as u64;
        assert_eq!(thread_id_of(own), Some(thread_id()));
        assert!(is_running(thread_id()));
        let own = used_ns(thread_id());
        while used_ns(thread_id()) <= own {}
        assert!(own.is_some() && used_ns(id).is_some());
        assert_eq!(used_ns(u64::from(u32::MAX)), None);
        drop(end);
        thread.join().unwrap();
        assert_ne!(thread_id_of(pthread), Some(id));
        assert_eq!(thread_id_of(8), None);
    }
}
