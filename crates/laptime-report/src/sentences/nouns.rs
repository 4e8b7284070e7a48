//! A noun with its article, and its plural.

/// Writes one of them with its article: `a step`, `an item`.
pub fn one_of(noun: &str) -> String {
    let is_vowel = noun.starts_with(['a', 'e', 'i', 'o', 'u']);
    format!("{} {noun}", if is_vowel { "an" } else { "a" })
}

/// Writes several of them: `batches`.
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
