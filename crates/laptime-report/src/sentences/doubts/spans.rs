//! Doubts about spans in words: how they were closed, what they are called, and what memory they carry.

use laptime_analysis::doubt::SpansDoubt;

use super::doubt_words::{Words, listed};
use crate::quantity::{coarse, plain_plural};

/// Advice about too many names.
pub const FIXED_NAMES: &str = "use fixed names; put numbers and ids into metrics or marks";

/// Puts a doubt about spans into words.
pub fn in_words(doubt: &SpansDoubt) -> Words {
    match doubt {
        SpansDoubt::ChildrenExceed {
            path,
            excess_ns,
            path_count,
        } => {
            let more = match path_count {
                1 => String::new(),
                count => format!(" ({} in all)", plain_plural(*count, "path", "paths")),
            };
            Words::new(format!(
                "the spans inside {path} ran {} longer than it did{more}, so its self time is shown as zero",
                coarse(*excess_ns),
            ))
            .with_hint("spans were closed out of order, or lost")
        }
        SpansDoubt::Overlap { excess_ns } => Words::new(format!(
            "spans cover {} more than the wall time",
            coarse(*excess_ns)
        ))
        .with_hint("spans that overlap on one thread were closed out of order"),
        SpansDoubt::Doubled { doubled_ns } => Words::new(format!(
            "outermost laps of one thread overlapped for {}: that time stands in several rows",
            coarse(*doubled_ns)
        ))
        .with_hint(
            "a lap that is written afterwards, with its start in the past, holds no lap that ran in it",
        ),
        SpansDoubt::Unbalanced {
            count,
            path,
            is_single_path,
        } => {
            let most = if *is_single_path { "" } else { "most of them " };
            let spans = plain_plural(*count, "span was", "spans were");
            Words::new(format!(
                "{spans} closed out of order, or not at all, {most}in {path}"
            ))
            .with_hint("use `with` or a decorator, which close in order")
        }
        SpansDoubt::NumberedNames {
            pattern,
            span_count,
            name_count,
            other_kind_count,
        } => {
            let more = match other_kind_count {
                0 => String::new(),
                more => format!(
                    ", and so have those of {}",
                    plain_plural(*more, "other kind", "other kinds")
                ),
            };
            Words::new(format!(
                "{span_count} laps {pattern} have {name_count} different names, which differ by a number only{more}: each name is a row \
                 of its own, and no row tells how long such a lap usually takes",
            ))
            .with_hint(FIXED_NAMES)
        }
        SpansDoubt::MemoryPartial { paths } => {
            let paths = listed(
                paths,
                |part| {
                    let (count, all) = (part.count, part.span_count);
                    format!("{count} of {} of {}", plain_plural(all, "span", "spans"), part.path)
                },
                |more| format!(" and some of {more} other paths"),
            );
            Words::new(format!(
                "memory was counted in only {paths}: their memory is that of the counted ones"
            ))
            .with_hint(
                "a span has memory when counting was on from its start to its end, and the thread that opened it closed it",
            )
        }
    }
}
