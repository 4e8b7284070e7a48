use super::*;

#[test]
fn what_acts_on_a_terminal_is_written_out() {
    assert_eq!(visible(""), "\"\"");
    assert_eq!(visible("a\nb\tc\r"), "a\\nb\\tc\\r");
    assert_eq!(visible("\u{1b}[31mred"), "\\u{1b}[31mred");
    assert_eq!(visible("\u{9b}2J"), "\\u{9b}2J");
    assert_eq!(visible("abc\u{202e}def"), "abc\\u{202e}def");
    assert_eq!(visible("zero\u{200b}width"), "zero\\u{200b}width");
}

#[test]
fn ordinary_text_of_any_script_stays() {
    for name in ["forward", "naïve Größe", "前向传播", "<b>|</b>"] {
        assert_eq!(visible(name), name);
    }
}

#[test]
fn a_long_name_is_shortened_in_its_middle_and_keeps_its_end() {
    let name = "model.encoder.layers.11.self_attention.output";
    let short = fitted(name, 20, "…");
    assert_eq!(short, "model.…ention.output");
    assert_eq!(columns(&short), 20);
    assert_eq!(fitted("short", 20, "…"), "short");
}

#[test]
fn wide_characters_count_two_columns() {
    let short = fitted("前向传播前向传播前向传播", 11, "…");
    assert!(columns(&short) <= 11 && columns(&short) >= 9, "{short}");
    assert_eq!(columns(&fitted(&"x".repeat(10_000), 30, "…")), 30);
}
