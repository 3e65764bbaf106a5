//! A recursive-descent parser for JSON (RFC 8259).
//!
//! `serde_json` rejects unpaired surrogates, which JavaScript's strings may hold and
//! `JSON.stringify` escapes, and rounds some numbers to a neighbor of the nearest without its
//! feature `float_roundtrip`.

use crate::{Json, JsonError};

/// Maximum nesting of arrays and objects. Commands need far less.
const DEPTH_MAX: u32 = 128;

impl Json {
    /// Parses a JSON text in UTF-8. An unpaired surrogate becomes U+FFFD.
    ///
    /// # Errors
    /// When the bytes are not UTF-8, the text is not JSON, a number is too large for an `f64`, or
    /// arrays and objects are nested more than 128 deep. The error of a syntax error holds the byte
    /// offset.
    pub fn parse(bytes: &[u8]) -> Result<Json, JsonError> {
        let text = std::str::from_utf8(bytes).map_err(|_| JsonError::new("not UTF-8"))?;
        let mut parser = Parser { text, offset: 0 };
        let value = parser.value(0)?;
        parser.skip_space();
        match parser.peek() {
            None => Ok(value),
            Some(_) => Err(parser.unexpected()),
        }
    }
}

struct Parser<'a> {
    text: &'a str,
    /// Byte offset of the next character; always a character boundary.
    offset: usize,
}

