//! The tool that is attached: its functions, the domain, and the names that it knows.

use std::ffi::{CString, c_char, c_int, c_void};
use std::ptr::null_mut;
use std::sync::Mutex;
use std::sync::atomic::{AtomicPtr, Ordering};

use laptime_core::Unavailable;

use super::attributes::{Attributes, Name};
use super::{loader, tables};
use crate::site::Site;

type Domain = *mut c_void;
type InitializeFn = unsafe extern "C" fn(*const c_void);
type CreateFn = unsafe extern "C" fn(*const c_char) -> Domain;
type RegisterFn = unsafe extern "C" fn(Domain, *const c_char) -> Name;
type EventFn = unsafe extern "C" fn(Domain, *const Attributes);
type PushFn = unsafe extern "C" fn(Domain, *const Attributes) -> c_int;
type PopFn = unsafe extern "C" fn(Domain) -> c_int;
type StartFn = unsafe extern "C" fn(Domain, *const Attributes) -> u64;
type EndFn = unsafe extern "C" fn(Domain, u64);

/// Name of the domain that the ranges are in: what `ncu --nvtx-include "laptime@step/"` begins with.
pub const DOMAIN: &str = "laptime";

/// Null until one is attached; then never again.
static TOOL: AtomicPtr<Tool> = AtomicPtr::new(null_mut());

/// One thread attaches at a time.
static ATTACHING: Mutex<()> = Mutex::new(());

/// What the attached tool can be told. Functions that it left out are `None`.
#[derive(Debug)]
pub struct Tool {
    domain: Domain,
    register: Option<RegisterFn>,
    mark: Option<EventFn>,
    push: Option<PushFn>,
    pop: Option<PopFn>,
    start: Option<StartFn>,
    end: Option<EndFn>,
}

/// The tool that is attached.
#[inline]
pub fn tool() -> Option<&'static Tool> {
    // SAFETY: null, or leaked by `attach`.
    unsafe { TOOL.load(Ordering::Acquire).as_ref() }
}

/// Attaches the tool, unless one is.
///
/// **Errors** with the reason why there is none.
pub fn attach() -> Result<(), Unavailable> {
    // In a forked child, another thread of the parent may hold it for ever.
    let Ok(_one) = ATTACHING.try_lock() else {
        return Err(Unavailable("another thread is attaching the tool".into()));
    };
    if tool().is_some() {
        return Ok(());
    }
    loader::load()?;
    let tool = Tool::of_tables()
        .ok_or_else(|| Unavailable("the attached tool takes no NVTX ranges of a domain".into()))?;
    TOOL.store(Box::leak(Box::new(tool)), Ordering::Release);
    Ok(())
}

impl Tool {
    /// The functions that the tool wrote, if it takes ranges, and the domain that it made.
    fn of_tables() -> Option<Self> {
        /// A function by its number.
        ///
        /// # Safety
        /// `F` is an optional pointer to a function of that number's type.
        unsafe fn function<F>(number: usize) -> F {
            const { assert!(size_of::<F>() == size_of::<*mut c_void>()) };
            let written = tables::function(number);
            // SAFETY: the caller's promise; null is `None`.
            unsafe { std::mem::transmute_copy(&written) }
        }
        // SAFETY: the types are those of nvtxTypes.h, and called as NVTX calls them.
        unsafe {
            if let Some(initialize) = function::<Option<InitializeFn>>(tables::INITIALIZE) {
                initialize(std::ptr::null());
            }
            let name = CString::new(DOMAIN).unwrap_or_default();
            let create = function::<Option<CreateFn>>(tables::CREATE);
            let tool = Self {
                domain: create.map_or(null_mut(), |create| create(name.as_ptr())),
                register: function(tables::REGISTER),
                mark: function(tables::MARK),
                push: function(tables::PUSH),
                pop: function(tables::POP),
                start: function(tables::START),
                end: function(tables::END),
            };
            let pushes = tool.push.is_some() && tool.pop.is_some();
            (pushes || tool.start.is_some()).then_some(tool)
        }
    }

    /// The handle of a site's name, which is registered once.
    pub fn name(&self, site: &Site) -> Name {
        if let Some(known) = site.nvtx_name() {
            return known;
        }
        let text: Vec<u8> = site.name().bytes().filter(|byte| *byte != 0).collect();
        let text = CString::new(text).unwrap_or_default();
        let name = self.register.map_or(null_mut(), |register| {
            // SAFETY: the tool's function and domain, and a string that it copies.
            unsafe { register(self.domain, text.as_ptr()) }
        });
        site.set_nvtx_name(name);
        name
    }

    /// Opens a range on this thread, inside those that are open there.
    pub fn push(&self, name: Name, id: u64) {
        if let Some(push) = self.push {
            // SAFETY: the tool's function and domain; it reads the attributes during the call.
            unsafe { push(self.domain, &Attributes::new(name, id)) };
        }
    }

    /// Closes the innermost range of this thread.
    pub fn pop(&self) {
        if let Some(pop) = self.pop {
            // SAFETY: the tool's function and domain.
            unsafe { pop(self.domain) };
        }
    }

    /// Opens a range that any thread may end: a number to end it by.
    pub fn start(&self, name: Name, id: u64) -> u64 {
        // SAFETY: as in `push`.
        let start = |start: StartFn| unsafe { start(self.domain, &Attributes::new(name, id)) };
        self.start.map_or(0, start)
    }

    /// Ends a range that was started.
    pub fn end(&self, range: u64) {
        if let Some(end) = self.end {
            // SAFETY: the tool's function and domain, and a number that it gave.
            unsafe { end(self.domain, range) };
        }
    }

    /// Tells of an instant.
    pub fn mark(&self, name: Name, id: u64) {
        if let Some(mark) = self.mark {
            // SAFETY: as in `push`.
            unsafe { mark(self.domain, &Attributes::new(name, id)) };
        }
    }
}

// SAFETY: the functions of a tool may be called from any thread, by the protocol.
unsafe impl Send for Tool {}
// SAFETY: as above.
unsafe impl Sync for Tool {}
