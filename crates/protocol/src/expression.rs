//! Encoding of formulas as trees in postfix order. Writing and reading do not recurse, so that a
//! deep tree cannot exhaust the stack.

use quadrille_cell::{COLUMNS_MAX, ErrorValue, ROWS_MAX, SheetId, canonical_number};
use quadrille_formula::{
    Area, BinaryOperator, CellReference, Coordinate, DEPTH_MAX, Expression, HEIGHT_MAX, Reference,
    SheetReference, Template, UnaryOperator,
};

use crate::bytes::{DecodeError, Reader, Writer};
use crate::limits::EXPRESSION_NODES_MAX;

mod tag {
    pub const NUMBER: u8 = 0;
    pub const TEXT: u8 = 1;
    pub const FALSE: u8 = 2;
    pub const TRUE: u8 = 3;
    pub const ERROR: u8 = 4;
    pub const MISSING: u8 = 5;
    pub const REFERENCE: u8 = 6;
    pub const NAME: u8 = 7;
    pub const CALL: u8 = 8;
    pub const APPLY: u8 = 9;
    pub const UNARY: u8 = 10;
    pub const BINARY: u8 = 11;
    pub const PARENTHESISED: u8 = 12;
    pub const ARRAY: u8 = 13;
    pub const INVALID: u8 = 14;
    /// A small integer: the 2 of `A1*2` takes one byte instead of eight.
    pub const WHOLE_NUMBER: u8 = 15;
}

const UNARY_OPERATORS: [UnaryOperator; 5] = [
    UnaryOperator::Minus,
    UnaryOperator::Plus,
    UnaryOperator::Percent,
    UnaryOperator::ImplicitIntersection,
    UnaryOperator::Spill,
];

const BINARY_OPERATORS: [BinaryOperator; 15] = [
    BinaryOperator::Add,
    BinaryOperator::Subtract,
    BinaryOperator::Multiply,
    BinaryOperator::Divide,
    BinaryOperator::Power,
    BinaryOperator::Concatenate,
    BinaryOperator::Equal,
    BinaryOperator::NotEqual,
    BinaryOperator::Less,
    BinaryOperator::LessOrEqual,
    BinaryOperator::Greater,
    BinaryOperator::GreaterOrEqual,
    BinaryOperator::Range,
    BinaryOperator::Union,
    BinaryOperator::Intersection,
];

/// Writes `number + 1` of an equal template written before, or 0 and the template.
pub(crate) fn write_template(writer: &mut Writer, template: &Template) {
    if let Some(number) = writer.template_number(template) {
        return writer.varint(number + 1);
    }
    writer.varint(0);
    let nodes = postfix(template.expression());
    writer.varint(nodes.len() as u64);
    for node in nodes {
        write_node(writer, node);
    }
}

pub(crate) fn read_template(reader: &mut Reader) -> Result<Template, DecodeError> {
    let head = reader.varint()?;
    if head > 0 {
        let template = usize::try_from(head - 1).ok().and_then(|number| reader.templates.get(number));
        return template.cloned().ok_or(DecodeError::Unknown { what: "formula", value: head - 1 });
    }
    let count = reader.count("nodes in a formula", EXPRESSION_NODES_MAX)?;
    let mut stack = Stack { nodes: Vec::new() };
    for _ in 0..count {
        let node = read_node(reader, &mut stack)?;
        stack.push(node)?;
    }
    let expression = stack.pop()?.expression;
    if !stack.nodes.is_empty() {
        return Err(DecodeError::Unknown { what: "end of a formula", value: stack.nodes.len() as u64 });
    }
    let template = Template::new(expression);
    reader.templates.push(template.clone());
    Ok(template)
}

/// Returns the nodes so that each follows its children, which are in order.
fn postfix(root: &Expression) -> Vec<&Expression> {
    let mut nodes = Vec::new();
    let mut pending = vec![root];
    // Nodes before children, last child first: the reverse of the result.
    while let Some(node) = pending.pop() {
        nodes.push(node);
        for_each_child(node, &mut |child| pending.push(child));
    }
    nodes.reverse();
    nodes
}

