//! Evaluates one formula in one cell.
//!
//! The evaluator reads the values of cells as they are. At a cell that has none it stops with
//! [`Stop::Need`]; the caller evaluates that cell and starts the formula again. Errors of formulas
//! are values and never stop the evaluation.

mod group;
mod import;
mod item;
mod lambda;
mod lazy;
mod multiple_operations;
mod operators;
mod pivot_data;
mod references;
mod sheet_view;
mod subtotal;

use quadrille_cell::{Array, CellAddress, DateSystem, ErrorValue, Range, SheetId, Value};
use quadrille_formula::{Expression, FunctionName, Host, Template, UnaryOperator};
use quadrille_functions::{
    Budget, CallContext, Cancel, DateSystemScope, EvaluationContext, Operand, RangeView, function_at,
    function_index,
};
use quadrille_workbook::{ImportSource, Sheet, Workbook};

use crate::affected_formulas::AffectedFormulas;
use crate::hidden_rows::{HiddenRows, ignores_hidden_rows};
use crate::index::Indexes;
use crate::partial_aggregates::{Aggregate, PartialAggregates};
use crate::pivots::Pivots;
use crate::result_cache::ResultCache;
use crate::value_access::blank_as_zero;
pub(crate) use item::{Areas, Item, Outcome, PartKind, Stop};
use item::{Evaluation, OperatorPosition, Values, operand};
pub(crate) use sheet_view::SheetView;

/// Steps per formula; enough for thirty passes over a full column.
pub(crate) const FORMULA_STEPS_MAX: u64 = 30_000_000;
/// Array cells per formula: eight full columns.
pub(crate) const FORMULA_CELLS_MAX: u64 = 8 * 1_048_576;
/// Expressions evaluated between two cancellation checks: a few microseconds.
const POLL_EVERY: u32 = 64;
/// Nesting of parentheses, calls, names and lambdas. Each level uses some stack.
const DEPTH_MAX: u32 = 256;

/// What the evaluator asks about the state of the calculation.
pub(crate) trait CalculationState {
    /// Whether all cells of the range have their values.
    fn is_ready(&self, sheet: SheetId, range: Range) -> bool;
    /// Notes that the formula depends on the range other than by its values.
    fn note_reference(&self, _sheet: SheetId, _range: Range) {}
    /// Notes that the formula needs imported data, whether there is some or not.
    fn note_import(&self, _source: ImportSource) {}
    /// The area that the formula in `cell` fills with its array.
    fn spill_area(&self, sheet: SheetId, cell: CellAddress) -> Option<Range>;
    /// The cells of the range whose formulas are subtotals.
    fn subtotals_in(&self, sheet: SheetId, range: Range) -> Vec<Range>;
    /// The formulas whose results would differ if the cells had other values.
    fn affected_by(&self, cells: &[(SheetId, CellAddress)]) -> AffectedFormulas;
    /// Number of calls of MULTIPLE.OPERATIONS whose replaced values formulas see.
    fn replacement_depth(&self) -> u32 {
        0
    }
}

/// What all evaluations of a pass have in common.
#[derive(Clone, Copy)]
pub(crate) struct PassContext<'a> {
    pub workbook: &'a Workbook,
    pub state: &'a dyn CalculationState,
    pub time_and_seed: EvaluationContext,
    /// The workbook's date system.
    pub dates: DateSystem,
    pub cancel: &'a Cancel,
    /// `None` where cells may change before the pass ends.
    pub result_cache: Option<&'a ResultCache>,
    /// `None` where cells may change before the pass ends.
    pub partials: Option<&'a PartialAggregates>,
    /// `None` where columns change from formula to formula.
    pub indexes: Option<&'a Indexes>,
    pub hidden: &'a HiddenRows,
    pub pivots: &'a Pivots,
}

pub(crate) struct Evaluator<'a, 'b> {
    pass: PassContext<'a>,
    sheet: Option<&'a Sheet>,
    context: CallContext<'b>,
    /// Variables of LET and parameters of LAMBDA, innermost last.
    scope: Vec<(&'a str, Item<'a>)>,
    depth: u32,
    /// Number of expressions evaluated so far.
    visited: u32,
}

/// Evaluates `template` in the cell `host`. Also returns the number of steps it took.
pub(crate) fn evaluate<'a>(
    pass: PassContext<'a>,
    host: Host,
    template: &'a Template,
) -> (Evaluation<Outcome>, u64) {
    with_evaluator(pass, host, Vec::new(), |evaluator| evaluator.outcome(template.expression()))
}

