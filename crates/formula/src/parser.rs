//! The parser: an operator precedence (Pratt) parser over the lexemes of a formula.

use std::borrow::Cow;
use std::sync::Arc;

use quadrille_cell::{CellAddress, parse_column_name};

use crate::characters::is_name_start;
use crate::function_name::upper_case;
use crate::lexer::{Lexed, Lexeme, Lexer, Prefix};
use crate::limits::{ARGUMENTS_MAX, Extent, LENGTH_MAX, NESTING_MAX};
use crate::precedence::{self, Precedence};
use crate::scoped_names::{name_scope, scoped_name};
use crate::structured::{optional_parameter, read_structured, structured_name};
use crate::{
    Area, BinaryOperator, Expression, Host, Reference, SheetNames, SheetReference, Template, UnaryOperator,
};

/// Parses a formula without its `=`. Never fails: text that is not a formula or exceeds the limits
/// becomes [`Expression::Invalid`] with the text.
pub fn parse(text: &str, host: Host, sheets: &dyn SheetNames) -> Template {
    Template::new(parse_expression(text, host, sheets).unwrap_or_else(|_| Expression::Invalid(text.into())))
}

/// The text is not a formula or exceeds a limit.
struct NotAFormula;

type Parsed<T> = Result<T, NotAFormula>;

fn parse_expression(text: &str, host: Host, sheets: &dyn SheetNames) -> Parsed<Expression> {
    if text.len() > LENGTH_MAX && text.chars().count() > LENGTH_MAX {
        return Err(NotAFormula);
    }
    let mut lexer = Lexer::new(text, host.cell);
    let next = lexer.next();
    let mut parser = Parser { text, lexer, next, sheets, nesting: 0, is_union_allowed: true };
    let tree = parser.expression(precedence::LOWEST)?;
    match parser.next.lexeme {
        Lexeme::End => Ok(tree.expression),
        _ => Err(NotAFormula),
    }
}

struct Parser<'a> {
    text: &'a str,
    lexer: Lexer<'a>,
    /// The lexeme not yet consumed.
    next: Lexed,
    sheets: &'a dyn SheetNames,
    nesting: u32,
    /// Whether a comma is the union operator here. Directly among arguments it is a separator.
    is_union_allowed: bool,
}

/// An expression with its extent.
struct Tree {
    expression: Expression,
    extent: Extent,
}

impl Tree {
    fn leaf(expression: Expression) -> Tree {
        Tree { expression, extent: Extent::LEAF }
    }

    /// Rejects a tree beyond the limits. It exceeds them by at most one node, so dropping it
    /// recursively is safe.
    fn within_limits(expression: Expression, extent: Extent) -> Parsed<Tree> {
        if extent.is_within_limits() { Ok(Tree { expression, extent }) } else { Err(NotAFormula) }
    }
}

impl<'a> Parser<'a> {
    fn advance(&mut self) -> Lexed {
        let next = self.lexer.next();
        std::mem::replace(&mut self.next, next)
    }

    fn expect(&mut self, lexeme: Lexeme) -> Parsed<()> {
        if self.next.lexeme != lexeme {
            return Err(NotAFormula);
        }
        self.advance();
        Ok(())
    }

    fn enter(&mut self) -> Parsed<()> {
        self.nesting += 1;
        if self.nesting > NESTING_MAX { Err(NotAFormula) } else { Ok(()) }
    }

    fn leave(&mut self) {
        self.nesting -= 1;
    }

