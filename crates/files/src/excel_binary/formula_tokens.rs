//! Formulas as tokens in postfix order ("Ptg", [MS-XLS] 2.5.198 and [MS-XLSB] 2.5.97), as text.

use quadrille_cell::{CellAddress, ErrorValue};

use super::byte_reader::ByteReader;
use super::function_table::function;
use crate::limits::FORMULA_LENGTH_MAX;

/// The two formats, which differ in the width of their numbers.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Dialect {
    /// `.xls`.
    Biff8,
    /// `.xlsb`.
    Biff12,
}

impl Dialect {
    /// Rows and columns of a sheet.
    pub fn size(self) -> (u32, u32) {
        match self {
            Dialect::Biff8 => (1 << 16, 1 << 8),
            Dialect::Biff12 => (1 << 20, 1 << 14),
        }
    }
}

/// What formulas refer to by number.
#[derive(Default)]
pub struct Numbered {
    /// The names of all sheets, also of those that are not imported.
    pub sheets: Vec<String>,
    /// The targets of references to other sheets.
    pub targets: Vec<Target>,
    pub books: Vec<Book>,
    pub names: Vec<String>,
}

/// Sheets of a workbook that references to other sheets name by number.
pub struct Target {
    pub book: usize,
    /// Negative for the whole workbook, and for sheets that were deleted.
    pub first: i32,
    pub last: i32,
}

/// A workbook that formulas refer to.
pub enum Book {
    /// The workbook itself.
    This,
    /// Functions of an add-in, by their numbers.
    AddIn(Vec<String>),
    /// Another workbook.
    Other,
}

/// The functions that a program calls by name.
const CALLED_BY_NAME: u16 = 255;

/// The text of a formula, without `=`, in the cell `base`. `extra` is the data after the tokens.
/// `None` for formulas with other workbooks or unknown tokens, and for too long ones.
pub fn text(
    tokens: &[u8],
    extra: &[u8],
    base: CellAddress,
    dialect: Dialect,
    numbered: &Numbered,
) -> Option<String> {
    let base = (base.row.get(), base.column.get());
    let mut formula = Formula {
        tokens: ByteReader(tokens),
        extra: ByteReader(extra),
        base,
        dialect,
        numbered,
        operands: Vec::new(),
    };
    while !formula.tokens.0.is_empty() {
        formula.token()?;
    }
    let text = formula.operands.pop()?;
    (formula.operands.is_empty() && !text.is_empty()).then_some(text)
}

/// The formula of the cell that a formula consists of, if its only token says so: the first cell of a
/// shared formula or of an array formula.
pub fn shared_by(tokens: &[u8], extra: &[u8], dialect: Dialect) -> Option<(u32, u32)> {
    let mut tokens = ByteReader(tokens);
    if tokens.u8()? != 0x01 {
        return None;
    }
    match dialect {
        Dialect::Biff8 => Some((tokens.u16()?.into(), tokens.u16()?.into())),
        Dialect::Biff12 => Some((tokens.u32()?, ByteReader(extra).u32()?)),
    }
}

struct Formula<'a> {
    tokens: ByteReader<'a>,
    extra: ByteReader<'a>,
    base: (u32, u32),
    dialect: Dialect,
    numbered: &'a Numbered,
    operands: Vec<String>,
}

/// A row or column, and whether it moves with the formula.
type Coordinate = (u32, bool);

