//! The printer: converts a syntax tree to text in A1 or R1C1 notation.

use quadrille_cell::{CellAddress, ColumnIndex, Dimension, ErrorValue, column_name};

use crate::lexer::{Lexeme, Lexer};
use crate::parser::{can_be_reference, is_callable, last_name};
use crate::precedence::{self, Precedence};
use crate::scoped_names::name_scope;
use crate::sheet_names::{push_prefix, push_range_prefix, push_unknown_prefix};
use crate::{
    Area, BinaryOperator, CellReference, Coordinate, Expression, Host, Reference, SheetNames, SheetReference,
    Template, UnaryOperator, resolve_area,
};

/// Returns the text of a formula at `host`, without `=`. A reference that lies outside the sheet or
/// whose sheet was deleted is printed as `#REF!`.
pub fn print(template: &Template, host: Host, sheets: &dyn SheetNames) -> String {
    print_in(Notation::A1, template, host, sheets)
}

/// As [`print()`], in R1C1 notation.
pub fn print_r1c1(template: &Template, host: Host, sheets: &dyn SheetNames) -> String {
    print_in(Notation::R1C1, template, host, sheets)
}

/// The texts before, of and after a part of a formula; `part` is a node of the expression.
pub fn print_around(
    notation: Notation,
    expression: &Expression,
    part: &Expression,
    host: Host,
    sheets: &dyn SheetNames,
) -> [String; 3] {
    let mut printer = Printer::new(notation, host, sheets);
    printer.part = Some(part);
    printer.expression(expression, Context::TOP_LEVEL);
    let Printer { out, part_range: std::ops::Range { start, end }, .. } = printer;
    let piece = |range: std::ops::Range<usize>| out.get(range).unwrap_or_default().to_owned();
    [piece(0..start), piece(start..end), piece(end..out.len())]
}

/// The notation of references.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Notation {
    A1,
    R1C1,
}

fn print_in(notation: Notation, template: &Template, host: Host, sheets: &dyn SheetNames) -> String {
    let mut printer = Printer::new(notation, host, sheets);
    printer.expression(template.expression(), Context::TOP_LEVEL);
    printer.out
}

/// The surroundings of an expression that determine whether it needs parentheses.
#[derive(Clone, Copy)]
struct Context {
    /// Expressions that bind less tightly need parentheses; see the parser's argument of this name.
    minimum: Precedence,
    /// Whether a comma separates arguments here.
    is_argument: bool,
}

impl Context {
    const TOP_LEVEL: Context = Context { minimum: precedence::LOWEST, is_argument: false };
    const ARGUMENT: Context = Context { minimum: precedence::LOWEST, is_argument: true };
}

struct Printer<'a> {
    notation: Notation,
    host: CellAddress,
    sheets: &'a dyn SheetNames,
    out: String,
    /// The node whose text is at `part_range`.
    part: Option<&'a Expression>,
    part_range: std::ops::Range<usize>,
}

