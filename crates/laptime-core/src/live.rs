//! What a running process knows about itself: the input of an in-process report.
//!
//! The recorder keeps the first windows whole, so that warm-up can be told from steady
//! state afterwards, and folds later ones into tallies. A file on disk holds all windows
//! and no tallies; both lead to the same summary.

use std::collections::BTreeMap;

use crate::anchor::Anchor;
use crate::device_memory::DeviceMemoryTally;
use crate::device_span::DeviceTally;
use crate::format::process::{OpenSpan, ProcessHeader};
use crate::memory::ProcessMemory;
use crate::path::{PathId, PathTable};
use crate::tally::Tallies;

/// A snapshot of one process.
#[derive(Debug, Clone)]
pub struct Live {
    /// Who and since when; `closed` holds the anchor of the snapshot.
    pub header: ProcessHeader,
    /// All anchors so far.
    pub anchors: Vec<Anchor>,
    /// Every path defined so far.
    pub paths: PathTable,
    /// The first windows, each with its header, in order of opening.
    pub head: Vec<Vec<u8>>,
    /// Everything after them.
    pub tail: Tallies,
    /// Spans of `<overflow>` after them whose time is that of what they ran inside of.
    pub overflowed_spans: u64,
    /// When the first span of those began, in ticks; [`u64::MAX`] without any.
    pub tail_since: u64,
    /// How often each stretch ran in what follows them; see [`crate::format::record::Record::Ran`].
    pub ran: BTreeMap<u32, u64>,
    /// What devices told of the spans that follow them.
    pub on_devices: BTreeMap<PathId, DeviceTally>,
    /// What devices' allocators told of them.
    pub device_memory: BTreeMap<PathId, DeviceMemoryTally>,
    /// Spans that are open now.
    pub open: Vec<OpenSpan>,
    /// Memory of the process, while it is counted.
    pub memory: Option<ProcessMemory>,
    /// Notes: code and message.
    pub notes: Vec<(String, String)>,
}
