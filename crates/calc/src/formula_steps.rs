//! Evaluation of a formula step by step: each step replaces the part that is evaluated next by its
//! result, as the command "Evaluate formula" of Excel does.
//!
//! The evaluator calculates every part. Parts that have been evaluated are names with a prefix that
//! no formula can contain, which the evaluator finds among its variables. Functions that choose
//! arguments are evaluated in the order of `evaluator/lazy.rs`. `LET` and calls of `LAMBDA` are
//! replaced by their last argument with the values in place of the names.

use std::sync::Arc;

use quadrille_cell::{Array, CellAddress, ErrorValue, Range, SheetId, Value, parse_number};
use quadrille_formula::{
    Area, BinaryOperator, CellReference, Coordinate, Expression, Host, Reference, SheetReference, Template,
    UnaryOperator, is_within_limits, map_leaves, map_operands, optional_parameter,
};
use quadrille_functions::{EvaluationContext, boolean, equals, lookup, number};
use quadrille_workbook::Workbook;

use crate::Calculation;
use crate::evaluator::{Areas, Item, PartKind};

/// Steps of one formula, so that a recursive `LAMBDA` ends.
pub const FORMULA_STEPS_SHOWN_MAX: u32 = 1_000;
/// Cells and calls that all steps of a formula evaluate, at most: a few seconds.
const WORK_MAX: u64 = 20_000_000;
/// Rows and columns of an array that are shown.
const ARRAY_SIDE_SHOWN: u32 = 16;
/// Characters of a text that are shown.
const TEXT_SHOWN: usize = 255;
/// Starts the name of a part that has been evaluated; its position in `FormulaSteps::results` follows.
const RESULT_PREFIX: char = '\u{1}';

/// A formula after some steps.
#[derive(Clone, Debug)]
pub struct FormulaStep {
    /// The formula with constants in place of the parts that have been evaluated. Long texts and
    /// arrays are cut short.
    pub expression: Expression,
    /// The part that is evaluated next, as the indices of operands from the root; `None` at the end.
    pub next: Option<Vec<usize>>,
    /// The cell with a formula that this part refers to.
    pub precedent: Option<(SheetId, CellAddress)>,
    /// Whether the formula is not evaluated further because of a limit.
    pub is_cut_short: bool,
}

impl Calculation {
    /// Evaluates `count` parts of a formula as if it were in `host`. Dirty cells are read as they
    /// are.
    pub fn formula_step(
        &self,
        workbook: &Workbook,
        time_and_seed: EvaluationContext,
        host: Host,
        template: &Template,
        count: u32,
    ) -> FormulaStep {
        let expression = template.expression().clone();
        let mut steps = FormulaSteps {
            calculation: self,
            workbook,
            time_and_seed,
            host,
            expression,
            results: Vec::new(),
        };
        let mut work_left = WORK_MAX;
        for _ in 0..count.min(FORMULA_STEPS_SHOWN_MAX) {
            let Some(part) = steps.next_part() else { break };
            work_left = work_left.saturating_sub(steps.evaluate(&part));
            if work_left == 0 {
                break;
            }
        }
        let next = steps.next_part();
        let is_cut_short = next.is_some() && (work_left == 0 || count > FORMULA_STEPS_SHOWN_MAX);
        let precedent = next.as_ref().and_then(|part| steps.precedent(&part.path));
        FormulaStep {
            expression: steps.shown(&steps.expression),
            next: next.map(|part| part.path),
            precedent,
            is_cut_short,
        }
    }
}

/// A part of a formula.
struct Part {
    /// Indices of operands from the root.
    path: Vec<usize>,
    /// Whether a reference stays a reference.
    takes_reference: bool,
}

struct FormulaSteps<'a> {
    calculation: &'a Calculation,
    workbook: &'a Workbook,
    time_and_seed: EvaluationContext,
    host: Host,
    expression: Expression,
    results: Vec<Item<'static>>,
}

/// A search for the next part, with the path to where it is.
struct Search {
    path: Vec<usize>,
}

