//! The sizes of tensors that the outermost module is given, as the recorder noted them where they changed.

use laptime_core::InputSizes;
use laptime_core::format::record::Record;

use crate::reading::feature::{Context, Feature};

/// Most changes that are stored: as many as a recorder writes, 400 kB.
const MOST_CHANGES: usize = 8_192;

/// The changes of one process, in the order in which they were written.
#[derive(Debug, Default)]
pub struct InputChanges(Vec<InputSizes>);

impl InputChanges {
    /// Returns the changes on a track, in order of time; none where later ones may be missing.
    pub fn on_track(&self, track: u32) -> Vec<InputSizes> {
        let is_whole = self.0.len() < MOST_CHANGES;
        let each = self.0.iter().filter(|one| is_whole && one.track == track);
        let mut each: Vec<InputSizes> = each.copied().collect();
        each.sort_by_key(|one| one.ticks);
        each
    }
}

impl Feature for InputChanges {
    fn take_record(&mut self, record: &Record<'_>, _: Context<'_>) {
        if let Record::InputSizes(sizes) = *record
            && self.0.len() < MOST_CHANGES
        {
            self.0.push(sizes);
        }
    }
}
