//! What can be wrong with the bytes of a recording, with the offset where it is.

/// Why bytes could not be read as a recording.
///
/// **Units** offsets are bytes from the start of the process file.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum FormatError {
    /// Nothing in it.
    #[error("the file is empty")]
    Empty,
    /// Does not start like a process file.
    #[error("not a Laptime recording: it begins with {found:?}, not with \"LAPTIME\"")]
    Foreign {
        /// The first bytes, as text.
        found: String,
    },
    /// Ends before the header does.
    #[error("the file ends at offset {found}, inside the {expected}-byte header")]
    ShortHeader {
        /// Bytes of a whole header.
        expected: usize,
        /// Bytes there are.
        found: usize,
    },
    /// Written by a later Laptime.
    #[error(
        "the recording has format version {found}; this Laptime reads up to version {supported}"
    )]
    Newer {
        /// Version in the file.
        found: u16,
        /// Newest version known here.
        supported: u16,
    },
    /// A header field holds what no writer writes.
    #[error("damaged header at offset {offset}: {what}")]
    Header {
        /// Where the field stands.
        offset: u64,
        /// The field and what it holds.
        what: String,
    },
    /// The bytes of a sealed window do not match its checksum.
    #[error(
        "damaged window at offset {offset}: checksum {computed:#010x}, expected {stored:#010x}"
    )]
    Checksum {
        /// Where the window starts.
        offset: u64,
        /// As stored.
        stored: u32,
        /// As computed.
        computed: u32,
    },
    /// A record that no writer writes.
    #[error("damaged record at offset {offset}: {what}")]
    Record {
        /// Where the record starts.
        offset: u64,
        /// What is wrong with it.
        what: &'static str,
    },
}
