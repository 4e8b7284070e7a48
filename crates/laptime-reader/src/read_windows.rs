//! The windows that the first pass over a file read, and how much of each.
//!
//! A file may be written, cut or replaced while it is read, and the numbers of a report come from several passes over
//! it. All of them see the records that the first one saw.

use laptime_core::format::window::Window;

use crate::Damage;

/// The windows of the first pass: where each starts, and how many bytes of records it had.
#[derive(Debug, Clone, Default)]
pub struct ReadWindows(Vec<(u64, usize)>);

impl ReadWindows {
    /// Keeps a window of the first pass. They come in the order of the file.
    pub fn keep(&mut self, window: &Window<'_>, offset: u64) {
        self.0.push((offset, window.len()));
    }

    /// Where the window with this number starts.
    pub fn start(&self, index: usize) -> Option<u64> {
        self.0.get(index).map(|(offset, _)| *offset)
    }

    /// What the first pass saw of a slot that is read again; `None` where it held no window then.
    ///
    /// **Errors** when less is there now.
    pub fn again<'w>(
        &self,
        window: Option<Window<'w>>,
        offset: u64,
    ) -> Result<Option<Window<'w>>, Damage> {
        let Ok(index) = self.0.binary_search_by_key(&offset, |(offset, _)| *offset) else {
            return Ok(None);
        };
        match window.and_then(|window| window.first(self.0[index].1)) {
            None => Err(Damage::Changed { offset }),
            window => Ok(window),
        }
    }
}
