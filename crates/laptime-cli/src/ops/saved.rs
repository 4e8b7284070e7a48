//! Counts that `laptime ops -f json` or `OpCounts.to_json()` wrote, shown again.

use std::path::Path;

use laptime_core::Counts;
use laptime_reader::named_file;
use laptime_report::json::operations::{self, ReadError};
use laptime_report::tables::operations::Subject;

use super::error::OpsError;

/// Longest file that is read as counts.
const MOST_BYTES: u64 = 1 << 28;

/// The counts in a file; none where it holds something else.
///
/// **Errors** when it can't be read, or holds counts that are damaged or too new.
pub fn read(path: &Path) -> Result<Option<(Counts, Subject)>, OpsError> {
    if !path.exists() {
        return Ok(None);
    }
    // A model's folder is named for its configuration.
    let path = if path.is_dir() {
        path.join("config.json")
    } else {
        path.to_owned()
    };
    let text = match named_file::read(&path, MOST_BYTES) {
        Ok(text) => text,
        Err(source) => return Err(OpsError::Read { path, source }),
    };
    match operations::read(&String::from_utf8_lossy(&text)) {
        Ok(found) => Ok(Some(found)),
        Err(ReadError::Other) => Ok(None),
        Err(source) => Err(OpsError::Saved { path, source }),
    }
}
