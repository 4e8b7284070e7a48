//! What a command writes to its standard error: taken away as it comes, and only the end of it kept.
//!
//! What the command leaves running may go on to hold the pipe; nobody waits for that.

use std::collections::VecDeque;
use std::io::{self, PipeReader, PipeWriter, Read};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

/// Characters that are told, and bytes that are kept.
const MOST_SAID: usize = 200;
const MOST_KEPT: usize = 16 << 10;
/// How long the last words of a command that has ended may take.
const LAST_WORDS: Duration = Duration::from_millis(200);

/// The end of what was written so far.
pub struct Complaints {
    kept: Arc<Mutex<VecDeque<u8>>>,
    reader: JoinHandle<()>,
}

impl Complaints {
    /// With the end of the pipe that the command writes to.
    ///
    /// **Errors** where the system has no pipe or thread to give.
    pub fn new() -> io::Result<(Self, PipeWriter)> {
        let (from, to) = io::pipe()?;
        let kept = Arc::new(Mutex::new(VecDeque::new()));
        let of_reader = Arc::clone(&kept);
        let reader = std::thread::Builder::new().spawn(move || drain(from, &of_reader))?;
        Ok((Self { kept, reader }, to))
    }

    /// The last line that isn't empty, or where it begins.
    pub fn last_line(self) -> String {
        let begun = Instant::now();
        while !self.reader.is_finished() && begun.elapsed() < LAST_WORDS {
            std::thread::sleep(Duration::from_millis(1));
        }
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        last_line(&String::from_utf8_lossy(kept.make_contiguous()))
    }
}

fn drain(mut from: PipeReader, kept: &Mutex<VecDeque<u8>>) {
    let mut bytes = vec![0; 64 << 10];
    while let Ok(count @ 1..) = from.read(&mut bytes) {
        let mut kept = kept.lock().unwrap_or_else(PoisonError::into_inner);
        kept.extend(&bytes[count.saturating_sub(MOST_KEPT)..count]);
        let more = kept.len().saturating_sub(MOST_KEPT);
        kept.drain(..more);
    }
}

fn last_line(text: &str) -> String {
    let mut lines = text.lines().rev().map(str::trim);
    let line = lines.find(|line| !line.is_empty()).unwrap_or_default();
    match line.char_indices().nth(MOST_SAID) {
        Some((cut, _)) => format!("{}…", &line[..cut]),
        None => line.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use super::*;

    #[test]
    fn the_last_line_is_told() {
        assert_eq!(last_line(""), "");
        assert_eq!(last_line("one\n two \n\n"), "two");
        let long = last_line(&"é".repeat(1_000));
        assert_eq!(long.chars().count(), MOST_SAID + 1);
        assert!(long.ends_with("é…"), "{long}");
    }

    #[test]
    fn of_much_that_is_written_the_end_is_kept() {
        let (complaints, mut to) = Complaints::new().unwrap();
        to.write_all(&vec![b'x'; 1 << 20]).unwrap();
        to.write_all(b"\nthe end\n").unwrap();
        drop(to);
        assert_eq!(complaints.last_line(), "the end");
    }

    #[test]
    fn who_keeps_the_pipe_open_is_not_waited_for() {
        let (complaints, mut to) = Complaints::new().unwrap();
        to.write_all(b"first\n").unwrap();
        assert_eq!(complaints.last_line(), "first");
        drop(to);
    }
}