impl FormulaSteps<'_> {
    fn next_part(&self) -> Option<Part> {
        let mut search = Search { path: Vec::new() };
        let found = self.find(&self.expression, false, &mut search);
        // What needs no evaluation as an operand has a result as a formula: a function, `(1)`.
        let is_result = self.result(&self.expression).is_some() || is_constant(&self.expression);
        let takes_reference = found.or((!is_result).then_some(false))?;
        Some(Part { path: search.path, takes_reference })
    }

    /// The innermost part of `expression` that is evaluated next; `None` if the expression can be
    /// an operand as it is. Returns whether the part may stay a reference.
    fn find(&self, expression: &Expression, takes_reference: bool, search: &mut Search) -> Option<bool> {
        match expression {
            Expression::Number(_)
            | Expression::Text(_)
            | Expression::Boolean(_)
            | Expression::Error(_)
            | Expression::Missing
            | Expression::Array(_) => None,
            Expression::Invalid(_) => Some(takes_reference),
            Expression::Reference(_) => (!takes_reference).then_some(false),
            Expression::Name(_) if self.result(expression).is_some() => None,
            Expression::Name(name) if self.is_function(name) => None,
            Expression::Name(_) => match self.item(expression, PartKind::Reference).0 {
                Item::Reference(_) if takes_reference => None,
                _ => Some(takes_reference),
            },
            Expression::Parenthesised(inner) => self.find_in(0, inner, takes_reference, search),
            Expression::Unary(UnaryOperator::Minus | UnaryOperator::Plus, operand)
                if matches!(**operand, Expression::Number(_)) =>
            {
                None
            }
            Expression::Unary(operator, operand) => {
                let keeps = matches!(operator, UnaryOperator::ImplicitIntersection | UnaryOperator::Spill);
                self.find_in(0, operand, keeps, search).or(Some(takes_reference))
            }
            Expression::Binary(operator, left, right) => {
                let joins = matches!(
                    operator,
                    BinaryOperator::Range | BinaryOperator::Union | BinaryOperator::Intersection
                );
                if joins && takes_reference && is_reference(left) && is_reference(right) {
                    return None;
                }
                self.find_in(0, left, joins, search)
                    .or_else(|| self.find_in(1, right, joins, search))
                    .or(Some(takes_reference))
            }
            Expression::Apply { callee, arguments } => self
                .find_in(0, callee, true, search)
                .or_else(|| {
                    let mut all = (1..).zip(arguments);
                    all.find_map(|(index, argument)| self.find_in(index, argument, true, search))
                })
                .or(Some(takes_reference)),
            // Operators see the call of STYLE, which has no value.
            Expression::Call { function, .. } if matches!(&**function, "LAMBDA" | "STYLE") => None,
            Expression::Call { function, arguments } => {
                self.find_in_call(function, arguments, takes_reference, search).or(Some(takes_reference))
            }
        }
    }

    fn find_in(
        &self,
        index: usize,
        operand: &Expression,
        takes_reference: bool,
        search: &mut Search,
    ) -> Option<bool> {
        search.path.push(index);
        let found = self.find(operand, takes_reference, search);
        if found.is_none() {
            search.path.pop();
        }
        found
    }

    /// The next part among the arguments of a call; `None` when the call itself is next.
    fn find_in_call(
        &self,
        function: &str,
        arguments: &[Expression],
        takes_reference: bool,
        search: &mut Search,
    ) -> Option<bool> {
        let mut argument = |index: usize, takes_reference: bool| {
            arguments.get(index).and_then(|found| self.find_in(index, found, takes_reference, search))
        };
        match function {
            "LET" => argument(1, true),
            "ISOMITTED" => None,
            "IF" | "IFS" | "SWITCH" | "CHOOSE" | "IFERROR" | "IFNA" => {
                // The arguments that decide are evaluated one by one; the one that they choose
                // is evaluated last, and no other.
                let mut index = 0;
                loop {
                    if let Some(found) = argument(index, false) {
                        return Some(found);
                    }
                    match self.choice(function, arguments, index) {
                        Choice::Next(next) => index = next,
                        Choice::Argument(chosen) => return argument(chosen, takes_reference),
                        Choice::Result => return None,
                        Choice::All => {
                            return (index + 1..arguments.len()).find_map(|index| argument(index, false));
                        }
                    }
                }
            }
            _ => {
                let library = lookup(function).filter(|function| !function.is_lazy());
                (0..arguments.len()).find_map(|index| {
                    let is_single = match library {
                        Some(function) => function.lifts_argument(index),
                        None => function == "INDIRECT",
                    };
                    argument(index, !is_single)
                })
            }
        }
    }

    /// What the argument `index` of a function that chooses arguments decides.
    fn choice(&self, function: &str, arguments: &[Expression], index: usize) -> Choice {
        let value = match arguments.get(index).map(|argument| self.value_of(argument)) {
            None => return Choice::Result,
            Some(None) => return Choice::All,
            Some(Some(value)) => value,
        };
        let is_last = index + 1 >= arguments.len();
        match function {
            "IF" => match boolean(&value) {
                Ok(true) => Choice::Argument(1),
                Ok(false) => Choice::Argument(2),
                Err(_) => Choice::Result,
            },
            "IFERROR" if matches!(value, Value::Error(_)) => Choice::Argument(1),
            "IFNA" if value == Value::Error(ErrorValue::NotAvailable) => Choice::Argument(1),
            "CHOOSE" => match number(&value) {
                Ok(chosen) if chosen >= 1.0 => Choice::Argument(chosen as usize),
                _ => Choice::Result,
            },
            "IFS" => match boolean(&value) {
                Ok(true) => Choice::Argument(index + 1),
                Ok(false) => Choice::Next(index + 2),
                Err(_) => Choice::Result,
            },
            "SWITCH" if matches!(value, Value::Error(_)) => Choice::Result,
            "SWITCH" if index == 0 => Choice::Next(1),
            // The default is the last argument.
            "SWITCH" if is_last => Choice::Result,
            "SWITCH" => match self.value_of(&arguments[0]) {
                Some(subject) if equals(&subject, &value) => Choice::Argument(index + 1),
                _ => Choice::Next(index + 2),
            },
            _ => Choice::Result,
        }
    }

    /// Whether a name is that of a function: `BYROW(A1:B3,SUM)`, or a defined name with a LAMBDA.
    fn is_function(&self, name: &str) -> bool {
        match self.workbook.resolve_name(self.host.sheet, name) {
            Some(definition) => is_lambda(definition.expression()),
            None => lookup(&name.to_uppercase()).is_some(),
        }
    }

    /// The result of a part that has been evaluated.
    fn result(&self, expression: &Expression) -> Option<&Item<'static>> {
        self.results.get(result_position(expression)?)
    }

    /// The single value of an operand; `None` for arrays.
    fn value_of(&self, expression: &Expression) -> Option<Value> {
        match self.result(expression) {
            Some(Item::Value(value)) => Some(value.clone()),
            Some(_) => None,
            None => match self.item(expression, PartKind::Reference).0 {
                Item::Value(value) => Some(value),
                Item::Missing => Some(Value::Blank),
                _ => None,
            },
        }
    }

    /// Evaluates an expression that is not a whole formula; also returns the work.
    fn item(&self, expression: &Expression, kind: PartKind) -> (Item<'static>, u64) {
        let scope: Vec<(String, Item<'static>)> =
            (0..).map(result_name).zip(self.results.iter().cloned()).collect();
        let part = (expression, kind);
        self.calculation.part_detached(self.workbook, self.time_and_seed, self.host, part, &scope)
    }

    /// Replaces a part by its result. Returns the work.
    fn evaluate(&mut self, part: &Part) -> u64 {
        if let Some(unfolded) = self.unfold(self.expression.operand_at(&part.path)) {
            let before = self.expression.clone();
            self.expression.replace_operand(&part.path, unfolded);
            if is_within_limits(&self.expression) {
                return 1;
            }
            self.expression = before;
        }
        let kind = match (part.path.is_empty(), part.takes_reference) {
            (true, _) => PartKind::Formula,
            (false, true) => PartKind::Reference,
            (false, false) => PartKind::Values,
        };
        let (result, work) = self.item(self.expression.operand_at(&part.path), kind);
        // `(2)` is `2`, and so is `((2))`.
        let mut path = &part.path[..];
        while let Some((_, outer)) = path.split_last()
            && matches!(self.expression.operand_at(outer), Expression::Parenthesised(_))
        {
            path = outer;
        }
        let name = Expression::Name(result_name(self.results.len()).into());
        self.expression.replace_operand(path, name);
        self.results.push(result);
        self.drop_unused_results();
        work
    }

    /// Frees results that the expression no longer contains: arrays can have a million values.
    fn drop_unused_results(&mut self) {
        let mut is_used = vec![false; self.results.len()];
        let unchanged = map_leaves(&self.expression, &mut |leaf| {
            if let Some(used) = result_position(leaf).and_then(|position| is_used.get_mut(position)) {
                *used = true;
            }
            None
        });
        debug_assert!(unchanged.is_none());
        for (result, is_used) in self.results.iter_mut().zip(is_used) {
            if !is_used {
                *result = Item::Missing;
            }
        }
    }

    /// `LET` or a call of a `LAMBDA` with the values in place of the names; `None` for other parts.
    fn unfold(&self, part: &Expression) -> Option<Expression> {
        let (callee, given) = match part {
            Expression::Call { function, arguments } if &**function == "LET" => {
                let [Expression::Name(name), value, rest @ ..] = &arguments[..] else { return None };
                if !matches!(rest.len() % 2, 1) {
                    return None;
                }
                let with_value = |inner: &Expression| self.substituted(inner, name, value);
                let body = match rest {
                    [body] => return Some(with_value(body)),
                    _ => Expression::Call { function: function.clone(), arguments: rest.to_vec() },
                };
                return Some(with_value(&body));
            }
            Expression::Call { function, arguments } => {
                if lookup(function).is_some() {
                    return None;
                }
                let definition = self.workbook.resolve_name(self.host.sheet, function)?;
                (definition.expression(), arguments)
            }
            Expression::Apply { callee, arguments } => (&**callee, arguments),
            _ => return None,
        };
        let mut callee = callee;
        while let Expression::Parenthesised(inner) = callee {
            callee = inner;
        }
        let Expression::Call { function, arguments } = callee else { return None };
        let (body, parameters) = arguments.split_last()?;
        if &**function != "LAMBDA" || given.len() > parameters.len() {
            return None;
        }
        let mut body = body.clone();
        for (position, parameter) in parameters.iter().enumerate() {
            let Expression::Name(name) = parameter else { return None };
            let value = match (given.get(position), optional_parameter(name)) {
                (Some(value), _) => value,
                (None, Some(_)) => &Expression::Missing,
                (None, None) => return None,
            };
            body = self.substituted(&body, optional_parameter(name).unwrap_or(name), value);
        }
        Some(body)
    }

    /// The expression with `value` in place of a name, except where the name is bound again.
    fn substituted(&self, expression: &Expression, name: &str, value: &Expression) -> Expression {
        let is_name = |other: &Expression| matches!(other, Expression::Name(other) if is_same_name(optional_parameter(other).unwrap_or(other), name));
        match expression {
            Expression::Name(_) if is_name(expression) => value.clone(),
            Expression::Call { function, arguments } => {
                match &**function {
                    "ISOMITTED" if arguments.iter().any(is_name) => {
                        return Expression::Boolean(matches!(value, Expression::Missing));
                    }
                    "LAMBDA"
                        if arguments.split_last().is_some_and(|(_, names)| names.iter().any(is_name)) =>
                    {
                        return expression.clone();
                    }
                    "LET" => return self.substituted_in_let(arguments, name, value),
                    _ => {}
                }
                let arguments: Vec<Expression> =
                    arguments.iter().map(|argument| self.substituted(argument, name, value)).collect();
                if !is_same_name(function, name) {
                    return Expression::Call { function: function.clone(), arguments };
                }
                match value {
                    Expression::Name(function) if self.result(value).is_none() => {
                        Expression::Call { function: function.to_uppercase().into(), arguments }
                    }
                    Expression::Call { .. } => {
                        Expression::Apply { callee: Box::new(value.clone()), arguments }
                    }
                    _ => Expression::Call { function: function.clone(), arguments },
                }
            }
            _ => map_operands(expression, &mut |operand| Some(self.substituted(operand, name, value)))
                .unwrap_or_else(|| expression.clone()),
        }
    }

    /// The names of `LET` stay; a name is bound from the argument after its value on.
    fn substituted_in_let(&self, arguments: &[Expression], name: &str, value: &Expression) -> Expression {
        let mut is_bound_again = false;
        let mut substituted = Vec::with_capacity(arguments.len());
        for (position, argument) in arguments.iter().enumerate() {
            let is_binding = position % 2 == 0 && position + 1 < arguments.len();
            // The value before this name still saw the outer one.
            if position >= 2
                && (is_binding || position + 1 == arguments.len())
                && matches!(&arguments[position - 2], Expression::Name(bound) if is_same_name(bound, name))
            {
                is_bound_again = true;
            }
            substituted.push(match is_binding || is_bound_again {
                true => argument.clone(),
                false => self.substituted(argument, name, value),
            });
        }
        Expression::Call { function: "LET".into(), arguments: substituted }
    }

    /// The cell with a formula that a part refers to.
    fn precedent(&self, path: &[usize]) -> Option<(SheetId, CellAddress)> {
        let part = self.expression.operand_at(path);
        if !matches!(part, Expression::Reference(_) | Expression::Name(_)) {
            return None;
        }
        let Item::Reference(Areas::One(sheet, range)) = self.item(part, PartKind::Reference).0 else {
            return None;
        };
        let cell = range.first();
        let is_formula = self.workbook.sheet(sheet).is_some_and(|sheet| sheet.formula(cell).is_some());
        (is_formula && range.cell_count() == 1).then_some((sheet, cell))
    }

    /// The expression with constants in place of results.
    fn shown(&self, expression: &Expression) -> Expression {
        match self.result(expression) {
            Some(Item::Value(value)) => constant(value),
            Some(Item::Array(array)) => shown_array(array),
            Some(Item::Reference(Areas::One(sheet, range))) => reference(*sheet, *range, self.host.sheet),
            Some(_) => Expression::Missing,
            None => map_operands(expression, &mut |operand| Some(self.shown(operand)))
                .unwrap_or_else(|| expression.clone()),
        }
    }
}

