//! The lexer. It produces lexemes on demand: the parser has one lexeme of lookahead, the editor
//! reads all of them.
//!
//! A reference with its sheet is one lexeme, already relative to the host, because `A1`, `A:A`,
//! `3:5` and `Jan:Mar!A1` can only be distinguished from names, numbers and operators as a whole.

use quadrille_cell::{COLUMNS_MAX, CellAddress, ErrorValue, ROWS_MAX};

use crate::characters::{is_name_character, is_name_start};
use crate::{Area, BinaryOperator, CellReference, Coordinate};

#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) enum Lexeme {
    End,
    Number(f64),
    /// A text constant with its quotes.
    Text,
    Boolean(bool),
    Error(ErrorValue),
    Reference {
        prefix: Option<Prefix>,
        area: Area,
        /// TRIMRANGE's argument for trim references: leading blanks (1), trailing (2), both (3),
        /// none (0).
        trim: u8,
    },
    /// A name, optionally with a sheet: `Sheet1!rate`.
    Name,
    /// A structured reference: an optional table name, which ends at `table_end`, and brackets.
    Structured {
        table_end: usize,
    },
    /// A name before an opening parenthesis.
    Function,
    Operator(BinaryOperator),
    Plus,
    Minus,
    Percent,
    At,
    Hash,
    Comma,
    Semicolon,
    Open,
    Close,
    OpenBrace,
    CloseBrace,
    /// A text constant or sheet name without a closing quote.
    Unclosed,
    Unknown,
}

/// Byte range of the sheet of a reference, without `!`, with its apostrophes if any.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) struct Prefix {
    pub start: u32,
    pub end: u32,
}

/// A lexeme with its position.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Lexed {
    pub lexeme: Lexeme,
    /// Byte offsets; `end` is exclusive.
    pub start: usize,
    pub end: usize,
    pub has_space_before: bool,
}

pub(crate) struct Lexer<'a> {
    text: &'a str,
    bytes: &'a [u8],
    at: usize,
    host_row: i64,
    host_column: i64,
}

/// One corner of an area.
#[derive(Clone, Copy)]
enum Corner {
    Cell(CellReference),
    Row(Coordinate),
    Column(Coordinate),
}

