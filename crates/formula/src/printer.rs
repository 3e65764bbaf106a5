//! From a tree to text, in A1 notation or in R1C1.

use quadrille_cell::{CellAddress, ColumnIndex, Dimension, ErrorValue, column_name};

use crate::lexer::{Lexeme, Lexer};
use crate::parser::{is_callable, last_name, may_be_reference};
use crate::precedence::{self, Precedence};
use crate::scoped_names::name_scope;
use crate::sheet_names::{push_prefix, push_range_prefix, push_unknown_prefix};
use crate::{
    Area, BinaryOperator, CellReference, Coordinate, Expression, Host, Reference, SheetNames, SheetReference,
    Template, UnaryOperator, resolve_area,
};

/// The formula as `host` shows it, without `=`. A reference whose target lies outside the sheet, or whose sheet
/// is gone, prints as `#REF!`.
pub fn print(template: &Template, host: Host, sheets: &dyn SheetNames) -> String {
    print_in(Notation::A1, template, host, sheets)
}

/// As [`print`], with `R[-1]C` and `R1C1` for references.
pub fn print_r1c1(template: &Template, host: Host, sheets: &dyn SheetNames) -> String {
    print_in(Notation::R1C1, template, host, sheets)
}

#[derive(Clone, Copy, PartialEq)]
enum Notation {
    A1,
    R1C1,
}

fn print_in(notation: Notation, template: &Template, host: Host, sheets: &dyn SheetNames) -> String {
    let mut printer = Printer { notation, host: host.cell, sheets, out: String::new() };
    printer.expression(template.expression(), Place::OUTSIDE);
    printer.out
}

/// Where in the text an expression stands, as far as it decides on parentheses.
#[derive(Clone, Copy)]
struct Place {
    /// What binds less tightly would be torn apart here; the parser's argument of the same name.
    minimum: Precedence,
    /// Whether a bare comma would separate arguments here.
    commas_separate: bool,
}

impl Place {
    const OUTSIDE: Place = Place { minimum: precedence::LOWEST, commas_separate: false };
    const ARGUMENT: Place = Place { minimum: precedence::LOWEST, commas_separate: true };
}

struct Printer<'a> {
    notation: Notation,
    host: CellAddress,
    sheets: &'a dyn SheetNames,
    out: String,
}

