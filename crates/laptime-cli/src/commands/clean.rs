//! `laptime clean`: deletes the older recordings of `.laptime/runs`, after a yes.
//!
//! What is deleted is a recording that lies there itself: no link, nothing that another process records into, nothing
//! else that somebody put there. The page that `laptime report --open` wrote beside a recording goes with it.

use std::fs;
use std::io::{self, BufRead, IsTerminal, Read};
use std::path::Path;

use laptime_reader::named_file;
use laptime_recorder::folder;
use laptime_report::quantity::{ABSENT, ago, bytes, plural};
use laptime_report::{Shown, aligned, visible};
use serde::Serialize;

use super::list::{ListedRecording, listed};
use crate::args::CleanArgs;
use crate::error::{CliError, ERROR, OK};
use crate::messages::say;
use crate::outlet::Outlet;
use crate::runs::folder::{RUNS, protection};
use crate::runs::found::{FoundRecording, Outcome};
use crate::runs::listing;
use crate::terminal::{Stream, is_terminal};

/// What every page says of itself, and within how many bytes.
const PAGE_MARK: &str = "<meta name=\"generator\" content=\"laptime ";
const PAGE_START: u64 = 4_096;

/// A run makes its folder a moment before it describes itself there: a younger one without a description stays.
const BEGUN_AFTER_NS: u64 = 60_000_000_000;

/// What is to be deleted, or was.
#[derive(Debug, Serialize)]
struct Cleaned {
    recordings: Vec<ListedRecording>,
    size_bytes: u64,
    kept: usize,
    running: usize,
    /// Those that hold something that isn't Laptime's, or are links: they stay, whatever their age.
    foreign: usize,
    deleted: bool,
}

/// Shows what is to be deleted, asks, and deletes it.
pub fn run(args: &CleanArgs, out: &mut Outlet<'_>, err: &mut Outlet<'_>) -> Result<i32, CliError> {
    if let Some(why) = protection() {
        return Err(CliError::Protected { why });
    }
    let (mut old, kept, foreign) = parted(args.keep);
    let there = old.len();
    old.retain(|one| !folder::is_busy(&one.path));
    let running = there - old.len();
    let size_bytes = old.iter().filter_map(FoundRecording::size_bytes).sum();
    let mut cleaned = Cleaned {
        recordings: old.iter().map(listed).collect(),
        size_bytes,
        kept,
        running,
        foreign,
        deleted: false,
    };
    if !args.json {
        let shown = Shown::lines(&table(&old, &cleaned));
        out.show(&shown).map_err(CliError::from_output)?;
    }
    let is_agreed = old.is_empty() || args.yes || is_terminal_there() && asked(&cleaned, err);
    let gone = if is_agreed { delete(&old, err) } else { 0 };
    cleaned.deleted = is_agreed && gone == old.len();
    if args.json {
        let json = serde_json::to_string_pretty(&cleaned).unwrap_or_default();
        out.show(&Shown::json(json))
            .map_err(CliError::from_output)?;
    }
    if is_agreed && gone < old.len() {
        let count = old.len() - gone;
        return Err(CliError::NotDeleted { count });
    }
    if is_agreed {
        if !old.is_empty() {
            let count = plural(gone as u64, "recording", "recordings");
            say(err, format_args!("deleted: {count}, {}", bytes(size_bytes)));
        }
        return Ok(OK);
    }
    if is_terminal_there() {
        say(err, "nothing is deleted");
        return Ok(ERROR);
    }
    let instead = format!("laptime clean --keep {} --yes", args.keep);
    Err(CliError::NobodyToAsk { instead })
}

/// The recordings behind the newest, how many stay, and how many of `clean` never deletes. What refers to another
/// recording counts for none.
fn parted(keep: usize) -> (Vec<FoundRecording>, usize, usize) {
    let mut kept = 0;
    let mut all = listing::of_runs();
    all.retain(|one| one.outcome != Outcome::Undescribed || one.age_ns() > BEGUN_AFTER_NS);
    let there = all.len();
    all.retain(|one| !one.path.is_symlink() && folder::is_recording(&one.path));
    let foreign = there - all.len();
    let all_of_them = all.len();
    all.retain(|one| {
        let is_old = kept >= keep;
        kept += usize::from(!is_old && one.outcome != Outcome::Reference);
        is_old
    });
    let stay = all_of_them - all.len();
    (all, stay, foreign)
}

fn table(old: &[FoundRecording], cleaned: &Cleaned) -> String {
    let recordings = |count: usize| plural(count as u64, "recording", "recordings");
    let running = match cleaned.running {
        0 => String::new(),
        count => format!(", and {} still running", recordings(count)),
    };
    let foreign = match cleaned.foreign {
        0 => String::new(),
        count => format!(
            ", and {} with something in it that is not Laptime's, or a link",
            recordings(count)
        ),
    };
    let stay = format!(
        "{} of {RUNS} stay{running}{foreign}",
        recordings(cleaned.kept)
    );
    if old.is_empty() {
        return format!("nothing to delete: {stay}\n");
    }
    let rows: Vec<[String; 3]> = old
        .iter()
        .map(|one| {
            let size = one.size_bytes().map_or_else(|| ABSENT.to_owned(), bytes);
            let path = one.path.display().to_string();
            [visible(&path), ago(one.age_ns()), size]
        })
        .collect();
    let cells: Vec<[&str; 3]> = rows
        .iter()
        .map(|row| row.each_ref().map(String::as_str))
        .collect();
    format!(
        "{}to delete: {}, {}; {stay}\n",
        aligned(&cells, "  ", &[]),
        recordings(old.len()),
        bytes(cleaned.size_bytes),
    )
}

/// Whether somebody can be asked.
fn is_terminal_there() -> bool {
    io::stdin().is_terminal() && is_terminal(Stream::Err)
}

/// Asks, and answers whether the answer was yes.
fn asked(cleaned: &Cleaned, err: &mut Outlet<'_>) -> bool {
    let count = cleaned.recordings.len() as u64;
    let question = format!(
        "delete {}? [y/N] ",
        plural(count, "recording", "recordings")
    );
    let _ = err.show(&Shown::line(&question));
    let _ = err.unseen().flush();
    let mut answer = String::new();
    let read = io::stdin().lock().read_line(&mut answer);
    read.is_ok() && ["y", "yes"].contains(&answer.trim().to_ascii_lowercase().as_str())
}

/// Deletes them, and says of each that stays why. How many are gone.
fn delete(old: &[FoundRecording], err: &mut Outlet<'_>) -> usize {
    let mut gone = 0;
    for one in old {
        let why = match folder::remove(&one.path) {
            Ok(true) => {
                gone += 1;
                remove_page(&one.path.with_extension("html"));
                continue;
            }
            Ok(false) => "it is no recording any more".to_owned(),
            Err(error) => error.to_string(),
        };
        let path = one.path.display();
        say(
            err,
            format_args!("laptime: warning: {path} is not deleted: {why}"),
        );
    }
    gone
}

/// Removes the page of a recording that is gone, and no other file of that name. One that stays is in nobody's way.
fn remove_page(page: &Path) {
    if !page.symlink_metadata().is_ok_and(|found| found.is_file()) {
        return;
    }
    let mut start = Vec::new();
    let read = named_file::open(page).map(|file| file.take(PAGE_START).read_to_end(&mut start));
    let is_page = String::from_utf8_lossy(&start).contains(PAGE_MARK);
    if read.is_ok() && is_page {
        let _ = fs::remove_file(page);
    }
}