impl Parser<'_> {
    fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.offset).copied()
    }

    fn skip_space(&mut self) {
        while matches!(self.peek(), Some(b' ' | b'\t' | b'\n' | b'\r')) {
            self.offset += 1;
        }
    }

    /// Skips white space, and then `byte` if it is next; returns whether it was.
    fn accept(&mut self, byte: u8) -> bool {
        self.skip_space();
        let is_next = self.peek() == Some(byte);
        self.offset += usize::from(is_next);
        is_next
    }

    #[cold]
    fn unexpected(&self) -> JsonError {
        match self.text[self.offset..].chars().next() {
            None => JsonError::new("unexpected end"),
            Some(character) => JsonError(
                ["unexpected character at byte ", &self.offset.to_string(), ": ", &character.to_string()]
                    .concat(),
            ),
        }
    }

    fn value(&mut self, depth: u32) -> Result<Json, JsonError> {
        if depth > DEPTH_MAX {
            return Err(JsonError::new("nested too deeply"));
        }
        self.skip_space();
        match self.peek() {
            Some(b'{') => self.object(depth),
            Some(b'[') => self.array(depth),
            Some(b'"') => self.string().map(Json::String),
            Some(b'-' | b'0'..=b'9') => self.number(),
            Some(b't') => self.literal("true", Json::Boolean(true)),
            Some(b'f') => self.literal("false", Json::Boolean(false)),
            Some(b'n') => self.literal("null", Json::Null),
            _ => Err(self.unexpected()),
        }
    }

    fn literal(&mut self, literal: &str, value: Json) -> Result<Json, JsonError> {
        if !self.text[self.offset..].starts_with(literal) {
            return Err(self.unexpected());
        }
        self.offset += literal.len();
        Ok(value)
    }

    fn array(&mut self, depth: u32) -> Result<Json, JsonError> {
        self.offset += 1;
        let mut values = Vec::new();
        if self.accept(b']') {
            return Ok(Json::Array(values));
        }
        loop {
            values.push(self.value(depth + 1)?);
            if self.accept(b']') {
                return Ok(Json::Array(values));
            }
            if !self.accept(b',') {
                return Err(self.unexpected());
            }
        }
    }

    fn object(&mut self, depth: u32) -> Result<Json, JsonError> {
        self.offset += 1;
        let mut fields = Vec::new();
        if self.accept(b'}') {
            return Ok(Json::Object(fields));
        }
        loop {
            self.skip_space();
            if self.peek() != Some(b'"') {
                return Err(self.unexpected());
            }
            let name = self.string()?;
            if !self.accept(b':') {
                return Err(self.unexpected());
            }
            fields.push((name, self.value(depth + 1)?));
            if self.accept(b'}') {
                return Ok(Json::Object(fields));
            }
            if !self.accept(b',') {
                return Err(self.unexpected());
            }
        }
    }

    /// Parses a string; the opening quote is next.
    fn string(&mut self) -> Result<String, JsonError> {
        self.offset += 1;
        let mut string = String::new();
        loop {
            let start = self.offset;
            while self.peek().is_some_and(|byte| byte != b'"' && byte != b'\\' && byte >= b' ') {
                self.offset += 1;
            }
            string.push_str(&self.text[start..self.offset]);
            match self.peek() {
                Some(b'"') => {
                    self.offset += 1;
                    return Ok(string);
                }
                Some(b'\\') => {
                    self.offset += 1;
                    string.push(self.escape()?);
                }
                _ => return Err(self.unexpected()),
            }
        }
    }

    /// Parses an escape sequence; the character after the backslash is next.
    fn escape(&mut self) -> Result<char, JsonError> {
        let character = match self.peek() {
            Some(byte @ (b'"' | b'\\' | b'/')) => char::from(byte),
            Some(b'b') => '\u{8}',
            Some(b'f') => '\u{c}',
            Some(b'n') => '\n',
            Some(b'r') => '\r',
            Some(b't') => '\t',
            Some(b'u') => {
                self.offset += 1;
                return self.code_point();
            }
            _ => return Err(self.unexpected()),
        };
        self.offset += 1;
        Ok(character)
    }

    /// Parses the hexadecimal digits after `\u`, and the second half of a surrogate pair.
    fn code_point(&mut self) -> Result<char, JsonError> {
        let first = self.four_digits()?;
        if (0xD800..0xDC00).contains(&first) && self.text[self.offset..].starts_with("\\u") {
            let after_first = self.offset;
            self.offset += 2;
            let second = self.four_digits()?;
            if (0xDC00..0xE000).contains(&second) {
                let code = 0x10000 + ((first - 0xD800) << 10) + (second - 0xDC00);
                return Ok(char::from_u32(code).unwrap_or(char::REPLACEMENT_CHARACTER));
            }
            self.offset = after_first;
        }
        Ok(char::from_u32(first).unwrap_or(char::REPLACEMENT_CHARACTER))
    }

    fn four_digits(&mut self) -> Result<u32, JsonError> {
        let mut code = 0;
        for _ in 0..4 {
            let digit = self.peek().and_then(|byte| char::from(byte).to_digit(16));
            code = code << 4 | digit.ok_or_else(|| self.unexpected())?;
            self.offset += 1;
        }
        Ok(code)
    }

    fn digits(&mut self) -> Result<(), JsonError> {
        let start = self.offset;
        while matches!(self.peek(), Some(b'0'..=b'9')) {
            self.offset += 1;
        }
        if self.offset == start { Err(self.unexpected()) } else { Ok(()) }
    }

    fn number(&mut self) -> Result<Json, JsonError> {
        /// An integer of so many bytes, its sign included, always fits into an `i64`.
        const INTEGER_BYTES_MAX: usize = 18;
        let start = self.offset;
        if self.peek() == Some(b'-') {
            self.offset += 1;
        }
        if self.peek() == Some(b'0') {
            self.offset += 1;
        } else {
            self.digits()?;
        }
        let mut is_integer = true;
        if self.peek() == Some(b'.') {
            is_integer = false;
            self.offset += 1;
            self.digits()?;
        }
        if matches!(self.peek(), Some(b'e' | b'E')) {
            is_integer = false;
            self.offset += 1;
            if matches!(self.peek(), Some(b'+' | b'-')) {
                self.offset += 1;
            }
            self.digits()?;
        }
        let digits = &self.text[start..self.offset];
        if is_integer && digits.len() <= INTEGER_BYTES_MAX {
            return digits.parse().map(Json::Integer).map_err(|_| self.unexpected());
        }
        match quadrille_cell::parse_number(digits) {
            Some(number) if number.is_finite() => Ok(Json::Number(number)),
            _ => Err(JsonError::new("number out of range")),
        }
    }
}