    /// Parses an expression of operators that bind at least as tightly as `minimum`.
    fn expression(&mut self, minimum: Precedence) -> Parsed<Tree> {
        let mut left = self.operand(minimum)?;
        loop {
            let operator = match self.next.lexeme {
                Lexeme::Operator(operator) => operator,
                Lexeme::Plus => BinaryOperator::Add,
                Lexeme::Minus => BinaryOperator::Subtract,
                Lexeme::Comma if self.is_union_allowed => BinaryOperator::Union,
                Lexeme::Percent => {
                    if precedence::PERCENT < minimum {
                        return Ok(left);
                    }
                    self.advance();
                    left = unary(UnaryOperator::Percent, left)?;
                    continue;
                }
                _ if self.is_intersection(&left.expression) => {
                    if precedence::INTERSECTION < minimum {
                        return Ok(left);
                    }
                    let right = self.expression(precedence::INTERSECTION + 1)?;
                    left = binary(BinaryOperator::Intersection, left, right)?;
                    continue;
                }
                _ => return Ok(left),
            };
            let binding = precedence::of_binary(operator);
            if binding < minimum {
                return Ok(left);
            }
            self.advance();
            let right = self.expression(binding + 1)?;
            left = binary(operator, left, right)?;
        }
    }

    /// Whether the space before the next lexeme is the intersection operator.
    fn is_intersection(&self, left: &Expression) -> bool {
        self.next.has_space_before
            && matches!(
                self.next.lexeme,
                Lexeme::Reference { .. }
                    | Lexeme::Name
                    | Lexeme::Structured { .. }
                    | Lexeme::Function
                    | Lexeme::Open
                    | Lexeme::Error(_)
                    | Lexeme::At
            )
            && can_be_reference(left)
    }

    /// Parses an operand with its prefix and postfix operators.
    fn operand(&mut self, minimum: Precedence) -> Parsed<Tree> {
        let (operator, binding) = match self.next.lexeme {
            Lexeme::Minus => (UnaryOperator::Minus, precedence::SIGN),
            Lexeme::Plus => (UnaryOperator::Plus, precedence::SIGN),
            Lexeme::At => (UnaryOperator::ImplicitIntersection, precedence::IMPLICIT_INTERSECTION),
            _ => return self.postfixed(minimum),
        };
        self.advance();
        self.enter()?;
        let operand = self.expression(binding.max(minimum))?;
        self.leave();
        unary(operator, operand)
    }

    /// Parses a primary with spill operators and calls of its value: `A1#`, `LAMBDA(x,x)(1)`.
    fn postfixed(&mut self, minimum: Precedence) -> Parsed<Tree> {
        let is_structured = matches!(self.next.lexeme, Lexeme::Structured { .. });
        let primary = self.primary()?;
        // The text of `T[[a]:[b]]` needs no parentheses, its range expression does.
        let mut tree = if is_structured { bound_below(minimum, primary)? } else { primary };
        loop {
            match self.next.lexeme {
                Lexeme::Hash if can_be_reference(&tree.expression) => {
                    self.advance();
                    tree = spill(tree)?;
                }
                Lexeme::Open if !self.next.has_space_before && is_callable(&tree.expression) => {
                    self.advance();
                    let (arguments, extent) = self.arguments()?;
                    let extent = tree.extent.above().max(around_arguments(&arguments, extent));
                    let callee = Box::new(tree.expression);
                    tree = Tree::within_limits(Expression::Apply { callee, arguments }, extent)?;
                }
                _ => return Ok(tree),
            }
        }
    }

    fn primary(&mut self) -> Parsed<Tree> {
        let Lexed { lexeme, start, end, .. } = self.advance();
        let written = &self.text[start..end];
        match lexeme {
            Lexeme::Number(number) => Ok(Tree::leaf(Expression::Number(number))),
            Lexeme::Text => Ok(Tree::leaf(Expression::Text(unquoted(written)))),
            Lexeme::Boolean(boolean) => Ok(Tree::leaf(Expression::Boolean(boolean))),
            Lexeme::Error(error) => Ok(Tree::leaf(Expression::Error(error))),
            Lexeme::Reference { prefix, area, trim } => {
                let sheet = prefix.map(|prefix| self.sheet(prefix));
                let reference = Expression::Reference(Reference { sheet, area });
                if trim == 0 { Ok(Tree::leaf(reference)) } else { trimmed(reference, trim, Extent::LEAF) }
            }
            Lexeme::Name => {
                let name = name_without_file_prefix(written);
                if let Some(optional) = optional_in_file(name) {
                    return Ok(Tree::leaf(Expression::Name(optional.into())));
                }
                Ok(Tree::leaf(Expression::Name(match name.rsplit_once('!') {
                    Some((sheet, local)) => self.name_of_sheet(sheet, local).unwrap_or_else(|| name.into()),
                    None => name.into(),
                })))
            }
            Lexeme::Structured { table_end } => structured(written, table_end - start),
            Lexeme::Function => self.call(written),
            Lexeme::Open => {
                self.enter()?;
                let outside = std::mem::replace(&mut self.is_union_allowed, true);
                let inner = self.expression(precedence::LOWEST)?;
                self.is_union_allowed = outside;
                self.leave();
                self.expect(Lexeme::Close)?;
                parenthesised(inner)
            }
            Lexeme::OpenBrace => self.array(),
            _ => Err(NotAFormula),
        }
    }