impl Formula<'_> {
    fn token(&mut self) -> Option<()> {
        let kind = self.tokens.u8()?;
        // Bits 5 and 6 are the class of an operand: reference, value or array.
        let kind = if kind >= 0x20 { (kind & 0x1f) | 0x20 } else { kind };
        match kind {
            0x03..=0x11 => {
                const OPERATORS: [&str; 15] =
                    ["+", "-", "*", "/", "^", "&", "<", "<=", "=", ">=", ">", "<>", " ", ",", ":"];
                let (right, mut left) = (self.operands.pop()?, self.operands.pop()?);
                // Not a new text: a long sum would be copied once per operator.
                left.push_str(OPERATORS[usize::from(kind) - 3]);
                left.push_str(&right);
                self.push(left)
            }
            0x12 => self.wrap("+", ""),
            0x13 => self.wrap("-", ""),
            0x14 => self.wrap("", "%"),
            0x15 => self.wrap("(", ")"),
            // An argument that is left out.
            0x16 => self.push(String::new()),
            0x17 => {
                let text = match self.dialect {
                    Dialect::Biff8 => {
                        let count = self.tokens.u8()?;
                        self.tokens.flagged_text(count.into())?
                    }
                    Dialect::Biff12 => {
                        let count = self.tokens.u16()?;
                        self.tokens.text(count.into(), true)?
                    }
                };
                self.push(quoted(&text))
            }
            0x19 => self.attribute(),
            0x1c => {
                let error = error_of(self.tokens.u8()?)?;
                self.push(error.text().to_owned())
            }
            0x1d => {
                let text = if self.tokens.u8()? == 0 { "FALSE" } else { "TRUE" };
                self.push(text.to_owned())
            }
            0x1e => {
                let number = self.tokens.u16()?;
                self.push(number.to_string())
            }
            0x1f => {
                let number = self.tokens.f64()?;
                self.push(number_text(number)?)
            }
            0x20 => self.array(),
            0x21 => {
                let function = function(self.tokens.u16()?)?;
                self.call(function.name, function.arguments?)
            }
            0x22 => {
                let (count, number) = (usize::from(self.tokens.u8()? & 0x7f), self.tokens.u16()?);
                if number == CALLED_BY_NAME {
                    let at = self.operands.len().checked_sub(count)?;
                    let name = self.operands.get(at)?.clone();
                    self.call(&name, count.checked_sub(1)?)?;
                    let call = self.operands.pop()?;
                    self.operands.pop()?;
                    return self.push(call);
                }
                self.call(function(number)?.name, count)
            }
            0x23 => {
                let number = self.tokens.u32()? as usize & 0xffff_ffff;
                let number = if self.dialect == Dialect::Biff8 { number & 0xffff } else { number };
                let name = self.numbered.names.get(number.checked_sub(1)?)?.clone();
                self.push(name)
            }
            0x24 | 0x2c => {
                let cell = self.cell(kind == 0x2c)?;
                self.push(cell)
            }
            0x25 | 0x2d => {
                let area = self.area(kind == 0x2d)?;
                self.push(area)
            }
            // Cells that were calculated before the formula was saved; the tokens for them follow.
            0x26 => {
                self.tokens.take(6)?;
                let (count, size) = match self.dialect {
                    Dialect::Biff8 => (usize::from(self.extra.u16()?), 8),
                    Dialect::Biff12 => (self.extra.u32()? as usize, 16),
                };
                self.extra.take(count.checked_mul(size)?).map(drop)
            }
            0x27 | 0x28 => self.tokens.take(6).map(drop),
            0x29 => self.tokens.take(2).map(drop),
            0x2a | 0x2b => {
                self.deleted(kind == 0x2b)?;
                self.push("#REF!".to_owned())
            }
            0x39 => {
                let target = self.numbered.targets.get(usize::from(self.tokens.u16()?))?;
                let number = match self.dialect {
                    Dialect::Biff8 => self.tokens.u32()? & 0xffff,
                    Dialect::Biff12 => self.tokens.u32()?,
                };
                let index = (number as usize).checked_sub(1)?;
                let name = match self.numbered.books.get(target.book)? {
                    Book::This => self.numbered.names.get(index)?.clone(),
                    Book::AddIn(names) => names.get(index)?.clone(),
                    Book::Other => return None,
                };
                self.push(name)
            }
            0x3a => {
                let (sheet, cell) = (self.sheet()?, self.cell(false)?);
                self.push(format!("{sheet}{cell}"))
            }
            0x3b => {
                let (sheet, area) = (self.sheet()?, self.area(false)?);
                self.push(format!("{sheet}{area}"))
            }
            0x3c | 0x3d => {
                self.tokens.take(2)?;
                self.deleted(kind == 0x3d)?;
                self.push("#REF!".to_owned())
            }
            // Data tables, structured references and others.
            _ => None,
        }
    }

    fn push(&mut self, text: String) -> Option<()> {
        self.operands.push(text);
        (self.operands.last()?.len() <= FORMULA_LENGTH_MAX).then_some(())
    }

    fn wrap(&mut self, before: &str, after: &str) -> Option<()> {
        let operand = self.operands.pop()?;
        self.push(format!("{before}{operand}{after}"))
    }

    /// What controls the evaluation in Excel, and spaces; only a sum of one argument changes the formula.
    fn attribute(&mut self) -> Option<()> {
        let (kind, data) = (self.tokens.u8()?, self.tokens.u16()?);
        if kind & 0x04 != 0 {
            self.tokens.take((usize::from(data) + 1) * 2)?;
        }
        if kind & 0x10 != 0 {
            return self.call("SUM", 1);
        }
        Some(())
    }

    fn call(&mut self, name: &str, count: usize) -> Option<()> {
        let at = self.operands.len().checked_sub(count)?;
        let arguments = self.operands.split_off(at);
        // A union of ranges is one argument, which parentheses around it say.
        self.push(format!("{name}({})", arguments.join(",")))
    }

    /// An array of constants, which the data after the tokens contains.
    fn array(&mut self) -> Option<()> {
        if self.dialect == Dialect::Biff12 {
            return None;
        }
        self.tokens.take(7)?;
        let (columns, rows) = (u32::from(self.extra.u8()?) + 1, u32::from(self.extra.u16()?) + 1);
        let mut text = String::from("{");
        for index in 0..columns * rows {
            if index > 0 {
                text.push(if index % columns == 0 { ';' } else { ',' });
            }
            match self.extra.u8()? {
                0x01 => text.push_str(&number_text(self.extra.f64()?)?),
                0x02 => {
                    let count = self.extra.u16()?;
                    text.push_str(&quoted(&self.extra.flagged_text(count.into())?));
                }
                0x04 => text.push_str(if self.extra.take(8)?[0] == 0 { "FALSE" } else { "TRUE" }),
                0x10 => text.push_str(error_of(self.extra.take(8)?[0])?.text()),
                _ => return None,
            }
            if text.len() > FORMULA_LENGTH_MAX {
                return None;
            }
        }
        text.push('}');
        self.push(text)
    }

    /// The sheets before a reference, with `!`.
    fn sheet(&mut self) -> Option<String> {
        let target = self.numbered.targets.get(usize::from(self.tokens.u16()?))?;
        if !matches!(self.numbered.books.get(target.book)?, Book::This) {
            return None;
        }
        let name = |number: i32| {
            let name = self.numbered.sheets.get(usize::try_from(number).ok()?)?;
            Some(name.replace('\'', "''"))
        };
        let (first, last) = (name(target.first)?, name(target.last)?);
        Some(if target.first == target.last { format!("'{first}'!") } else { format!("'{first}:{last}'!") })
    }

    fn row(&mut self) -> Option<u32> {
        match self.dialect {
            Dialect::Biff8 => self.tokens.u16().map(u32::from),
            Dialect::Biff12 => self.tokens.u32(),
        }
    }

    /// A row and a column with its flags. With `is_offset`, relative ones count from the cell of the
    /// formula, beyond the last one from the first.
    fn coordinates(&self, row: u32, column: u16, is_offset: bool) -> (Coordinate, Coordinate) {
        let (rows, columns) = self.dialect.size();
        let (is_column_relative, is_row_relative) = (column & 0x4000 != 0, column & 0x8000 != 0);
        let at = |index: u32, base: u32, count: u32, is_relative: bool| match is_offset && is_relative {
            true => base.wrapping_add(index) % count,
            false => index,
        };
        let column = u32::from(column & 0x3fff);
        let row = at(row, self.base.0, rows, is_row_relative);
        ((row, is_row_relative), (at(column, self.base.1, columns, is_column_relative), is_column_relative))
    }

    fn cell(&mut self, is_offset: bool) -> Option<String> {
        let (row, column) = (self.row()?, self.tokens.u16()?);
        let (row, column) = self.coordinates(row, column, is_offset);
        Some(format!("{}{}", column_text(column), row_text(row)))
    }

    fn area(&mut self, is_offset: bool) -> Option<String> {
        let (first_row, last_row) = (self.row()?, self.row()?);
        let (first_column, last_column) = (self.tokens.u16()?, self.tokens.u16()?);
        let first = self.coordinates(first_row, first_column, is_offset);
        let last = self.coordinates(last_row, last_column, is_offset);
        let (rows, columns) = self.dialect.size();
        // Whole columns and rows stay whole in sheets with more rows and columns.
        Some(if first.0.0 == 0 && last.0.0 == rows - 1 {
            format!("{}:{}", column_text(first.1), column_text(last.1))
        } else if first.1.0 == 0 && last.1.0 == columns - 1 {
            format!("{}:{}", row_text(first.0), row_text(last.0))
        } else {
            let corner = |(row, column)| format!("{}{}", column_text(column), row_text(row));
            format!("{}:{}", corner(first), corner(last))
        })
    }

    /// Skips a reference to cells that were deleted.
    fn deleted(&mut self, is_area: bool) -> Option<()> {
        let size = match (self.dialect, is_area) {
            (Dialect::Biff8, false) => 4,
            (Dialect::Biff8, true) => 8,
            (Dialect::Biff12, false) => 6,
            (Dialect::Biff12, true) => 12,
        };
        self.tokens.take(size).map(drop)
    }
}

