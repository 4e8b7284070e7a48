//! The windows that the first pass over a file read: what is read again is the same.
//!
//! A file may be written, cut or replaced while it is read, and the numbers of a report come from several passes over
//! it. All of them see the records that the first one saw.

use laptime_core::format::window::Window;

use crate::Damage;

/// A window as the first pass saw it.
#[derive(Debug, Clone)]
struct Known {
    start: u64,
    records: usize,
    seal: Option<u32>,
    /// Of one that was not sealed: of its records so far.
    sum: u32,
}

impl Known {
    /// As much of a window as there was before; `None` where that has changed.
    fn of<'w>(&self, window: Window<'w>) -> Option<Window<'w>> {
        let window = window.first(self.records)?;
        let is_same = match self.seal {
            None => window.sum() == self.sum,
            seal => window.seal == seal,
        };
        is_same.then_some(window)
    }
}

/// The windows of the first pass, in the order of the file.
#[derive(Debug, Clone, Default)]
pub struct ReadWindows(Vec<Known>);

impl ReadWindows {
    /// Puts all that were kept into the order of the file.
    pub fn sort(&mut self) {
        self.0.sort_unstable_by_key(|known| known.start);
    }

    /// Keeps a window of the first pass.
    pub fn keep(&mut self, window: &Window<'_>, start: u64) {
        self.0.push(Known {
            start,
            records: window.len(),
            seal: window.seal,
            sum: window.seal.map_or_else(|| window.sum(), |_| 0),
        });
    }

    /// Where the window with this number starts.
    pub fn start(&self, index: usize) -> Option<u64> {
        self.0.get(index).map(|known| known.start)
    }

    /// What the first pass saw of a slot that is read again; `None` where it held no window then.
    ///
    /// **Errors** when something else is there now.
    pub fn again<'w>(
        &self,
        window: Option<Window<'w>>,
        offset: u64,
    ) -> Result<Option<Window<'w>>, Damage> {
        let Ok(index) = self.0.binary_search_by_key(&offset, |known| known.start) else {
            return Ok(None);
        };
        match window.and_then(|window| self.0[index].of(window)) {
            None => Err(Damage::Changed { offset }),
            window => Ok(window),
        }
    }
}