    fn call(&mut self, written: &str) -> Parsed<Tree> {
        self.expect(Lexeme::Open)?;
        let (mut arguments, extent) = self.arguments()?;
        let name = without_file_prefix(written);
        let is_from_file = name.len() < written.len();
        // Files store these two operators as functions.
        let operator = match name {
            "SINGLE" if is_from_file => Some(UnaryOperator::ImplicitIntersection),
            "ANCHORARRAY" if is_from_file && arguments.iter().all(can_be_reference) => {
                Some(UnaryOperator::Spill)
            }
            _ => None,
        };
        if let (Some(operator), 1) = (operator, arguments.len()) {
            let operand = Tree { expression: arguments.remove(0), extent };
            return match operator {
                UnaryOperator::Spill => spill(operand),
                _ => unary(operator, bound_below(precedence::POSTFIX, operand)?),
            };
        }
        let trim = match name {
            "_TRO_LEADING" => 1,
            "_TRO_TRAILING" => 2,
            "_TRO_ALL" => 3,
            _ => 0,
        };
        if is_from_file && trim > 0 && arguments.len() == 1 {
            return trimmed(arguments.remove(0), trim, extent);
        }
        let extent = around_arguments(&arguments, extent);
        Tree::within_limits(Expression::Call { function: upper_case(name).into(), arguments }, extent)
    }

    /// Parses the arguments after the opening parenthesis of a call; returns them with their
    /// extent.
    fn arguments(&mut self) -> Parsed<(Vec<Expression>, Extent)> {
        if self.next.lexeme == Lexeme::Close {
            self.advance();
            return Ok((Vec::new(), Extent::NONE));
        }
        self.enter()?;
        let outside = std::mem::replace(&mut self.is_union_allowed, false);
        let mut arguments = Vec::new();
        let mut extent = Extent::NONE;
        loop {
            let argument = match self.next.lexeme {
                Lexeme::Comma | Lexeme::Close => Tree::leaf(Expression::Missing),
                _ => self.expression(precedence::LOWEST)?,
            };
            extent = extent.max(argument.extent);
            arguments.push(argument.expression);
            if arguments.len() > ARGUMENTS_MAX {
                return Err(NotAFormula);
            }
            match self.advance().lexeme {
                Lexeme::Comma => {}
                Lexeme::Close => break,
                _ => return Err(NotAFormula),
            }
        }
        self.is_union_allowed = outside;
        self.leave();
        Ok((arguments, extent))
    }

    /// Parses an array constant after its opening brace.
    fn array(&mut self) -> Parsed<Tree> {
        let mut rows = vec![Vec::new()];
        loop {
            let element = self.array_element()?;
            let row: &mut Vec<Expression> = rows.last_mut().ok_or(NotAFormula)?;
            row.push(element);
            match self.advance().lexeme {
                Lexeme::Comma => {}
                Lexeme::Semicolon => rows.push(Vec::new()),
                Lexeme::CloseBrace => break,
                _ => return Err(NotAFormula),
            }
        }
        let columns = rows[0].len();
        if rows.iter().any(|row| row.len() != columns) {
            return Err(NotAFormula);
        }
        Tree::within_limits(Expression::Array(rows), Extent::LEAF.above())
    }

