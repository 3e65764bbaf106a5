//! Text → tree, as RFC 8259 has it.

use crate::{Json, JsonError};

/// Lists and records within one another; what a command can hold is far below.
const DEPTH_MAX: u32 = 128;

impl Json {
    /// Reads UTF-8. A half of a surrogate pair, which a JavaScript string may hold, becomes U+FFFD.
    pub fn parse(bytes: &[u8]) -> Result<Json, JsonError> {
        let text = std::str::from_utf8(bytes).map_err(|_| JsonError::new("not UTF-8"))?;
        let mut parser = Parser { text, at: 0 };
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
    /// Always between two characters.
    at: usize,
}

impl Parser<'_> {
    fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    fn skip_space(&mut self) {
        while matches!(self.peek(), Some(b' ' | b'\t' | b'\n' | b'\r')) {
            self.at += 1;
        }
    }

    /// Skips space and, if it comes next, an ASCII character.
    fn takes(&mut self, byte: u8) -> bool {
        self.skip_space();
        let is_next = self.peek() == Some(byte);
        self.at += usize::from(is_next);
        is_next
    }

    #[cold]
    fn unexpected(&self) -> JsonError {
        match self.text[self.at..].chars().next() {
            None => JsonError::new("unexpected end"),
            Some(character) => JsonError(
                ["unexpected character at byte ", &self.at.to_string(), ": ", &character.to_string()]
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
            Some(b'{') => self.record(depth),
            Some(b'[') => self.list(depth),
            Some(b'"') => self.string().map(Json::Text),
            Some(b'-' | b'0'..=b'9') => self.number(),
            Some(b't') => self.word("true", Json::Boolean(true)),
            Some(b'f') => self.word("false", Json::Boolean(false)),
            Some(b'n') => self.word("null", Json::Null),
            _ => Err(self.unexpected()),
        }
    }

    fn word(&mut self, word: &str, value: Json) -> Result<Json, JsonError> {
        if !self.text[self.at..].starts_with(word) {
            return Err(self.unexpected());
        }
        self.at += word.len();
        Ok(value)
    }

    fn list(&mut self, depth: u32) -> Result<Json, JsonError> {
        self.at += 1;
        let mut values = Vec::new();
        if self.takes(b']') {
            return Ok(Json::List(values));
        }
        loop {
            values.push(self.value(depth + 1)?);
            if self.takes(b']') {
                return Ok(Json::List(values));
            }
            if !self.takes(b',') {
                return Err(self.unexpected());
            }
        }
    }

    fn record(&mut self, depth: u32) -> Result<Json, JsonError> {
        self.at += 1;
        let mut fields = Vec::new();
        if self.takes(b'}') {
            return Ok(Json::Record(fields));
        }
        loop {
            self.skip_space();
            if self.peek() != Some(b'"') {
                return Err(self.unexpected());
            }
            let name = self.string()?;
            if !self.takes(b':') {
                return Err(self.unexpected());
            }
            fields.push((name, self.value(depth + 1)?));
            if self.takes(b'}') {
                return Ok(Json::Record(fields));
            }
            if !self.takes(b',') {
                return Err(self.unexpected());
            }
        }
    }

    /// Begins at the opening quote.
    fn string(&mut self) -> Result<String, JsonError> {
        self.at += 1;
        let mut string = String::new();
        loop {
            let start = self.at;
            while self.peek().is_some_and(|byte| byte != b'"' && byte != b'\\' && byte >= b' ') {
                self.at += 1;
            }
            string.push_str(&self.text[start..self.at]);
            match self.peek() {
                Some(b'"') => {
                    self.at += 1;
                    return Ok(string);
                }
                Some(b'\\') => {
                    self.at += 1;
                    string.push(self.escape()?);
                }
                _ => return Err(self.unexpected()),
            }
        }
    }

    /// Begins behind the backslash.
    fn escape(&mut self) -> Result<char, JsonError> {
        let character = match self.peek() {
            Some(byte @ (b'"' | b'\\' | b'/')) => char::from(byte),
            Some(b'b') => '\u{8}',
            Some(b'f') => '\u{c}',
            Some(b'n') => '\n',
            Some(b'r') => '\r',
            Some(b't') => '\t',
            Some(b'u') => {
                self.at += 1;
                return self.code_point();
            }
            _ => return Err(self.unexpected()),
        };
        self.at += 1;
        Ok(character)
    }

    fn code_point(&mut self) -> Result<char, JsonError> {
        let first = self.four_digits()?;
        if (0xD800..0xDC00).contains(&first) && self.text[self.at..].starts_with("\\u") {
            let behind_first = self.at;
            self.at += 2;
            let second = self.four_digits()?;
            if (0xDC00..0xE000).contains(&second) {
                let code = 0x10000 + ((first - 0xD800) << 10) + (second - 0xDC00);
                return Ok(char::from_u32(code).unwrap_or(char::REPLACEMENT_CHARACTER));
            }
            self.at = behind_first;
        }
        Ok(char::from_u32(first).unwrap_or(char::REPLACEMENT_CHARACTER))
    }

    fn four_digits(&mut self) -> Result<u32, JsonError> {
        let mut code = 0;
        for _ in 0..4 {
            let digit = self.peek().and_then(|byte| char::from(byte).to_digit(16));
            code = code << 4 | digit.ok_or_else(|| self.unexpected())?;
            self.at += 1;
        }
        Ok(code)
    }

    fn digits(&mut self) -> Result<(), JsonError> {
        let start = self.at;
        while matches!(self.peek(), Some(b'0'..=b'9')) {
            self.at += 1;
        }
        if self.at == start { Err(self.unexpected()) } else { Ok(()) }
    }

    fn number(&mut self) -> Result<Json, JsonError> {
        /// As many digits always fit into an `i64`.
        const WHOLE_BYTES_MAX: usize = 18;
        let start = self.at;
        if self.peek() == Some(b'-') {
            self.at += 1;
        }
        if self.peek() == Some(b'0') {
            self.at += 1;
        } else {
            self.digits()?;
        }
        let mut is_whole = true;
        if self.peek() == Some(b'.') {
            is_whole = false;
            self.at += 1;
            self.digits()?;
        }
        if matches!(self.peek(), Some(b'e' | b'E')) {
            is_whole = false;
            self.at += 1;
            if matches!(self.peek(), Some(b'+' | b'-')) {
                self.at += 1;
            }
            self.digits()?;
        }
        let digits = &self.text[start..self.at];
        if is_whole && digits.len() <= WHOLE_BYTES_MAX {
            return digits.parse().map(Json::Whole).map_err(|_| self.unexpected());
        }
        match quadrille_cell::parse_number(digits) {
            Some(number) if number.is_finite() => Ok(Json::Number(number)),
            _ => Err(JsonError::new("number out of range")),
        }
    }
}
