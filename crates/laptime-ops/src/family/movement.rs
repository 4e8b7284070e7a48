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
    use crate::tensor::Dtype;

    #[test]
    fn a_look_up_reads_its_rows_and_not_the_table() {
        let table = Tensor::f32([50_000, 256]);
        let result = Tensor::f32([512, 256]);
        let cost = lookup(&table, 512 * 8, &result);
        assert_eq!(cost.bytes_read, 512 * 256 * 4 + 512 * 8);
        assert_eq!(cost.bytes_written, 512 * 256 * 4);
    }

    #[test]
    fn a_small_table_is_read_once_however_often_it_is_asked() {
        let cost = lookup(&Tensor::f32([2, 4]), 0, &Tensor::f32([100, 4]));
        assert_eq!(cost.bytes_read, 2 * 4 * 4);
    }

    #[test]
    fn a_scatter_reads_and_writes_what_it_touches() {
        let index = Tensor::new([10], Dtype::I64);
        let source = Tensor::f32([10, 4]).bytes() + index.bytes();
        let cost = scatter(&Tensor::f32([100, 4]), 40, source);
        assert_eq!((cost.bytes_read, cost.bytes_written), (160 + 80 + 160, 160));
    }
}