    fn array_element(&mut self) -> Parsed<Expression> {
        let Lexed { lexeme, start, end, .. } = self.advance();
        match lexeme {
            Lexeme::Number(number) => Ok(Expression::Number(number)),
            Lexeme::Text => Ok(Expression::Text(unquoted(&self.text[start..end]))),
            Lexeme::Boolean(boolean) => Ok(Expression::Boolean(boolean)),
            Lexeme::Error(error) => Ok(Expression::Error(error)),
            Lexeme::Plus | Lexeme::Minus => match self.advance().lexeme {
                // Adding zero normalizes negative zero.
                Lexeme::Number(number) if lexeme == Lexeme::Minus => Ok(Expression::Number(-number + 0.0)),
                Lexeme::Number(number) => Ok(Expression::Number(number)),
                _ => Err(NotAFormula),
            },
            _ => Err(NotAFormula),
        }
    }

    /// Returns the scoped spelling of a name with a sheet; `None` when the sheet does not exist.
    fn name_of_sheet(&self, sheet: &str, name: &str) -> Option<Arc<str>> {
        let id = self.sheets.sheet_id(&without_quotes(sheet))?;
        Some(scoped_name(id, name).into())
    }

    fn sheet(&self, prefix: Prefix) -> SheetReference {
        let name = &*without_quotes(&self.text[prefix.start as usize..prefix.end as usize]);
        if let Some(id) = self.sheets.sheet_id(name) {
            return SheetReference::Sheet(id);
        }
        let ends = name.split_once(':').and_then(|(first, last)| {
            Some(SheetReference::Sheets(self.sheets.sheet_id(first)?, self.sheets.sheet_id(last)?))
        });
        ends.unwrap_or_else(|| SheetReference::Unknown(name.into()))
    }
}

/// Returns the extent of a call. A call without arguments adds no nesting.
fn around_arguments(arguments: &[Expression], extent: Extent) -> Extent {
    if arguments.is_empty() { extent.above() } else { extent.around() }
}

/// Converts a trim reference such as `A1.:.B9` to a call of TRIMRANGE.
fn trimmed(range: Expression, trim: u8, extent: Extent) -> Parsed<Tree> {
    let edges = Expression::Number(f64::from(trim));
    let call =
        Expression::Call { function: "TRIMRANGE".into(), arguments: vec![range, edges.clone(), edges] };
    Tree::within_limits(call, extent.max(Extent::LEAF).around())
}

fn unary(operator: UnaryOperator, operand: Tree) -> Parsed<Tree> {
    let extent = match operator {
        UnaryOperator::Minus | UnaryOperator::Plus | UnaryOperator::ImplicitIntersection => {
            operand.extent.around()
        }
        UnaryOperator::Percent | UnaryOperator::Spill => operand.extent.above(),
    };
    Tree::within_limits(Expression::Unary(operator, Box::new(operand.expression)), extent)
}

fn spill(operand: Tree) -> Parsed<Tree> {
    let is_bare = precedence::allows_bare_operand(UnaryOperator::Spill, &operand.expression);
    unary(UnaryOperator::Spill, if is_bare { operand } else { parenthesised(operand)? })
}

/// Builds a binary operation. Rejects reference operators on operands that cannot be references.
fn binary(operator: BinaryOperator, left: Tree, right: Tree) -> Parsed<Tree> {
    let left = match operator {
        BinaryOperator::Range | BinaryOperator::Intersection if can_be_reference(&left.expression) => {
            // Without parentheses the last cell would bind to the right: `B:@C1:D2` parses `C1:D2`
            // first.
            let is_open = operator == BinaryOperator::Range && ends_intersected(&left.expression);
            if is_open { parenthesised(left)? } else { bound_below(precedence::of_binary(operator), left)? }
        }
        _ => left,
    };
    // `name _xlfn.SINGLE(x)#` in a file is no call, but `name (@x)#` is.
    let is_like_call = operator == BinaryOperator::Intersection
        && last_name(&left.expression).is_some()
        && starts_with_parenthesis(&right.expression);
    let left = if is_like_call { parenthesised(left)? } else { left };
    let extent = Extent::above_operands(left.extent, right.extent);
    if matches!(operator, BinaryOperator::Range | BinaryOperator::Intersection | BinaryOperator::Union) {
        if !can_be_reference(&left.expression) || !can_be_reference(&right.expression) {
            return Err(NotAFormula);
        }
        // `_xlpm.a:_xlpm.b` in a file is a range of parameters, but `a:b` is whole columns.
        if operator == BinaryOperator::Range
            && last_name(&left.expression).is_some_and(is_column)
            && starts_with_column(&right.expression)
        {
            return Err(NotAFormula);
        }
    }
    let (left, right) = (Box::new(left.expression), Box::new(right.expression));
    Tree::within_limits(Expression::Binary(operator, left, right), extent)
}

