//! [`Expression`]: the syntax tree of a formula in relative form, and [`Template`], which shares
//! it.
//!
//! A relative reference is an offset from the cell that contains the formula, the host. The cells
//! of a filled-down column therefore have equal trees.

use std::hash::{Hash, Hasher};
use std::sync::Arc;

use quadrille_cell::{CellAddress, ErrorValue, SheetId};

use crate::function_name::FunctionName;

/// The cell that contains a formula.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Host {
    pub sheet: SheetId,
    pub cell: CellAddress,
}

/// One coordinate of a reference: zero-based index, or offset from the host's index.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Coordinate {
    Absolute(u32),
    Relative(i32),
}

impl Coordinate {
    /// Returns the index for a host at index `host`. The result may lie outside the sheet; such a
    /// reference evaluates to `#REF!`.
    pub fn resolve(self, host: u32) -> i64 {
        match self {
            Coordinate::Absolute(index) => i64::from(index),
            Coordinate::Relative(offset) => i64::from(host) + i64::from(offset),
        }
    }
}

/// A reference to one cell.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct CellReference {
    pub row: Coordinate,
    pub column: Coordinate,
}

/// The cells of a reference within a sheet. Corners keep the order in which they were written;
/// after filling, the first may lie below or right of the last.
/// [`resolve_area`](crate::resolve_area) orders them.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Area {
    Cell(CellReference),
    Cells(CellReference, CellReference),
    Rows(Coordinate, Coordinate),
    Columns(Coordinate, Coordinate),
}

/// The sheet of a reference. Sheets are identified by id, so that renaming a sheet changes no
/// formula.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum SheetReference {
    Sheet(SheetId),
    /// `Jan:Mar!A1`: a 3-D reference to all sheets from one tab to another.
    Sheets(SheetId, SheetId),
    /// A sheet name that did not exist when the formula was parsed. Evaluates to `#REF!`, unless it
    /// is that of [another workbook](Self::other_workbook); printed as written.
    Unknown(Arc<str>),
}

impl SheetReference {
    /// The workbook and the sheet of a reference to another workbook, `[Book.xlsx]Sheet1!A1`
    /// (ECMA-376 part 1, 18.17.2.3). The sheet is empty in `'[Book.xlsx]'!A1`, which Excel does not have.
    pub fn other_workbook(&self) -> Option<(&str, &str)> {
        let Self::Unknown(written) = self else { return None };
        let (workbook, sheet) = written.strip_prefix('[')?.split_once(']')?;
        (!workbook.is_empty()).then_some((workbook, sheet))
    }
}

/// A reference: a sheet and an area.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Reference {
    /// `None` for the sheet of the host.
    pub sheet: Option<SheetReference>,
    pub area: Area,
}

/// A prefix or postfix operator.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum UnaryOperator {
    Minus,
    Plus,
    Percent,
    /// `@`: the value of the range in the row or column of the host.
    ImplicitIntersection,
    /// `A1#`: the spill range of the cell.
    Spill,
}

/// An infix operator.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum BinaryOperator {
    Add,
    Subtract,
    Multiply,
    Divide,
    Power,
    Concatenate,
    Equal,
    NotEqual,
    Less,
    LessOrEqual,
    Greater,
    GreaterOrEqual,
    /// `A1:INDEX(B:B,3)`: the range between two references that are determined by evaluation.
    Range,
    /// `(A1:B2,C3)`: the union of references. Only inside parentheses.
    Union,
    /// `A1:B2 B1:C3`: the intersection of references, written as a space.
    Intersection,
}

