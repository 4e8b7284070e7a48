use super::*;

fn call(name: &str, file: &str) -> CallKind {
    CallKind::Own {
        name: name.to_owned(),
        file: file.to_owned(),
    }
}

fn callers(side: &[(CallKind, Option<CallKind>)]) -> Callers<'_> {
    let each = side.iter();
    each.map(|(call, by)| (call, by.iter().collect())).collect()
}

/// Matches functions, each with the name of its file and of the one in the same file that calls it.
fn matched(base: &[[&'static str; 3]], new: &[[&'static str; 3]]) -> Vec<(String, String)> {
    let calls = |side: &[[&str; 3]]| -> Vec<(CallKind, Option<CallKind>)> {
        let each = side.iter();
        each.map(|[name, file, by]| {
            let caller = (!by.is_empty()).then(|| call(by, file));
            (call(name, file), caller)
        })
        .collect()
    };
    let (base_calls, new_calls) = (calls(base), calls(new));
    let name = |call: &Option<CallKind>| {
        let own = call.as_ref().and_then(CallKind::own);
        own.map_or("-".to_owned(), |(name, _)| name.to_owned())
    };
    // The script is the file of the first function.
    let side = |calls, script: &'static str| SideFunctions {
        callers: callers(calls),
        programs: vec![script.rsplit('/').next().unwrap_or(script)],
    };
    let found = match_functions(&side(&base_calls, base[0][1]), &side(&new_calls, new[0][1]));
    let mut names: Vec<(String, String)> = (found.iter())
        .map(|one| (name(&one.base), name(&one.new)))
        .collect();
    names.sort();
    names
}

fn pairs(all: &[[&str; 2]]) -> Vec<(String, String)> {
    let each = all.iter();
    each.map(|[one, other]| ((*one).to_owned(), (*other).to_owned()))
        .collect()
}

const JOB: &str = "/home/me/job.py";

#[test]
fn a_function_in_a_checkout_elsewhere_is_the_same() {
    let other = "/tmp/new/job.py";
    let found = matched(
        &[["f", JOB, ""], ["g", JOB, "f"]],
        &[["f", other, ""], ["g", other, "f"]],
    );
    assert_eq!(found, pairs(&[["f", "f"], ["g", "g"]]));
}

#[test]
fn a_function_that_moved_to_another_file_is_the_same() {
    let found = matched(&[["clean", JOB, ""]], &[["clean", "/home/me/rows.py", ""]]);
    assert_eq!(found, pairs(&[["clean", "clean"]]));
}

#[test]
fn a_new_function_in_the_place_of_one_that_is_gone_is_matched() {
    let found = matched(
        &[
            ["main", JOB, ""],
            ["clean", JOB, "main"],
            ["save", JOB, "main"],
        ],
        &[
            ["main", JOB, ""],
            ["clean_rows", JOB, "main"],
            ["save", JOB, "main"],
        ],
    );
    let expected = pairs(&[["clean", "clean_rows"], ["main", "main"], ["save", "save"]]);
    assert_eq!(found, expected);
}

#[test]
fn where_two_functions_could_be_the_one_that_is_gone_neither_is() {
    let found = matched(
        &[["main", JOB, ""], ["clean", JOB, "main"]],
        &[
            ["main", JOB, ""],
            ["one", JOB, "main"],
            ["two", JOB, "main"],
        ],
    );
    let expected = pairs(&[["-", "one"], ["-", "two"], ["clean", "-"], ["main", "main"]]);
    assert_eq!(found, expected);
}

#[test]
fn two_functions_of_one_name_are_told_apart_by_their_files() {
    let [a, b, c, d] = ["/v1/a/x.py", "/v1/b/x.py", "/v2/a/x.py", "/v2/b/x.py"];
    let found = matched(
        &[["run", a, ""], ["run", b, ""]],
        &[["run", c, ""], ["run", d, ""]],
    );
    let none = pairs(&[["-", "run"], ["-", "run"], ["run", "-"], ["run", "-"]]);
    assert_eq!(found, none);
    let found = matched(
        &[["run", a, ""], ["run", b, ""]],
        &[["run", a, ""], ["run", d, ""]],
    );
    assert_eq!(found, pairs(&[["run", "run"], ["run", "run"]]));
}

#[test]
fn functions_of_a_copy_of_the_script_are_the_same() {
    let copy = "/home/me/job_fast.py";
    let found = matched(
        &[
            ["", JOB, ""],
            ["run", JOB, ""],
            ["run", "/home/me/other.py", ""],
            ["A.f", JOB, "run"],
            ["B.f", JOB, "run"],
        ],
        &[
            ["", copy, ""],
            ["run", copy, ""],
            ["run", "/home/me/more.py", ""],
            ["A.f", copy, "run"],
            ["B.f", copy, "run"],
        ],
    );
    let same = ["", "A.f", "B.f", "run", "run"];
    assert_eq!(found, pairs(&same.map(|name| [name, name])));
}
