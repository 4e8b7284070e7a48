//! Paths of a process that are those of a neural network's modules.
//!
//! The recording says once for a path that it is a module's. Below another phase the same module has the same
//! names from its outermost module on, which is how it is found there.

use std::collections::{BTreeMap, HashMap};

use laptime_core::format::record::Record;
use laptime_core::{PathId, PathTable};

use crate::reading::feature::{Context, Feature};

/// Most modules that are told apart.
const MOST_MODULES: usize = 65_536;

/// The modules of a process.
#[derive(Debug, Default)]
pub struct Modules {
    /// Names from the outermost module on, by the path that the recording gave.
    said: HashMap<PathId, Vec<String>>,
    /// Classes by the names from the outermost module on.
    pub classes: BTreeMap<Vec<String>, String>,
}

impl Modules {
    /// Takes in that a path is a module's, inside of `depth` others.
    fn learn(&mut self, paths: &PathTable, id: PathId, depth: u32, class: &str) {
        let Some(entry) = paths.get(id).filter(|_| self.said.len() < MOST_MODULES) else {
            return;
        };
        // Paths of what has no room of its own are nobody's.
        if [PathTable::OVERFLOW_NAME, PathTable::DEEP_NAME].contains(&&*entry.name) {
            return;
        }
        let mut names = vec![entry.name.to_string()];
        if depth > 0 {
            let mut around = entry.parent;
            loop {
                if let Some(known) = self.said.get(&around) {
                    names.extend(known.iter().rev().cloned());
                    break;
                }
                // Its outermost module was never said, in a recording that is damaged.
                let Some(entry) = paths.get(around).filter(|_| around != PathId::ROOT) else {
                    return;
                };
                names.push(entry.name.to_string());
                around = entry.parent;
            }
            names.reverse();
        }
        self.said.insert(id, names.clone());
        self.classes.insert(names, class.to_owned());
    }
}

impl Feature for Modules {
    fn take_record(&mut self, record: &Record<'_>, context: Context<'_>) {
        if let Record::Module { path, depth, class } = *record {
            self.learn(context.paths, path, depth, class);
        }
    }
}
