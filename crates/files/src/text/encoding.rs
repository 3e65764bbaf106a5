//! Decoding of text files (rule F5): UTF-8 or UTF-16 with a byte order mark, otherwise UTF-8 if
//! valid, otherwise Windows-1252.

use std::borrow::Cow;

use encoding_rs::{UTF_16BE, UTF_16LE, WINDOWS_1252};

use crate::error::{FileError, FileErrorCode};

/// Decodes a text file. A file that is UTF-8 up to some row and invalid there is damaged, and fails
/// with `InvalidEncoding` and the row instead of being read as Windows-1252. Fails with `NotText`
/// on a zero byte.
pub fn decode(bytes: &[u8]) -> Result<Cow<'_, str>, FileError> {
    if let Some(utf_16) = bytes.strip_prefix(b"\xff\xfe") {
        return decode_utf_16(UTF_16LE, utf_16);
    }
    if let Some(utf_16) = bytes.strip_prefix(b"\xfe\xff") {
        return decode_utf_16(UTF_16BE, utf_16);
    }
    if let Some(at) = bytes.iter().position(|&byte| byte == 0) {
        let error = FileError::new(FileErrorCode::NotText, "a zero byte: this is not a text file");
        return Err(error.at_row(row_of(bytes, at)));
    }
    let marked = bytes.strip_prefix(b"\xef\xbb\xbf");
    let body = marked.unwrap_or(bytes);
    let error = match std::str::from_utf8(body) {
        Ok(text) => return Ok(Cow::Borrowed(text)),
        Err(error) => error,
    };
    let valid = &body[..error.valid_up_to()];
    if marked.is_some() || !valid.is_ascii() {
        let byte = body[error.valid_up_to()];
        let reason = format!("the text is UTF-8 up to here, but byte 0x{byte:02X} is not");
        return Err(FileError::new(FileErrorCode::InvalidEncoding, reason).at_row(row_of(body, valid.len())));
    }
    Ok(WINDOWS_1252.decode_without_bom_handling(body).0)
}

fn decode_utf_16<'a>(
    encoding: &'static encoding_rs::Encoding,
    body: &'a [u8],
) -> Result<Cow<'a, str>, FileError> {
    match encoding.decode_without_bom_handling_and_without_replacement(body) {
        Some(text) => Ok(text),
        None => {
            let lossy = encoding.decode_without_bom_handling(body).0;
            let at = lossy.find('\u{fffd}').unwrap_or(lossy.len());
            let error = FileError::new(FileErrorCode::InvalidEncoding, "half of a UTF-16 pair stands alone");
            Err(error.at_row(row_of(lossy.as_bytes(), at)))
        }
    }
}

/// Number of the line that contains byte `at`, counted from 1.
fn row_of(bytes: &[u8], at: usize) -> u32 {
    let line_ends = bytes[..at].iter().filter(|&&byte| byte == b'\n').count();
    u32::try_from(line_ends + 1).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn encodings_are_recognized_by_mark_and_content() {
        for (bytes, text) in [
            (&b"a,\xc3\xbc"[..], "a,ü"),
            (b"\xef\xbb\xbfa,\xc3\xbc", "a,ü"),
            (b"a,\xfc\x80", "a,ü€"),
            (b"\xff\xfea\0,\0\xfc\0", "a,ü"),
            (b"\xfe\xff\0a\0,\0\xfc", "a,ü"),
            (b"", ""),
        ] {
            assert_eq!(decode(bytes).as_deref(), Ok(text), "{bytes:?}");
        }
    }

    #[test]
    fn damaged_text_is_rejected_with_its_row() {
        for (bytes, message) in [
            (&b"a\nb\n\xc3\xbc\n\xff"[..], "row 4: the text is UTF-8 up to here, but byte 0xFF is not"),
            (b"\xef\xbb\xbfa\n\xfc", "row 2: the text is UTF-8 up to here, but byte 0xFC is not"),
            (b"a\nb\0", "row 2: a zero byte: this is not a text file"),
            (b"\xff\xfea\0\n\0\x00\xd8", "row 2: half of a UTF-16 pair stands alone"),
        ] {
            assert_eq!(decode(bytes).map_err(|error| error.to_string()), Err(message.to_owned()));
        }
    }
}
