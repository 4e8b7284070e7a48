//! Where imports look, read from the interpreter's memory: the program may have changed it, and the sampler
//! doesn't hold the lock.

use laptime_recorder::file_names::plain;

use crate::stacks::layout;
use crate::stacks::peek::{peek, word};
use crate::stacks::text::Text;

/// Entries that are read: more are not looked at.
const MOST_ENTRIES: u64 = 512;

/// The entries of a list of strings; `None` where it can't be read.
pub fn read(list: u64) -> Option<Vec<String>> {
    if list == 0 || layout::unknown().is_some() {
        return None;
    }
    let layout = layout::layout();
    let count = word(list, layout.bytes_len)?.min(MOST_ENTRIES) as usize;
    let mut items = vec![0; count * 8];
    if !peek(word(list, layout.list_items)?, &mut items) {
        return None;
    }
    let (items, _) = items.as_chunks::<8>();
    let texts = items
        .iter()
        .filter_map(|item| Text::read(u64::from_ne_bytes(*item)));
    Some(texts.map(|text| plain(&text.characters())).collect())
}
