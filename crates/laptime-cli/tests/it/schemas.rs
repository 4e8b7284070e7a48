//! The published schemas are what the structs say that are written: nobody types them.
//!
//! Who changes such a struct on purpose writes them anew: `LAPTIME_TEST_OUTPUTS=write cargo test -p laptime-cli --test it
//! -- schemas`.

use std::fs;
use std::path::Path;

#[test]
fn schemas_are_what_the_structs_say() {
    let is_written = std::env::var_os("LAPTIME_TEST_OUTPUTS").is_some_and(|wish| wish == "write");
    let docs = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs");
    for (name, text) in laptime_report::schemas::all() {
        let path = docs.join(&name);
        if is_written {
            fs::write(&path, &text).unwrap();
        }
        let was = fs::read_to_string(&path).unwrap_or_default();
        assert!(
            was == text,
            "docs/{name} differs: `LAPTIME_TEST_OUTPUTS=write` writes it anew"
        );
    }
}
