//! Cell contents as runs: adjacent contents of one type share a head, equal adjacent contents share
//! a body.

use quadrille_cell::canonical_number;
use quadrille_workbook::{Input, Literal};

use crate::bytes::{DecodeError, Reader, Writer};
use crate::expression::{read_error, read_number_bits, read_template, write_template};

/// Types of runs. `0x80` is added if all contents of the run are equal and the body is written
/// once.
mod kind {
    pub const BLANK: u8 = 0;
    /// Integers below 2^53, zigzag.
    pub const WHOLE: u8 = 1;
    /// Numbers with few decimals: a mantissa (zigzag) divided by 10, 100, 1,000 or 10,000, with a
    /// type each.
    pub const DECIMAL: u8 = 2; // 2, 3, 4, 5
    /// Any number, eight bytes.
    pub const FLOAT: u8 = 6;
    pub const FALSE: u8 = 7;
    pub const TRUE: u8 = 8;
    pub const TEXT: u8 = 9;
    pub const ERROR: u8 = 10;
    pub const FORMULA: u8 = 11;
    pub const REPEATED: u8 = 0x80;
    pub const END: u8 = 0xff;
}

const WHOLE_MAX: f64 = 9_007_199_254_740_991.0; // 2^53 - 1: all whole numbers up to here are exact

const SCALES: [f64; 4] = [10.0, 100.0, 1_000.0, 10_000.0];

/// A number in its shortest encoding.
#[derive(Clone, Copy, PartialEq)]
enum Number {
    Whole(i64),
    Decimal { mantissa: i64, digits: u8 },
    Float(f64),
}

fn shortest(number: f64) -> Number {
    if number.abs() <= WHOLE_MAX && number == number.trunc() {
        return Number::Whole(number as i64);
    }
    for digits in 1..=4u8 {
        let scale = SCALES[usize::from(digits) - 1];
        let mantissa = (number * scale).round();
        // The quotient of two exact numbers is correctly rounded on every platform, so the reader
        // gets the same bits.
        if mantissa.abs() <= WHOLE_MAX && (mantissa / scale).to_bits() == number.to_bits() {
            return Number::Decimal { mantissa: mantissa as i64, digits };
        }
    }
    Number::Float(number)
}

fn kind_of(input: &Input) -> u8 {
    match input {
        Input::Blank => kind::BLANK,
        Input::Value(Literal::Number(number)) => match shortest(*number) {
            Number::Whole(_) => kind::WHOLE,
            Number::Decimal { digits, .. } => kind::DECIMAL + digits - 1,
            Number::Float(_) => kind::FLOAT,
        },
        Input::Value(Literal::Boolean(false)) => kind::FALSE,
        Input::Value(Literal::Boolean(true)) => kind::TRUE,
        Input::Value(Literal::Text(_)) => kind::TEXT,
        Input::Value(Literal::Error(_)) => kind::ERROR,
        Input::Formula(_) => kind::FORMULA,
    }
}

/// Collects contents in order and encodes them as runs. The bytes depend on the contents only, not
/// on the calls that added them.
#[derive(Default)]
pub(crate) struct RunWriter {
    /// Equal contents at the end, whose run may still grow.
    equal: Option<(Input, u64)>,
    /// Contents of one type that form one run and are not written yet.
    single: Vec<Input>,
    single_kind: u8,
}

impl RunWriter {
    /// Adds `count` cells with the content `input`.
    pub fn push(&mut self, writer: &mut Writer, input: Input, count: u64) {
        match &mut self.equal {
            Some((last, length)) if *last == input => *length += count,
            _ => {
                self.close_run(writer);
                self.equal = Some((input, count));
            }
        }
    }

    /// Writes the remaining contents. Must be called at the end.
    pub fn finish(mut self, writer: &mut Writer) {
        self.close_run(writer);
        self.flush(writer);
    }

    fn close_run(&mut self, writer: &mut Writer) {
        let Some((input, count)) = self.equal.take() else { return };
        let kind = kind_of(&input);
        // Three equal contents are worth a run of their own; two are shorter within the surrounding
        // run.
        if count > 2 || kind_has_no_body(kind) {
            self.flush(writer);
            writer.byte(kind | kind::REPEATED);
            writer.varint(count);
            return write_body(writer, &input);
        }
        if self.single_kind != kind {
            self.flush(writer);
            self.single_kind = kind;
        }
        self.single.extend(std::iter::repeat_n(input, count as usize));
    }

