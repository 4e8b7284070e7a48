//! The command, as it is typed.

#[path = "../../../laptime-recorder/tests/it/own_process.rs"]
mod own_process;

mod answers;
mod bench;
mod benchmark_files;
mod clean;
mod compare;
mod damage;
mod doctor;
mod export;
mod extremes;
mod help;
mod hostile;
mod hostile_texts;
mod kept_outputs;
mod launcher;
mod list;
mod missing;
mod odd_files;
mod ops;
mod outputs;
mod page;
mod place;
mod ranks;
mod recording;
mod report;
mod run;
mod runs;
mod schemas;
#[path = "../../../laptime-analysis/src/testing/scripted.rs"]
#[allow(dead_code)]
mod scripted;
mod sizes;
mod slips;
mod terminal;
mod until;
mod versions;
