//! Splits delimited text into records and fields, according to RFC 4180 and to actual files.
//!
//! A quote opens a quoted field only at the start of the field; within it, two quotes are one. Text
//! between the closing quote and the next separator is kept. Records end at `\n`, `\r\n` or `\r`. A
//! blank line is an empty record.

use std::borrow::Cow;

use crate::error::{FileError, FileErrorCode};

/// Iterates over the records of a text.
pub struct Records<'a> {
    text: &'a str,
    separator: u8,
    at: usize,
    /// Number of records that were started.
    rows: u32,
}

/// A field of a record.
pub struct Field<'a> {
    pub text: Cow<'a, str>,
    /// Whether the field is the last one of its record.
    pub is_last: bool,
}

impl<'a> Records<'a> {
    /// Starts at the beginning of `text`.
    pub fn new(text: &'a str, separator: u8) -> Records<'a> {
        Records { text, separator, at: 0, rows: 0 }
    }

    /// Number of bytes read.
    pub fn position(&self) -> usize {
        self.at
    }

    /// Whether the whole text was read.
    pub fn is_at_end(&self) -> bool {
        self.at >= self.text.len()
    }

    /// Calls `visit` with each field of the next record. Returns `false` at the end of the text.
    /// Fails with `UnterminatedQuote` or the error of `visit`.
    pub fn next_record(
        &mut self,
        mut visit: impl FnMut(u32, Field<'a>) -> Result<(), FileError>,
    ) -> Result<bool, FileError> {
        if self.is_at_end() {
            return Ok(false);
        }
        self.rows += 1;
        let mut column = 0;
        loop {
            let field = self.next_field(column)?;
            let is_last = field.is_last;
            visit(column, field)?;
            column += 1;
            if is_last {
                return Ok(true);
            }
        }
    }

    fn next_field(&mut self, column: u32) -> Result<Field<'a>, FileError> {
        if self.text.as_bytes().get(self.at) == Some(&b'"') {
            return self.quoted_field(column);
        }
        let start = self.at;
        let end = self.end_of_plain(start);
        let is_last = self.step_over_end(end);
        Ok(Field { text: Cow::Borrowed(&self.text[start..end]), is_last })
    }

    fn quoted_field(&mut self, column: u32) -> Result<Field<'a>, FileError> {
        let bytes = self.text.as_bytes();
        let mut start = self.at + 1;
        let mut text = Cow::Borrowed("");
        loop {
            let Some(length) = bytes[start..].iter().position(|&byte| byte == b'"') else {
                let error =
                    FileError::new(FileErrorCode::UnterminatedQuote, "a quote opens here and never closes");
                return Err(error.at(self.rows, column + 1));
            };
            append(&mut text, &self.text[start..start + length]);
            start += length + 1;
            if bytes.get(start) != Some(&b'"') {
                break;
            }
            append(&mut text, "\"");
            start += 1;
        }
        let end = self.end_of_plain(start);
        append(&mut text, &self.text[start..end]);
        let is_last = self.step_over_end(end);
        Ok(Field { text, is_last })
    }

    /// Position of the separator, the line break or the end of the text.
    fn end_of_plain(&self, start: usize) -> usize {
        let rest = &self.text.as_bytes()[start..];
        let ends = |&byte: &u8| byte == self.separator || byte == b'\n' || byte == b'\r';
        rest.iter().position(ends).map_or(self.text.len(), |length| start + length)
    }

    /// Moves past the end of a field. Returns true if the record ends too.
    fn step_over_end(&mut self, end: usize) -> bool {
        let bytes = self.text.as_bytes();
        let (length, is_last) = match bytes.get(end) {
            Some(&byte) if byte == self.separator => (1, false),
            Some(b'\r') if bytes.get(end + 1) == Some(&b'\n') => (2, true),
            Some(_) => (1, true),
            None => (0, true),
        };
        self.at = end + length;
        // After a separator at the very end, `next_field` reads one more, empty field.
        is_last
    }
}

fn append<'a>(text: &mut Cow<'a, str>, more: &'a str) {
    if text.is_empty() {
        *text = Cow::Borrowed(more);
    } else if !more.is_empty() {
        text.to_mut().push_str(more);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rows(text: &str) -> Result<Vec<Vec<String>>, String> {
        let mut records = Records::new(text, b',');
        let mut rows = Vec::new();
        loop {
            let mut row = Vec::new();
            let more = records
                .next_record(|_, field| {
                    row.push(field.text.into_owned());
                    Ok(())
                })
                .map_err(|error| error.to_string())?;
            if !more {
                return Ok(rows);
            }
            rows.push(row);
        }
    }

    #[test]
    fn text_is_split_into_records_and_fields() {
        let cases: [(&str, &[&[&str]]); 10] = [
            ("", &[]),
            ("a", &[&["a"]]),
            ("a,b\nc,d\n", &[&["a", "b"], &["c", "d"]]),
            ("a,b\r\nc,d\r\n", &[&["a", "b"], &["c", "d"]]),
            ("a\rb", &[&["a"], &["b"]]),
            ("a,\n,b", &[&["a", ""], &["", "b"]]),
            ("a,", &[&["a", ""]]),
            ("\n\nx", &[&[""], &[""], &["x"]]),
            ("\"a,\"\"b\"\"\nc\",d", &[&["a,\"b\"\nc", "d"]]),
            ("\"a\"b,c\"d\"", &[&["ab", "c\"d\""]]),
        ];
        for (text, expected) in cases {
            assert_eq!(rows(text).expect(text), expected, "{text:?}");
        }
    }

    #[test]
    fn an_unclosed_quote_is_reported_where_it_opens() {
        assert_eq!(
            rows("a,b\n1,2\n3,\"4\n5,6\n"),
            Err("row 3, column 2: a quote opens here and never closes".to_owned())
        );
    }
}
