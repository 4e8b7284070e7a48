//! Words that several findings have.

use super::*;

#[test]
fn a_function_that_waits_is_told_with_what_it_waits_for() {
    let train = |is_of_processes| MainFunction {
        name: "train".to_owned(),
        file: "tok.py".to_owned(),
        line: 29,
        ratio: 0.8,
        awaited: Some(AwaitedFunction {
            name: "Tokenizer.encode".to_owned(),
            file: "tok.py".to_owned(),
            line: 9,
            is_of_processes,
        }),
    };
    assert_eq!(
        also_in(Some(&train(false))),
        ", mostly in `train` (tok.py:29), which waits for threads that run `Tokenizer.encode` (tok.py:9)"
    );
    assert_eq!(
        also_in(Some(&train(true))),
        ", mostly in `train` (tok.py:29), which waits for processes that run `Tokenizer.encode` (tok.py:9)"
    );
}