/// What an argument decides in a function that chooses arguments.
enum Choice {
    /// The argument that decides next.
    Next(usize),
    /// The argument with the result.
    Argument(usize),
    /// No further argument is needed.
    Result,
    /// An array needs all arguments.
    All,
}

/// The position of the result that an expression stands for.
fn result_position(expression: &Expression) -> Option<usize> {
    let Expression::Name(name) = expression else { return None };
    name.strip_prefix(RESULT_PREFIX)?.parse().ok()
}

fn result_name(position: usize) -> String {
    format!("{RESULT_PREFIX}{position}")
}

fn is_same_name(a: &str, b: &str) -> bool {
    a.eq_ignore_ascii_case(b) || !a.is_ascii() && a.to_lowercase() == b.to_lowercase()
}

fn is_lambda(expression: &Expression) -> bool {
    matches!(expression, Expression::Call { function, .. } if &**function == "LAMBDA")
}

fn is_reference(expression: &Expression) -> bool {
    matches!(expression, Expression::Reference(_))
}

fn is_constant(expression: &Expression) -> bool {
    match expression {
        Expression::Number(_) | Expression::Text(_) | Expression::Boolean(_) | Expression::Error(_) => true,
        Expression::Array(_) => true,
        Expression::Unary(UnaryOperator::Minus, operand) => matches!(**operand, Expression::Number(_)),
        _ => false,
    }
}