/// Evaluates a part of a formula in the cell `host`, where names in `scope` have these values.
pub(crate) fn evaluate_part<'a>(
    pass: PassContext<'a>,
    host: Host,
    (part, kind): (&'a Expression, PartKind),
    scope: Vec<(&'a str, Item<'a>)>,
) -> (Evaluation<Item<'a>>, u64) {
    with_evaluator(pass, host, scope, |evaluator| {
        if kind == PartKind::Formula {
            return evaluator.outcome(part).map(|outcome| match outcome {
                Outcome::Value(value) => Item::Value(value),
                Outcome::Array(array) => Item::Array(array),
            });
        }
        let item = evaluator.evaluate(part)?;
        if kind == PartKind::Reference {
            return Ok(item);
        }
        Ok(match evaluator.values(item)? {
            Values::One(value) => Item::Value(value),
            Values::Array(array) => Item::Array(array),
        })
    })
}

fn with_evaluator<'a, T>(
    pass: PassContext<'a>,
    host: Host,
    scope: Vec<(&'a str, Item<'a>)>,
    evaluate: impl FnOnce(&mut Evaluator<'a, '_>) -> Evaluation<T>,
) -> (Evaluation<T>, u64) {
    let _dates = DateSystemScope::enter(pass.dates);
    let cancel = pass.cancel.clone();
    let mut budget = Budget { steps_left: FORMULA_STEPS_MAX, cells_left: FORMULA_CELLS_MAX, cancel };
    let mut evaluator = Evaluator {
        pass,
        sheet: pass.workbook.sheet(host.sheet),
        context: CallContext::new(host.sheet, host.cell, pass.time_and_seed, &mut budget),
        scope,
        depth: 0,
        visited: 0,
    };
    let outcome = evaluate(&mut evaluator);
    // The outcome may be incomplete.
    let outcome = if pass.cancel.is_requested() { Err(Stop::Cancelled) } else { outcome };
    let saved = evaluator.context.steps_saved;
    (outcome, (FORMULA_STEPS_MAX - budget.steps_left).saturating_sub(saved) + 1)
}

