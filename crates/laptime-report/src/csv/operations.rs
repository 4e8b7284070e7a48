//! Counts as comma-separated values (RFC 4180), every number whole.
//!
//! A row for all of it, for each operator, for each module with and without what is in it, all
//! phases together and each apart, and for what is not counted. What a row has no number for is an
//! empty field.

use std::fmt::Write;

use laptime_core::operations::{ByPhase, CostTally, Counts, Phase};

use crate::csv::spans::quoted;

/// The columns' names; `docs/operations.schema.json` describes the columns that have a field's name.
const HEADING: &str = "table,name,kind,phase,params,calls,counted_calls,zero_calls,uncounted_calls,mac,flop,\
active_flop,executed_flop,other_flop,total_flop,integer_op,transcendental,compare,bytes_read,\
bytes_written,communication_bytes,intensity_flop_per_byte,elements,reason";

/// Renders counts.
pub fn render(counts: &Counts) -> String {
    let mut out = HEADING.to_owned() + "\r\n";
    let params = counts.params.map(|params| params.to_string());
    let params = params.unwrap_or_default();
    out += &rows(&["total", "", ""], &params, &counts.total);
    for operator in &counts.by_op {
        out += &rows(&["operator", &operator.name, ""], "", &operator.tallies);
    }
    for (table, is_own) in [("module", false), ("module_own", true)] {
        for module in &counts.by_module {
            let (params, tallies) = if is_own {
                (String::new(), &module.own)
            } else if counts.params.is_none() {
                (String::new(), &module.inclusive)
            } else {
                (module.params.to_string(), &module.inclusive)
            };
            out += &rows(&[table, &module.path, &module.kind], &params, tallies);
        }
    }
    for row in &counts.uncounted {
        let between = ",".repeat(14);
        let _ = write!(
            out,
            "uncounted,{},,all,,{},,,{}{between}{},{}\r\n",
            quoted(&row.name),
            row.calls,
            row.calls,
            row.elements,
            quoted(&row.reason),
        );
    }
    out
}

/// Writes the rows of a subject: one of all phases together, and one of each phase where several ran.
fn rows(names: &[&str; 3], params: &str, tallies: &ByPhase) -> String {
    let mut out = row(names, "all", params, &tallies.total());
    let ran = || {
        Phase::ALL
            .into_iter()
            .filter(|phase| tallies.phase(*phase).calls() > 0)
    };
    if ran().count() > 1 {
        for phase in ran() {
            out += &row(names, phase.name(), "", tallies.phase(phase));
        }
    }
    out
}

fn row(names: &[&str; 3], phase: &str, params: &str, tally: &CostTally) -> String {
    let cost = &tally.cost;
    let calls = [tally.calls(), tally.counted, tally.zero, tally.uncounted].map(u128::from);
    let costs = [
        cost.mac,
        cost.flop(),
        cost.active_flop(),
        cost.executed_flop(),
        cost.other_flop,
        cost.total_flop(),
        cost.integer_op,
        cost.transcendental,
        cost.compare,
        cost.bytes_read,
        cost.bytes_written,
        cost.communication_bytes,
    ];
    let mut fields: Vec<String> = names.iter().map(|name| quoted(name)).collect();
    fields.extend([phase.to_owned(), params.to_owned()]);
    fields.extend(calls.iter().map(u128::to_string));
    let is_known = tally.counted > 0 || tally.uncounted == 0;
    fields.extend(costs.iter().map(|number| {
        if is_known {
            number.to_string()
        } else {
            String::new()
        }
    }));
    let intensity = cost.intensity_flop_per_byte().filter(|_| is_known);
    fields.push(intensity.map(|ratio| ratio.to_string()).unwrap_or_default());
    fields.join(",") + ",,\r\n"
}
