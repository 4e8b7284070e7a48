//! Sentences and names in the width of a terminal: sentences become several lines, names are shortened in their
//! middle.

use crate::document::names;
use crate::text::glyphs::Glyphs;

/// Columns of a terminal of unknown width, as of a report.
const DEFAULT_WIDTH: usize = 100;
/// Narrowest line: below it a terminal wraps by itself.
const LEAST_WIDTH: usize = 50;
/// Share of a line that a name may take: two names stand in a sentence, and one beside the numbers of a table.
const NAME_RATIO: f64 = 0.28;
/// Units that stay beside their number.
const UNITS: [&str; 13] = [
    "%", "ns", "µs", "ms", "s", "min", "h", "B", "KiB", "MiB", "GiB", "TiB", "points",
];

/// Writes a phrase as it begins a sentence.
pub fn capitalised(text: &str) -> String {
    let mut characters = text.chars();
    characters
        .next()
        .map(|first| first.to_uppercase().chain(characters).collect())
        .unwrap_or_default()
}

/// Widest name among others, in columns.
const MOST_NAME: usize = 40;

/// Breaks a text into lines of at most `room` columns; a longer word is shortened.
pub fn lines(text: &str, room: usize, ellipsis: &str) -> Vec<String> {
    let mut lines = vec![String::new()];
    let mut words = text.split(' ').peekable();
    while let Some(word) = words.next() {
        let mut word = names::fitted(word, room, ellipsis);
        while let Some(unit) = words.next_if(|next| is_quantity(&word, next)) {
            word = format!("{word} {unit}");
        }
        let line = lines.last_mut().map_or("", |line| line.as_str());
        let taken = names::columns(line) + 1 + names::columns(&word);
        if !line.is_empty() && taken > room {
            lines.push(String::new());
        }
        if let Some(line) = lines.last_mut() {
            if !line.is_empty() {
                line.push(' ');
            }
            line.push_str(&word);
        }
    }
    lines
}

/// Tells whether a number and its unit, which stay on one line, are such.
fn is_quantity(number: &str, unit: &str) -> bool {
    let unit = unit.trim_end_matches([',', '.', ';', ':', ')']);
    number.ends_with(|last: char| last.is_ascii_digit()) && UNITS.contains(&unit)
}

/// Wraps sentences, each on a line of its own, for a terminal of so many columns; `None` where nobody says how many.
pub fn wrapped(text: &str, width: Option<usize>) -> String {
    let ellipsis = Glyphs::new(true).ellipsis;
    let each = text
        .lines()
        .flat_map(|line| lines(line, room(width), ellipsis));
    each.collect::<Vec<_>>().join("\n")
}

/// Makes names visible and short enough to stand beside each other. Names that would become equal get a number.
pub fn fitted_names(names: &[String], width: Option<usize>) -> Vec<String> {
    let most = ((room(width) as f64 * NAME_RATIO) as usize).min(MOST_NAME);
    let fitted = |name: &String| names::fitted(&names::visible(name), most, "…");
    let all: Vec<String> = names.iter().map(fitted).collect();
    let numbered = all.iter().enumerate().map(|(at, one)| {
        let mut others = all.iter().zip(names);
        let is_taken = others.any(|(other, whole)| other == one && *whole != names[at]);
        if is_taken {
            format!("{}: {one}", at + 1)
        } else {
            one.clone()
        }
    });
    numbered.collect()
}

fn room(width: Option<usize>) -> usize {
    width.unwrap_or(DEFAULT_WIDTH).max(LEAST_WIDTH)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sentence_is_wrapped_and_a_long_word_shortened() {
        let text = format!("one {} two\nthree", "x".repeat(90));
        let shown = wrapped(&text, Some(60));
        let widths = shown.lines().map(names::columns);
        assert!(widths.clone().all(|width| width <= 60), "{shown}");
        assert_eq!(widths.count(), 4, "{shown}");
        assert_eq!(wrapped("short", None), "short");
    }

    #[test]
    fn a_number_keeps_its_unit() {
        for room in 2..60 {
            let text = "took 12.5 ms, 50 % of 3 steps, ± 4 points.";
            for line in lines(text, room, "…") {
                assert!(!line.starts_with(['%', 'm']), "{line}");
                assert!(!line.ends_with("50") && !line.ends_with("12.5"), "{line}");
            }
        }
    }

    #[test]
    fn names_are_shortened_in_their_middle_and_stay_different() {
        let long = |part: &str| format!("python -m train {part}{}", " --option".repeat(10));
        let names = [long("a"), long("b"), "short".to_owned(), "short".to_owned()];
        let shown = fitted_names(&names, Some(80));
        assert!(shown[0].starts_with("1: python"), "{shown:?}");
        assert!(shown[1].starts_with("2: python"), "{shown:?}");
        assert_eq!(shown[2..], ["short", "short"]);
        assert!(shown.iter().all(|name| names::columns(name) <= 27));
    }
}