/// A node of the syntax tree. Numbers are finite.
#[derive(Clone, Debug)]
pub enum Expression {
    Number(f64),
    Text(Arc<str>),
    Boolean(bool),
    /// An error constant. References to deleted cells become `#REF!`.
    Error(ErrorValue),
    /// An omitted argument: `IF(A1,,2)`.
    Missing,
    Reference(Reference),
    /// A defined name, a structured reference, or a parameter of LET or LAMBDA. Names are
    /// case-insensitive.
    Name(Arc<str>),
    /// A function call. The name is in upper case, without the `_xlfn.` prefix of files, and may be
    /// unknown.
    Call {
        function: FunctionName,
        arguments: Vec<Expression>,
    },
    /// `LAMBDA(x, x+1)(2)`: a call of the function that an expression returns.
    Apply {
        callee: Box<Expression>,
        arguments: Vec<Expression>,
    },
    Unary(UnaryOperator, Box<Expression>),
    Binary(BinaryOperator, Box<Expression>, Box<Expression>),
    Parenthesised(Box<Expression>),
    /// `{1,2;3,4}`: an array constant. All rows have the same length.
    Array(Vec<Vec<Expression>>),
    /// Text that is not a formula. Printed as written; evaluates to `#NAME?`.
    Invalid(Arc<str>),
}

impl Expression {
    /// The operand at a path of indices from this node: arguments of a call, the sides of an
    /// operator; the callee of an [`Apply`](Expression::Apply) is 0. Indices that do not exist are
    /// ignored.
    pub fn operand_at(&self, path: &[usize]) -> &Expression {
        path.iter().fold(self, |node, index| match (node, index) {
            (Expression::Call { arguments, .. }, index) => arguments.get(*index).unwrap_or(node),
            (Expression::Apply { callee, .. }, 0) => callee,
            (Expression::Apply { arguments, .. }, index) => arguments.get(index - 1).unwrap_or(node),
            (Expression::Unary(_, inner) | Expression::Parenthesised(inner), _) => inner,
            (Expression::Binary(_, left, _), 0) => left,
            (Expression::Binary(_, _, right), _) => right,
            _ => node,
        })
    }

    /// Replaces the operand at a path; see [`operand_at`](Expression::operand_at). Does nothing
    /// when there is none.
    pub fn replace_operand(&mut self, path: &[usize], operand: Expression) {
        let Some((index, rest)) = path.split_first() else {
            *self = operand;
            return;
        };
        let child = match (self, *index) {
            (Expression::Call { arguments, .. }, index) => arguments.get_mut(index),
            (Expression::Apply { callee, .. }, 0) => Some(&mut **callee),
            (Expression::Apply { arguments, .. }, index) => arguments.get_mut(index - 1),
            (Expression::Unary(_, inner) | Expression::Parenthesised(inner), _) => Some(&mut **inner),
            (Expression::Binary(_, left, _), 0) => Some(&mut **left),
            (Expression::Binary(_, _, right), _) => Some(&mut **right),
            _ => None,
        };
        if let Some(child) = child {
            child.replace_operand(rest, operand);
        }
    }
}

impl PartialEq for Expression {
    fn eq(&self, other: &Expression) -> bool {
        use Expression::*;
        match (self, other) {
            (Number(a), Number(b)) => a.to_bits() == b.to_bits(),
            (Text(a), Text(b)) | (Invalid(a), Invalid(b)) | (Name(a), Name(b)) => a == b,
            (Boolean(a), Boolean(b)) => a == b,
            (Error(a), Error(b)) => a == b,
            (Missing, Missing) => true,
            (Reference(a), Reference(b)) => a == b,
            (Call { function: a, arguments: x }, Call { function: b, arguments: y }) => a == b && x == y,
            (Apply { callee: a, arguments: x }, Apply { callee: b, arguments: y }) => a == b && x == y,
            (Unary(a, x), Unary(b, y)) => a == b && x == y,
            (Binary(a, x, p), Binary(b, y, q)) => a == b && x == y && p == q,
            (Parenthesised(a), Parenthesised(b)) => a == b,
            (Array(a), Array(b)) => a == b,
            _ => false,
        }
    }
}

impl Eq for Expression {}

