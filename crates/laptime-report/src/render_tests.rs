use laptime_analysis::{Analyzer, Options, ProcessKey, Summary};

use super::*;

#[allow(dead_code)]
#[path = "../../laptime-analysis/src/scripted.rs"]
mod scripted;

fn training() -> Summary {
    scripted::summarize(&[scripted::training(138, 3)], Options::default())
}

#[test]
fn look() {
    let view = View::default();
    println!("{}", render(&training(), Format::Text, &view));
    println!("{}", render(&training(), Format::Tree, &view));
    println!("{}", render(&training(), Format::Markdown, &view));
    println!("{}", render(&training(), Format::Csv, &view));
    println!("{}", render(&training(), Format::Json, &view));
}
