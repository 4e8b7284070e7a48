//! How often the analysis is right.

#[path = "../../examples/verdicts/designs.rs"]
mod designs;
#[path = "../../examples/verdicts/series.rs"]
mod series;
#[path = "../../examples/verdicts/tally.rs"]
mod tally;

mod steadiness;
mod verdicts;
