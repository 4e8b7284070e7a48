//! Doubts about what was computed in words.

use laptime_analysis::doubt::{OperationsDoubt, SaidQuantity};

use super::doubt_words::{Words, listed};
use crate::quantity::plain_plural;

/// Puts a doubt about operations into words.
pub fn in_words(doubt: &OperationsDoubt) -> Words {
    match doubt {
        OperationsDoubt::PartlySaid { paths } => {
            let paths = listed(
                paths,
                |one| {
                    let quantity = match one.quantity {
                        SaidQuantity::Flop => "FLOP",
                        SaidQuantity::Bytes => "bytes",
                    };
                    let (count, all) = (one.part.count, one.part.span_count);
                    format!(
                        "{quantity} of {count} of {} of {}",
                        plain_plural(all, "span", "spans"),
                        one.part.path
                    )
                },
                |more| format!(" and of some spans of {more} other paths"),
            );
            Words::new(format!(
                "the program says only {paths}: sums and rates are those of these spans"
            ))
            .with_hint("give every lap of a name its flop= and bytes=, or none")
        }
        OperationsDoubt::CallsLeftOut { paths } => {
            let paths = listed(
                paths,
                |part| {
                    let (count, all) = (part.count, part.span_count);
                    format!(
                        "{count} of {} of {}",
                        plain_plural(all, "span", "spans"),
                        part.path
                    )
                },
                and_so_in,
            );
            Words::new(format!(
                "calls ran whose operations are not known in {paths}: FLOP are without these, and rates are of the \
                 other spans, where these are known"
            ))
        }
        OperationsDoubt::PartlyCounted { paths } => {
            let paths = listed(
                paths,
                |one| {
                    // Never 100 %, which would say that all of them were counted.
                    let percent = (one.coverage_ratio * 1_000.0).floor() / 10.0;
                    format!("{percent:.1} % of those in {}", one.path)
                },
                and_so_in,
            );
            Words::new(format!(
                "of the calls of operators only some were counted, {paths}: FLOP and rates are at least these"
            ))
        }
        OperationsDoubt::CountedOnce => Words::new(
            "no row has FLOP: each call of the model ran while its operations were being counted, which is slower. \
             The laps after that have FLOP: let the program do the same again, or count the model alone \
             (lt.count(model, inputs), laptime ops)",
        ),
    }
}

fn and_so_in(more: usize) -> String {
    format!(", and so in {more} other paths")
}
