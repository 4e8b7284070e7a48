//! A snapshot of the running process, read like a file.

use std::borrow::Cow;

use laptime_core::format::process::window_offset;
use laptime_core::format::reader::VisitProcess;
use laptime_core::{Live, PathId};

use crate::paths::Told;
use crate::process::tell_path;
use crate::{Damage, ProcessReader};

impl ProcessReader {
    /// Begins with a snapshot.
    pub fn of_live(live: &Live) -> Self {
        let mut reader = Self::new(live.header.clone(), "", live.open.clone());
        reader.facts.overflowed_spans = live.overflowed_spans;
        let known = live.paths.iter();
        for (id, entry) in known.filter(|(id, _)| *id != PathId::OVERFLOW) {
            // The recorder's own paths contradict neither each other nor a limit.
            let _ = reader.paths.define(id, entry.parent, &entry.name);
        }
        for anchor in &live.anchors {
            reader.add_anchor(*anchor);
        }
        reader
    }

    /// Hands out the paths and the windows' records of a snapshot.
    ///
    /// **Errors** at damage, which only a bug of the recorder's makes.
    pub fn live_windows(
        &mut self,
        live: &Live,
        visit: &mut impl VisitProcess,
    ) -> Result<(), Damage> {
        if !self.is_again {
            for (id, _) in self.paths.table().iter() {
                tell_path(&self.paths, id, visit);
            }
        }
        let windows = (0..).zip(&live.head);
        let read = windows.map(|(index, bytes)| self.window(bytes, window_offset(index), visit));
        let damage = read.filter_map(Result::err).last();
        self.end_pass();
        damage.map_or(Ok(()), Err)
    }

    /// The rest of a snapshot, with the reader's numbers of paths.
    pub fn folded<'l>(&self, live: &'l Live) -> Cow<'l, Live> {
        let paths = live.paths.iter();
        if paths
            .into_iter()
            .all(|(id, _)| self.paths.own(id) == Some(id))
        {
            return Cow::Borrowed(live);
        }
        let own = |path: PathId| match self.paths.of(path) {
            Some(Told::Own(path)) => Some(path),
            _ => None,
        };
        let mut live = live.clone();
        live.tail = live.tail.folded(own);
        Cow::Owned(live)
    }
}
