use super::*;

fn folders(folders: &[&str]) -> Vec<String> {
    folders.iter().map(|folder| (*folder).to_owned()).collect()
}

/// A project of `ada`'s that she works in, whose script lies in `/srv/tools`.
fn places() -> Places {
    Places {
        library: folders(&[
            "/usr/lib/python3.11",
            "/home/ada/project/.venv/lib/python3.11",
        ]),
        library_name: "lib/python3.11".to_owned(),
        installed: folders(&["/opt/packages"]),
        package: None,
        own: folders(&["/home/ada/project", "/srv/tools"]),
        search: folders(&["/home/ada", "/home/ada/libs", "/home/ada/libs/deep", "/"]),
        working: Some("/home/ada/project".to_owned()),
        home: Some("/home/ada".to_owned()),
    }
}

fn name(file: &str) -> String {
    places().name(file).name
}

#[test]
fn files_of_packages_begin_with_the_folder_of_packages() {
    let torch = "site-packages/torch/nn/modules/linear.py";
    let folders = [
        "/home/ada/project/.venv/lib/python3.11/site-packages",
        "/usr/lib/python3/dist-packages",
        "/home/ada/.local/lib/python3.11/site-packages",
        "/opt/packages",
        "/home/ada/project/site-packages",
        "/venv/site-packages/vendored/site-packages",
    ];
    for folder in folders {
        assert_eq!(name(&format!("{folder}/torch/nn/modules/linear.py")), torch);
    }
}

#[test]
fn files_of_pythons_library_begin_with_its_version() {
    let json = "lib/python3.11/json/encoder.py";
    assert_eq!(name("/usr/lib/python3.11/json/encoder.py"), json);
    assert_eq!(
        name("/home/ada/project/.venv/lib/python3.11/json/encoder.py"),
        json
    );
}

#[test]
fn what_is_no_file_stays_as_it_is_but_for_a_path_in_it() {
    for text in [
        "<frozen importlib._bootstrap>",
        "<string>",
        "<attrs generated init a.B>",
        "",
    ] {
        assert_eq!(name(text), text);
    }
    assert_eq!(
        name("<doctest /home/ada/project/train.py[0]>"),
        "<doctest train.py[0]>"
    );
    assert_eq!(
        name("<eval_with_key>.3 from /home/ada/x.py:1 in a"),
        "<eval_with_key>.3 from x.py:1 in a"
    );
}

#[test]
fn the_programs_files_are_relative_to_the_working_folder_then_to_the_script() {
    assert_eq!(name("/home/ada/project/tools/train.py"), "tools/train.py");
    assert_eq!(name("/srv/tools/data/images.py"), "data/images.py");
    assert_eq!(name("/home/ada/project/model/net.py"), "model/net.py");
    assert_eq!(name("model/net.py"), "model/net.py");
    assert_eq!(name("./tools/../model/./net.py"), "model/net.py");
    assert_eq!(name("/home/ada/projects/other.py"), "projects/other.py");
}

#[test]
fn elsewhere_the_longest_folder_of_the_search_path_counts_then_two_names() {
    assert_eq!(name("/home/ada/libs/deep/inner/mine.py"), "inner/mine.py");
    assert_eq!(name("/home/ada/libs/mine.py"), "mine.py");
    let places = Places {
        search: Vec::new(),
        ..places()
    };
    assert_eq!(
        places.name("/tmp/ipykernel_17/2938.py").name,
        "ipykernel_17/2938.py"
    );
    assert_eq!(places.name("/mine.py").name, "mine.py");
    assert!(!places.name("/srv/code/mine.py").is_settled);
    assert!(places.name("/home/ada/project/model/net.py").is_settled);
}

#[test]
fn no_name_tells_what_the_users_folder_is_called() {
    let places = Places {
        own: folders(&["/"]),
        search: folders(&["/home", "/"]),
        ..places()
    };
    assert_eq!(places.name("/home/ada/mine.py").name, "mine.py");
    assert_eq!(places.name("/home/ada/code/mine.py").name, "code/mine.py");
    assert_eq!(places.name("/srv/app/deep/mine.py").name, "deep/mine.py");
    let nowhere = Places {
        own: Vec::new(),
        search: Vec::new(),
        ..places
    };
    assert_eq!(nowhere.name("/home/bea/mine.py").name, "mine.py");
    assert_eq!(nowhere.name("/Users/bea/mine.py").name, "mine.py");
}

#[test]
fn below_a_working_folder_above_the_users_own_files_are_named_relative_to_it() {
    let at = |home: &str| Places {
        own: folders(&["/work"]),
        home: Some(home.to_owned()),
        ..Places::default()
    };
    let name = |home: &str, file: &str| at(home).name(file).name;
    assert_eq!(name("/work/ada", "/work/parse.py"), "parse.py");
    assert_eq!(
        name("/work/ada", "/work/app/api/parse.py"),
        "app/api/parse.py"
    );
    assert_eq!(name("/work/ada", "/work/ada/parse.py"), "parse.py");
    assert_eq!(name("/work/ada", "/work/ada/app/parse.py"), "app/parse.py");
    assert_eq!(name("/work/home/ada", "/work/app/parse.py"), "app/parse.py");
    assert_eq!(
        name("/work/home/ada", "/work/home/bea/parse.py"),
        "parse.py"
    );
}

#[test]
fn a_file_of_the_program_is_mistaken_for_no_package() {
    assert_eq!(
        name("/home/ada/project/lib/python3/mine.py"),
        "./lib/python3/mine.py"
    );
    let places = Places {
        own: folders(&["/srv"]),
        ..Places::default()
    };
    assert_eq!(
        places.name("/srv/lib/pythonic/mine.py").name,
        "./lib/pythonic/mine.py"
    );
}

#[test]
fn a_package_that_runs_as_the_program_is_its_own_even_where_it_is_installed() {
    let places = Places {
        package: Some("fit".to_owned()),
        ..places()
    };
    assert_eq!(
        places.name("/v/site-packages/fit/sub/x.py").name,
        "fit/sub/x.py"
    );
    assert_eq!(places.name("/v/site-packages/fit.py").name, "fit.py");
    assert_eq!(
        places.name("/v/site-packages/fitting/x.py").name,
        "site-packages/fitting/x.py"
    );
    assert_eq!(
        places.name("/usr/lib/python3.11/fit/x.py").name,
        "lib/python3.11/fit/x.py"
    );
}

#[test]
fn without_any_folder_known_no_path_is_whole() {
    let nothing = Places::default();
    for file in [
        "/a/b/c/d.py",
        "//x",
        "/",
        "..",
        "a/../../b",
        "x.py",
        "/home//ada///x.py",
    ] {
        let name = nothing.name(file).name;
        assert!(!name.starts_with('/'), "{file}: {name}");
    }
}
