//! The text of files that may be JSON of Laptime's: benchmarks, comparisons, reports.

use std::io::{ErrorKind, Read};
use std::path::Path;

/// Larger files are none that Laptime wrote.
const MOST_BYTES: u64 = 1 << 30;

/// The text of a file that begins as an object of JSON does.
pub fn object(path: &Path) -> std::io::Result<Option<String>> {
    let Ok(file) = std::fs::File::open(path) else {
        // The recordings' own reader says what is wrong with a path.
        return Ok(None);
    };
    let kind = file.metadata()?;
    if !kind.is_file() || kind.len() > MOST_BYTES {
        return Ok(None);
    }
    let mut text = String::new();
    let mut head = [0; 1];
    let mut reader = std::io::BufReader::new(file);
    if reader.read(&mut head)? == 0 || head[0] != b'{' {
        return Ok(None);
    }
    text.push('{');
    match reader.read_to_string(&mut text) {
        Ok(_) => Ok(Some(text)),
        Err(error) if error.kind() == ErrorKind::InvalidData => Ok(None),
        Err(error) => Err(error),
    }
}
