//! The mean step of each rank as comma-separated values (RFC 4180), in whole nanoseconds.

use std::fmt::Write;

use laptime_analysis::ranks::{JobAnswer, OwnPart};

/// Writes a line for each rank.
pub fn render(answer: &JobAnswer) -> String {
    let parts: String = OwnPart::ALL
        .map(|part| format!("{}_ns,", part.name()))
        .concat();
    let mut out = format!("rank,pid,step_ns,{parts}communication_ns\r\n");
    for one in &answer.means {
        let parts = one.part_ns.map(|ns| format!("{ns},")).concat();
        let _ = write!(
            out,
            "{},{},{},{parts}{}\r\n",
            one.rank, one.pid, one.step_ns, one.exchanged_ns
        );
    }
    out
}
