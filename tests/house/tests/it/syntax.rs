//! How sources are read: what is left out, and what is not.

use laptime_house::sources;
use laptime_house::syntax::{Function, Syntax};

fn functions(text: &str) -> Vec<Function> {
    Syntax::parse(text).unwrap().functions
}

fn names(text: &str) -> Vec<String> {
    functions(text)
        .into_iter()
        .map(|function| function.name)
        .collect()
}

#[test]
fn an_item_for_tests_is_left_out_and_what_stands_behind_it_is_read() {
    let text = "#[cfg(test)] fn a() {} fn b() {} #[cfg(not(test))] fn c() {} #[cfg(any(test, unix))] fn d() {} \
                #[cfg(all(unix, test))] fn e() {} #[cfg(test)] mod tests { fn f() {} } fn g() {}";
    assert_eq!(names(text), ["b", "c", "d", "g"]);
}

#[test]
fn functions_are_read_in_methods_traits_bodies_and_macros() {
    let text = "impl A { fn a() {} } trait B { fn b() {} fn none(); } fn c() { extern \"C\" fn d() {} } \
                macro_rules! m { () => { unsafe extern \"C\" fn $e() { guard(1, x) } } }";
    let found = functions(text);
    let names: Vec<&str> = found.iter().map(|function| &*function.name).collect();
    assert_eq!(names, ["a", "b", "c", "d", "$e"]);
    let foreign = found.iter().filter(|function| function.is_foreign);
    assert_eq!(
        foreign.map(|function| &*function.name).collect::<Vec<_>>(),
        ["d", "$e"]
    );
    assert_eq!(found[4].calls[0].name, "guard");
}

#[test]
fn a_call_knows_inside_which_others_it_stands() {
    let found = functions(
        "fn f() { outer(1, || { a.unwrap(); x[0] }); assert!(inner(2)); fn g() { none() } }",
    );
    let calls = found[0].calls.iter();
    let calls: Vec<(&str, usize, String)> = calls
        .map(|call| (&*call.name, call.arguments, call.inside.join("/")))
        .collect();
    let expected = [
        ("outer", 2, ""),
        ("unwrap", 0, "outer"),
        ("[]", 1, "outer"),
        ("assert!", 0, ""),
        ("inner", 1, ""),
    ];
    assert_eq!(
        calls,
        expected.map(|(name, arguments, inside)| (name, arguments, inside.to_owned()))
    );
}

#[test]
fn what_python_calls_is_told_by_its_attributes() {
    let text = "#[pyo3::pyfunction] fn a() {} #[pymethods] impl A { fn b() { fn c() {} } } impl A { fn d() {} }";
    let found = functions(text);
    let exposed = found.iter().filter(|function| function.is_for_python);
    assert_eq!(
        exposed.map(|function| &*function.name).collect::<Vec<_>>(),
        ["a", "b"]
    );
}

#[test]
fn every_crate_is_read_whole() {
    for one in sources::crates() {
        assert!(one.modules.contains_key(&Vec::new()), "{}", one.name);
    }
    let read = sources::product().count();
    assert!(read > 500, "{read} files were found");
    let patch = sources::product().filter(|source| {
        source.path.ends_with("patch/mod.rs") || source.path.ends_with("no_patch.rs")
    });
    assert_eq!(patch.count(), 2, "a module that has two files has both");
}