/// A value as a constant with 15 digits; a blank cell is 0, as in Excel.
fn constant(value: &Value) -> Expression {
    match value {
        Value::Blank => Expression::Number(0.0),
        Value::Number(number) => {
            Expression::Number(parse_number(&format!("{number:.14e}")).unwrap_or(*number))
        }
        Value::Boolean(boolean) => Expression::Boolean(*boolean),
        Value::Error(error) => Expression::Error(*error),
        Value::Text(text) => match text.char_indices().nth(TEXT_SHOWN) {
            Some((end, _)) => Expression::Text(format!("{}…", &text[..end]).into()),
            None => Expression::Text(text.to_string().into()),
        },
    }
}

fn shown_array(array: &Array) -> Expression {
    let ellipsis = || Expression::Invalid(Arc::from("…"));
    let mut rows = Vec::new();
    for row in 0..array.rows().min(ARRAY_SIDE_SHOWN) {
        let columns = 0..array.columns().min(ARRAY_SIDE_SHOWN);
        let values = columns.map(|column| array.get(row, column).map_or(Expression::Missing, constant));
        let is_cut_short = array.columns() > ARRAY_SIDE_SHOWN;
        rows.push(values.chain(is_cut_short.then(ellipsis)).collect());
    }
    if array.rows() > ARRAY_SIDE_SHOWN {
        rows.push(vec![ellipsis()]);
    }
    Expression::Array(rows)
}

fn reference(sheet: SheetId, range: Range, host: SheetId) -> Expression {
    let cell = |cell: CellAddress| CellReference {
        row: Coordinate::Absolute(cell.row.get()),
        column: Coordinate::Absolute(cell.column.get()),
    };
    let area = match range.cell_count() {
        1 => Area::Cell(cell(range.first())),
        _ => Area::Cells(cell(range.first()), cell(range.last())),
    };
    let sheet = (sheet != host).then_some(SheetReference::Sheet(sheet));
    Expression::Reference(Reference { sheet, area })
}
