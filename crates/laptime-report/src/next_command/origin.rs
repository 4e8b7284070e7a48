//! How a command names the recording and the program that a report is of.

use super::command::Command;

/// The page of the last run, where no other is known.
const PAGE: &str = "run.html";

/// The recording and the program that a report is of, by the words that a command needs.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Origin {
    /// The recording; `None` where nothing was recorded, as in a program that reports itself.
    pub recording: Option<RecordingWords>,
    /// Whether a page that is opened is seen by nobody, as there is no display.
    pub is_without_display: bool,
    /// The words that run the program again, after `laptime run`; empty where they aren't known.
    pub program: Vec<String>,
}

/// How a command names a recording.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct RecordingWords {
    /// The name; `None` for the last one in the working folder, which needs none.
    pub name: Option<String>,
    /// The name for its page; `None` where the page lies beside the recording by itself.
    pub page: Option<String>,
}

impl Origin {
    /// Returns the command that reports the recording; `None` where there is none.
    pub(super) fn report(&self, options: &[&str]) -> Option<Command> {
        let name = self.recording.as_ref()?.name.as_deref();
        Some(Command::new(
            ["report"]
                .into_iter()
                .chain(name)
                .chain(options.iter().copied()),
        ))
    }

    /// Returns the command that compares the ranks of the recording; `None` where there is none.
    pub(super) fn ranks(&self) -> Option<Command> {
        let name = self.recording.as_ref()?.name.as_deref();
        Some(Command::new(["ranks"].into_iter().chain(name)))
    }

    /// Returns the command that shows the recording's page, or writes it where there is no display; `None` where there
    /// is no recording.
    pub(super) fn page(&self) -> Option<Command> {
        let page = &self.recording.as_ref()?.page;
        if self.is_without_display {
            return self.report(&["-o", page.as_deref().unwrap_or(PAGE)]);
        }
        match page {
            Some(page) => self.report(&["-o", page, "--open"]),
            None => self.report(&["--open"]),
        }
    }

    /// Returns the command that records the program again; `None` where its words aren't known.
    pub(super) fn run(&self, options: &[&str]) -> Option<Command> {
        let words = self.program.iter().map(String::as_str);
        let all = ["run"]
            .into_iter()
            .chain(options.iter().copied())
            .chain(words);
        (!self.program.is_empty()).then(|| Command::new(all))
    }
}
