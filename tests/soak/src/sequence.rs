//! What every thread of the writer does, as a function of the operation's number.
//!
//! One cycle opens and closes four spans, nested three deep:
//!
//! ```text
//! 0 open outer · 1 open first · 2 close first · 3 open second · 4 open deep-N · 5 close deep-N ·
//! 6 close second · 7 close outer
//! ```
//!
//! `N` changes every 64 cycles, so that paths go on being defined in the middle of a run.

/// Operations of one cycle.
const CYCLE: u64 = 8;
/// Cycles between two values of `N`.
const CYCLES_A_NAME: u64 = 64;
/// Values of `N`.
pub const DEEP_NAMES: u64 = 300;

/// A span's name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Name {
    /// The outermost span.
    Outer,
    /// Its first child.
    First,
    /// Its second child.
    Second,
    /// The child of the second.
    Deep(u64),
}

impl Name {
    /// As recorded.
    pub fn text(self) -> String {
        match self {
            Self::Outer => "outer".into(),
            Self::First => "first".into(),
            Self::Second => "second".into(),
            Self::Deep(number) => format!("deep-{number}"),
        }
    }

    /// From a whole path, outermost first.
    pub fn of_path(path: &[String]) -> Option<Self> {
        let path: Vec<&str> = path.iter().map(String::as_str).collect();
        match path.as_slice() {
            ["outer"] => Some(Self::Outer),
            ["outer", "first"] => Some(Self::First),
            ["outer", "second"] => Some(Self::Second),
            ["outer", "second", deep] => {
                let number = deep.strip_prefix("deep-")?.parse().ok()?;
                Some(Self::Deep(number))
            }
            _ => None,
        }
    }
}

/// One operation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Operation {
    /// Opens a span.
    Open(Name),
    /// Closes the innermost one, which has this name.
    Close(Name),
}

/// The operation with a number, from 0.
pub fn operation(number: u64) -> Operation {
    let deep = Name::Deep(number / CYCLE / CYCLES_A_NAME % DEEP_NAMES);
    match number % CYCLE {
        0 => Operation::Open(Name::Outer),
        1 => Operation::Open(Name::First),
        2 => Operation::Close(Name::First),
        3 => Operation::Open(Name::Second),
        4 => Operation::Open(deep),
        5 => Operation::Close(deep),
        6 => Operation::Close(Name::Second),
        _ => Operation::Close(Name::Outer),
    }
}

/// How many spans are finished once so many operations are done.
pub fn finished(operations: u64) -> u64 {
    let within = [0, 0, 0, 1, 1, 1, 2, 3][(operations % CYCLE) as usize];
    operations / CYCLE * 4 + within
}

/// The span that finishes as number `index`, from 0.
pub fn finished_span(index: u64) -> Name {
    let number = index / 4 * CYCLE + [2, 5, 6, 7][(index % 4) as usize];
    match operation(number) {
        Operation::Close(name) | Operation::Open(name) => name,
    }
}

/// The spans open once so many operations are done, outermost first.
pub fn open(operations: u64) -> Vec<Name> {
    let mut open = Vec::new();
    for number in operations / CYCLE * CYCLE..operations {
        match operation(number) {
            Operation::Open(name) => open.push(name),
            Operation::Close(_) => {
                open.pop();
            }
        }
    }
    open
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counting_and_running_the_sequence_agree() {
        let (mut stack, mut closed) = (Vec::new(), 0);
        for number in 0..5_000 {
            assert_eq!(open(number), stack);
            assert_eq!(finished(number), closed);
            match operation(number) {
                Operation::Open(name) => stack.push(name),
                Operation::Close(name) => {
                    assert_eq!(stack.pop(), Some(name));
                    assert_eq!(finished_span(closed), name);
                    closed += 1;
                }
            }
        }
    }
}