fn for_each_child<'a>(node: &'a Expression, visit: &mut dyn FnMut(&'a Expression)) {
    match node {
        Expression::Call { arguments, .. } => arguments.iter().for_each(visit),
        Expression::Apply { callee, arguments } => {
            visit(callee);
            arguments.iter().for_each(visit);
        }
        Expression::Unary(_, operand) | Expression::Parenthesised(operand) => visit(operand),
        Expression::Binary(_, left, right) => {
            visit(left);
            visit(right);
        }
        Expression::Array(rows) => rows.iter().flatten().for_each(visit),
        Expression::Number(_)
        | Expression::Text(_)
        | Expression::Boolean(_)
        | Expression::Error(_)
        | Expression::Missing
        | Expression::Reference(_)
        | Expression::Name(_)
        | Expression::Invalid(_) => {}
    }
}

fn write_node(writer: &mut Writer, node: &Expression) {
    match node {
        Expression::Number(number) => match whole_number(*number) {
            Some(whole) => {
                writer.byte(tag::WHOLE_NUMBER);
                writer.varint(whole);
            }
            None => {
                writer.byte(tag::NUMBER);
                writer.fixed64(number.to_bits());
            }
        },
        Expression::Text(text) => {
            writer.byte(tag::TEXT);
            writer.text(text);
        }
        Expression::Boolean(boolean) => writer.byte(if *boolean { tag::TRUE } else { tag::FALSE }),
        Expression::Error(error) => {
            writer.byte(tag::ERROR);
            writer.byte(error.code());
        }
        Expression::Missing => writer.byte(tag::MISSING),
        Expression::Reference(reference) => {
            writer.byte(tag::REFERENCE);
            write_reference(writer, reference);
        }
        Expression::Name(name) => {
            writer.byte(tag::NAME);
            writer.text(name);
        }
        Expression::Call { function, arguments } => {
            writer.byte(tag::CALL);
            writer.text(function.text());
            writer.varint(arguments.len() as u64);
        }
        Expression::Apply { arguments, .. } => {
            writer.byte(tag::APPLY);
            writer.varint(arguments.len() as u64);
        }
        Expression::Unary(operator, _) => {
            writer.byte(tag::UNARY);
            writer.byte(position(&UNARY_OPERATORS, operator));
        }
        Expression::Binary(operator, ..) => {
            writer.byte(tag::BINARY);
            writer.byte(position(&BINARY_OPERATORS, operator));
        }
        Expression::Parenthesised(_) => writer.byte(tag::PARENTHESISED),
        Expression::Array(rows) => {
            writer.byte(tag::ARRAY);
            writer.varint(rows.len() as u64);
            writer.varint(rows.first().map_or(0, Vec::len) as u64);
        }
        Expression::Invalid(text) => {
            writer.byte(tag::INVALID);
            writer.text(text);
        }
    }
}

fn whole_number(number: f64) -> Option<u64> {
    let is_small = (0.0..=4_294_967_295.0).contains(&number) && number.to_bits() != (-0.0f64).to_bits();
    (is_small && number == number.trunc()).then_some(number as u64)
}

fn position<T: PartialEq>(all: &[T], one: &T) -> u8 {
    all.iter().position(|other| other == one).expect("the table lists every operator") as u8
}

/// Nodes that have no parent yet.
struct Stack {
    nodes: Vec<Node>,
}

struct Node {
    expression: Expression,
    levels: Levels,
}

/// Depth of a subtree by the two measures that the parser limits.
#[derive(Clone, Copy)]
struct Levels {
    /// Depth without left operands: `1+1+1+…` is as deep on the left as the formula is long.
    depth: u32,
    height: u32,
}

impl Levels {
    const NONE: Levels = Levels { depth: 0, height: 0 };

    fn max(self, other: Levels) -> Levels {
        Levels { depth: self.depth.max(other.depth), height: self.height.max(other.height) }
    }

    fn above(self) -> Levels {
        Levels { depth: self.depth + 1, height: self.height + 1 }
    }
}

impl Stack {
    fn push(&mut self, node: Node) -> Result<(), DecodeError> {
        if node.levels.depth > DEPTH_MAX || node.levels.height > HEIGHT_MAX {
            return Err(DecodeError::TooMany { what: "levels in a formula", limit: DEPTH_MAX.into() });
        }
        self.nodes.push(node);
        Ok(())
    }

    fn pop(&mut self) -> Result<Node, DecodeError> {
        self.nodes.pop().ok_or(DecodeError::Unknown { what: "operand of a formula", value: 0 })
    }

