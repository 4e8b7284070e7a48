//! The text of files that may be JSON of Laptime's: benchmarks, comparisons, reports.

use std::io::{ErrorKind, Read};
use std::path::Path;

use crate::named_file;

/// Larger files are none that Laptime wrote.
const MOST_BYTES: u64 = 1 << 30;

/// The text of a file that begins as an object of JSON does.
pub fn object(path: &Path) -> std::io::Result<Option<String>> {
    let Ok(file) = named_file::open(path) else {
        // The recordings' own reader says what is wrong with a path.
        return Ok(None);
    };
    let mut text = String::new();
    let mut head = [0; 1];
    let mut reader = std::io::BufReader::new(file.take(MOST_BYTES));
    if reader.read(&mut head)? == 0 || head[0] != b'{' {
        return Ok(None);
    }
    text.push('{');
    match reader.read_to_string(&mut text) {
        // What is cut is no whole object, as its reader finds.
        Ok(_) => Ok(Some(text)),
        Err(error) if error.kind() == ErrorKind::InvalidData => Ok(None),
        Err(error) => Err(error),
    }
}
