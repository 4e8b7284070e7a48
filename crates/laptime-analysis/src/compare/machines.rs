//! What the machines of two sides of a benchmark differ in: its times depend on these.
//!
//! Only what both sides tell is held against each other, as of recordings (`comparable.rs`).

use std::collections::BTreeSet;

use laptime_core::Machine;

use super::comparison::Difference;
use super::measured::Measured;

/// What of a machine.
type Fact = fn(&Machine) -> Option<String>;

/// Facts that times depend on, and what they are called.
const FACTS: [(&str, Fact); 3] = [
    ("processor", |one| one.processor.clone()),
    ("number of processors", |one| {
        one.cores.map(|cores| cores.to_string())
    }),
    ("system", |one| one.system.clone()),
];

/// The machines that a benchmark ran on, in the files of a side.
pub fn of<'m>(files: &'m [Measured], name: &str) -> Vec<&'m Machine> {
    let each = files.iter().filter_map(|file| file.benchmark(name));
    each.filter_map(|one| one.machine.as_ref()).collect()
}

/// Everything that differs. Files of one side may differ as well.
pub fn differs(base: &[&Machine], new: &[&Machine]) -> Vec<Difference> {
    let each = FACTS.iter().filter_map(|(what, fact)| {
        let told = |machines: &[&Machine]| -> BTreeSet<String> {
            machines.iter().filter_map(|one| fact(one)).collect()
        };
        let (base, new) = (told(base), told(new));
        let is_known = !base.is_empty() && !new.is_empty();
        let joined = |all: BTreeSet<String>| all.into_iter().collect::<Vec<_>>().join(" and ");
        (is_known && (base != new || base.len() > 1)).then(|| Difference {
            what: (*what).to_owned(),
            base: joined(base),
            new: joined(new),
        })
    });
    each.collect()
}
