//! The guards behind `lap!`: [`Lap`], and [`WorkLap`] that is told what it does.

use std::marker::PhantomData;

use laptime_core::SpanWork;
use laptime_recorder::{LazySite, Open, Site, enter, exit, give, is_off};

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

/// An open lap that is told what it does. Ends when dropped, on the thread that opened it.
#[must_use = "a lap ends when its guard is dropped: bind it with `let _lap = …`"]
#[derive(Debug)]
pub struct WorkLap {
    open: Option<Open>,
    not_send: PhantomData<*const ()>,
}

impl WorkLap {
    /// Opens one with a name known when compiling; what `lap!("name", flop = …)` expands to.
    pub fn open(site: &LazySite) -> Self {
        Self::new(if is_off() { None } else { enter(site.get()) })
    }

    /// Opens one with a computed name.
    pub fn named(name: &str) -> Self {
        Self::new(enter(Site::intern(name)))
    }

    fn new(open: Option<Open>) -> Self {
        Self {
            open,
            not_send: PhantomData,
        }
    }

    /// Says how many floating-point operations the lap does. What is said later counts.
    pub fn flop(self, flop: impl Amount) -> Self {
        self.say(flop.amount(), None)
    }

    /// The bytes that it reads and writes. What is said later counts.
    pub fn bytes(self, bytes: impl Amount) -> Self {
        self.say(None, bytes.amount())
    }

    fn say(self, flop: Option<u128>, bytes: Option<u128>) -> Self {
        if let Some(open) = self.open {
            give(open, SpanWork { flop, bytes });
        }
        self
    }
}

impl Drop for WorkLap {
    fn drop(&mut self) {
        if let Some(open) = self.open {
            exit(open);
        }
    }
}

/// A whole number of things. One below zero says nothing.
pub trait Amount {
    /// The number.
    fn amount(self) -> Option<u128>;
}

macro_rules! amounts {
    ($($kind:ty),*) => {$(
        impl Amount for $kind {
            fn amount(self) -> Option<u128> {
                u128::try_from(self).ok()
            }
        }
    )*};
}

amounts!(
    u8, u16, u32, u64, u128, usize, i8, i16, i32, i64, i128, isize
);
