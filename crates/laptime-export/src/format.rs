//! The formats: their names, the endings of files that ask for them, and what they are made of.

use std::io;

use crate::about::{About, Output};
use crate::chrome::Chrome;
use crate::collapsed::Collapsed;
use crate::parquet::Parquet;
use crate::perfetto::Perfetto;
use crate::pstats::Pstats;
use crate::sink::Sink;
use crate::speedscope::Speedscope;

/// A format of another tool.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Format {
    /// Trace Event JSON: Chrome's and Perfetto's page, and many others.
    Chrome,
    /// Perfetto's own packets.
    Perfetto,
    /// Flame graphs of speedscope.
    Speedscope,
    /// Stacks with their own time, a line each: input of flame graph programs.
    Collapsed,
    /// Spans as columns for data frames.
    Parquet,
    /// Counted calls, as `cProfile` writes them.
    Pstats,
}

impl Format {
    /// By the name that users type.
    pub const NAMES: [(&'static str, Self); 6] = [
        ("chrome", Self::Chrome),
        ("perfetto", Self::Perfetto),
        ("speedscope", Self::Speedscope),
        ("collapsed", Self::Collapsed),
        ("parquet", Self::Parquet),
        ("pstats", Self::Pstats),
    ];

    /// Endings of files, a longer one before those that it ends in.
    pub const ENDINGS: [(&'static str, Self); 9] = [
        (".speedscope.json", Self::Speedscope),
        (".json", Self::Chrome),
        (".perfetto-trace", Self::Perfetto),
        (".pftrace", Self::Perfetto),
        (".collapsed", Self::Collapsed),
        (".folded", Self::Collapsed),
        (".parquet", Self::Parquet),
        (".pstats", Self::Pstats),
        (".prof", Self::Pstats),
    ];

    /// The format that the name of a file asks for.
    ///
    /// ```
    /// use laptime_export::Format;
    /// assert_eq!(Format::of_file("a.speedscope.json"), Some(Format::Speedscope));
    /// assert_eq!(Format::of_file("a.pdf"), None);
    /// ```
    pub fn of_file(name: &str) -> Option<Self> {
        let name = name.to_ascii_lowercase();
        let mut endings = Self::ENDINGS.iter();
        endings
            .find(|(ending, _)| name.ends_with(ending))
            .map(|(_, format)| *format)
    }

    /// The name that users type.
    pub fn name(self) -> &'static str {
        let mut names = Self::NAMES.iter();
        let found = names.find(|(_, format)| *format == self);
        found.map_or("", |(name, _)| *name)
    }

    /// Whether a terminal would show noise.
    pub fn is_binary(self) -> bool {
        matches!(self, Self::Perfetto | Self::Parquet | Self::Pstats)
    }

    /// Whether it shows functions that were sampled.
    pub fn has_stacks(self) -> bool {
        let with_stacks = [
            Self::Chrome,
            Self::Perfetto,
            Self::Speedscope,
            Self::Collapsed,
        ];
        with_stacks.contains(&self)
    }

    /// What writes it: the one place that a new format is added to.
    pub(crate) fn sink<'w>(self, out: Output<'w>, about: &About) -> io::Result<Box<dyn Sink + 'w>> {
        Ok(match self {
            Self::Chrome => Box::new(Chrome::begin(out, about)),
            Self::Perfetto => Box::new(Perfetto::begin(out, about)?),
            Self::Speedscope => Box::new(Speedscope::begin(out, about)),
            Self::Collapsed => Box::new(Collapsed::begin(out)),
            Self::Parquet => Box::new(Parquet::begin(out)?),
            Self::Pstats => Box::new(Pstats::begin(out)),
        })
    }
}
