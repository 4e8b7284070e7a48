//! Bytes as letters that may stand in a page (RFC 4648, with padding).

const LETTERS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/// Encodes.
pub fn encode(bytes: &[u8]) -> String {
    let mut out = String::with_capacity(bytes.len().div_ceil(3) * 4);
    for chunk in bytes.chunks(3) {
        let byte = |index: usize| u32::from(chunk.get(index).copied().unwrap_or(0));
        let bits = byte(0) << 16 | byte(1) << 8 | byte(2);
        for place in 0..4 {
            let is_padding = place > chunk.len();
            let letter = LETTERS[(bits >> (18 - 6 * place) & 63) as usize];
            out.push(if is_padding { '=' } else { char::from(letter) });
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_and_their_padding_are_encoded() {
        let bytes = [0x14, 0xfb, 0x9c, 0x03, 0xd9, 0x7e];
        for (length, letters) in [(0, ""), (4, "FPucAw=="), (5, "FPucA9k="), (6, "FPucA9l+")] {
            assert_eq!(encode(&bytes[..length]), letters);
        }
    }
}
