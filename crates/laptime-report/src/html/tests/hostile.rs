use laptime_analysis::Bar;

use super::payload_tests::{page, panel};
use super::{Page, render};
use crate::{Document, Format, View, tests};

#[test]
fn no_name_becomes_an_element_of_the_page() {
    let summary = tests::hostile();
    let text = crate::render(&summary, Format::Html, &View::default());
    let body = text.split_once("</head>").unwrap().1;
    assert!(!body.contains("<script>alert"), "{body}");
    assert!(!body.contains("<b>"));
    assert!(body.contains("&lt;script&gt;alert(1)&lt;/script&gt;"));
    assert!(!text.contains(|character: char| character.is_control() && character != '\n'));
}

#[test]
fn names_of_panels_travel_as_letters_only() {
    let bars = vec![Bar::new(0, 1, 0)];
    let name = "</script><img src=x onerror=alert(1)>";
    let mut panel = panel(vec![name.to_owned()], bars, Vec::new());
    panel.title = name.to_owned();
    panel.notes = vec![name.to_owned()];
    let page = Page {
        title: name.to_owned(),
        documents: vec![Document::new(&tests::hostile(), &View::default())],
        ..page(vec![panel])
    };
    let text = render(&page);
    assert!(!text.contains("<img"));
    assert_eq!(
        text.matches("</script").count(),
        2,
        "the data and the viewer"
    );
}
