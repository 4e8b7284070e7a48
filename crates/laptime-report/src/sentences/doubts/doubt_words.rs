//! A doubt in words: a sentence, and what to do about it.

use std::borrow::Cow;

/// Paths that a sentence names.
const MOST_SHOWN: usize = 4;

/// A doubt's sentence and its hint.
pub struct Words {
    /// The sentence, without its point.
    pub message: String,
    /// Advice, if anything helps.
    pub hint: Option<Cow<'static, str>>,
}

impl Words {
    /// Takes a sentence without a hint.
    pub fn new(message: impl Into<String>) -> Self {
        Self {
            message: message.into(),
            hint: None,
        }
    }

    /// Adds what to do.
    pub fn with_hint(self, hint: impl Into<Cow<'static, str>>) -> Self {
        let hint = Some(hint.into());
        Self { hint, ..self }
    }
}

/// Names the first few of many paths, each said by `say`; `more` says how many others there are.
pub fn listed<T>(
    paths: &[T],
    say: impl Fn(&T) -> String,
    more: impl Fn(usize) -> String,
) -> String {
    let (shown, others) = paths.split_at(paths.len().min(MOST_SHOWN));
    let shown: Vec<String> = shown.iter().map(say).collect();
    let more = match others.len() {
        0 => String::new(),
        others => more(others),
    };
    shown.join(", ") + &more
}