    /// Removes the last `count` nodes and returns them in order, with the levels of the deepest.
    fn pop_many(&mut self, count: usize) -> Result<(Vec<Expression>, Levels), DecodeError> {
        let Some(start) = self.nodes.len().checked_sub(count) else {
            return Err(DecodeError::Unknown { what: "operand of a formula", value: count as u64 });
        };
        let levels = self.nodes[start..].iter().fold(Levels::NONE, |levels, node| levels.max(node.levels));
        Ok((self.nodes.drain(start..).map(|node| node.expression).collect(), levels))
    }
}

fn read_node(reader: &mut Reader, stack: &mut Stack) -> Result<Node, DecodeError> {
    let leaf = |expression| Ok(Node { expression, levels: Levels::NONE.above() });
    match reader.byte()? {
        tag::WHOLE_NUMBER => leaf(Expression::Number(reader.varint32("whole number")? as f64)),
        tag::NUMBER => {
            let number = read_number_bits(reader)?;
            if whole_number(number).is_some() {
                return Err(DecodeError::NotANumber); // has a shorter form; one value, one spelling
            }
            leaf(Expression::Number(number))
        }
        tag::TEXT => leaf(Expression::Text(reader.text()?)),
        tag::FALSE => leaf(Expression::Boolean(false)),
        tag::TRUE => leaf(Expression::Boolean(true)),
        tag::ERROR => leaf(Expression::Error(read_error(reader)?)),
        tag::MISSING => leaf(Expression::Missing),
        tag::REFERENCE => leaf(Expression::Reference(read_reference(reader)?)),
        tag::NAME => leaf(Expression::Name(reader.text()?)),
        tag::INVALID => leaf(Expression::Invalid(reader.text()?)),
        tag::CALL => {
            let function = reader.text()?;
            let count = reader.bounded("number of arguments", EXPRESSION_NODES_MAX as u64)? as usize;
            let (arguments, levels) = stack.pop_many(count)?;
            Ok(Node {
                expression: Expression::Call { function: function.into(), arguments },
                levels: levels.above(),
            })
        }
        tag::APPLY => {
            let count = reader.bounded("number of arguments", EXPRESSION_NODES_MAX as u64)? as usize;
            let (arguments, levels) = stack.pop_many(count)?;
            let callee = stack.pop()?;
            let levels = levels.max(callee.levels).above();
            let callee = Box::new(callee.expression);
            Ok(Node { expression: Expression::Apply { callee, arguments }, levels })
        }
        tag::UNARY => {
            let operator = read_operator(reader, &UNARY_OPERATORS)?;
            let Node { expression, levels } = stack.pop()?;
            let expression = Expression::Unary(operator, Box::new(expression));
            Ok(Node { expression, levels: levels.above() })
        }
        tag::BINARY => {
            let operator = read_operator(reader, &BINARY_OPERATORS)?;
            let (right, left) = (stack.pop()?, stack.pop()?);
            let depth = left.levels.depth.max(right.levels.depth + 1);
            let levels = Levels { depth, ..left.levels.max(right.levels).above() };
            let (left, right) = (Box::new(left.expression), Box::new(right.expression));
            Ok(Node { expression: Expression::Binary(operator, left, right), levels })
        }
        tag::PARENTHESISED => {
            let Node { expression, levels } = stack.pop()?;
            Ok(Node { expression: Expression::Parenthesised(Box::new(expression)), levels: levels.above() })
        }
        tag::ARRAY => {
            let rows = reader.bounded("rows of an array", EXPRESSION_NODES_MAX as u64)? as usize;
            let columns = reader.bounded("columns of an array", EXPRESSION_NODES_MAX as u64)? as usize;
            if rows == 0 || columns == 0 {
                return Err(DecodeError::OutOfBounds { what: "size of an array", value: 0 });
            }
            let (items, levels) = stack.pop_many(rows.saturating_mul(columns))?;
            let mut items = items.into_iter();
            let rows = (0..rows).map(|_| items.by_ref().take(columns).collect()).collect();
            Ok(Node { expression: Expression::Array(rows), levels: levels.above() })
        }
        other => Err(DecodeError::Unknown { what: "part of a formula", value: other.into() }),
    }
}

fn read_operator<T: Copy>(reader: &mut Reader, all: &[T]) -> Result<T, DecodeError> {
    let index = reader.byte()?;
    all.get(usize::from(index)).copied().ok_or(DecodeError::Unknown { what: "operator", value: index.into() })
}

