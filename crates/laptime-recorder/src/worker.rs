//! Threads of the recorder's own.
//!
//! They are not the standard library's: one of those takes a lock as it begins and as it ends, which a child
//! inherits for good where a fork happens meanwhile. A thread that the recorder began in such a child would
//! never run, and the child would wait for it as it exits.

use std::ffi::{CStr, c_void};
use std::mem::MaybeUninit;

use crate::guard::guard;

/// What it does.
type Work = Box<dyn FnOnce() + Send>;

/// As much as the standard library's threads have.
const STACK_BYTES: usize = 2 << 20;

/// A thread that runs, or ran. It goes on when this is dropped.
#[derive(Debug)]
pub struct Worker(libc::pthread_t);

struct Start {
    name: &'static CStr,
    work: Work,
}

impl Worker {
    /// Begins one; `None` where the system has none to give. Names have 15 bytes at most.
    pub fn start(name: &'static CStr, work: impl FnOnce() + Send + 'static) -> Option<Self> {
        let work = Box::new(work);
        let start = Box::into_raw(Box::new(Start { name, work }));
        let mut attributes = MaybeUninit::uninit();
        let mut thread = 0;
        // SAFETY: the attributes are made before they are used and destroyed after, and the thread owns what
        // it is given.
        let failed = unsafe {
            libc::pthread_attr_init(attributes.as_mut_ptr());
            libc::pthread_attr_setstacksize(attributes.as_mut_ptr(), STACK_BYTES);
            let failed =
                libc::pthread_create(&raw mut thread, attributes.as_ptr(), main, start.cast());
            libc::pthread_attr_destroy(attributes.as_mut_ptr());
            failed
        };
        if failed != 0 {
            // SAFETY: no thread took it.
            drop(unsafe { Box::from_raw(start) });
            return None;
        }
        Some(Self(thread))
    }

    /// Waits until it has ended.
    pub fn join(self) {
        let thread = self.0;
        std::mem::forget(self);
        // SAFETY: it is neither joined nor let go of before.
        unsafe { libc::pthread_join(thread, std::ptr::null_mut()) };
    }
}

impl Drop for Worker {
    fn drop(&mut self) {
        // SAFETY: it is not joined.
        unsafe { libc::pthread_detach(self.0) };
    }
}

extern "C" fn main(start: *mut c_void) -> *mut c_void {
    guard((), || {
        // SAFETY: made by `start`, for this thread alone.
        let start = unsafe { Box::from_raw(start.cast::<Start>()) };
        // SAFETY: the calling thread's own name.
        unsafe { libc::pthread_setname_np(libc::pthread_self(), start.name.as_ptr()) };
        (start.work)();
    });
    std::ptr::null_mut()
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc;

    use super::*;

    #[test]
    fn it_has_its_name_and_is_waited_for() {
        let (tell, told) = mpsc::channel();
        let worker = Worker::start(c"laptime-test", move || {
            let name = std::fs::read_to_string("/proc/thread-self/comm");
            tell.send(name.unwrap()).unwrap();
        });
        worker.unwrap().join();
        assert_eq!(told.try_recv().unwrap(), "laptime-test\n");
    }

    #[test]
    fn one_that_nobody_waits_for_goes_on() {
        let (tell, told) = mpsc::channel();
        let (go, goes) = mpsc::channel();
        let worker = Worker::start(c"laptime-test", move || {
            goes.recv().unwrap();
            tell.send(()).unwrap();
        });
        drop(worker.unwrap());
        go.send(()).unwrap();
        told.recv().unwrap();
    }
}
