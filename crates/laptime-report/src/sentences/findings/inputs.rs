//! Findings about inputs that grow, in sentences.

use laptime_analysis::{CallSite, Finding};
use laptime_core::short_file;

use super::phrases::{many, one, time};
use crate::document::names;
use crate::quantity::thousands;
use crate::sentences::nouns::one_of;

/// Writes which inputs grow, and the time of the steps with them.
pub fn growing(finding: &Finding) -> Option<String> {
    let Finding::GrowingInputs {
        path,
        from_sizes,
        to_sizes,
        from_tokens,
        to_tokens,
        short_ns,
        long_ns,
        generates,
        site,
        ..
    } = finding
    else {
        return None;
    };
    let place = site.as_ref().map_or(String::new(), at);
    let (from, to) = match (from_tokens, to_tokens) {
        (Some(from), Some(to)) => (format!("{} tokens", thousands(*from)), thousands(*to)),
        _ => (shape(from_sizes), shape(to_sizes)),
    };
    let (short, long, steps) = (time(*short_ns), time(*long_ns), many(path));
    Some(if *generates {
        format!(
            "Each call is given a longer input: {from}, then {to}{place}. The third of the {steps} with \
             the shortest inputs takes {short} each, the third with the longest {long}. If it generates, \
             keep the cache of earlier tokens: then a call is given the new ones alone."
        )
    } else {
        format!(
            "Inputs grew from {from} to {to}{place}, and the time of {} with them: {short} in the third of \
             the {steps} with the smallest inputs, {long} in the third with the largest. If that is meant, \
             compare {steps} with inputs of one size.",
            one_of(&one(path)),
        )
    })
}

/// Writes the sizes of a tensor.
fn shape(sizes: &[u32]) -> String {
    let each: Vec<String> = sizes.iter().map(u32::to_string).collect();
    format!("[{}]", each.join(", "))
}

/// Writes a place in parentheses.
fn at(site: &CallSite) -> String {
    let file = names::visible(short_file(&site.file));
    format!(" ({file}:{})", site.line)
}
