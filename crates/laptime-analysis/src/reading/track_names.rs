//! Names of a process's threads and tasks.

use laptime_core::format::record::Record;

use crate::reading::feature::{Context, Feature};

/// Most named tracks: programs with a task per request have millions.
const MOST_TRACKS: usize = 1_024;

/// A thread or task with its name.
#[derive(Debug, Clone)]
pub struct NamedTrack {
    /// Number of the track in the recording.
    pub track: u32,
    /// Whether it is a task.
    pub is_task: bool,
    /// Thread that the track is, or that the task runs on.
    pub thread: u64,
    /// Name of the track.
    pub name: String,
}

/// The tracks of a process that have names.
#[derive(Debug, Default)]
pub struct Tracks(pub Vec<NamedTrack>);

impl Feature for Tracks {
    fn take_record(&mut self, record: &Record<'_>, _: Context<'_>) {
        let Record::TrackName {
            track,
            is_task,
            thread,
            name,
        } = *record
        else {
            return;
        };
        let known = self.0.iter().position(|known| known.track == track);
        let named = NamedTrack {
            track,
            is_task,
            thread,
            name: name.to_owned(),
        };
        match known {
            Some(index) => self.0[index] = named,
            None if self.0.len() < MOST_TRACKS => self.0.push(named),
            None => {}
        }
    }
}