impl<'a> Printer<'a> {
    fn new(notation: Notation, host: Host, sheets: &'a dyn SheetNames) -> Printer<'a> {
        Printer { notation, host: host.cell, sheets, out: String::new(), part: None, part_range: 0..0 }
    }

    fn expression(&mut self, expression: &Expression, context: Context) {
        let start = self.out.len();
        self.node(expression, context);
        if self.part.is_some_and(|part| std::ptr::eq(part, expression)) {
            self.part_range = start..self.out.len();
        }
    }

    fn node(&mut self, expression: &Expression, context: Context) {
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
                self.operand(callee, is_callable(callee), context);
                self.arguments(arguments);
            }
            Expression::Unary(operator, operand) => self.unary(*operator, operand, context),
            Expression::Binary(BinaryOperator::Union, ..) if context.is_argument => {
                self.parenthesised(expression);
            }
            Expression::Binary(operator, left, right) => self.binary(*operator, left, right, context),
            Expression::Parenthesised(inner) => self.parenthesised(inner),
            Expression::Array(rows) => self.array(rows),
            Expression::Invalid(text) => self.out.push_str(text),
        }
    }

    /// Pushes a name. A name of a deleted sheet is printed as `#REF!`.
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
        self.expression(inner, Context::TOP_LEVEL);
        self.out.push(')');
    }

    /// Pushes an operand, in parentheses unless `is_bare`. Parsed trees contain their parentheses;
    /// other trees get those that they need.
    fn operand(&mut self, operand: &Expression, is_bare: bool, context: Context) {
        if is_bare { self.expression(operand, context) } else { self.parenthesised(operand) }
    }

    fn arguments(&mut self, arguments: &[Expression]) {
        self.out.push('(');
        for (position, argument) in arguments.iter().enumerate() {
            if position > 0 {
                self.out.push(',');
            }
            self.expression(argument, Context::ARGUMENT);
        }
        self.out.push(')');
    }

    fn unary(&mut self, operator: UnaryOperator, operand: &Expression, context: Context) {
        let binding = precedence::of_unary(operator);
        let sign = match operator {
            UnaryOperator::Minus => '-',
            UnaryOperator::Plus => '+',
            UnaryOperator::ImplicitIntersection => '@',
            UnaryOperator::Percent | UnaryOperator::Spill => {
                self.operand(operand, precedence::allows_bare_operand(operator, operand), context);
                self.out.push(if operator == UnaryOperator::Percent { '%' } else { '#' });
                return;
            }
        };
        self.out.push(sign);
        let minimum = binding.max(context.minimum);
        let is_bare = is_prefixed(operand) || precedence::of(operand) >= minimum;
        self.operand(operand, is_bare, Context { minimum, ..context });
    }

    fn binary(&mut self, operator: BinaryOperator, left: &Expression, right: &Expression, context: Context) {
        let binding = precedence::of_binary(operator);
        let start = self.out.len();
        // An operand with `@` must be a reference next to these operators, or in parentheses.
        let joins_references =
            matches!(operator, BinaryOperator::Range | BinaryOperator::Intersection | BinaryOperator::Union);
        let is_intersected = matches!(left, Expression::Unary(UnaryOperator::ImplicitIntersection, _));
        let is_left_bare = precedence::of(left) >= binding
            && (!joins_references || !is_intersected || can_be_reference(left));
        self.operand(left, is_left_bare, context);
        let end = self.out.len();
        self.out.push_str(symbol(operator));
        let is_right_bare = precedence::of(right) > binding
            || is_prefixed(right) && binding < precedence::SIGN
            || matches!(right, Expression::Unary(UnaryOperator::ImplicitIntersection, _))
                && can_be_reference(right);
        self.operand(right, is_right_bare, Context { minimum: binding + 1, ..context });
        if matches!(operator, BinaryOperator::Range | BinaryOperator::Intersection)
            && let Some(name) = last_name(left)
            && self.out[..end].ends_with(name)
        {
            self.separate_name(operator, start..end, end - name.len());
        }
    }

    /// Separates a name at the end of the left operand from the text after it, where both would be
    /// lexed as one: `name (A1)` as a call, `name:Jan!A1` as a sheet range, `a:b` (parameters of
    /// LET) as whole columns, `a.:b` as a trim reference.
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
            if self.part_range.start >= left.start && self.part_range.end <= left.end {
                self.part_range = self.part_range.start + 1..self.part_range.end + 1;
            }
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
                self.expression(element, Context::ARGUMENT);
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
            Area::Rows(first, last) => self.whole_rows_or_columns(Dimension::Rows, first, last),
            Area::Columns(first, last) => self.whole_rows_or_columns(Dimension::Columns, first, last),
        }
    }

    /// Pushes the sheet prefix; returns `false` when the sheet was deleted.
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

    fn whole_rows_or_columns(&mut self, dimension: Dimension, first: Coordinate, last: Coordinate) {
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

/// Whether the expression starts with a prefix operator, which can follow any operator: `2^-1`,
/// `--1`.
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

/// Pushes the shortest digits that parse to the same number; scientific notation (`1E+300`) for
/// very large and very small numbers.
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
