//! Differences between the machines of two sides of a benchmark, on which its times depend.
//!
//! Only facts that both sides tell are compared, as those of recordings are ([`super::differences`]).

use std::collections::BTreeSet;

use laptime_core::Machine;

use super::benchmark_samples::SampleFile;
use super::difference::{Difference, Fact};

/// Reads a fact of a machine.
type ReadFact = fn(&Machine) -> Option<String>;

/// Facts that times depend on.
const FACTS: [(Fact, ReadFact); 3] = [
    (Fact::Processor, |one| one.processor.clone()),
    (Fact::ProcessorCount, |one| {
        one.cores.map(|cores| cores.to_string())
    }),
    (Fact::System, |one| one.system.clone()),
];

/// Lists the machines that a benchmark ran on, in the files of a side.
pub fn machines_of<'m>(files: &'m [SampleFile], name: &str) -> Vec<&'m Machine> {
    let each = files.iter().filter_map(|file| file.benchmark(name));
    each.filter_map(|one| one.machine.as_ref()).collect()
}

/// Lists the facts that differ. Files of one side may differ as well.
pub fn machine_differences(base: &[&Machine], new: &[&Machine]) -> Vec<Difference> {
    let each = FACTS.into_iter().filter_map(|(fact, read)| {
        let values = |machines: &[&Machine]| -> BTreeSet<String> {
            machines.iter().filter_map(|one| read(one)).collect()
        };
        let (base, new) = (values(base), values(new));
        let is_known = !base.is_empty() && !new.is_empty();
        (is_known && (base != new || base.len() > 1)).then(|| Difference::Fact {
            fact,
            base: base.into_iter().collect(),
            new: new.into_iter().collect(),
        })
    });
    each.collect()
}
