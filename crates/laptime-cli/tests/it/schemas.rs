//! The published schemas, and Python's stub of a row, are what the structs say that are written: nobody types them.
//!
//! Who changes such a struct on purpose writes them anew: `LAPTIME_TEST_OUTPUTS=write cargo test -p laptime-cli --test it
//! -- schemas`.

use std::fs;
use std::path::Path;

use laptime_analysis::summary::fields::{self, Kind};

const STUB: &str = "python/laptime/_core_summary.pyi";

/// What a row has in Python besides its numbers.
const CLASS: &str = r#""""The numbers of one path: see `laptime.SpanSummary`. A test writes this file, from the structs in Rust."""

from typing import Literal, final

from typing_extensions import Self

@final
class SpanSummary:
    """The numbers of one path. What is absent is None, and `why(field)` gives the reason."""

    def __copy__(self) -> Self: ...
    def __deepcopy__(self, memo: object) -> Self: ...
    def why(self, field: str) -> str | None: ...
    @property
    def path(self) -> str: ...
    @property
    def names(self) -> list[str]: ...
    @property
    def warnings(self) -> list[str]: ...
"#;

fn stub() -> String {
    let numbers = fields::all().map(|field| {
        let kind = match field.kind {
            Kind::Always => "int",
            Kind::Whole | Kind::Signed | Kind::Wide => "int | None",
            Kind::Real => "float | None",
            Kind::Word => "Literal[\"memory\", \"arithmetic\"] | None",
        };
        format!(
            "    @property\n    def {}(self) -> {kind}: ...\n",
            field.name
        )
    });
    CLASS.to_owned() + &numbers.collect::<String>()
}

#[test]
fn schemas_and_stubs_are_what_the_structs_say() {
    let is_written = std::env::var_os("LAPTIME_TEST_OUTPUTS").is_some_and(|wish| wish == "write");
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let schemas = laptime_report::json::schemas::all().into_iter();
    let schemas = schemas.map(|(name, text)| (format!("docs/{name}"), text));
    for (name, text) in schemas.chain([(STUB.to_owned(), stub())]) {
        let path = root.join(&name);
        if is_written {
            fs::write(&path, &text).unwrap();
        }
        let was = fs::read_to_string(&path).unwrap_or_default();
        assert!(
            was == text,
            "{name} differs: `LAPTIME_TEST_OUTPUTS=write` writes it anew"
        );
    }
}
