//! Bytes in hexadecimal digits.

/// Returns bytes in lower-case hexadecimal digits.
pub fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Reads what [`hex`] writes; also upper-case digits. `None` for other text.
pub fn hex_bytes(text: &str) -> Option<Vec<u8>> {
    let digit = |byte: u8| char::from(byte).to_digit(16).map(|digit| digit as u8);
    if !text.len().is_multiple_of(2) {
        return None;
    }
    let pairs = text.as_bytes().chunks_exact(2);
    pairs.map(|pair| Some(digit(pair[0])? << 4 | digit(pair[1])?)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_are_read_back() {
        assert_eq!(hex(&[0, 15, 255]), "000fff");
        assert_eq!(hex_bytes("000fFF"), Some(vec![0, 15, 255]));
        for text in ["0", "0g", "é", "+1"] {
            assert_eq!(hex_bytes(text), None, "{text}");
        }
    }
}
