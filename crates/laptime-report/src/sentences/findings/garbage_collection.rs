//! Garbage collections in a sentence: what they take, why, and what makes them fewer or shorter.

use laptime_analysis::Finding;

use super::phrases::{many, share, time};
use crate::sentences::calls;

/// Writes what garbage collections take.
pub fn collecting(finding: &Finding) -> Option<String> {
    let Finding::GarbageCollection {
        path,
        total_ns,
        during_ns,
        place,
    } = finding
    else {
        return None;
    };
    let whole = match path {
        Some(path) => format!("the time of all {}", many(path)),
        None => "the run".to_owned(),
    };
    let began = place.as_ref().map_or_else(String::new, |place| {
        format!(
            "Nearly all of it began in one line ({}): if that calls `gc.collect()`, do it less often. ",
            calls::place(place),
        )
    });
    Some(format!(
        "Garbage collection takes {}, {} of {whole}: to find objects that only refer to each other, Python looks \
         through all that live, again and again. {began}Raise `gc.set_threshold()`, call `gc.freeze()` once what stays is \
         loaded, or keep fewer lists, dicts and objects alive.",
        time(*total_ns),
        share(*total_ns, *during_ns),
    ))
}