impl<'a> Evaluator<'a, '_> {
    fn outcome(&mut self, expression: &'a Expression) -> Evaluation<Outcome> {
        let item = match expression {
            Expression::Binary(..) => self.binary(expression, OperatorPosition::Outermost)?,
            _ => self.evaluate(expression)?,
        };
        Ok(match self.values(item)? {
            Values::One(value) => Outcome::Value(blank_as_zero(value)),
            Values::Array(array) if array.rows() == 1 && array.columns() == 1 => {
                Outcome::Value(blank_as_zero(array.into_values().swap_remove(0)))
            }
            Values::Array(array) => Outcome::Array(array),
        })
    }

    pub(crate) fn evaluate(&mut self, expression: &'a Expression) -> Evaluation<Item<'a>> {
        if self.depth >= DEPTH_MAX {
            return Ok(ErrorValue::Calculation.into());
        }
        self.visited = self.visited.wrapping_add(1);
        if self.visited.is_multiple_of(POLL_EVERY) && self.pass.cancel.is_requested() {
            return Err(Stop::Cancelled);
        }
        self.depth += 1;
        let item = self.evaluate_node(expression);
        self.depth -= 1;
        item
    }

    fn evaluate_node(&mut self, expression: &'a Expression) -> Evaluation<Item<'a>> {
        Ok(match expression {
            Expression::Number(number) => Item::Value(Value::Number(*number)),
            Expression::Text(text) => Item::Value(Value::Text(text.clone())),
            Expression::Boolean(boolean) => Item::Value(Value::Boolean(*boolean)),
            Expression::Error(error) => (*error).into(),
            Expression::Missing => Item::Missing,
            Expression::Reference(reference) => self.reference(reference),
            Expression::Name(name) => return self.name(name),
            Expression::Call { function, arguments } => return self.call(function, arguments),
            Expression::Apply { callee, arguments } => return self.apply(callee, arguments),
            Expression::Unary(UnaryOperator::ImplicitIntersection, operand) => {
                let item = self.evaluate(operand)?;
                Item::Value(self.implicit_intersection(item)?)
            }
            Expression::Unary(UnaryOperator::Spill, operand) => return self.spilled(operand),
            Expression::Unary(operator, operand) => return self.unary(*operator, operand),
            Expression::Binary(..) => return self.binary(expression, OperatorPosition::Inner),
            Expression::Parenthesised(inner) => return self.evaluate(inner),
            Expression::Array(rows) => self.constant_array(rows)?,
            Expression::Invalid(_) => ErrorValue::Name.into(),
        })
    }

    fn constant_array(&mut self, rows: &'a [Vec<Expression>]) -> Evaluation<Item<'a>> {
        let columns = rows.first().map_or(0, Vec::len);
        let mut values = Vec::with_capacity(rows.len() * columns);
        for element in rows.iter().flatten() {
            let item = self.evaluate(element)?;
            values.push(self.one_value(item)?);
        }
        let array = Array::new(rows.len() as u32, columns as u32, values);
        Ok(array.map_or(ErrorValue::Value.into(), Item::Array))
    }

    /// Calls a library function, a lazy function or a named lambda. A lambda bound by LET or LAMBDA
    /// hides a function with the same name.
    fn call(&mut self, name: &'a FunctionName, arguments: &'a [Expression]) -> Evaluation<Item<'a>> {
        let is_bound = |(bound, item): &(&str, Item)| {
            matches!(item, Item::Lambda(_)) && bound.eq_ignore_ascii_case(name)
        };
        if self.scope.iter().any(is_bound) {
            return self.call_named_lambda(name, arguments);
        }
        let function = name.registry_index(function_index).map(function_at);
        let Some(function) = function.filter(|function| !function.is_lazy()) else {
            return self.call_lazy(name, arguments);
        };
        if ignores_hidden_rows(function.name)
            && let Some(results) = self.call_subtotal_by_ranges(function, arguments)?
        {
            return Ok(results);
        }
        let mut items = Vec::with_capacity(arguments.len());
        for argument in arguments {
            items.push(self.evaluate(argument)?);
        }
        if ignores_hidden_rows(function.name) {
            return self.call_subtotal(function, items);
        }
        if let (Some(result_cache), [Item::Reference(Areas::One(sheet, range))]) =
            (self.pass.result_cache, &items[..])
            && ResultCache::can_share(function, *range)
        {
            return self.call_cached(result_cache, function, *sheet, *range);
        }
        self.call_function(function, items)
    }

    /// Calls a function whose result other formulas may share.
    fn call_cached(
        &mut self,
        result_cache: &ResultCache,
        function: &'static quadrille_functions::Function,
        sheet: SheetId,
        range: Range,
    ) -> Evaluation<Item<'a>> {
        if let Some((value, steps)) = result_cache.get(function, sheet, range) {
            return Ok(self.charge_cached(value, steps, 1));
        }
        let found = self.pass.workbook.sheet(sheet);
        if let Some(aggregate) = Aggregate::of(function) {
            // The steps that the function charges when it reads the whole range.
            let view = SheetView::new(found, range);
            let steps = 1 + u64::from(view.used_rows()) * u64::from(range.column_count());
            if let (Some(partials), Some(found)) = (self.pass.partials, found)
                && !result_cache.has_running_sum(sheet, range)
                && let Some((value, cells_read)) = partials.aggregate(aggregate, found, range)
            {
                result_cache.put(function, sheet, range, value.clone(), steps);
                return Ok(self.charge_cached(value, steps, cells_read + 1));
            }
            let mut rows_read = 0;
            let running = result_cache.running_aggregate(function, sheet, range, |rest| {
                rows_read = rest.row_count();
                SheetView::new(found, rest).with_cancel(self.pass.cancel)
            });
            if let Some(value) = running {
                return Ok(self.charge_cached(value, steps, u64::from(rows_read) + 1));
            }
        }
        let before = self.context.budget.steps_left;
        let item = self.call_function(function, vec![Item::Reference(Areas::One(sheet, range))])?;
        if let Item::Value(value) = &item
            && self.context.budget.steps_left > 0
        {
            result_cache.put(function, sheet, range, value.clone(), before - self.context.budget.steps_left);
        }
        Ok(item)
    }

    /// Charges the steps that a calculation would take, although a cached value took fewer. Whether
    /// a formula exceeds its limit must not depend on what other formulas have calculated (rule
    /// L4).
    fn charge_cached(&mut self, value: Value, steps: u64, spent: u64) -> Item<'a> {
        if self.context.budget.charge(steps).is_err() {
            return ErrorValue::Calculation.into();
        }
        self.context.steps_saved += steps.saturating_sub(spent);
        Item::Value(value)
    }

    /// Calls a library function with evaluated arguments.
    fn call_function(
        &mut self,
        function: &'static quadrille_functions::Function,
        items: Vec<Item<'a>>,
    ) -> Evaluation<Item<'a>> {
        if self.charge_long_texts(function, &items).is_err() {
            return Ok(ErrorValue::Calculation.into());
        }
        // Views must outlive the operands that borrow them.
        let mut views: Vec<Vec<(SheetId, Range, SheetView<'a>)>> = Vec::with_capacity(items.len());
        for item in &items {
            views.push(match item {
                Item::Reference(areas) => self.open(areas)?,
                _ => Vec::new(),
            });
        }
        let operands: Vec<Operand<'_>> = items.into_iter().zip(&views).map(operand).collect();
        Ok(Item::from_result(function.call(&mut self.context, &operands)))
    }

    /// Charges for long texts: a function applied to each cell of a range reads its other arguments
    /// each time.
    fn charge_long_texts(
        &mut self,
        function: &'static quadrille_functions::Function,
        items: &[Item<'a>],
    ) -> Result<(), quadrille_functions::Exhausted> {
        // Characters that are read in the time of one step.
        const TEXT_PER_STEP: u64 = 16;
        if function.lifts == quadrille_functions::Lifts::Nothing {
            return Ok(());
        }
        let (mut cells, mut text) = (1, 0);
        for item in items {
            match item {
                Item::Value(Value::Text(argument)) => text += argument.len() as u64,
                Item::Array(array) => cells = cells.max(array.values().len() as u64),
                Item::Reference(Areas::One(_, range)) => cells = cells.max(range.cell_count()),
                _ => {}
            }
        }
        if cells > 1 {
            self.context.budget.charge(cells.saturating_mul(text / TEXT_PER_STEP))
        } else {
            Ok(())
        }
    }

    // From items to values

    /// The value of an item where a single one is needed; the first element of an array.
    fn one_value(&mut self, item: Item<'a>) -> Evaluation<Value> {
        Ok(match self.values(item)? {
            Values::One(value) => value,
            Values::Array(array) => array.get(0, 0).cloned().unwrap_or_default(),
        })
    }

    /// Reads references: a single cell yields its value, a larger range an array.
    fn values(&mut self, item: Item<'a>) -> Evaluation<Values> {
        Ok(match item {
            Item::Value(value) => Values::One(value),
            Item::Missing => Values::One(Value::Blank),
            Item::Array(array) => Values::Array(array),
            Item::Lambda(lambda) => Values::One(Value::Error(lambda.value_error())),
            Item::Reference(Areas::Many(_)) => Values::One(Value::Error(ErrorValue::Value)),
            Item::Reference(Areas::One(sheet, range)) if range.cell_count() == 1 => {
                Values::One(self.cell_value(sheet, range)?)
            }
            Item::Reference(Areas::One(sheet, range)) => {
                if self.context.budget.charge_cells(range.cell_count()).is_err() {
                    return Ok(Values::One(Value::Error(ErrorValue::Calculation)));
                }
                let view = self.view(sheet, range)?;
                Values::Array(view.to_array())
            }
        })
    }

    fn cell_value(&mut self, sheet: SheetId, cell: Range) -> Evaluation<Value> {
        if !self.pass.state.is_ready(sheet, cell) {
            return Err(Stop::Need(sheet, cell));
        }
        let found = match self.sheet {
            Some(host) if host.id() == sheet => Some(host),
            _ => self.pass.workbook.sheet(sheet),
        };
        Ok(found.map_or(Value::Error(ErrorValue::Reference), |found| found.value(cell.first())))
    }

    fn view(&mut self, sheet: SheetId, range: Range) -> Evaluation<SheetView<'a>> {
        if !self.pass.state.is_ready(sheet, range) {
            return Err(Stop::Need(sheet, range));
        }
        let view = SheetView::new(self.pass.workbook.sheet(sheet), range);
        Ok(view.with_indexes(self.pass.indexes).with_cancel(self.pass.cancel))
    }

    fn open(&mut self, areas: &Areas) -> Evaluation<Vec<(SheetId, Range, SheetView<'a>)>> {
        let mut opened = Vec::new();
        for (sheet, range) in areas.as_slice() {
            opened.push((sheet, range, self.view(sheet, range)?));
        }
        Ok(opened)
    }
}
