//! The guard behind `lap!`.

use std::marker::PhantomData;

use laptime_recorder::{LazySite, Open, Site, enter, exit, is_off};

/// An open lap. Ends when dropped, on the thread that opened it.
#[must_use = "a lap ends when its guard is dropped: bind it with `let _lap = …`"]
#[derive(Debug)]
pub struct Lap {
    /// Index and start of the open span. Index 0, the base of a stack, is nobody's: off.
    index: u32,
    start: u64,
    /// A lap belongs to its thread.
    not_send: PhantomData<*const ()>,
}

impl Lap {
    /// Opens a lap with a name known when compiling; what `lap!("name")` expands to.
    #[inline(always)]
    #[allow(clippy::inline_always)] // switched off, this is one load and no call
    pub fn open(site: &LazySite) -> Self {
        if is_off() {
            Self::new(None)
        } else {
            Self::new(enter(site.get()))
        }
    }

    /// Opens a lap with a computed name. Looks the name up: about 50 ns more.
    pub fn named(name: &str) -> Self {
        Self::new(enter(Site::intern(name)))
    }

    #[inline(always)]
    #[allow(clippy::inline_always)] // see `open`
    fn new(open: Option<Open>) -> Self {
        let (index, start) = open.map_or((0, 0), Open::to_raw);
        Self {
            index,
            start,
            not_send: PhantomData,
        }
    }
}

impl Drop for Lap {
    #[inline(always)]
    #[allow(clippy::inline_always)] // see `open`
    fn drop(&mut self) {
        if self.index != 0 {
            exit(Open::from_raw(self.index, self.start));
        }
    }
}