pub(crate) fn read_error(reader: &mut Reader) -> Result<ErrorValue, DecodeError> {
    let code = reader.byte()?;
    ErrorValue::from_code(code).ok_or(DecodeError::Unknown { what: "error value", value: code.into() })
}

/// Reads eight bytes that are a canonical number.
pub(crate) fn read_number_bits(reader: &mut Reader) -> Result<f64, DecodeError> {
    let bits = reader.fixed64()?;
    let number = f64::from_bits(bits);
    match canonical_number(number) {
        Some(canonical) if canonical.to_bits() == bits => Ok(number),
        _ => Err(DecodeError::NotANumber),
    }
}

/// Writes a reference. The first byte encodes its parts: bits 0-1 sheet, bits 2-3 area, bits 4-7
/// which of up to four coordinates are absolute.
fn write_reference(writer: &mut Writer, reference: &Reference) {
    let sheet_kind = match &reference.sheet {
        None => 0,
        Some(SheetReference::Sheet(_)) => 1,
        Some(SheetReference::Sheets(..)) => 2,
        Some(SheetReference::Unknown(_)) => 3,
    };
    let (area_kind, coordinates) = match reference.area {
        Area::Cell(cell) => (0, vec![cell.row, cell.column]),
        Area::Cells(a, b) => (1, vec![a.row, a.column, b.row, b.column]),
        Area::Rows(a, b) => (2, vec![a, b]),
        Area::Columns(a, b) => (3, vec![a, b]),
    };
    let mut head = sheet_kind | area_kind << 2;
    for (index, coordinate) in coordinates.iter().enumerate() {
        head |= u8::from(matches!(coordinate, Coordinate::Absolute(_))) << (4 + index);
    }
    writer.byte(head);
    match &reference.sheet {
        None => {}
        Some(SheetReference::Sheet(sheet)) => writer.varint(sheet.0.into()),
        Some(SheetReference::Sheets(first, last)) => {
            writer.varint(first.0.into());
            writer.varint(last.0.into());
        }
        Some(SheetReference::Unknown(name)) => writer.text(name),
    }
    for coordinate in coordinates {
        match coordinate {
            Coordinate::Absolute(index) => writer.varint(index.into()),
            Coordinate::Relative(offset) => writer.zigzag(offset.into()),
        }
    }
}

fn read_reference(reader: &mut Reader) -> Result<Reference, DecodeError> {
    let head = reader.byte()?;
    let sheet = match head & 3 {
        0 => None,
        1 => Some(SheetReference::Sheet(SheetId(reader.varint32("sheet")?))),
        2 => {
            let first = SheetId(reader.varint32("sheet")?);
            Some(SheetReference::Sheets(first, SheetId(reader.varint32("sheet")?)))
        }
        _ => Some(SheetReference::Unknown(reader.text()?)),
    };
    let mut coordinate = |index: u32, length_max: u32| -> Result<Coordinate, DecodeError> {
        if head >> (4 + index) & 1 == 1 {
            let value = reader.bounded("absolute coordinate", u64::from(length_max - 1))?;
            return Ok(Coordinate::Absolute(value as u32));
        }
        let offset = reader.zigzag()?;
        if offset.unsigned_abs() >= u64::from(length_max) {
            return Err(DecodeError::OutOfBounds {
                what: "relative coordinate",
                value: offset.unsigned_abs(),
            });
        }
        Ok(Coordinate::Relative(offset as i32))
    };
    let (area, used) = match head >> 2 & 3 {
        0 => {
            let (row, column) = (coordinate(0, ROWS_MAX)?, coordinate(1, COLUMNS_MAX)?);
            (Area::Cell(CellReference { row, column }), 2)
        }
        1 => {
            let first = CellReference { row: coordinate(0, ROWS_MAX)?, column: coordinate(1, COLUMNS_MAX)? };
            let last = CellReference { row: coordinate(2, ROWS_MAX)?, column: coordinate(3, COLUMNS_MAX)? };
            (Area::Cells(first, last), 4)
        }
        2 => (Area::Rows(coordinate(0, ROWS_MAX)?, coordinate(1, ROWS_MAX)?), 2),
        _ => (Area::Columns(coordinate(0, COLUMNS_MAX)?, coordinate(1, COLUMNS_MAX)?), 2),
    };
    if u32::from(head) >> (4 + used) != 0 {
        return Err(DecodeError::Unknown { what: "reference", value: head.into() });
    }
    Ok(Reference { sheet, area })
}