/// Whether the last operand is `@` with cells. Only `_xlfn.SINGLE(…)` of a file can precede further
/// operators in this form.
fn ends_intersected(expression: &Expression) -> bool {
    match expression {
        Expression::Binary(_, _, right) => ends_intersected(right),
        Expression::Unary(UnaryOperator::ImplicitIntersection, operand) => {
            matches!(**operand, Expression::Reference(_)) || ends_intersected(operand)
        }
        _ => false,
    }
}

fn starts_with_parenthesis(expression: &Expression) -> bool {
    match expression {
        Expression::Parenthesised(_) => true,
        Expression::Binary(_, left, _) => starts_with_parenthesis(left),
        Expression::Unary(UnaryOperator::Spill | UnaryOperator::Percent, operand) => {
            starts_with_parenthesis(operand)
        }
        Expression::Apply { callee, .. } => starts_with_parenthesis(callee),
        _ => false,
    }
}

/// Parses a structured reference: one name, or the range from the first to the last column.
fn structured(written: &str, table_length: usize) -> Parsed<Tree> {
    let (table, brackets) = written.split_at(table_length);
    // `_xlfn.T[]` is the name `_xlfn.T`.
    let table = name_without_file_prefix(table);
    // Tables cannot have the name TRUE or that of a parameter in a file.
    if !table.is_empty() && (!is_name(table) || optional_in_file(table).is_some()) {
        return Err(NotAFormula);
    }
    let read = read_structured(&brackets[1..brackets.len() - 1]).ok_or(NotAFormula)?;
    let name = |column: Option<&String>| {
        let name = structured_name(table, read.rows, column.map(String::as_str));
        Tree::leaf(Expression::Name(name.into()))
    };
    match read.columns.as_slice() {
        [first, last] => binary(BinaryOperator::Range, name(Some(first)), name(Some(last))),
        columns => Ok(name(columns.first())),
    }
}

/// Adds parentheses to an operand that binds less tightly than `minimum`. Its text has none when a
/// file wrote `_xlfn.SINGLE(…)` for `@`, or for several columns of a table.
fn bound_below(minimum: Precedence, operand: Tree) -> Parsed<Tree> {
    if precedence::of(&operand.expression) >= minimum { Ok(operand) } else { parenthesised(operand) }
}

fn parenthesised(inner: Tree) -> Parsed<Tree> {
    let extent = inner.extent.around();
    Tree::within_limits(Expression::Parenthesised(Box::new(inner.expression)), extent)
}

/// Whether an expression can evaluate to a reference and so be an operand of a reference operator.
pub(crate) fn can_be_reference(expression: &Expression) -> bool {
    match expression {
        Expression::Reference(_)
        | Expression::Name(_)
        | Expression::Error(_)
        | Expression::Call { .. }
        | Expression::Apply { .. }
        | Expression::Parenthesised(_)
        | Expression::Unary(UnaryOperator::Spill, _) => true,
        Expression::Unary(UnaryOperator::ImplicitIntersection, operand) => can_be_reference(operand),
        Expression::Binary(operator, ..) => {
            matches!(operator, BinaryOperator::Range | BinaryOperator::Intersection | BinaryOperator::Union)
        }
        _ => false,
    }
}

