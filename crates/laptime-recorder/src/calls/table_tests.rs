use super::*;

const OTHER: u32 = 1;
const NO_LAP: PathId = PathId::ROOT;

/// Functions have their number as key.
fn enter(table: &mut Table, function: u32, path: PathId, ticks: u64) {
    let key = FunctionKey(function as usize, 0);
    let edge = table.find(function, path);
    let edge = edge.unwrap_or_else(|| table.add(function, path, OTHER));
    table.enter(key, edge, ticks);
}

fn leave(table: &mut Table, function: u32, ticks: u64) {
    table.leave(FunctionKey(function as usize, 0), ticks);
}

fn taken(table: &mut Table) -> Vec<(u32, u32, u32, [u64; 6])> {
    let mut taken = Vec::new();
    table.take(7, &mut taken);
    let told = taken.iter().map(|calls| {
        let sums = calls.sums;
        let numbers = [
            sums.calls,
            sums.primitive,
            sums.own,
            sums.total,
            sums.primitive_from,
            sums.total_from,
        ];
        (calls.path.0, calls.caller, calls.function, numbers)
    });
    told.collect()
}

#[test]
fn own_time_is_without_what_is_called() {
    let mut table = Table::default();
    enter(&mut table, 2, NO_LAP, 100);
    enter(&mut table, 3, NO_LAP, 110);
    leave(&mut table, 3, 150);
    leave(&mut table, 2, 200);
    assert_eq!(
        taken(&mut table),
        [
            (0, 0, 2, [1, 1, 60, 100, 1, 100]),
            (0, 2, 3, [1, 1, 40, 40, 1, 40])
        ]
    );
    assert_eq!(taken(&mut table), []);
}

#[test]
fn a_function_that_calls_itself_has_its_time_once() {
    let mut table = Table::default();
    for (depth, ticks) in [100, 110, 120].into_iter().enumerate() {
        enter(&mut table, 2, NO_LAP, ticks);
        assert_eq!(table.depth(), depth + 1);
    }
    for ticks in [130, 150, 200] {
        leave(&mut table, 2, ticks);
    }
    assert_eq!(
        taken(&mut table),
        [
            (0, 0, 2, [1, 1, 60, 100, 1, 100]),
            (0, 2, 2, [2, 0, 40, 0, 1, 40])
        ]
    );
}

#[test]
fn calls_are_told_apart_by_lap() {
    let (mut table, step) = (Table::default(), PathId(5));
    for (path, ticks) in [(NO_LAP, 0), (step, 10), (step, 20)] {
        enter(&mut table, 2, path, ticks);
        leave(&mut table, 2, ticks + 3);
    }
    assert_eq!(
        taken(&mut table),
        [(0, 0, 2, [1, 1, 3, 3, 1, 3]), (5, 0, 2, [2, 2, 6, 6, 2, 6])]
    );
}

#[test]
fn what_began_before_the_counting_is_not_known_when_it_ends() {
    let mut table = Table::default();
    leave(&mut table, 9, 5);
    assert_eq!((taken(&mut table), table.disorder()), (Vec::new(), 0));
}

#[test]
fn a_function_left_out_of_order_ends_those_inside_and_is_counted_as_doubtful() {
    let mut table = Table::default();
    enter(&mut table, 2, NO_LAP, 0);
    enter(&mut table, 3, NO_LAP, 10);
    leave(&mut table, 2, 30);
    assert_eq!((table.depth(), table.disorder()), (0, 1));
    assert_eq!(
        taken(&mut table),
        [
            (0, 0, 2, [1, 1, 10, 30, 1, 30]),
            (0, 2, 3, [1, 1, 20, 20, 1, 20])
        ]
    );
}

#[test]
fn what_is_forgotten_was_never_called() {
    let mut table = Table::default();
    enter(&mut table, 2, NO_LAP, 0);
    enter(&mut table, 3, NO_LAP, 10);
    table.forget_innermost(3);
    table.close(40);
    assert_eq!(taken(&mut table), [(0, 0, 2, [1, 1, 40, 40, 1, 40])]);
}
