use super::tests::hostile;
use super::{Format, View, render};
use serde_json::{Value, json};

#[test]
fn hostile_names_are_shown_as_text() {
    insta::assert_snapshot!(render(&hostile(), Format::Text, &View::default()), @r#"
    evil\u{1b}]0;title\u{7}|<b>\n.py  100 ms: 89 % exit, 11 % step.
    11 spans · host time from the start of the process, accurate to 10 ms; CLOCK_MONOTONIC

    whole run: 100 ms
    no steady state: no span named "step" tells one step from the next
    span                                                                              count    total     mean  of parent   share
    ─────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────
    step                                                                                  0     –        –                   –
    ├─ two\nlines                                                                         1  1.00 ms  1.00 ms              1.0 % ▏
    ├─ a|b                                                                                1  1.00 ms  1.00 ms              1.0 % ▏
    ├─ \u{1b}[31mred\u{1b}[0m                                                             1  1.00 ms  1.00 ms              1.0 % ▏
    ├─ \u{9b}2J                                                                           1  1.00 ms  1.00 ms              1.0 % ▏
    ├─ <script>alert(1)</script>                                                          1  1.00 ms  1.00 ms              1.0 % ▏
    ├─ [link](http://example.com)                                                         1  1.00 ms  1.00 ms              1.0 % ▏
    ├─ `code` *bold* __x__                                                                1  1.00 ms  1.00 ms              1.0 % ▏
    ├─ \u{202e}reversed                                                                   1  1.00 ms  1.00 ms              1.0 % ▏
    ├─ =1+1,"quoted"                                                                      1  1.00 ms  1.00 ms              1.0 % ▏
    ├─ a/b\c                                                                              1  1.00 ms  1.00 ms              1.0 % ▏
    └─ xxxxxxxxxxxxxxxxxxxxxxxxx…xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx      1  1.00 ms  1.00 ms              1.0 % ▏
    startup                                                                                     0 ns                       0.0 %
    outside of laps                                                                             0 ns                       0.0 %
    exit                                                                                     89.0 ms                      89.0 % ██████████▋
    – no span of this path was finished, only spans inside it

    marks and metrics
    two\nlines                         marked once
    a|b                                marked once
    \u{1b}[31mred\u{1b}[0m             marked once
    \u{9b}2J                           marked once
    <script>alert(1)<\/script>         marked once
    [link](http:\/\/example.com)       marked once
    `code` *bold* __x__                marked once
    \u{202e}reversed                   marked once
    =1+1,"quoted"                      marked once
    a\/b\\c                            marked once
    xxxxxxxxxx…xxxxxxxxxxxxxxxxxxxxxx  marked once

    warning: said \u{1b}[2J by\nsomebody
    "#);
    insta::assert_snapshot!(render(&hostile(), Format::Markdown, &View::default()), @r#"
    ## evil\\u\{1b\}\]0;title\\u\{7\}\|\<b\>\\n.py

    100 ms: 89 % exit, 11 % step.

    11 spans  
    host time from the start of the process, accurate to 10 ms; CLOCK\_MONOTONIC

    ### Whole run: 100 ms

    No steady state: no span named "step" tells one step from the next

    | span | count | total | mean | of parent | share |
    | :--- | ---: | ---: | ---: | ---: | ---: |
    | step | 0 | – | – |  | – |
    | &emsp;two\\nlines | 1 | 1.00 ms | 1.00 ms |  | 1.0 % |
    | &emsp;a\|b | 1 | 1.00 ms | 1.00 ms |  | 1.0 % |
    | &emsp;\\u\{1b\}\[31mred\\u\{1b\}\[0m | 1 | 1.00 ms | 1.00 ms |  | 1.0 % |
    | &emsp;\\u\{9b\}2J | 1 | 1.00 ms | 1.00 ms |  | 1.0 % |
    | &emsp;\<script\>alert(1)\</script\> | 1 | 1.00 ms | 1.00 ms |  | 1.0 % |
    | &emsp;\[link\](http\://example\.com) | 1 | 1.00 ms | 1.00 ms |  | 1.0 % |
    | &emsp;\`code\` \*bold\* \_\_x\_\_ | 1 | 1.00 ms | 1.00 ms |  | 1.0 % |
    | &emsp;\\u\{202e\}reversed | 1 | 1.00 ms | 1.00 ms |  | 1.0 % |
    | &emsp;=1+1,"quoted" | 1 | 1.00 ms | 1.00 ms |  | 1.0 % |
    | &emsp;a/b\\c | 1 | 1.00 ms | 1.00 ms |  | 1.0 % |
    | &emsp;xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx…xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx | 1 | 1.00 ms | 1.00 ms |  | 1.0 % |
    | *startup* |  | 0 ns |  |  | 0.0 % |
    | *outside of laps* |  | 0 ns |  |  | 0.0 % |
    | *exit* |  | 89.0 ms |  |  | 89.0 % |

    – no span of this path was finished, only spans inside it

    ### Marks and metrics

    | name | course | |
    | :--- | :--- | :--- |
    | two\\nlines |  | marked once |
    | a\|b |  | marked once |
    | \\u\{1b\}\[31mred\\u\{1b\}\[0m |  | marked once |
    | \\u\{9b\}2J |  | marked once |
    | \<script\>alert(1)\<\\/script\> |  | marked once |
    | \[link\](http:\\/\\/example.com) |  | marked once |
    | \`code\` \*bold\* \_\_x\_\_ |  | marked once |
    | \\u\{202e\}reversed |  | marked once |
    | =1+1,"quoted" |  | marked once |
    | a\\/b\\\\c |  | marked once |
    | xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx…xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx |  | marked once |

    > **Warning:** said \\u\{1b\}\[2J by\\nsomebody
    "#);
}

#[test]
fn no_format_lets_a_name_act_on_a_terminal() {
    let view = View::default();
    for (_, format) in Format::NAMES {
        let text = render(&hostile(), format, &view);
        let acts = |character: char| {
            character.is_control() && !"\r\n".contains(character) || character == '\u{202e}'
        };
        let is_json = format == Format::Json;
        assert!(is_json || !text.contains(acts), "{format:?}");
        assert!(
            !text.contains(['\u{1b}', '\u{9b}']) || is_json,
            "{format:?}"
        );
    }
    let json = render(&hostile(), Format::Json, &view);
    assert!(!json.contains('<') && !json.contains('\u{1b}'));
}

#[test]
fn json_carries_names_whole_and_csv_as_text() {
    let summary = hostile();
    let back: Value =
        serde_json::from_str(&render(&summary, Format::Json, &View::default())).unwrap();
    let rows = back["rows"].as_array().unwrap().iter();
    let paths: Vec<&str> = rows.map(|row| row["path"].as_str().unwrap()).collect();
    let known: Vec<&str> = summary.rows.iter().map(|row| &*row.path).collect();
    assert_eq!(paths, known);
    assert_eq!(back["program"], json!(summary.program));
    let csv = render(&summary, Format::Csv, &View::default());
    assert!(csv.contains(",step/two\\nlines,"));
    assert!(!csv.contains(|one: char| one.is_control() && !"\r\n".contains(one)));
    assert!(csv.contains("\"step/=1+1,\"\"quoted\"\"\""));
    assert!(csv.contains(&"x".repeat(10_000)));
}

#[test]
fn a_row_shows_a_name_as_it_is_and_a_path_escapes_it() {
    let summary = hostile();
    for format in [Format::Text, Format::Tree] {
        let text = render(&summary, format, &View::default());
        assert!(text.contains(r"├─ a/b\c "), "{text}");
    }
    let markdown = render(&summary, Format::Markdown, &View::default());
    // Markdown's own escape of one backslash.
    assert!(markdown.contains(r"&emsp;a/b\\c |"), "{markdown}");
    let csv = render(&summary, Format::Csv, &View::default());
    assert!(csv.contains(r",step/a\/b\\c,"), "{csv}");
    let json = render(&summary, Format::Json, &View::default());
    assert!(json.contains(r#""path": "step/a\\/b\\\\c""#), "{json}");
    let view = View {
        filter: Some(r"step/a\/b\\c".into()),
        ..View::default()
    };
    assert_eq!(render(&summary, Format::Csv, &view).lines().count(), 2);
}
