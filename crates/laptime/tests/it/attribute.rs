//! The attribute adds no lint to a program, and takes no name from it.
#![deny(warnings, clippy::pedantic)]

use std::cell::RefCell;

use laptime::attribute::lap;

use crate::own_process;

#[lap]
fn one_expression(x: &[i32]) -> Vec<i32> {
    x.to_vec()
}

#[lap]
fn nothing() {}

#[lap]
fn leading_item(x: i32) -> i32 {
    const ONE: i32 = 1;
    x + ONE
}

#[lap]
fn early(x: i32) -> Option<i32> {
    let x = Some(x).filter(|x| *x > 0)?;
    if x == 1 {
        return None;
    }
    Some(x)
}

#[lap("unsafe")]
unsafe fn raw(x: *const i32) -> i32 {
    // SAFETY: the caller's promise.
    unsafe { *x }
}

#[expect(clippy::used_underscore_binding, reason = "that name is the point")]
#[lap]
fn same_name(_lap: i32) -> i32 {
    _lap
}

#[lap]
fn borrowed(cell: &RefCell<Vec<i32>>) -> usize {
    cell.borrow().len()
}

#[lap]
async fn future(x: &[i32]) -> Vec<i32> {
    std::future::ready(x.to_vec()).await
}

#[test]
fn functions_with_the_attribute_compile_without_a_warning() {
    own_process::run(|| {
        assert_eq!(one_expression(&[1]), [1]);
        nothing();
        assert_eq!(leading_item(1), 2);
        assert_eq!((early(0), early(1), early(2)), (None, None, Some(2)));
        let three = 3;
        // SAFETY: of a reference.
        assert_eq!(unsafe { raw(&raw const three) }, 3);
        assert_eq!(same_name(4), 4);
        assert_eq!(borrowed(&RefCell::new(vec![1])), 1);
        drop(future(&[1]));
    });
}
