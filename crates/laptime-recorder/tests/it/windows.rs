//! A recording's windows, as its tests read them.

use std::path::Path;

use laptime_core::format::process::window_offset;
use laptime_core::format::window::{WINDOW_LEN, Window};

/// Shows every window of a recording that was written, with the id of its process.
///
/// A process's windows come in their order. Fails the test where one of them can't be read.
pub fn each_window(recording: &Path, mut see: impl FnMut(u32, Window<'_>)) {
    for file in std::fs::read_dir(recording).unwrap() {
        let file = file.unwrap().path();
        if file.extension().is_none_or(|is| is != "proc") {
            continue;
        }
        let name = file.file_name().unwrap().to_string_lossy();
        let pid = name.split_once('-').unwrap().0.parse().unwrap();
        let bytes = std::fs::read(&file).unwrap();
        for offset in (window_offset(0)..bytes.len() as u64).step_by(WINDOW_LEN) {
            let end = (offset as usize + WINDOW_LEN).min(bytes.len());
            if let Some(window) = Window::parse(&bytes[offset as usize..end], offset).unwrap() {
                see(pid, window);
            }
        }
    }
}