    fn flush(&mut self, writer: &mut Writer) {
        if !self.single.is_empty() {
            writer.byte(self.single_kind);
            writer.varint(self.single.len() as u64);
            for input in self.single.drain(..) {
                write_body(writer, &input);
            }
        }
    }
}

fn kind_has_no_body(kind: u8) -> bool {
    matches!(kind, kind::BLANK | kind::FALSE | kind::TRUE)
}

fn write_body(writer: &mut Writer, input: &Input) {
    match input {
        Input::Blank | Input::Value(Literal::Boolean(_)) => {}
        Input::Value(Literal::Number(number)) => match shortest(*number) {
            Number::Whole(whole) => writer.zigzag(whole),
            Number::Decimal { mantissa, .. } => writer.zigzag(mantissa),
            Number::Float(number) => writer.fixed64(number.to_bits()),
        },
        Input::Value(Literal::Text(text)) => writer.text(text),
        Input::Value(Literal::Error(error)) => writer.byte(error.code()),
        Input::Formula(template) => write_template(writer, template),
    }
}

fn read_body(reader: &mut Reader, kind: u8) -> Result<Input, DecodeError> {
    let input = match kind {
        kind::BLANK => Input::Blank,
        kind::FALSE => Input::Value(Literal::Boolean(false)),
        kind::TRUE => Input::Value(Literal::Boolean(true)),
        kind::WHOLE => Input::Value(Literal::Number(reader.zigzag()? as f64)),
        kind::DECIMAL..kind::FLOAT => {
            let scale = SCALES[usize::from(kind - kind::DECIMAL)];
            Input::Value(Literal::Number(reader.zigzag()? as f64 / scale))
        }
        kind::FLOAT => Input::Value(Literal::Number(read_number_bits(reader)?)),
        kind::TEXT => Input::Value(Literal::Text(reader.text()?)),
        kind::ERROR => Input::Value(Literal::Error(read_error(reader)?)),
        kind::FORMULA => Input::Formula(read_template(reader)?),
        other => return Err(DecodeError::Unknown { what: "kind of content", value: other.into() }),
    };
    // A number must have its shortest encoding, otherwise one value would have two encodings.
    if let Input::Value(Literal::Number(number)) = &input
        && (canonical_number(*number).map(f64::to_bits) != Some(number.to_bits()) || kind_of(&input) != kind)
    {
        return Err(DecodeError::NotANumber);
    }
    Ok(input)
}

type VisitRun<'a> = dyn FnMut(Input, u64) -> Result<(), DecodeError> + 'a;

/// Reads runs of `cells` contents in all and calls `visit` with (input, count).
pub(crate) fn read_runs(reader: &mut Reader, cells: u64, visit: &mut VisitRun) -> Result<(), DecodeError> {
    let mut remaining = cells;
    while remaining > 0 {
        let head = reader.byte()?;
        read_run(reader, head, &mut remaining, visit)?;
    }
    Ok(())
}

/// Writes the end mark of runs whose number of cells is not encoded.
pub(crate) fn end_runs(writer: &mut Writer) {
    writer.byte(kind::END);
}

/// Like [`read_runs`], up to the end mark and at most `cells_max` contents.
pub(crate) fn read_runs_to_end(
    reader: &mut Reader,
    cells_max: u64,
    visit: &mut VisitRun,
) -> Result<(), DecodeError> {
    let mut remaining = cells_max;
    loop {
        match reader.byte()? {
            kind::END => return Ok(()),
            head => read_run(reader, head, &mut remaining, visit)?,
        }
    }
}

fn read_run(
    reader: &mut Reader,
    head: u8,
    remaining: &mut u64,
    visit: &mut VisitRun,
) -> Result<(), DecodeError> {
    let (kind, repeated) = (head & !kind::REPEATED, head & kind::REPEATED != 0);
    let length = reader.bounded("length of a run", *remaining)?;
    if length == 0 {
        return Err(DecodeError::OutOfBounds { what: "length of a run", value: 0 });
    }
    *remaining -= length;
    if repeated {
        return visit(read_body(reader, kind)?, length);
    }
    if kind_has_no_body(kind) {
        return Err(DecodeError::Unknown { what: "kind of content", value: head.into() });
    }
    for _ in 0..length {
        visit(read_body(reader, kind)?, 1)?;
    }
    Ok(())
}

/// Writes a single content.
pub(crate) fn write_input(writer: &mut Writer, input: &Input) {
    writer.byte(kind_of(input));
    write_body(writer, input);
}

/// Reads a single content.
pub(crate) fn read_input(reader: &mut Reader) -> Result<Input, DecodeError> {
    let kind = reader.byte()?;
    read_body(reader, kind)
}
