//! The noun that stands for the spans of a path.

/// Returns the noun for a span of a path: its name, if that is a word, and of `request /login` the word before the route.
pub fn noun(path: &str) -> &str {
    let (_, name) = laptime_core::path::around(path);
    let name = name.split_once(" \\/").map_or(name, |(word, _)| word);
    let is_word = !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_alphabetic());
    if is_word { name } else { "span" }
}
