//! Data says what a terminal says, in its words and in its order.

use serde_json::Value;

use super::tests::{all, killed, plain};
use super::*;

/// A text without the lines that a terminal breaks it into.
fn joined(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Returns the texts of a summary as JSON: the headline, findings and doubts.
fn texts(summary: &Summary, view: &View) -> Vec<String> {
    let json = json::summary::render(summary, view);
    let json: Value = serde_json::from_str(&json).unwrap();
    let of = |list: &Value, field: &str| -> Vec<String> {
        let each = list.as_array().unwrap().iter();
        each.map(|one| one[field].as_str().unwrap().to_owned())
            .collect()
    };
    let mut texts = vec![json["headline"]["text"].as_str().unwrap().to_owned()];
    texts.extend(of(&json["findings"], "text"));
    texts.extend(of(&json["warnings"], "message"));
    texts
}

#[test]
fn json_has_the_sentences_of_the_terminal_in_their_order() {
    let mut told = 0;
    let mut summaries = all();
    for summary in &mut summaries {
        if summary.findings.is_empty() {
            summary
                .findings
                .clone_from(&sentences::findings::tests::every_kind());
        }
        for whole in [false, true] {
            let view = View {
                whole,
                ..plain(400)
            };
            let terminal =
                joined(&text::render(&Document::new(summary, &view), &view).replace('·', " "));
            let mut rest = &*terminal;
            for text in texts(summary, &view) {
                let text = joined(&visible(&text).replace('·', " "));
                let Some((_, after)) = rest.split_once(&text) else {
                    panic!("{text:?} is not in {rest:?}");
                };
                rest = after;
                told += 1;
            }
        }
    }
    assert!(told > summaries.len());
}

#[test]
fn what_a_report_says_first_comes_first() {
    let json = render(&killed(), Format::Json, &View::default());
    let at = |field: &str| json.find(&format!("\n  \"{field}\": ")).unwrap();
    let fields = [
        "schema", "program", "headline", "findings", "next", "warnings", "rows",
    ];
    assert!(
        fields.windows(2).all(|pair| at(pair[0]) < at(pair[1])),
        "{json}"
    );
}