fn is_column(name: &str) -> bool {
    parse_column_name(name.rsplit('!').next().unwrap_or(name)).is_some()
}

/// Whether the text of the right operand of `:` starts with column letters.
fn starts_with_column(expression: &Expression) -> bool {
    match expression {
        // A table can have such a name when brackets follow.
        Expression::Name(name) => is_column(name.split('[').next().unwrap_or(name)),
        Expression::Reference(Reference { sheet, area }) => match sheet {
            None => matches!(area, Area::Columns(..)),
            Some(SheetReference::Sheet(_)) => false,
            Some(SheetReference::Sheets(..) | SheetReference::Unknown(_)) => true,
        },
        Expression::Unary(UnaryOperator::Spill, operand) => starts_with_column(operand),
        _ => false,
    }
}

/// Returns the name or Boolean at the end of the expression's text, if any.
pub(crate) fn last_name(expression: &Expression) -> Option<&str> {
    match expression {
        Expression::Name(name) => Some(name_scope(name).map_or(name, |(_, name)| name)),
        Expression::Boolean(true) => Some("TRUE"),
        Expression::Boolean(false) => Some("FALSE"),
        Expression::Binary(_, _, last) => last_name(last),
        Expression::Unary(UnaryOperator::Percent | UnaryOperator::Spill, _) => None,
        Expression::Unary(_, operand) => last_name(operand),
        _ => None,
    }
}

/// Whether a parenthesis directly after the expression calls its value.
pub(crate) fn is_callable(expression: &Expression) -> bool {
    matches!(expression, Expression::Call { .. } | Expression::Apply { .. } | Expression::Parenthesised(_))
}

/// Removes the quotes of a text constant and unescapes doubled quotes.
fn unquoted(written: &str) -> Arc<str> {
    let inner = &written[1..written.len() - 1];
    if inner.contains('"') { inner.replace("\"\"", "\"").into() } else { inner.into() }
}

/// Removes the apostrophes around a sheet name or sheet range.
fn without_quotes(written: &str) -> Cow<'_, str> {
    match written.strip_prefix('\'').and_then(|rest| rest.strip_suffix('\'')) {
        Some(quoted) if quoted.contains('\'') => quoted.replace("''", "'").into(),
        Some(quoted) => quoted.into(),
        None => written.into(),
    }
}

/// Removes the prefixes that XLSX files add to newer functions and to parameters.
fn without_file_prefix(name: &str) -> &str {
    const PREFIXES: [&str; 6] = ["_xlfn.", "_xlws.", "_xludf.", "_xlpm.", "_xleta.", "_xll."];
    let mut rest = name;
    while rest.starts_with('_') {
        let prefix = PREFIXES.iter().find(|prefix| {
            rest.len() > prefix.len()
                && rest.as_bytes()[..prefix.len()].eq_ignore_ascii_case(prefix.as_bytes())
        });
        match prefix.map(|prefix| &rest[prefix.len()..]) {
            Some(shorter) if shorter.starts_with(is_name_start) => rest = shorter,
            _ => break,
        }
    }
    rest
}

/// As [`without_file_prefix`] for names, which keep the prefix if the rest would be a cell
/// reference.
fn name_without_file_prefix(written: &str) -> &str {
    match without_file_prefix(written) {
        shorter if shorter.len() < written.len() && !is_name(shorter) => written,
        name => name,
    }
}

/// Converts the optional parameter `_xlop.y` of a file to `[y]`.
fn optional_in_file(written: &str) -> Option<String> {
    const PREFIX: &str = "_xlop.";
    let name = written.get(PREFIX.len()..)?;
    let bracketed = format!("[{name}]");
    let is_optional = written[..PREFIX.len()].eq_ignore_ascii_case(PREFIX) && is_name(name);
    (is_optional && optional_parameter(&bracketed).is_some()).then_some(bracketed)
}

/// Whether the whole text is a name.
fn is_name(text: &str) -> bool {
    let lexed = Lexer::new(text, CellAddress::default()).next();
    lexed.lexeme == Lexeme::Name && lexed.end == text.len()
}
