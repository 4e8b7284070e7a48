//! Protocol buffers on the wire: as much of the encoding as a trace needs.
//!
//! | wire type | is |
//! |---|---|
//! | 0 | varint: seven bits a byte, low ones first |
//! | 1 | 64 bits, little-endian |
//! | 2 | a length, then so many bytes: texts and messages |

/// Adds an integer.
#[inline]
pub fn varint(out: &mut Vec<u8>, mut value: u64) {
    while value >= 0x80 {
        out.push(value as u8 | 0x80);
        value >>= 7;
    }
    out.push(value as u8);
}

/// Adds a field that is an integer, an enumeration or a truth value.
#[inline]
pub fn integer(out: &mut Vec<u8>, field: u32, value: u64) {
    varint(out, u64::from(field) << 3);
    varint(out, value);
}

/// Adds a field that is a `double`.
pub fn double(out: &mut Vec<u8>, field: u32, value: f64) {
    varint(out, u64::from(field) << 3 | 1);
    out.extend_from_slice(&value.to_le_bytes());
}

/// Adds a field of bytes: a text, or a message that is encoded already.
#[inline]
pub fn bytes(out: &mut Vec<u8>, field: u32, value: &[u8]) {
    varint(out, u64::from(field) << 3 | 2);
    varint(out, value.len() as u64);
    out.extend_from_slice(value);
}

/// Adds a field that is a text.
pub fn text(out: &mut Vec<u8>, field: u32, value: &str) {
    bytes(out, field, value.as_bytes());
}

/// Adds a field that is a message of these fields.
pub fn message(out: &mut Vec<u8>, field: u32, fill: impl FnOnce(&mut Vec<u8>)) {
    let mut inner = Vec::new();
    fill(&mut inner);
    bytes(out, field, &inner);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_examples_of_the_encoding_s_documentation_come_out() {
        let mut out = Vec::new();
        integer(&mut out, 1, 150);
        text(&mut out, 2, "testing");
        message(&mut out, 3, |inner| integer(inner, 1, 150));
        assert_eq!(
            out,
            [
                0x08, 0x96, 0x01, 0x12, 0x07, b't', b'e', b's', b't', b'i', b'n', b'g', 0x1a, 0x03,
                0x08, 0x96, 0x01
            ]
        );
    }
}
