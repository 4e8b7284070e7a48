//! Merges what processes did into one tree: totals, operations, and times and memory on devices, by the
//! names of their paths.

use std::collections::BTreeMap;

use laptime_core::{DeviceMemoryTally, DeviceTally, PathId, PathTable, Tallies};

use crate::reading::process::Process;
use crate::reading::totals::Totals;
use crate::summarize::columns::operations::stretch_operations::Stretches;
use crate::summarize::columns::operations::uncounted_spans::LeftOut;
use crate::summarize::tree::Tree;

impl Tree {
    /// Adds one process's totals.
    pub fn absorb(&mut self, paths: &PathTable, totals: &mut Totals) {
        let places = self.places(paths);
        for tallies in [&mut totals.first, &mut totals.others] {
            self.absorb_tallies(&places, tallies);
        }
        for (id, partial) in &totals.partial {
            if let Some(place) = places.get(id.index()).copied().flatten() {
                self.nodes[place].partial.merge(*partial);
            }
        }
        self.find_workers(paths, totals, &places);
    }

    /// Notes the paths inside of which a process has spans, but none of themselves.
    fn find_workers(&mut self, paths: &PathTable, totals: &mut Totals, places: &[Option<usize>]) {
        let mut has_spans = vec![false; paths.len()];
        for tallies in [&mut totals.first, &mut totals.others] {
            for (id, _) in tallies.settled() {
                has_spans[id.index()] = true;
            }
        }
        for id in totals.partial.keys() {
            has_spans[id.index()] = true;
        }
        for (id, entry) in paths.iter().filter(|(id, _)| has_spans[id.index()]) {
            if id != PathId::OVERFLOW
                && !has_spans.get(entry.parent.index()).is_none_or(|has| *has)
                && let Some(place) = places.get(entry.parent.index()).copied().flatten()
            {
                self.nodes[place].has_workers = true;
            }
        }
    }

    /// Adds tallies that are not split by track.
    pub fn absorb_tail(&mut self, paths: &PathTable, tallies: &mut Tallies) {
        let places = self.places(paths);
        self.absorb_tallies(&places, tallies);
    }

    /// Adds the operations of a process's stretches, as often as each ran.
    pub fn absorb_operations(
        &mut self,
        paths: &PathTable,
        stretches: &Stretches,
        ran: &BTreeMap<u32, u64>,
    ) {
        let places = self.places(paths);
        for (path, operations, times, is_left_out) in stretches.of_runs(ran) {
            if let Some(place) = places.get(path.index()).copied().flatten() {
                self.nodes[place]
                    .operations
                    .add(operations, times, is_left_out);
            }
        }
    }

    /// Adds a process's spans in which calls were left out.
    pub fn absorb_left_out(&mut self, paths: &PathTable, left_out: &BTreeMap<PathId, LeftOut>) {
        if left_out.is_empty() {
            return;
        }
        let places = self.places(paths);
        for (path, left_out) in left_out {
            if let Some(place) = places.get(path.index()).copied().flatten() {
                self.nodes[place].left_out.merge(left_out);
            }
        }
    }

    /// Adds the times of a process's spans on devices.
    pub fn absorb_devices(&mut self, paths: &PathTable, told: &BTreeMap<PathId, DeviceTally>) {
        if told.is_empty() {
            return;
        }
        let places = self.places(paths);
        for (path, told) in told {
            if let Some(place) = places.get(path.index()).copied().flatten() {
                self.nodes[place].on_device.merge(*told);
            }
        }
    }

    /// Adds the memory of a process's spans on devices.
    pub fn absorb_device_memory(
        &mut self,
        paths: &PathTable,
        told: &BTreeMap<PathId, DeviceMemoryTally>,
    ) {
        if told.is_empty() {
            return;
        }
        let places = self.places(paths);
        for (path, told) in told {
            if let Some(place) = places.get(path.index()).copied().flatten() {
                self.nodes[place].device_memory.merge(*told);
            }
        }
    }

    fn absorb_tallies(&mut self, places: &[Option<usize>], tallies: &mut Tallies) {
        for (id, tally) in tallies.settled() {
            if let Some(place) = places.get(id.index()).copied().flatten() {
                self.nodes[place].tally.merge(tally.clone());
            }
        }
    }
}

/// Merges everything that processes did.
pub fn of_run(processes: &mut [Process]) -> Tree {
    let mut tree = Tree::new();
    for process in processes {
        tree.absorb(&process.paths, &mut process.spans.totals);
        tree.absorb_tail(&process.paths, &mut process.spans.tail.tallies);
        for ran in [&process.spans.totals.ran, &process.spans.tail.ran] {
            tree.absorb_operations(&process.paths, &process.features.stretches, ran);
        }
        tree.absorb_left_out(&process.paths, &process.features.left_out.all);
        for told in [
            &process.spans.totals.on_devices,
            &process.spans.tail.on_devices,
        ] {
            tree.absorb_devices(&process.paths, told);
        }
        for told in [
            &process.spans.totals.device_memory,
            &process.spans.tail.device_memory,
        ] {
            tree.absorb_device_memory(&process.paths, told);
        }
    }
    tree.forget_names();
    tree
}

/// Merges everything that processes did, and drops it there: there may be tens of thousands of paths.
pub fn take_from_run(processes: &mut [Process]) -> Tree {
    let tree = of_run(processes);
    for process in processes {
        process.spans.forget_tallies();
    }
    tree
}