impl Printer<'_> {
    fn expression(&mut self, expression: &Expression, place: Place) {
        match expression {
            Expression::Number(number) => push_number(*number, &mut self.out),
            Expression::Text(text) => {
                self.out.push('"');
                self.out.push_str(&text.replace('"', "\"\""));
                self.out.push('"');
            }
            Expression::Boolean(boolean) => self.out.push_str(if *boolean { "TRUE" } else { "FALSE" }),
            Expression::Error(error) => self.out.push_str(error.text()),
            Expression::Missing => {}
            Expression::Reference(reference) => self.reference(reference),
            Expression::Name(name) => self.name(name),
            Expression::Call { function, arguments } => {
                self.out.push_str(function);
                self.arguments(arguments);
            }
            Expression::Apply { callee, arguments } => {
                self.operand(callee, is_callable(callee), place);
                self.arguments(arguments);
            }
            Expression::Unary(operator, operand) => self.unary(*operator, operand, place),
            Expression::Binary(BinaryOperator::Union, ..) if place.commas_separate => {
                self.parenthesised(expression);
            }
            Expression::Binary(operator, left, right) => self.binary(*operator, left, right, place),
            Expression::Parenthesised(inner) => self.parenthesised(inner),
            Expression::Array(rows) => self.array(rows),
            Expression::Invalid(text) => self.out.push_str(text),
        }
    }

    /// The name of a sheet that is gone is an error, as a reference to its cells is.
    fn name(&mut self, name: &str) {
        match name_scope(name) {
            None => self.out.push_str(name),
            Some((sheet, local)) => match self.sheets.sheet_name(sheet) {
                Some(sheet) => {
                    push_prefix(sheet, &mut self.out);
                    self.out.push_str(local);
                }
                None => self.out.push_str(ErrorValue::Reference.text()),
            },
        }
    }

    fn parenthesised(&mut self, inner: &Expression) {
        self.out.push('(');
        self.expression(inner, Place::OUTSIDE);
        self.out.push(')');
    }

    /// Parsed trees hold their parentheses themselves; trees built otherwise get those they need.
    fn operand(&mut self, operand: &Expression, may_be_bare: bool, place: Place) {
        if may_be_bare { self.expression(operand, place) } else { self.parenthesised(operand) }
    }

    fn arguments(&mut self, arguments: &[Expression]) {
        self.out.push('(');
        for (position, argument) in arguments.iter().enumerate() {
            if position > 0 {
                self.out.push(',');
            }
            self.expression(argument, Place::ARGUMENT);
        }
        self.out.push(')');
    }

    fn unary(&mut self, operator: UnaryOperator, operand: &Expression, place: Place) {
        let binding = precedence::of_unary(operator);
        let sign = match operator {
            UnaryOperator::Minus => '-',
            UnaryOperator::Plus => '+',
            UnaryOperator::ImplicitIntersection => '@',
            UnaryOperator::Percent | UnaryOperator::Spill => {
                self.operand(operand, precedence::takes_bare(operator, operand), place);
                self.out.push(if operator == UnaryOperator::Percent { '%' } else { '#' });
                return;
            }
        };
        self.out.push(sign);
        let minimum = binding.max(place.minimum);
        let may_be_bare = is_prefixed(operand) || precedence::of(operand) >= minimum;
        self.operand(operand, may_be_bare, Place { minimum, ..place });
    }

    fn binary(&mut self, operator: BinaryOperator, left: &Expression, right: &Expression, place: Place) {
        let binding = precedence::of_binary(operator);
        let start = self.out.len();
        // What `@` stands before is a reference beside these operators, or in parentheses.
        let joins_references =
            matches!(operator, BinaryOperator::Range | BinaryOperator::Intersection | BinaryOperator::Union);
        let is_intersected = matches!(left, Expression::Unary(UnaryOperator::ImplicitIntersection, _));
        let left_may_be_bare = precedence::of(left) >= binding
            && (!joins_references || !is_intersected || may_be_reference(left));
        self.operand(left, left_may_be_bare, place);
        let end = self.out.len();
        self.out.push_str(symbol(operator));
        let right_may_be_bare = precedence::of(right) > binding
            || is_prefixed(right) && binding < precedence::SIGN
            || matches!(right, Expression::Unary(UnaryOperator::ImplicitIntersection, _))
                && may_be_reference(right);
        self.operand(right, right_may_be_bare, Place { minimum: binding + 1, ..place });
        if matches!(operator, BinaryOperator::Range | BinaryOperator::Intersection)
            && let Some(name) = last_name(left)
            && self.out[..end].ends_with(name)
        {
            self.separate_name(operator, start..end, end - name.len());
        }
    }

    /// Keeps a name that ends the left operand apart from what was written behind it: `name (A1)` would be a
    /// call, `name:Jan!A1` a range of sheets, `a:b` between parameters of a LET whole columns, and `a.:b` such columns trimmed.
    fn separate_name(&mut self, operator: BinaryOperator, left: std::ops::Range<usize>, name_start: usize) {
        let lexed = Lexer::new(&self.out[name_start..], CellAddress::default()).next();
        let is_alone = matches!(lexed.lexeme, Lexeme::Name | Lexeme::Structured { .. } | Lexeme::Boolean(_));
        if is_alone && name_start + lexed.end == left.end {
            return;
        }
        let is_sheet_range = match lexed.lexeme {
            Lexeme::Reference { prefix: Some(prefix), .. } => name_start + prefix.end as usize > left.end,
            Lexeme::Function | Lexeme::Reference { prefix: None, .. } => false,
            _ => true,
        };
        let is_trimmed_range =
            !is_sheet_range && matches!(lexed.lexeme, Lexeme::Reference { trim, .. } if trim > 0);
        if operator == BinaryOperator::Range && is_trimmed_range && self.out[..left.end].ends_with('.') {
            self.out.insert(left.end, ' ');
        } else if operator == BinaryOperator::Range && is_sheet_range {
            self.out.insert(left.end + 1, ' ');
        } else {
            self.out.insert(left.end, ')');
            self.out.insert(left.start, '(');
        }
    }

    fn array(&mut self, rows: &[Vec<Expression>]) {
        self.out.push('{');
        for (row_position, row) in rows.iter().enumerate() {
            if row_position > 0 {
                self.out.push(';');
            }
            for (position, element) in row.iter().enumerate() {
                if position > 0 {
                    self.out.push(',');
                }
                self.expression(element, Place::ARGUMENT);
            }
        }
        self.out.push('}');
    }

    fn reference(&mut self, reference: &Reference) {
        let start = self.out.len();
        if resolve_area(&reference.area, self.host).is_none() || !self.sheet(reference.sheet.as_ref()) {
            self.out.truncate(start);
            self.out.push_str(ErrorValue::Reference.text());
            return;
        }
        match reference.area {
            Area::Cell(cell) => self.cell(cell),
            Area::Cells(first, last) => {
                self.cell(first);
                self.out.push(':');
                self.cell(last);
            }
            Area::Rows(first, last) => self.lines(Dimension::Rows, first, last),
            Area::Columns(first, last) => self.lines(Dimension::Columns, first, last),
        }
    }

    /// False when the sheet is gone.
    fn sheet(&mut self, sheet: Option<&SheetReference>) -> bool {
        match sheet {
            None => {}
            Some(SheetReference::Sheet(id)) => match self.sheets.sheet_name(*id) {
                Some(name) => push_prefix(name, &mut self.out),
                None => return false,
            },
            Some(SheetReference::Sheets(first, last)) => {
                match (self.sheets.sheet_name(*first), self.sheets.sheet_name(*last)) {
                    (Some(first), Some(last)) => push_range_prefix(first, last, &mut self.out),
                    _ => return false,
                }
            }
            Some(SheetReference::Unknown(written)) => push_unknown_prefix(written, &mut self.out),
        }
        true
    }

    fn cell(&mut self, cell: CellReference) {
        match self.notation {
            Notation::A1 => {
                self.coordinate(Dimension::Columns, cell.column);
                self.coordinate(Dimension::Rows, cell.row);
            }
            Notation::R1C1 => {
                self.coordinate(Dimension::Rows, cell.row);
                self.coordinate(Dimension::Columns, cell.column);
            }
        }
    }

    fn lines(&mut self, dimension: Dimension, first: Coordinate, last: Coordinate) {
        self.coordinate(dimension, first);
        if self.notation == Notation::A1 || first != last {
            self.out.push(':');
            self.coordinate(dimension, last);
        }
    }

    fn coordinate(&mut self, dimension: Dimension, coordinate: Coordinate) {
        let index = coordinate.resolve(self.host.index(dimension)) as u32;
        if self.notation == Notation::R1C1 {
            self.out.push(match dimension {
                Dimension::Rows => 'R',
                Dimension::Columns => 'C',
            });
            match coordinate {
                Coordinate::Absolute(_) => push_integer(index + 1, &mut self.out),
                Coordinate::Relative(0) => {}
                Coordinate::Relative(offset) => self.out.push_str(&format!("[{offset}]")),
            }
            return;
        }
        if matches!(coordinate, Coordinate::Absolute(_)) {
            self.out.push('$');
        }
        match dimension {
            Dimension::Rows => push_integer(index + 1, &mut self.out),
            Dimension::Columns => self.out.push_str(&column_name(ColumnIndex::clamped(index))),
        }
    }
}

