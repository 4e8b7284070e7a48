//! Names of a notebook's cells, as the notebook shows them (`In[3]`), in place of their files.

use std::collections::HashMap;

use crate::reading::process::Process;
use crate::summary::call_tree::CallKind;
use crate::summary::functions::Functions;

/// Code of the note that has the cells' names, as a JSON object by file.
pub const CELLS: &str = "cells";

/// Replaces the file of each cell by the cell's name.
pub fn name_cells(functions: &mut Functions, processes: &[Process]) {
    let notes = processes
        .iter()
        .flat_map(|process| &process.features.notes.0);
    let notes = notes.filter(|(code, _)| code == CELLS);
    let cells: HashMap<String, String> = notes
        .filter_map(|(_, message)| serde_json::from_str::<HashMap<_, _>>(message).ok())
        .flatten()
        .collect();
    if cells.is_empty() {
        return;
    }
    let named = |file: &mut String| {
        if let Some(name) = cells.get(file) {
            file.clone_from(name);
        }
    };
    for lap in &mut functions.laps {
        lap.functions
            .iter_mut()
            .for_each(|one| named(&mut one.file));
        lap.stacks.iter_mut().for_each(|one| named(&mut one.file));
        for node in &mut lap.calls {
            if let CallKind::Own { file, .. } = &mut node.call {
                named(file);
            }
        }
        let places = lap.imports.iter_mut().flat_map(|import| &mut import.place);
        let collected = lap.collections.iter_mut().flat_map(|one| &mut one.place);
        places
            .chain(collected)
            .for_each(|place| named(&mut place.file));
    }
    let exact = functions.exact.iter_mut();
    let exact = exact.flat_map(|exact| &mut exact.functions);
    exact.for_each(|one| named(&mut one.file));
}