impl Hash for Expression {
    fn hash<H: Hasher>(&self, state: &mut H) {
        std::mem::discriminant(self).hash(state);
        match self {
            Expression::Number(number) => number.to_bits().hash(state),
            Expression::Text(text) | Expression::Invalid(text) | Expression::Name(text) => text.hash(state),
            Expression::Boolean(boolean) => boolean.hash(state),
            Expression::Error(error) => error.hash(state),
            Expression::Missing => {}
            Expression::Reference(reference) => reference.hash(state),
            Expression::Call { function, arguments } => (function, arguments).hash(state),
            Expression::Apply { callee, arguments } => (callee, arguments).hash(state),
            Expression::Unary(operator, operand) => (operator, operand).hash(state),
            Expression::Binary(operator, left, right) => (operator, left, right).hash(state),
            Expression::Parenthesised(inner) => inner.hash(state),
            Expression::Array(rows) => rows.hash(state),
        }
    }
}

/// A formula in relative form, shared by all cells that were filled with it. Cheap to clone;
/// compared by content.
#[derive(Clone, Debug)]
pub struct Template(Arc<Expression>);

impl Template {
    /// Creates a template from a syntax tree.
    pub fn new(expression: Expression) -> Template {
        Template(Arc::new(expression))
    }

    /// Returns the root of the syntax tree.
    pub fn expression(&self) -> &Expression {
        &self.0
    }

    /// Returns the address of the shared allocation, as a key for caches.
    pub fn address(&self) -> usize {
        Arc::as_ptr(&self.0) as usize
    }

    /// Whether both templates share one allocation. `false` does not imply that they differ.
    pub fn is_same(&self, other: &Template) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}

impl PartialEq for Template {
    fn eq(&self, other: &Template) -> bool {
        self.is_same(other) || self.0 == other.0
    }
}

impl Eq for Template {}

impl Hash for Template {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.0.hash(state);
    }
}

/// Rewrites references. `map` returns `None` for references that do not change. Returns `None`
/// without copying the tree when none changes.
pub(crate) fn map_references(
    expression: &Expression,
    map: &mut dyn FnMut(&Reference) -> Option<Expression>,
) -> Option<Expression> {
    map_leaves(expression, &mut |leaf| match leaf {
        Expression::Reference(reference) => map(reference),
        _ => None,
    })
}

/// Replaces names of sheets that did not exist when the formula was parsed. `map` returns `None` for
/// names that do not change.
///
/// Returns `None` when no name changes.
pub fn map_unknown_sheets(
    template: &Template,
    map: &mut dyn FnMut(&str) -> Option<String>,
) -> Option<Template> {
    let mapped = map_references(template.expression(), &mut |reference| {
        let Some(SheetReference::Unknown(written)) = &reference.sheet else { return None };
        let sheet = Some(SheetReference::Unknown(map(written)?.into()));
        Some(Expression::Reference(Reference { sheet, area: reference.area }))
    });
    mapped.map(Template::new)
}

/// Renames names and functions in a template. `map` returns `None` for names that do not change.
/// Parameters of LET and LAMBDA are names too.
///
/// Returns `None` when no name changes.
pub fn map_names(template: &Template, map: &mut dyn FnMut(&str) -> Option<String>) -> Option<Template> {
    let mapped = map_leaves(template.expression(), &mut |leaf| match leaf {
        Expression::Name(name) => map(name).map(|name| Expression::Name(name.into())),
        Expression::Call { function, arguments } => map(function).map(|function| {
            let function = crate::function_name::upper_case(&function);
            Expression::Call { function: function.into(), arguments: arguments.clone() }
        }),
        _ => None,
    });
    mapped.map(Template::new)
}

/// Replaces names in a template with references. `map` returns `None` for names that do not change.
/// A range between two names becomes the range between their references.
///
/// Returns `None` when no name changes.
pub fn map_names_to_references(
    template: &Template,
    map: &mut dyn FnMut(&str) -> Option<Reference>,
) -> Option<Template> {
    let mapped = map_leaves(template.expression(), &mut |leaf| match leaf {
        Expression::Name(name) => map(name).map(Expression::Reference),
        Expression::Binary(BinaryOperator::Range, left, right) => match (&**left, &**right) {
            (Expression::Name(left), Expression::Name(right)) => {
                let (left, right) = (map(left)?, map(right)?);
                let (first, last) = match (left.area, right.area) {
                    (Area::Cell(first) | Area::Cells(first, _), Area::Cell(last) | Area::Cells(_, last)) => {
                        (first, last)
                    }
                    _ => return None,
                };
                let area = Area::Cells(first, last);
                (left.sheet == right.sheet).then_some(Expression::Reference(Reference { area, ..left }))
            }
            _ => None,
        },
        _ => None,
    });
    mapped.map(Template::new)
}

