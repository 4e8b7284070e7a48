//! A word when the recordings of `.laptime/runs` have become many or large. Nothing is deleted unasked.

use std::ffi::OsStr;
use std::fs;

use laptime_report::quantity::{bytes, thousands};

use super::folder::RUNS;
use super::found::size_bytes;

/// From so many on a listing is longer than a screen.
const MANY: u64 = 50;
/// From so many bytes on they are worth a thought on any disk.
const LARGE_BYTES: u64 = 1 << 30;
/// How many are suggested to stay.
const KEPT: u64 = 20;
/// Most files that are looked at: counting must cost no more than milliseconds whatever lies there.
const MOST_FILES: usize = 5_000;

/// How many recordings there are and how large they are, and what deletes the older ones; `None` while they are few.
pub fn sentence() -> Option<String> {
    let mut left = MOST_FILES;
    let (mut count, mut sum_bytes, mut is_all) = (0, 0, true);
    for entry in fs::read_dir(RUNS).ok()?.flatten() {
        let path = entry.path();
        let Some(rest) = left.checked_sub(1) else {
            is_all = false;
            break;
        };
        left = rest;
        if path.extension() != Some(OsStr::new("lap")) {
            continue;
        }
        count += 1;
        match size_bytes(&path, &mut left) {
            Some(size_bytes) => sum_bytes += size_bytes,
            None => is_all = false,
        }
    }
    told(count, sum_bytes, is_all)
}

fn told(count: u64, sum_bytes: u64, is_all: bool) -> Option<String> {
    if count < MANY && sum_bytes < LARGE_BYTES {
        return None;
    }
    let more = if is_all { "" } else { "more than " };
    let keep = if count > KEPT { KEPT } else { count / 2 };
    Some(format!(
        "{RUNS} has {more}{} recordings, {more}{}: `laptime clean --keep {keep}` deletes all but the newest {keep}",
        thousands(count),
        bytes(sum_bytes),
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn few_and_small_recordings_are_not_worth_a_word() {
        assert_eq!(told(49, LARGE_BYTES - 1, true), None);
        let many = told(50, 1 << 20, true).unwrap();
        assert_eq!(
            many,
            ".laptime/runs has 50 recordings, 1.00 MiB: `laptime clean --keep 20` deletes all but the newest 20"
        );
        let large = told(3, 3 << 30, true).unwrap();
        assert!(large.contains("3 recordings, 3.00 GiB: `laptime clean --keep 1`"));
        let bounded = told(4_000, 1 << 30, false).unwrap();
        assert!(bounded.contains("more than 4,000 recordings, more than 1.00 GiB"));
    }
}
