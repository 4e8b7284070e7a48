//! The functions that got slower or faster, in words.
//!
//! `clean (job.py:8) takes 2.10 s, 1.20 s before (800 ms more in json.dumps). No other function clearly changed.`

use laptime_analysis::CallKind;
use laptime_analysis::compare::{
    Basis, ChangedPart, FunctionChanges, FunctionRow, Note, Pair, RowReason,
};

use super::no_break_quantities::{time, unbroken};
use crate::quantity;
use crate::sentences::calls;

/// Most functions that a sentence names.
const MOST_NAMED: usize = 3;
/// Part of a function's time from which on that of the functions it calls is told apart.
const OTHERS_RATIO: f64 = 0.1;

/// Writes which functions changed; nothing where none did in a step that may be as it was.
pub fn sentence(pair: &Pair) -> Option<String> {
    let functions = pair.functions.as_ref()?;
    let named: Vec<&FunctionRow> = functions.changed().take(MOST_NAMED).collect();
    if named.is_empty() {
        return nothing(pair, functions);
    }
    let each = named.iter().map(|row| changed(pair, row));
    let each: Vec<String> = each.collect();
    let more = functions.changed().count() - named.len();
    let tail = match more {
        0 if pair.basis == Basis::Run => " No other function clearly changed.".to_owned(),
        0 => String::new(),
        more => format!(
            " {} clearly changed too.",
            quantity::plural(more as u64, "more function", "more functions")
        ),
    };
    let is_doubtful = pair.whole.reason == Some(RowReason::OneRunASide)
        && named.iter().all(|row| !row.stands_out);
    let doubt = if is_doubtful {
        " A busy machine could do that too: record several runs a side."
    } else {
        ""
    };
    Some(format!("{}.{tail}{doubt}", each.join("; ")))
}

/// Writes that no function changed by itself.
fn nothing(pair: &Pair, functions: &FunctionChanges) -> Option<String> {
    if pair.basis != Basis::Run {
        return None;
    }
    if let Some(ratio) = functions.alike_ratio {
        return Some(format!(
            "All functions take about {} as long: that is a busy machine or more work to do, not one function.",
            unbroken(&quantity::times(ratio).inline())
        ));
    }
    Some("No function clearly changed.".to_owned())
}

fn changed(pair: &Pair, row: &FunctionRow) -> String {
    let name = named(pair, row);
    let part = row.changed.unwrap_or(ChangedPart::Own);
    let [before, now] = match part {
        ChangedPart::Own => row.self_ns(),
        ChangedPart::Total => row.total_ns(),
    };
    let of_unit = match pair.basis {
        Basis::Step => format!(" per {}", pair.noun),
        _ => String::new(),
    };
    let below = row.unsampled_below_ns.map_or_else(String::new, |ns| {
        format!(" (below {})", unbroken(&quantity::upper_bound(ns)))
    });
    match (&row.base, &row.new) {
        (Some(_), None) => {
            return format!(
                "{name}: {}{of_unit} before, now too short to be sampled{below}",
                time(before)
            );
        }
        (None, Some(_)) => {
            return format!(
                "{name} takes {}{of_unit}, before too short to be sampled{below}",
                time(now)
            );
        }
        _ => {}
    }
    let has_others = |[self_ns, total_ns]: [f64; 2]| total_ns - self_ns > OTHERS_RATIO * total_ns;
    let sides = [0, 1].map(|side: usize| [row.self_ns()[side], row.total_ns()[side]]);
    let itself = match part {
        ChangedPart::Own if sides.into_iter().any(has_others) => " itself",
        ChangedPart::Total => ", with all that it calls,",
        ChangedPart::Own => "",
    };
    let library = row.library.as_ref().map_or_else(String::new, |library| {
        let way = if library.difference_ns < 0.0 {
            "less"
        } else {
            "more"
        };
        let part = time(library.difference_ns.abs());
        format!(" ({part} {way} in {})", calls::kind(&library.call, 0))
    });
    format!(
        "{name}{itself} takes {}{of_unit}, {} before{library}",
        time(now),
        time(before)
    )
}

/// Writes a function with its line, and what it was called before. That its script has another name is a note; another
/// folder is that of a checkout.
fn named(pair: &Pair, row: &FunctionRow) -> String {
    let name = calls::kind(&row.call, line(row));
    let is_other_script = (pair.notes.iter()).any(|note| matches!(note, Note::OtherScript { .. }));
    let function = |call: &CallKind| call.own().map(|(name, _)| name.to_owned());
    match &row.before {
        None => name,
        Some(before)
            if function(before) == function(&row.call)
                && (is_other_script || file_name(before) == file_name(&row.call)) =>
        {
            name
        }
        Some(before) => {
            let old = row.base.as_ref().map_or(0, |side| side.line);
            format!("{name}, which was {},", calls::kind(before, old))
        }
    }
}

/// Returns the name of a function's file, without its folder.
fn file_name(call: &CallKind) -> Option<&str> {
    call.own()?.1.rsplit(['/', '\\']).next()
}

/// Returns the line of a function on the new side or, where that has no sample of it, on the base.
pub fn line(row: &FunctionRow) -> u32 {
    row.new
        .as_ref()
        .or(row.base.as_ref())
        .map_or(0, |side| side.line)
}

/// Tells whether functions tell why a run takes longer or less.
pub fn explains(pair: &Pair) -> bool {
    let functions = pair.functions.as_ref();
    pair.basis == Basis::Run && functions.is_some_and(|all| all.changed().next().is_some())
}

#[cfg(test)]
#[path = "tests/function_changes.rs"]
mod tests;