fn row_text((row, is_relative): Coordinate) -> String {
    format!("{}{}", if is_relative { "" } else { "$" }, u64::from(row) + 1)
}

fn column_text((column, is_relative): Coordinate) -> String {
    let mut letters = Vec::new();
    let mut left = column + 1;
    while left > 0 {
        letters.push(char::from(b'A' + ((left - 1) % 26) as u8));
        left = (left - 1) / 26;
    }
    letters.extend((!is_relative).then_some('$'));
    letters.iter().rev().collect()
}

fn quoted(text: &str) -> String {
    format!("\"{}\"", text.replace('"', "\"\""))
}

fn number_text(number: f64) -> Option<String> {
    // Exponents keep very large and small numbers short.
    let is_plain = number == 0.0 || (1e-9..1e15).contains(&number.abs());
    number.is_finite().then(|| if is_plain { number.to_string() } else { format!("{number:E}") })
}

/// The error with this number ([MS-XLS] 2.5.10 BErr).
pub fn error_of(number: u8) -> Option<ErrorValue> {
    Some(match number {
        0x00 => ErrorValue::Null,
        0x07 => ErrorValue::DivideByZero,
        0x0f => ErrorValue::Value,
        0x17 => ErrorValue::Reference,
        0x1d => ErrorValue::Name,
        0x24 => ErrorValue::Number,
        0x2a => ErrorValue::NotAvailable,
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(dialect: Dialect, tokens: &[u8], base: &str, expected: Option<&str>) {
        let numbered = Numbered {
            sheets: vec!["It's".to_owned(), "Sum".to_owned()],
            targets: vec![Target { book: 0, first: 0, last: 0 }, Target { book: 0, first: 0, last: 1 }],
            books: vec![Book::This],
            names: vec!["rate".to_owned()],
        };
        let base = CellAddress::parse_a1(base).expect("cells in tests are named well");
        assert_eq!(text(tokens, &[], base, dialect, &numbered).as_deref(), expected, "{tokens:02x?}");
    }

    #[test]
    fn references_are_absolute_or_relative_and_offsets_wrap() {
        use Dialect::{Biff8, Biff12};
        // Bit 14 is the column's flag, bit 15 the row's.
        check(Biff8, b"\x44\x02\0\x03\xc0", "A1", Some("D3"));
        check(Biff8, b"\x44\x02\0\x03\x40", "A1", Some("D$3"));
        check(Biff8, b"\x44\x02\0\x03\x80", "A1", Some("$D3"));
        check(Biff8, b"\x3b\x01\0\0\0\x01\0\0\xc0\x01\xc0", "A1", Some("'It''s:Sum'!A1:B2"));
        check(Biff8, b"\x25\0\0\xff\xff\x02\xc0\x02\xc0", "A1", Some("C:C"));
        check(Biff8, b"\x4c\xff\xff\xff\xc0", "B5", Some("A4"));
        check(Biff12, b"\x4c\xff\xff\xff\xff\xff\xff", "B5", Some("A4"));
        check(Biff12, b"\x25\0\0\0\0\xff\xff\x0f\0\x02\xc0\x02\xc0", "A1", Some("C:C"));
    }

    #[test]
    fn operators_calls_and_arguments_that_are_left_out() {
        use Dialect::Biff8;
        check(Biff8, b"\x1e\x02\0\x1e\x03\0\x03\x15\x1e\x04\0\x05", "A1", Some("(2+3)*4"));
        check(Biff8, b"\x1e\x02\0\x16\x42\x02\x01\0", "A1", Some("IF(2,)"));
        check(Biff8, b"\x17\x03\0a\"b\x41\x20\0", "A1", Some("LEN(\"a\"\"b\")"));
        check(Biff8, b"\x23\x01\0\0\0\x19\x10\0\0", "A1", Some("SUM(rate)"));
        check(Biff8, b"\x1e\x02\0\x1e\x03\0", "A1", None);
        check(Biff8, b"\x03", "A1", None);
        check(Biff8, b"\x44\x02", "A1", None);
    }
}
