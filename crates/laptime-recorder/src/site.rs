//! Sites: a span's name, interned once, with the path it last led to.
//!
//! Sites live as long as the process, so their number and the bytes of their names are bounded:
//! names beyond what there can be paths for share one site, `<overflow>`.

use std::collections::HashMap;
use std::ffi::c_void;
use std::ptr::null_mut;
use std::sync::atomic::{AtomicPtr, AtomicU64, Ordering};

use laptime_core::{PathId, PathTable};

use crate::lock::Lock;

static SITES: Lock<Option<Sites>> = Lock::new(None);

#[derive(Debug, Default)]
struct Sites {
    by_name: HashMap<&'static str, &'static Site>,
    name_bytes: usize,
}

/// The name of a span, once in the process. Compare by [`Site::index`].
#[derive(Debug)]
pub struct Site {
    name: Box<str>,
    index: u32,
    /// Parent and path of the last resolution, packed: the common case is always the same parent.
    cache: AtomicU64,
    /// What the tool calls the name that takes ranges; null: it doesn't know it.
    nvtx: AtomicPtr<c_void>,
}

impl Site {
    /// Most names with a site of their own: as many as there can be paths.
    pub const LIMIT: usize = PathTable::LIMIT;

    /// Most bytes of their names: as many as paths may have.
    pub const NAMES_LIMIT: usize = PathTable::NAMES_LIMIT;

    /// The site of a name: always the same one for the same name, until a limit is reached; further
    /// names, and those too long for any path, get that of `<overflow>`.
    pub fn intern(name: &str) -> &'static Self {
        let mut sites = SITES.lock();
        let sites = sites.get_or_insert_default();
        if let Some(site) = sites.by_name.get(name) {
            return site;
        }
        let fits = sites.by_name.len() < Self::LIMIT
            && sites.name_bytes + name.len() <= Self::NAMES_LIMIT
            && name.len() <= PathTable::CHAIN_LIMIT;
        let name = if fits {
            name
        } else if let Some(site) = sites.by_name.get(PathTable::OVERFLOW_NAME) {
            return site;
        } else {
            PathTable::OVERFLOW_NAME
        };
        let site: &'static Self = Box::leak(Box::new(Self {
            name: name.into(),
            index: sites.by_name.len() as u32,
            cache: AtomicU64::new(u64::MAX),
            nvtx: AtomicPtr::new(null_mut()),
        }));
        sites.name_bytes += site.name.len();
        sites.by_name.insert(&site.name, site);
        site
    }

    /// The name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// A number of its own, below 2³¹.
    #[inline]
    pub fn index(&self) -> u32 {
        self.index
    }

    /// The path under `parent`, if that was the last one asked for.
    #[inline]
    pub(crate) fn cached(&self, parent: PathId) -> Option<PathId> {
        let cached = self.cache.load(Ordering::Relaxed);
        ((cached >> 32) as u32 == parent.0).then_some(PathId(cached as u32))
    }

    pub(crate) fn remember(&self, parent: PathId, path: PathId) {
        let packed = u64::from(parent.0) << 32 | u64::from(path.0);
        self.cache.store(packed, Ordering::Relaxed);
    }

    /// What the tool that takes ranges calls the name, once it knows it.
    pub(crate) fn nvtx_name(&self) -> Option<*mut c_void> {
        let name = self.nvtx.load(Ordering::Acquire);
        (!name.is_null()).then_some(name)
    }

    pub(crate) fn set_nvtx_name(&self, name: *mut c_void) {
        self.nvtx.store(name, Ordering::Release);
    }
}

/// A site made at its first use: what `lap!("name")` keeps in a static.
#[derive(Debug)]
pub struct LazySite {
    name: &'static str,
    site: AtomicPtr<Site>,
}

impl LazySite {
    /// A site for a name known when compiling.
    pub const fn new(name: &'static str) -> Self {
        Self {
            name,
            site: AtomicPtr::new(null_mut()),
        }
    }

    /// The site.
    #[inline]
    pub fn get(&self) -> &'static Site {
        // SAFETY: null or a leaked site.
        unsafe { self.site.load(Ordering::Acquire).as_ref() }.unwrap_or_else(|| self.make())
    }

    #[cold]
    fn make(&self) -> &'static Site {
        let site = Site::intern(self.name);
        self.site
            .store(std::ptr::from_ref(site).cast_mut(), Ordering::Release);
        site
    }
}

/// Locks the table over a fork, so that the child finds it whole.
pub(crate) fn lock_for_fork() {
    SITES.hold();
}

/// Undoes [`lock_for_fork`], in parent and child.
///
/// # Safety
/// The calling thread holds the lock.
pub(crate) unsafe fn unlock_after_fork() {
    // SAFETY: the caller's promise.
    unsafe { SITES.release() };
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_has_one_site() {
        static LAZY: LazySite = LazySite::new("site-test");
        assert!(std::ptr::eq(LAZY.get(), Site::intern("site-test")));
        assert_ne!(Site::intern("site-test-2").index(), LAZY.get().index());
    }
}
