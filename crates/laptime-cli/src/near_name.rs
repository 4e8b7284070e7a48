//! The name that was most likely meant, of those that there are.

/// Letters of a typed name for each that may be wrong: `rnu` is `run`, `trxin-1` is `train-1`.
const LETTERS_A_SLIP: usize = 3;

/// Finds the one name that the typed one is nearest to, where few letters are missing, wrong or swapped.
pub fn near_name<'n>(typed: &str, names: impl IntoIterator<Item = &'n str>) -> Option<&'n str> {
    let most = (typed.chars().count() / LETTERS_A_SLIP).min(3);
    let far = |name: &str| strsim::damerau_levenshtein(typed, name);
    let mut near: Vec<(usize, &str)> = names.into_iter().map(|name| (far(name), name)).collect();
    // Of names that are as near, the first one counts.
    near.sort_by_key(|(far, _)| *far);
    let (far, name) = *near.first()?;
    (far <= most).then_some(name)
}

#[cfg(test)]
mod tests {
    use super::near_name;

    #[test]
    fn a_slip_finds_the_name_and_another_word_none() {
        let commands = ["run", "report", "compare"];
        assert_eq!(near_name("rnu", commands), Some("run"));
        assert_eq!(near_name("rexort", commands), Some("report"));
        assert_eq!(near_name("x", commands), None);
        assert_eq!(near_name("train", commands), None);
        assert_eq!(
            near_name("trxin-1", ["short-2", "train-1"]),
            Some("train-1")
        );
    }
}
