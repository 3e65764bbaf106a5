//! From lexemes to a tree, by operator precedence (Pratt).

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

/// Reads what stands after the `=`. Never fails: what is no formula, or beyond the limits, becomes
/// [`Expression::Invalid`] holding the text.
pub fn parse(text: &str, host: Host, sheets: &dyn SheetNames) -> Template {
    Template::new(parse_expression(text, host, sheets).unwrap_or_else(|_| Expression::Invalid(text.into())))
}

/// The text is no formula, or goes beyond a limit.
struct NotAFormula;

type Parsed<T> = Result<T, NotAFormula>;

fn parse_expression(text: &str, host: Host, sheets: &dyn SheetNames) -> Parsed<Expression> {
    if text.len() > LENGTH_MAX && text.chars().count() > LENGTH_MAX {
        return Err(NotAFormula);
    }
    let mut lexer = Lexer::new(text, host.cell);
    let next = lexer.next();
    let mut parser = Parser { text, lexer, next, sheets, nesting: 0, unions_allowed: true };
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
    /// Whether a comma unites references here; directly among arguments it separates them.
    unions_allowed: bool,
}

/// An expression and how far it extends.
struct Tree {
    expression: Expression,
    extent: Extent,
}

impl Tree {
    fn leaf(expression: Expression) -> Tree {
        Tree { expression, extent: Extent::LEAF }
    }

    /// Refuses what extends too far. The tree itself is beyond the limit by one node then, so dropping it is safe.
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

