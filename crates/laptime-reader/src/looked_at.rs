//! What a path holds that has no benchmarks, though it should: asked for an error's sake, after reading failed.

use std::path::Path;

use crate::error::ReadError;
use crate::json_file::object;
use crate::opened::RecordingFiles;
use crate::other_file::OtherFile;

impl OtherFile {
    /// What a path holds.
    ///
    /// **Errors** where nothing is there, or the system refuses to read it.
    pub fn of(path: &Path) -> Result<Self, ReadError> {
        let opened = RecordingFiles::open(path, true).and_then(|mut files| files.begin());
        let error = match opened {
            Ok(_) => return Ok(Self::Recording),
            Err(error @ (ReadError::Missing { .. } | ReadError::Read { .. })) => return Err(error),
            Err(error) => error,
        };
        let is_empty = path
            .metadata()
            .is_ok_and(|file| file.is_file() && file.len() == 0);
        Ok(match error {
            ReadError::OtherFile { is, .. } => is,
            ReadError::NotARecording { .. } => Self::Folder,
            _ if is_empty => Self::Empty,
            error if error.is_no_recording() => {
                let json = object(path).ok().flatten();
                let is_json =
                    |text: String| serde_json::from_str::<serde::de::IgnoredAny>(&text).is_ok();
                if json.is_some_and(is_json) {
                    Self::Json
                } else {
                    Self::Bytes
                }
            }
            _ => Self::Recording,
        })
    }
}

#[cfg(test)]
#[expect(
    clippy::disallowed_methods,
    reason = "tests write the files that are read"
)]
mod tests {
    use super::*;

    #[test]
    fn every_file_is_said_to_be_what_it_is() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("some.json");
        for (content, is) in [
            ("", OtherFile::Empty),
            ("{}", OtherFile::Json),
            (r#"{"schema": "other"}"#, OtherFile::Json),
            (
                r#"{"pairs": [{}], "schema": "laptime-comparison"}"#,
                OtherFile::Comparison,
            ),
            (r#"{"schema": "laptime-inference"}"#, OtherFile::Inference),
            ("{ cut", OtherFile::Bytes),
            ("\u{1}\u{2}", OtherFile::Bytes),
        ] {
            std::fs::write(&path, content).unwrap();
            assert_eq!(OtherFile::of(&path).unwrap(), is, "{content:?}");
        }
        assert_eq!(OtherFile::of(folder.path()).unwrap(), OtherFile::Folder);
        let missing = OtherFile::of(&folder.path().join("none"));
        assert!(matches!(missing, Err(ReadError::Missing { .. })));
    }
}
