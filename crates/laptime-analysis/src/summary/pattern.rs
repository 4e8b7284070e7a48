//! Patterns over paths, by which a reader asks for rows.
//!
//! A pattern is a path whose names may hold `*` (any characters) and `?` (one). The name
//! `**` stands for any number of names, none included. A pattern of a single name without
//! `**` finds that name anywhere: `forward` is `**/forward`.

use laptime_core::path;

/// A pattern, ready to match.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Pattern {
    names: Vec<String>,
}

impl Pattern {
    /// Creates a pattern from the text that a user typed. A `/` or `\` inside a name is escaped as in a printed
    /// path.
    pub fn new(text: &str) -> Self {
        let mut names = path::split(text);
        if names.len() == 1 && names[0] != "**" {
            names.insert(0, "**".to_owned());
        }
        Self { names }
    }

    /// Tells whether a path, given as its names, matches.
    pub fn matches(&self, names: &[String]) -> bool {
        let is_any_names = |pattern: &String| pattern == "**";
        matches(&self.names, names, is_any_names, |pattern, name| {
            let pattern: Vec<char> = pattern.chars().collect();
            let name: Vec<char> = name.chars().collect();
            let is_same = |pattern: &char, known: &char| *pattern == '?' || pattern == known;
            matches(&pattern, &name, |pattern| *pattern == '*', is_same)
        })
    }
}

/// Matches two sequences, where items for which `is_any` holds stand for any number of items.
///
/// **Cost** at most pattern length × text length comparisons: only the last of them is retried.
fn matches<P, T>(
    pattern: &[P],
    text: &[T],
    is_any: impl Fn(&P) -> bool,
    is_match: impl Fn(&P, &T) -> bool,
) -> bool {
    let (mut at, mut from) = (0, 0);
    let mut retry: Option<(usize, usize)> = None;
    while from < text.len() {
        if at < pattern.len() && is_any(&pattern[at]) {
            retry = Some((at + 1, from));
            at += 1;
        } else if at < pattern.len() && is_match(&pattern[at], &text[from]) {
            at += 1;
            from += 1;
        } else if let Some((after, start)) = retry {
            retry = Some((after, start + 1));
            at = after;
            from = start + 1;
        } else {
            return false;
        }
    }
    pattern[at..].iter().all(is_any)
}

#[cfg(test)]
#[path = "tests/pattern.rs"]
mod tests;