    /// Everything that binds at least as tightly as `minimum`.
    fn expression(&mut self, minimum: Precedence) -> Parsed<Tree> {
        let mut left = self.operand(minimum)?;
        loop {
            let operator = match self.next.lexeme {
                Lexeme::Operator(operator) => operator,
                Lexeme::Plus => BinaryOperator::Add,
                Lexeme::Minus => BinaryOperator::Subtract,
                Lexeme::Comma if self.unions_allowed => BinaryOperator::Union,
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

    /// Whether the blank before the next lexeme intersects what stands on its two sides.
    fn is_intersection(&self, left: &Expression) -> bool {
        self.next.blank_before
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
            && may_be_reference(left)
    }

    /// An operand with the signs before it and what is attached behind it.
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

    /// A primary with the `#` of a spill and the arguments of a call of its value: `A1#`, `LAMBDA(x,x)(1)`.
    fn postfixed(&mut self, minimum: Precedence) -> Parsed<Tree> {
        let is_structured = matches!(self.next.lexeme, Lexeme::Structured { .. });
        let primary = self.primary()?;
        // Only its brackets keep `T[[a]:[b]]` together.
        let mut tree = if is_structured { bound_below(minimum, primary)? } else { primary };
        loop {
            match self.next.lexeme {
                Lexeme::Hash if may_be_reference(&tree.expression) => {
                    self.advance();
                    tree = spill(tree)?;
                }
                Lexeme::Open if !self.next.blank_before && is_callable(&tree.expression) => {
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
                let outside = std::mem::replace(&mut self.unions_allowed, true);
                let inner = self.expression(precedence::LOWEST)?;
                self.unions_allowed = outside;
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
        // Files write these two operators as functions.
        let operator = match name {
            "SINGLE" if is_from_file => Some(UnaryOperator::ImplicitIntersection),
            "ANCHORARRAY" if is_from_file && arguments.iter().all(may_be_reference) => {
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

    /// What follows the opening parenthesis of a call, and how far they extend.
    fn arguments(&mut self) -> Parsed<(Vec<Expression>, Extent)> {
        if self.next.lexeme == Lexeme::Close {
            self.advance();
            return Ok((Vec::new(), Extent::NONE));
        }
        self.enter()?;
        let outside = std::mem::replace(&mut self.unions_allowed, false);
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
        self.unions_allowed = outside;
        self.leave();
        Ok((arguments, extent))
    }

    /// What follows the opening brace of `{1,2;3,4}`.
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
                // Adding zero takes the sign from a negative zero.
                Lexeme::Number(number) if lexeme == Lexeme::Minus => Ok(Expression::Number(-number + 0.0)),
                Lexeme::Number(number) => Ok(Expression::Number(number)),
                _ => Err(NotAFormula),
            },
            _ => Err(NotAFormula),
        }
    }

    /// `None` when there is no such sheet.
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

/// Nothing is inside `PI()`.
fn around_arguments(arguments: &[Expression], extent: Extent) -> Extent {
    if arguments.is_empty() { extent.above() } else { extent.around() }
}

/// `A1.:.B9` is a way to write TRIMRANGE.
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
    let takes_bare = precedence::takes_bare(UnaryOperator::Spill, &operand.expression);
    unary(UnaryOperator::Spill, if takes_bare { operand } else { parenthesised(operand)? })
}

/// Refuses reference operators on what can be no reference.
fn binary(operator: BinaryOperator, left: Tree, right: Tree) -> Parsed<Tree> {
    let left = match operator {
        BinaryOperator::Range | BinaryOperator::Intersection if may_be_reference(&left.expression) => {
            // Its last cell would take what follows along: `B:@C1:D2` reads `C1:D2` first.
            let is_open = operator == BinaryOperator::Range && ends_intersected(&left.expression);
            if is_open { parenthesised(left)? } else { bound_below(precedence::of_binary(operator), left)? }
        }
        _ => left,
    };
    // Only the prefixes of a file keep `name _xlfn.SINGLE(x)#` from being a call, as `name (@x)#` is.
    let is_like_call = operator == BinaryOperator::Intersection
        && last_name(&left.expression).is_some()
        && starts_with_parenthesis(&right.expression);
    let left = if is_like_call { parenthesised(left)? } else { left };
    let extent = Extent::above_operands(left.extent, right.extent);
    if matches!(operator, BinaryOperator::Range | BinaryOperator::Intersection | BinaryOperator::Union) {
        if !may_be_reference(&left.expression) || !may_be_reference(&right.expression) {
            return Err(NotAFormula);
        }
        // Only the prefixes of a file keep `_xlpm.a:_xlpm.b` from being whole columns.
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

/// Whether the last operand is `@` and cells, as only a file's `_xlfn.SINGLE(…)` puts them before more operators.
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

/// A reference to a table: one name, or for several columns the range from the first to the last.
fn structured(written: &str, table_length: usize) -> Parsed<Tree> {
    let (table, brackets) = written.split_at(table_length);
    // `_xlfn.T[]` is the name `_xlfn.T`.
    let table = name_without_file_prefix(table);
    // No table is called TRUE, or as a file writes a parameter: without its brackets that is something else.
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

/// Parentheses round an operand that binds less tightly than `minimum`, where its text has none because a file
/// wrote `_xlfn.SINGLE(…)` for `@`, or because it is several columns of a table.
fn bound_below(minimum: Precedence, operand: Tree) -> Parsed<Tree> {
    if precedence::of(&operand.expression) >= minimum { Ok(operand) } else { parenthesised(operand) }
}

fn parenthesised(inner: Tree) -> Parsed<Tree> {
    let extent = inner.extent.around();
    Tree::within_limits(Expression::Parenthesised(Box::new(inner.expression)), extent)
}

/// Whether an expression can yield a reference, and so stand beside `:`, a blank or a uniting comma.
pub(crate) fn may_be_reference(expression: &Expression) -> bool {
    match expression {
        Expression::Reference(_)
        | Expression::Name(_)
        | Expression::Error(_)
        | Expression::Call { .. }
        | Expression::Apply { .. }
        | Expression::Parenthesised(_)
        | Expression::Unary(UnaryOperator::Spill, _) => true,
        Expression::Unary(UnaryOperator::ImplicitIntersection, operand) => may_be_reference(operand),
        Expression::Binary(operator, ..) => {
            matches!(operator, BinaryOperator::Range | BinaryOperator::Intersection | BinaryOperator::Union)
        }
        _ => false,
    }
}

fn is_column(name: &str) -> bool {
    parse_column_name(name.rsplit('!').next().unwrap_or(name)).is_some()
}

/// Whether the text of what follows `:` starts with the letters of a column.
fn starts_with_column(expression: &Expression) -> bool {
    match expression {
        // A table may be called so, as long as brackets stand behind it.
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

/// The word that the expression's text ends with, if it does.
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

/// Whether a parenthesis directly behind calls the value of the expression.
pub(crate) fn is_callable(expression: &Expression) -> bool {
    matches!(expression, Expression::Call { .. } | Expression::Apply { .. } | Expression::Parenthesised(_))
}

/// What stands between quotes, with doubled ones made single.
fn unquoted(written: &str) -> Arc<str> {
    let inner = &written[1..written.len() - 1];
    if inner.contains('"') { inner.replace("\"\"", "\"").into() } else { inner.into() }
}

/// The name of a sheet, or of two, without the quotes round it.
fn without_quotes(written: &str) -> Cow<'_, str> {
    match written.strip_prefix('\'').and_then(|rest| rest.strip_suffix('\'')) {
        Some(quoted) if quoted.contains('\'') => quoted.replace("''", "'").into(),
        Some(quoted) => quoted.into(),
        None => written.into(),
    }
}

/// Without the prefixes that XLSX files put before newer functions and before parameters.
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

/// The same for a name, which keeps its prefix where it could be a cell without.
fn name_without_file_prefix(written: &str) -> &str {
    match without_file_prefix(written) {
        shorter if shorter.len() < written.len() && !is_name(shorter) => written,
        name => name,
    }
}

/// `_xlop.y` declares a parameter that may be left out, which is shown as `[y]`.
fn optional_in_file(written: &str) -> Option<String> {
    const PREFIX: &str = "_xlop.";
    let name = written.get(PREFIX.len()..)?;
    let bracketed = format!("[{name}]");
    let is_optional = written[..PREFIX.len()].eq_ignore_ascii_case(PREFIX) && is_name(name);
    (is_optional && optional_parameter(&bracketed).is_some()).then_some(bracketed)
}

/// Whether the text is a name by itself.
fn is_name(text: &str) -> bool {
    let lexed = Lexer::new(text, CellAddress::default()).next();
    lexed.lexeme == Lexeme::Name && lexed.end == text.len()
}
