use super::*;

fn chain(length: u32) -> CheckedPaths {
    let mut paths = CheckedPaths::new();
    for level in 0..length {
        let (id, parent) = (
            PathId(level + 2),
            PathId(if level == 0 { 0 } else { level + 1 }),
        );
        paths.define(id, parent, &format!("level {level}")).unwrap();
    }
    paths
}

#[test]
fn paths_keep_their_numbers_and_parents_have_the_smaller_ones() {
    let mut paths = CheckedPaths::new();
    let a = PathId(7);
    assert_eq!(paths.define(a, PathId::ROOT, "a"), Ok(Some(a)));
    assert_eq!(paths.define(PathId(900), a, "b"), Ok(Some(PathId(900))));
    assert_eq!(paths.define(a, PathId::ROOT, "a"), Ok(None));
    assert_eq!(paths.own(PathId(900)), Some(PathId(900)));
    assert_eq!(paths.own(PathId(8)), None);
    assert_eq!(paths.table().names(PathId(900)), ["a", "b"]);
    let earlier = Err((PathId(8), "defines below a later one the"));
    assert_eq!(paths.define(PathId(8), PathId(900), "c"), earlier);
}

#[test]
fn a_definition_must_say_the_same_again_and_stand_below_a_known_path() {
    let mut paths = CheckedPaths::new();
    paths.define(PathId(2), PathId::ROOT, "a").unwrap();
    paths.define(PathId(3), PathId(2), "b").unwrap();
    let differently = |id| Err((PathId(id), "defines differently the"));
    assert_eq!(paths.define(PathId(3), PathId(2), "c"), differently(3));
    assert_eq!(paths.define(PathId(3), PathId::ROOT, "b"), differently(3));
    assert_eq!(paths.define(PathId::ROOT, PathId(2), "a"), differently(0));
    assert_eq!(
        paths.define(PathId(u32::MAX), PathId(2), "a"),
        differently(u32::MAX)
    );
    let undefined = Err((PathId(9), "uses the undefined"));
    assert_eq!(paths.define(PathId(4), PathId(9), "d"), undefined);
}

#[test]
fn what_lies_too_deep_folds_into_one_path_below_the_last_level() {
    let paths = chain(6_000);
    let last = PathId(PathTable::MOST_LEVELS as u32 + 1);
    assert_eq!(paths.of(last), Some(Told::Own(last)));
    let deep = PathId(last.0 + 1);
    assert_eq!(paths.of(deep), Some(Told::Own(deep)));
    assert_eq!(paths.table().names(deep).len(), PathTable::MOST_LEVELS + 1);
    assert_eq!(
        paths.table().get(deep).unwrap().name.as_ref(),
        PathTable::DEEP_NAME
    );
    for below in [deep.0 + 1, 6_001] {
        assert_eq!(paths.of(PathId(below)), Some(Told::Inside(deep)));
        assert_eq!(paths.own(PathId(below)), None);
    }
    assert_eq!(paths.table().iter().count(), PathTable::MOST_LEVELS + 2);
}

#[test]
fn siblings_beyond_the_last_level_share_one_path_and_may_be_defined_again() {
    let mut paths = chain(PathTable::MOST_LEVELS as u32);
    let last = PathId(PathTable::MOST_LEVELS as u32 + 1);
    let deep = PathId(9_000);
    assert_eq!(paths.define(deep, last, "a"), Ok(Some(deep)));
    assert_eq!(paths.define(PathId(9_001), last, "b"), Ok(None));
    assert_eq!(paths.define(PathId(9_002), PathId(9_001), "c"), Ok(None));
    assert_eq!(paths.own(PathId(9_001)), Some(deep));
    assert_eq!(paths.of(PathId(9_002)), Some(Told::Inside(deep)));
    for (id, parent, name) in [
        (9_000, last, "a"),
        (9_001, last, "b"),
        (9_002, PathId(9_001), "c"),
    ] {
        assert_eq!(paths.define(PathId(id), parent, name), Ok(None));
    }
    let differently = Err((PathId(9_001), "defines differently the"));
    assert_eq!(paths.define(PathId(9_001), PathId(3), "b"), differently);
}

#[test]
fn paths_whose_text_would_fill_the_memory_fold_too() {
    let mut paths = CheckedPaths::new();
    let name = "x".repeat(10_000);
    for id in 2..20_000 {
        paths
            .define(PathId(id), PathId::ROOT, &format!("{id}{name}"))
            .unwrap();
    }
    assert!(paths.text <= MOST_TEXT + 100);
    assert_eq!(paths.own(PathId(19_000)), paths.own(PathId(19_999)));
    // One name longer than all levels together may be.
    let mut paths = CheckedPaths::new();
    paths
        .define(PathId(2), PathId::ROOT, &"x".repeat(20_000))
        .unwrap();
    assert_eq!(paths.table().names(PathId(2)), [PathTable::DEEP_NAME]);
}
