//! Recordings on disk, compared: which are the base, and which are held against it.

use std::path::{Path, PathBuf};

use laptime_analysis::compare::{self, Comparison, Options, Run};
use laptime_reader::ReadError;

use crate::recorded::Recorded;

/// Recordings to compare, and how.
#[derive(Debug, Clone)]
pub struct Compared {
    /// What the others are compared with: several runs of one program, or one.
    pub base: Vec<PathBuf>,
    /// The other sides, each compared with the base.
    pub others: Vec<Vec<PathBuf>>,
    /// Whether damage becomes a warning, and what is intact is read.
    pub salvage: bool,
    /// What is asked.
    pub options: Options,
}

impl Compared {
    /// Reads all recordings, one after the other, and compares them.
    ///
    /// **Errors** as [`crate::open`] says, of the first that cannot be read.
    pub fn comparison(&self) -> Result<Comparison, ReadError> {
        let base = self.side(&self.base)?;
        let others = self.others.iter().map(|side| self.side(side));
        let others: Vec<Vec<Run>> = others.collect::<Result<_, _>>()?;
        Ok(compare::compare(&base, &others, &self.options))
    }

    fn side(&self, paths: &[PathBuf]) -> Result<Vec<Run>, ReadError> {
        paths.iter().map(|path| self.run(path)).collect()
    }

    fn run(&self, path: &Path) -> Result<Run, ReadError> {
        let recorded = Recorded {
            salvage: self.salvage,
            ..Recorded::new(path)
        };
        recorded.run()
    }
}
