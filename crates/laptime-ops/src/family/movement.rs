//! Copies, fills, views and look-ups: no arithmetic, only bytes.
//!
//! Source: compulsory traffic. A copy reads what it copies and writes it; a fill only writes; a
//! look-up reads the rows it touches, never the whole table.

use laptime_core::Cost;

use crate::event::Event;
use crate::tensor::Tensor;

/// Bytes of tensors together.
pub fn bytes<'a>(tensors: impl Iterator<Item = &'a Tensor>) -> u128 {
    tensors.fold(0, |all, tensor| all.saturating_add(tensor.bytes()))
}

/// Bytes of what an event gives.
pub fn results(event: &Event) -> u128 {
    bytes(event.results())
}

/// Writes its results, and reads nothing.
pub fn fill(event: &Event) -> Cost {
    moved(0, results(event))
}

/// So many bytes in, so many out.
pub fn moved(bytes_read: u128, bytes_written: u128) -> Cost {
    Cost {
        bytes_read,
        bytes_written,
        ..Cost::default()
    }
}

/// A look-up: the rows that are touched and the index in, the result out.
///
/// No more of the table is read than it holds, however often a row is asked for.
pub fn lookup(table: &Tensor, index_bytes: u128, result: &Tensor) -> Cost {
    let rows = table.bytes_of(result.held()).min(table.bytes());
    moved(rows.saturating_add(index_bytes), result.bytes())
}

/// So many elements added into, or written over, a part of a tensor: source and index in, and the
/// part read and written again.
pub fn scatter(target: &Tensor, elements: u128, source_bytes: u128) -> Cost {
    let touched = target.bytes_of(elements).min(target.bytes());
    moved(source_bytes.saturating_add(touched), touched)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::event::{Argument, Signature};
    use crate::family::by_hand::assert_costs;

    #[test]
    fn what_is_touched_is_moved_by_hand() {
        let table = Tensor::f32([50_000, 256]);
        let (few, small) = (Tensor::f32([512, 256]), Tensor::f32([2, 4]));
        let target = Tensor::f32([100, 4]);
        let filled = Event::new(
            Signature::new("aten::zeros", &["like"]),
            vec![Argument::Tensor(small.clone())],
            vec![Tensor::f32([3]), Tensor::f32([4])],
        );
        assert_costs(&[
            (
                "512 rows of 256 numbers and 512 indices of 8 bytes; not the table",
                lookup(&table, 512 * 8, &few),
                &[("read", 528_384), ("written", 524_288)],
            ),
            (
                "a table of 8 numbers asked for 400: read once",
                lookup(&small, 0, &Tensor::f32([100, 4])),
                &[("read", 32), ("written", 1600)],
            ),
            (
                "40 numbers and 10 indices into 40 places, read and written",
                scatter(&target, 40, 160 + 80),
                &[("read", 400), ("written", 160)],
            ),
            (
                "1000 numbers into 400 places, each read and written once",
                scatter(&target, 1000, 4000),
                &[("read", 5600), ("written", 1600)],
            ),
            ("7 numbers filled", fill(&filled), &[("written", 28)]),
            ("moved", moved(3, 4), &[("read", 3), ("written", 4)]),
        ]);
    }
}
