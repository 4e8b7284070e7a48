use super::*;
use crate::tables::operations::examples;

const HOSTILE: [&str; 6] = [
    "two\nlines",
    "a|b\u{1b}[31m",
    "<script>alert(1)</script>",
    "[link](http://example.com)",
    "=1+1,\"quoted\"",
    "\u{202e}reversed`*_",
];

/// Makes the network with every text replaced.
fn hostile() -> (laptime_core::operations::Counts, Subject) {
    let (mut counts, mut subject) = examples::network();
    let all = HOSTILE.concat();
    subject.name.clone_from(&all);
    subject.inputs = HOSTILE.map(str::to_owned).to_vec();
    subject.how.clone_from(&all);
    for (index, row) in counts.by_op.iter_mut().enumerate() {
        HOSTILE[index].clone_into(&mut row.name);
    }
    for (index, row) in counts.by_module.iter_mut().enumerate().skip(1) {
        row.path = format!("{}{}", HOSTILE[index % 6], "x".repeat(index));
        HOSTILE[index % 6].clone_into(&mut row.kind);
    }
    counts.by_dtype = HOSTILE.map(|name| (name.to_owned(), 7)).to_vec();
    counts.uncounted = examples::partly().0.uncounted;
    for row in &mut counts.uncounted {
        row.name.clone_from(&all);
        row.reason.clone_from(&all);
    }
    (counts, subject)
}

fn shown(format: Format) -> String {
    let (counts, subject) = hostile();
    let mut roofline = examples::roofline(&counts);
    roofline.roof.flop_label = HOSTILE.concat();
    roofline.roof.bytes_label = HOSTILE.concat();
    render(
        &counts,
        &subject,
        Some(&roofline),
        format,
        &OperationsView::default(),
    )
    .into_string()
}

#[test]
fn no_name_acts_on_a_terminal() {
    let text = shown(Format::Text);
    assert!(!text.contains(|character: char| {
        (character.is_control() && character != '\n') || character == '\u{202e}'
    }));
    assert!(text.contains("two\\nlines"));
}

#[test]
fn no_name_becomes_an_element_of_a_page() {
    let text = shown(Format::Html);
    let body = text.split_once("</head>").unwrap().1;
    assert!(!body.contains("<script>alert"), "{body}");
    assert!(body.contains("&lt;script&gt;alert(1)&lt;/script&gt;"));
    assert!(!text.contains(|character: char| character.is_control() && character != '\n'));
}

#[test]
fn no_name_becomes_a_link_or_a_cell_in_markdown() {
    let text = shown(Format::Markdown);
    assert!(!text.replace("\\]", "").contains("](http"), "{text}");
    assert!(!text.contains("<script>"));
    for table in text.split("\n\n").filter(|part| part.starts_with('|')) {
        let bars = |line: &str| line.replace("\\|", "").matches('|').count();
        let heading = bars(table.lines().next().unwrap());
        assert!(table.lines().all(|line| bars(line) == heading), "{table}");
    }
}

#[test]
fn rows_of_csv_keep_their_fields() {
    let text = shown(Format::Csv);
    let mut fields = vec![0];
    let mut is_quoted = false;
    for character in text.chars() {
        match character {
            '"' => is_quoted = !is_quoted,
            ',' if !is_quoted => *fields.last_mut().unwrap() += 1,
            '\n' if !is_quoted => fields.push(0),
            _ => {}
        }
    }
    assert_eq!(fields.pop(), Some(0));
    assert!(fields.iter().all(|count| *count == fields[0]), "{fields:?}");
}
