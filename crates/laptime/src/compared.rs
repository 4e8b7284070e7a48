//! Recordings on disk, compared: which are the base, and which are held against it.

use std::path::{Path, PathBuf};

use laptime_analysis::compare::{
    self, Benchmark, Comparison, Options, Run, SampleFile, benchmarks,
};
use laptime_reader::{BenchmarkSamples, OtherFile, ReadError};

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
        if let Some(base) = measured(&self.base)? {
            let others = self.others.iter().map(|side| all_measured(side));
            let others: Vec<Vec<SampleFile>> = others.collect::<Result<_, _>>()?;
            return Ok(benchmarks::compare(&base, &others, &self.options));
        }
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

/// The benchmarks of a side that begins with a file of them; `None` of one of recordings.
fn measured(paths: &[PathBuf]) -> Result<Option<Vec<SampleFile>>, ReadError> {
    let Some(first) = paths.first() else {
        return Ok(None);
    };
    if laptime_reader::benchmarks(first)?.is_none() {
        return Ok(None);
    }
    all_measured(paths).map(Some)
}

fn all_measured(paths: &[PathBuf]) -> Result<Vec<SampleFile>, ReadError> {
    let each = paths.iter().map(|path| {
        let Some(found) = laptime_reader::benchmarks(path)? else {
            return Err(ReadError::NoBenchmarks {
                path: path.clone(),
                is: OtherFile::of(path)?,
            });
        };
        let benchmarks = found.benchmarks.into_iter();
        Ok(SampleFile {
            name: path.display().to_string(),
            benchmarks: benchmarks.map(benchmark).collect(),
        })
    });
    each.collect()
}

fn benchmark(one: BenchmarkSamples) -> Benchmark {
    Benchmark {
        name: one.name,
        samples_ns: one.samples_ns,
        machine: one.machine,
    }
}
