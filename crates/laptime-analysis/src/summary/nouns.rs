//! What the spans of a path are called: their name, if it is a word, with its article and its plural.

/// What a span of a path is called in a sentence: its name, if that is a word, and of `request /login` the
/// word before the route.
pub fn noun(path: &str) -> &str {
    let (_, name) = laptime_core::path::around(path);
    let name = name.split_once(" \\/").map_or(name, |(word, _)| word);
    let is_word = !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_alphabetic());
    if is_word { name } else { "span" }
}

/// One of what a noun names: `a step`, `an item`.
pub fn one_of(noun: &str) -> String {
    let is_vowel = noun.starts_with(['a', 'e', 'i', 'o', 'u']);
    format!("{} {noun}", if is_vowel { "an" } else { "a" })
}

/// Several of what a noun names: `batches`.
pub fn nouns(noun: &str) -> String {
    let before_y = noun
        .strip_suffix('y')
        .and_then(|stem| Some((stem, stem.chars().last()?)));
    match before_y {
        Some((stem, last)) if !"aeiou".contains(last) => format!("{stem}ies"),
        _ if ["s", "x", "z", "ch", "sh"]
            .iter()
            .any(|end| noun.ends_with(end)) =>
        {
            format!("{noun}es")
        }
        _ => format!("{noun}s"),
    }
}

#[cfg(test)]
mod tests {
    use super::nouns;

    #[test]
    fn several_are_called_as_one_would_say() {
        let each = ["step", "batch", "query", "day", "pass", "y"].map(nouns);
        assert_eq!(
            each,
            ["steps", "batches", "queries", "days", "passes", "ys"]
        );
    }
}