/// Whether the expression starts with its operator, which may follow any other operator: `2^-1`, `--1`.
fn is_prefixed(expression: &Expression) -> bool {
    match expression {
        Expression::Unary(operator, _) => !matches!(operator, UnaryOperator::Percent | UnaryOperator::Spill),
        _ => false,
    }
}

fn symbol(operator: BinaryOperator) -> &'static str {
    match operator {
        BinaryOperator::Add => "+",
        BinaryOperator::Subtract => "-",
        BinaryOperator::Multiply => "*",
        BinaryOperator::Divide => "/",
        BinaryOperator::Power => "^",
        BinaryOperator::Concatenate => "&",
        BinaryOperator::Equal => "=",
        BinaryOperator::NotEqual => "<>",
        BinaryOperator::Less => "<",
        BinaryOperator::LessOrEqual => "<=",
        BinaryOperator::Greater => ">",
        BinaryOperator::GreaterOrEqual => ">=",
        BinaryOperator::Range => ":",
        BinaryOperator::Union => ",",
        BinaryOperator::Intersection => " ",
    }
}

fn push_integer(integer: u32, out: &mut String) {
    let mut digits = [0u8; 10];
    let mut at = digits.len();
    let mut rest = integer;
    loop {
        at -= 1;
        digits[at] = b'0' + (rest % 10) as u8;
        rest /= 10;
        if rest == 0 {
            break;
        }
    }
    out.extend(digits[at..].iter().map(|digit| char::from(*digit)));
}

/// The shortest digits that read back as the same number; very large and very small ones as `1E+300`.
fn push_number(number: f64, out: &mut String) {
    let size = number.abs();
    if size < f64::from(u32::MAX) && number == f64::from(number as u32) && number.is_sign_positive() {
        push_integer(number as u32, out);
        return;
    }
    if size == 0.0 || (1e-5..1e21).contains(&size) {
        out.push_str(&number.to_string());
        return;
    }
    let scientific = format!("{number:E}");
    match scientific.split_once('E') {
        Some((digits, exponent)) if !exponent.starts_with('-') => {
            out.push_str(digits);
            out.push_str("E+");
            out.push_str(exponent);
        }
        _ => out.push_str(&scientific),
    }
}