/// Rewrites references, names, range operators and calls; a call before its arguments. Returns
/// `None` when nothing changes.
pub fn map_leaves(
    expression: &Expression,
    map: &mut dyn FnMut(&Expression) -> Option<Expression>,
) -> Option<Expression> {
    match expression {
        Expression::Reference(_) | Expression::Name(_) => map(expression),
        Expression::Call { arguments, .. } => {
            let called = map(expression);
            let mapped = map_operands(expression, &mut |argument| map_leaves(argument, map));
            match called {
                Some(Expression::Call { function, .. }) => {
                    let arguments = match mapped {
                        Some(Expression::Call { arguments, .. }) => arguments,
                        _ => arguments.clone(),
                    };
                    Some(Expression::Call { function, arguments })
                }
                _ => mapped,
            }
        }
        Expression::Binary(BinaryOperator::Range, ..) => {
            map(expression).or_else(|| map_operands(expression, &mut |operand| map_leaves(operand, map)))
        }
        _ => map_operands(expression, &mut |operand| map_leaves(operand, map)),
    }
}

/// Rewrites the operands of an expression: the arguments of a call, the sides of an operator. `map`
/// returns `None` for operands that do not change. Returns `None` without copying the tree when none
/// changes.
pub fn map_operands(
    expression: &Expression,
    map: &mut dyn FnMut(&Expression) -> Option<Expression>,
) -> Option<Expression> {
    match expression {
        Expression::Call { function, arguments } => map_all(arguments, map)
            .map(|arguments| Expression::Call { function: function.clone(), arguments }),
        Expression::Apply { callee, arguments } => {
            let new_callee = map(callee);
            let new_arguments = map_all(arguments, map);
            if new_callee.is_none() && new_arguments.is_none() {
                return None;
            }
            Some(Expression::Apply {
                callee: new_callee.map_or_else(|| callee.clone(), Box::new),
                arguments: new_arguments.unwrap_or_else(|| arguments.clone()),
            })
        }
        Expression::Unary(operator, operand) => {
            map(operand).map(|operand| Expression::Unary(*operator, Box::new(operand)))
        }
        Expression::Binary(operator, left, right) => {
            let (new_left, new_right) = (map(left), map(right));
            if new_left.is_none() && new_right.is_none() {
                return None;
            }
            Some(Expression::Binary(
                *operator,
                new_left.map_or_else(|| left.clone(), Box::new),
                new_right.map_or_else(|| right.clone(), Box::new),
            ))
        }
        Expression::Parenthesised(inner) => {
            map(inner).map(|inner| Expression::Parenthesised(Box::new(inner)))
        }
        Expression::Reference(_)
        | Expression::Name(_)
        | Expression::Number(_)
        | Expression::Text(_)
        | Expression::Boolean(_)
        | Expression::Error(_)
        | Expression::Missing
        | Expression::Array(_)
        | Expression::Invalid(_) => None,
    }
}

fn map_all(
    expressions: &[Expression],
    map: &mut dyn FnMut(&Expression) -> Option<Expression>,
) -> Option<Vec<Expression>> {
    let mut mapped: Option<Vec<Expression>> = None;
    for (position, expression) in expressions.iter().enumerate() {
        let new = map(expression);
        if mapped.is_none() && new.is_some() {
            mapped = Some(expressions[..position].to_vec());
        }
        if let Some(mapped) = &mut mapped {
            mapped.push(new.unwrap_or_else(|| expression.clone()));
        }
    }
    mapped
}