impl<'a> Lexer<'a> {
    /// Creates a lexer. `text` must be shorter than 4 GiB.
    pub fn new(text: &'a str, host: CellAddress) -> Lexer<'a> {
        let (host_row, host_column) = (i64::from(host.row.get()), i64::from(host.column.get()));
        Lexer { text, bytes: text.as_bytes(), at: 0, host_row, host_column }
    }

    /// Returns the next lexeme; `End` at the end, any number of times.
    pub fn next(&mut self) -> Lexed {
        let space_start = self.at;
        let start = self.skip_whitespace(space_start);
        let (lexeme, end) = self.lexeme_at(start);
        self.at = end;
        Lexed { lexeme, start, end, has_space_before: start > space_start }
    }

    /// Continues at a position behind the last lexeme.
    pub fn skip_to(&mut self, at: usize) {
        self.at = at;
    }

    fn lexeme_at(&self, at: usize) -> (Lexeme, usize) {
        let one = |lexeme| (lexeme, at + 1);
        let operator = |operator| (Lexeme::Operator(operator), at + 1);
        match self.byte(at) {
            0 if at >= self.bytes.len() => (Lexeme::End, at),
            b'(' => one(Lexeme::Open),
            b')' => one(Lexeme::Close),
            b',' => one(Lexeme::Comma),
            b';' => one(Lexeme::Semicolon),
            b'+' => one(Lexeme::Plus),
            b'-' => one(Lexeme::Minus),
            b'*' => operator(BinaryOperator::Multiply),
            b'/' => operator(BinaryOperator::Divide),
            b'^' => operator(BinaryOperator::Power),
            b'&' => operator(BinaryOperator::Concatenate),
            b':' => operator(BinaryOperator::Range),
            b'=' => operator(BinaryOperator::Equal),
            b'<' => match self.byte(at + 1) {
                b'=' => (Lexeme::Operator(BinaryOperator::LessOrEqual), at + 2),
                b'>' => (Lexeme::Operator(BinaryOperator::NotEqual), at + 2),
                _ => operator(BinaryOperator::Less),
            },
            b'>' => match self.byte(at + 1) {
                b'=' => (Lexeme::Operator(BinaryOperator::GreaterOrEqual), at + 2),
                _ => operator(BinaryOperator::Greater),
            },
            b'%' => one(Lexeme::Percent),
            b'@' => one(Lexeme::At),
            b'{' => one(Lexeme::OpenBrace),
            b'}' => one(Lexeme::CloseBrace),
            b'"' => match self.quoted_end(at) {
                Some(end) => (Lexeme::Text, end),
                None => (Lexeme::Unclosed, self.bytes.len()),
            },
            b'#' => self.hash_at(at),
            b'0'..=b'9' | b'.' => self.digit_at(at),
            b'\'' => match self.quoted_end(at) {
                Some(end) if self.byte(end) == b'!' => self.prefixed_at(at, end),
                Some(end) => (Lexeme::Unknown, end),
                None => (Lexeme::Unclosed, self.bytes.len()),
            },
            b'[' => match (self.bracketed_sheet_end(at), self.structured_end(at)) {
                (Some(end), _) => self.prefixed_at(at, end),
                (None, Some(end)) => (Lexeme::Structured { table_end: at }, end),
                (None, None) => one(Lexeme::Unknown),
            },
            b'$' => match self.area_at(at) {
                Some((area, end)) => {
                    (Lexeme::Reference { prefix: None, area, trim: self.trim_in(at, end) }, end)
                }
                None => one(Lexeme::Unknown),
            },
            _ => match self.name_end(at) {
                Some(name_end) => self.letter_at(at, name_end),
                None => (Lexeme::Unknown, at + self.character_at(at).map_or(1, char::len_utf8)),
            },
        }
    }

    /// Lexes at a character that can start a name: a reference, sheet, structured reference,
    /// function, Boolean or name.
    fn letter_at(&self, at: usize, name_end: usize) -> (Lexeme, usize) {
        if let Some((area, end)) = self.area_at(at) {
            return (Lexeme::Reference { prefix: None, area, trim: self.trim_in(at, end) }, end);
        }
        if matches!(self.byte(name_end), b'!' | b':')
            && let Some(prefix_end) = self.plain_sheet_end(at)
        {
            return self.prefixed_at(at, prefix_end);
        }
        if self.byte(name_end) == b'['
            && let Some(end) = self.structured_end(name_end)
        {
            return (Lexeme::Structured { table_end: name_end }, end);
        }
        if self.byte(self.skip_whitespace(name_end)) == b'(' {
            return (Lexeme::Function, name_end);
        }
        let name = &self.bytes[at..name_end];
        if name.eq_ignore_ascii_case(b"TRUE") {
            (Lexeme::Boolean(true), name_end)
        } else if name.eq_ignore_ascii_case(b"FALSE") {
            (Lexeme::Boolean(false), name_end)
        } else {
            (Lexeme::Name, name_end)
        }
    }

    /// Lexes at a digit or point: whole rows, a sheet name that starts with a digit, or a number.
    fn digit_at(&self, at: usize) -> (Lexeme, usize) {
        let number_end = self.number_end(at);
        if self.byte(self.skip_whitespace(number_end)) == b':'
            && let Some((area, end)) = self.area_at(at)
        {
            return (Lexeme::Reference { prefix: None, area, trim: self.trim_in(at, end) }, end);
        }
        let next = self.byte(number_end);
        if (matches!(next, b'!' | b':' | 0x80..) || is_name_byte(next))
            && let Some(prefix_end) = self.plain_sheet_end(at)
        {
            return self.prefixed_at(at, prefix_end);
        }
        match read_number(&self.text[at..number_end]) {
            Some(number) => (Lexeme::Number(number), number_end),
            None => (Lexeme::Unknown, number_end.max(at + 1)),
        }
    }

    fn number_end(&self, at: usize) -> usize {
        let digits = |mut at: usize| {
            while self.byte(at).is_ascii_digit() {
                at += 1;
            }
            at
        };
        let mut end = digits(at);
        if self.byte(end) == b'.' {
            end = digits(end + 1);
        }
        if matches!(self.byte(end), b'e' | b'E') {
            let sign = usize::from(matches!(self.byte(end + 1), b'+' | b'-'));
            let exponent = end + 1 + sign;
            if self.byte(exponent).is_ascii_digit() {
                end = digits(exponent);
            }
        }
        end
    }

    /// Lexes at `#`: an error constant or the spill operator. `#REF!A1`, which Excel writes for a
    /// reference to a deleted sheet, is one error constant.
    fn hash_at(&self, at: usize) -> (Lexeme, usize) {
        let rest = &self.bytes[at..];
        for error in ErrorValue::ALL {
            let text = error.text().as_bytes();
            if rest.len() >= text.len() && rest[..text.len()].eq_ignore_ascii_case(text) {
                let end = at + text.len();
                let area = if error == ErrorValue::Reference { self.area_at(end) } else { None };
                return (Lexeme::Error(error), area.map_or(end, |(_, area_end)| area_end));
            }
        }
        (Lexeme::Hash, at + 1)
    }

    /// Lexes the reference or name after the sheet at `start..end`, where `end` is the position of
    /// `!`.
    fn prefixed_at(&self, start: usize, end: usize) -> (Lexeme, usize) {
        let at = end + 1;
        if let Some((area, area_end)) = self.area_at(at) {
            let prefix = Prefix { start: start as u32, end: end as u32 };
            return (
                Lexeme::Reference { prefix: Some(prefix), area, trim: self.trim_in(at, area_end) },
                area_end,
            );
        }
        if self.byte(at) == b'#'
            && let (Lexeme::Error(ErrorValue::Reference), error_end) = self.hash_at(at)
        {
            return (Lexeme::Error(ErrorValue::Reference), error_end);
        }
        // Only a single sheet can precede a name.
        let is_sheet_range = self.bytes[start..end].contains(&b':');
        match self.name_end(at) {
            Some(name_end) if !is_sheet_range && !matches!(self.byte(name_end), b'(' | b'!') => {
                (Lexeme::Name, name_end)
            }
            _ => (Lexeme::Unknown, at),
        }
    }

    /// Returns the position of the `!` after an unquoted sheet name or sheet range `Jan:Mar!`.
    fn plain_sheet_end(&self, at: usize) -> Option<usize> {
        let end = self.plain_sheet_name_end(at);
        match self.byte(end) {
            b'!' if end > at => Some(end),
            // In `A1:Sheet2!B2`, `A1` is a cell and not the first sheet of a range.
            b':' if end > at
                && !matches!(self.corner_at(at), Some((Corner::Cell(_), cell_end)) if cell_end == end) =>
            {
                let last_end = self.plain_sheet_name_end(end + 1);
                (last_end > end + 1 && self.byte(last_end) == b'!').then_some(last_end)
            }
            _ => None,
        }
    }

    fn plain_sheet_name_end(&self, mut at: usize) -> usize {
        loop {
            match self.byte(at) {
                byte if byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'.' => at += 1,
                0x80.. => match self.character_at(at) {
                    Some(character) if character.is_alphanumeric() => at += character.len_utf8(),
                    _ => return at,
                },
                _ => return at,
            }
        }
    }

    /// Returns the position of the `!` after a sheet of another workbook: `[1]Sheet1!`,
    /// `[Book.xlsx]Sheet1!`. Brackets with apostrophes or brackets inside are table columns:
    /// `[']a!b']c]`.
    fn bracketed_sheet_end(&self, at: usize) -> Option<usize> {
        let book = at + 1;
        let close = book + self.bytes[book..].iter().position(|byte| matches!(byte, b'[' | b']' | b'\''))?;
        if self.bytes[close] != b']' {
            return None;
        }
        let end = self.plain_sheet_name_end(close + 1);
        (end > close + 1 && self.byte(end) == b'!').then_some(end)
    }

    /// Returns the end of the brackets of a structured reference. An apostrophe escapes a bracket.
    fn structured_end(&self, mut at: usize) -> Option<usize> {
        let mut depth = 0;
        while at < self.bytes.len() {
            match self.bytes[at] {
                b'\'' => at += 1,
                b'[' => depth += 1,
                b']' => depth -= 1,
                _ => {}
            }
            at += 1;
            if depth == 0 {
                return Some(at);
            }
        }
        None
    }

    /// Returns the position after the closing quote of the text or sheet name whose opening quote
    /// is at `at`. Doubled quotes are escaped quotes.
    fn quoted_end(&self, at: usize) -> Option<usize> {
        let quote = self.bytes[at];
        let mut at = at + 1;
        while at < self.bytes.len() {
            if self.bytes[at] == quote {
                if self.byte(at + 1) != quote {
                    return Some(at + 1);
                }
                at += 1;
            }
            at += 1;
        }
        None
    }

    /// Returns the end of the name that starts at `at`, if any: a letter, `_` or `\`, followed by
    /// letters, digits, `_`, `\`, `.` and `?`.
    fn name_end(&self, at: usize) -> Option<usize> {
        let first = match self.byte(at) {
            byte if byte.is_ascii() => char::from(byte),
            _ => self.character_at(at)?,
        };
        if !is_name_start(first) {
            return None;
        }
        let mut end = at + first.len_utf8();
        loop {
            match self.byte(end) {
                byte if is_name_byte(byte) => end += 1,
                0x80.. => match self.character_at(end) {
                    Some(character) if is_name_character(character) => end += character.len_utf8(),
                    _ => return Some(end),
                },
                _ => return Some(end),
            }
        }
    }

    /// Lexes an area without sheet. Spaces around the colon are allowed.
    fn area_at(&self, at: usize) -> Option<(Area, usize)> {
        let (first, first_end) = self.corner_at(at)?;
        // A point on either side of the colon makes a trim reference: `A1:.B9`.
        let points =
            |at: usize, beside: usize| usize::from(self.byte(at) == b'.' && self.byte(beside) == b':');
        let colon = self.skip_whitespace(first_end);
        let colon = colon + points(colon, colon + 1);
        let last = match self.byte(colon) {
            b':' => self.corner_at(self.skip_whitespace(colon + 1 + points(colon + 1, colon))),
            _ => None,
        };
        let last = last.filter(|(_, last_end)| self.is_area_end(*last_end));
        match (first, last) {
            // In `A1:B2#` the `#` applies to B2, so this is not the area A1:B2.
            (Corner::Cell(first), Some((Corner::Cell(last), end))) if self.byte(end) != b'#' => {
                Some((Area::Cells(first, last), end))
            }
            (Corner::Row(first), Some((Corner::Row(last), end))) => Some((Area::Rows(first, last), end)),
            (Corner::Column(first), Some((Corner::Column(last), end))) => {
                Some((Area::Columns(first, last), end))
            }
            (Corner::Cell(cell), _) if self.is_area_end(first_end) => Some((Area::Cell(cell), first_end)),
            _ => None,
        }
    }

    /// Returns TRIMRANGE's argument for an area: 1 for `.:`, 2 for `:.`, 3 for both.
    fn trim_in(&self, at: usize, end: usize) -> u8 {
        let written = &self.text[at..end];
        u8::from(written.contains(".:")) + 2 * u8::from(written.contains(":."))
    }

    /// Whether an area can end here, that is, does not continue as a name, sheet or function.
    fn is_area_end(&self, at: usize) -> bool {
        match self.byte(at) {
            b'!' | b'(' => false,
            0x80.. => !self.character_at(at).is_some_and(is_name_character),
            byte => !is_name_byte(byte),
        }
    }

    /// Lexes `B7`, `B` or `7`; each part may have a dollar sign.
    fn corner_at(&self, at: usize) -> Option<(Corner, usize)> {
        let mut at = at;
        let first_dollar = self.byte(at) == b'$';
        at += usize::from(first_dollar);

        let mut column = 0u32;
        let letters_start = at;
        while self.byte(at).is_ascii_alphabetic() {
            if at - letters_start == 3 {
                return None;
            }
            column = column * 26 + u32::from(self.byte(at).to_ascii_uppercase() - b'A') + 1;
            at += 1;
        }
        if column > COLUMNS_MAX {
            return None;
        }
        let has_column = column > 0;

        let row_dollar = if has_column { self.byte(at) == b'$' } else { first_dollar };
        at += usize::from(has_column && row_dollar);
        let mut row = 0u32;
        let digits_start = at;
        while self.byte(at).is_ascii_digit() {
            if at - digits_start == 7 {
                return None;
            }
            row = row * 10 + u32::from(self.byte(at) - b'0');
            at += 1;
        }
        let has_row = at > digits_start;
        if has_row && (self.bytes[digits_start] == b'0' || row > ROWS_MAX) {
            return None;
        }

        let coordinate = |one_based: u32, is_absolute: bool, host: i64| {
            if is_absolute {
                Coordinate::Absolute(one_based - 1)
            } else {
                Coordinate::Relative((i64::from(one_based) - 1 - host) as i32)
            }
        };
        match (has_column, has_row) {
            (true, true) => {
                let row = coordinate(row, row_dollar, self.host_row);
                let column = coordinate(column, first_dollar, self.host_column);
                Some((Corner::Cell(CellReference { row, column }), at))
            }
            (true, false) if !row_dollar => {
                Some((Corner::Column(coordinate(column, first_dollar, self.host_column)), at))
            }
            (false, true) => Some((Corner::Row(coordinate(row, row_dollar, self.host_row)), at)),
            _ => None,
        }
    }

    fn skip_whitespace(&self, mut at: usize) -> usize {
        loop {
            match self.byte(at) {
                b' ' | b'\t' | b'\r' | b'\n' => at += 1,
                // No-break space, frequent in formulas copied from web pages.
                0xC2 if self.byte(at + 1) == 0xA0 => at += 2,
                _ => return at,
            }
        }
    }

    /// Returns the byte at a position, or zero past the end.
    fn byte(&self, at: usize) -> u8 {
        self.bytes.get(at).copied().unwrap_or(0)
    }

    fn character_at(&self, at: usize) -> Option<char> {
        self.text.get(at..)?.chars().next()
    }
}

/// Parses a number; `None` when it is not finite.
fn read_number(digits: &str) -> Option<f64> {
    // Fast path for integers of up to 15 digits, which are exact.
    if digits.len() <= 15 && digits.bytes().all(|byte| byte.is_ascii_digit()) {
        let integer = digits.bytes().fold(0u64, |integer, digit| integer * 10 + u64::from(digit - b'0'));
        return Some(integer as f64);
    }
    quadrille_cell::parse_number(digits).filter(|number| number.is_finite())
}

fn is_name_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'.' | b'\\' | b'?')
}
