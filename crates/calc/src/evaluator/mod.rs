//! One formula in one cell: from its tree to a value.
//!
//! The evaluator reads values as they are. When a cell it reads has none yet, it stops and says which
//! ([`Stop::Need`]); the caller evaluates that one and starts again. Errors of formulas are values, never stops.

mod group;
mod lambda;
mod lazy;
mod operators;
mod references;
mod sheet_view;
mod subtotal;

use std::sync::Arc;

use quadrille_cell::{Array, CellAddress, DateSystem, ErrorValue, Range, SheetId, Value};
use quadrille_formula::{Expression, FunctionName, Host, Template, UnaryOperator};
use quadrille_functions::{
    Budget, CallContext, Cancel, Counting, EvaluationContext, Operand, RangeArea, RangeOperand, RangeView,
    number_of, numbered,
};
use quadrille_workbook::{Sheet, Workbook};

use crate::hidden_rows::{HiddenRows, ignores_hidden_rows};
use crate::index::Indexes;
use crate::partial_aggregates::{Aggregate, PartialAggregates};
use crate::result_cache::ResultCache;
use lambda::Lambda;
use operators::Step;
pub(crate) use operators::arithmetic;
pub(crate) use sheet_view::{SheetView, mixed_value};

/// Steps one formula may take; enough for thirty passes over a full column.
pub(crate) const FORMULA_STEPS_MAX: u64 = 30_000_000;
/// Cells that the arrays of one formula may have, all together: eight full columns.
pub(crate) const FORMULA_CELLS_MAX: u64 = 8 * 1_048_576;
/// Expressions evaluated between two looks at whether to end: some microseconds.
const POLL_EVERY: u32 = 64;
/// Nested evaluations: parentheses, calls, names and lambdas. Each takes some stack.
const DEPTH_MAX: u32 = 256;

/// Why an evaluation cannot go on now.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Stop {
    /// Some cell of the range has to be evaluated first.
    Need(SheetId, Range),
    /// Somebody wants the evaluation to end.
    Cancelled,
}

pub(crate) type Evaluation<T> = Result<T, Stop>;

/// What the evaluator asks about the state of the calculation.
pub(crate) trait Surroundings {
    /// Whether all cells of the range have their values.
    fn is_ready(&self, sheet: SheetId, range: Range) -> bool;
    /// The formula depends on the range in another way than by its values.
    fn note(&self, _sheet: SheetId, _range: Range) {}
    /// The cells that the array of the formula in `cell` fills.
    fn spill_area(&self, sheet: SheetId, cell: CellAddress) -> Option<Range>;
    /// Those cells of the range whose formulas are subtotals.
    fn subtotals_in(&self, sheet: SheetId, range: Range) -> Vec<Range>;
}

/// What an expression yields before it is known whether values are wanted.
#[derive(Clone)]
pub(crate) enum Item<'a> {
    Value(Value),
    Array(Array),
    /// One area, or several of a union or of several sheets.
    Reference(Areas),
    Lambda(Arc<Lambda<'a>>),
    Missing,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Areas {
    One(SheetId, Range),
    Many(Vec<(SheetId, Range)>),
}

impl Areas {
    pub fn as_slice(&self) -> Vec<(SheetId, Range)> {
        match self {
            Areas::One(sheet, range) => vec![(*sheet, *range)],
            Areas::Many(areas) => areas.clone(),
        }
    }
}

impl From<ErrorValue> for Item<'_> {
    fn from(error: ErrorValue) -> Self {
        Item::Value(Value::Error(error))
    }
}

/// A formula's result: one value, or an array that spills.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Outcome {
    Value(Value),
    Array(Array),
}

/// What all evaluations of one pass share.
#[derive(Clone, Copy)]
pub(crate) struct PassContext<'a> {
    pub workbook: &'a Workbook,
    pub surroundings: &'a dyn Surroundings,
    pub time_and_seed: EvaluationContext,
    /// The workbook's.
    pub dates: DateSystem,
    pub cancel: &'a Cancel,
    /// `None` where what is read may change before the pass ends.
    pub memo: Option<&'a ResultCache>,
    /// Likewise.
    pub partials: Option<&'a PartialAggregates>,
    /// `None` where columns change from formula to formula.
    pub indexes: Option<&'a Indexes>,
    pub hidden: &'a HiddenRows,
}

pub(crate) struct Evaluator<'a, 'b> {
    setting: PassContext<'a>,
    sheet: Option<&'a Sheet>,
    context: CallContext<'b>,
    /// Parameters of LET and LAMBDA, innermost last.
    scope: Vec<(&'a str, Item<'a>)>,
    depth: u32,
    /// Expressions evaluated so far.
    visited: u32,
}

/// Evaluates the formula `template` standing at `host`. Says how many steps it took.
pub(crate) fn evaluate<'a>(
    setting: PassContext<'a>,
    host: Host,
    template: &'a Template,
) -> (Evaluation<Outcome>, u64) {
    let _dates = Counting::from(setting.dates);
    let cancel = setting.cancel.clone();
    let mut budget = Budget { steps_left: FORMULA_STEPS_MAX, cells_left: FORMULA_CELLS_MAX, cancel };
    let mut evaluator = Evaluator {
        setting,
        sheet: setting.workbook.sheet(host.sheet),
        context: CallContext::new(host.sheet, host.cell, setting.time_and_seed, &mut budget),
        scope: Vec::new(),
        depth: 0,
        visited: 0,
    };
    let outcome = evaluator.outcome(template.expression());
    // Whatever came of it may have been cut short.
    let outcome = if setting.cancel.is_requested() { Err(Stop::Cancelled) } else { outcome };
    let saved = evaluator.context.steps_saved;
    (outcome, (FORMULA_STEPS_MAX - budget.steps_left).saturating_sub(saved) + 1)
}

impl<'a> Evaluator<'a, '_> {
    fn outcome(&mut self, expression: &'a Expression) -> Evaluation<Outcome> {
        let item = match expression {
            Expression::Binary(..) => self.binary(expression, Step::Last)?,
            _ => self.evaluate(expression)?,
        };
        Ok(match self.values(item)? {
            Values::One(value) => Outcome::Value(shown(value)),
            Values::Array(array) if array.rows() == 1 && array.columns() == 1 => {
                Outcome::Value(shown(array.into_values().swap_remove(0)))
            }
            Values::Array(array) => Outcome::Array(array),
        })
    }

    pub(crate) fn evaluate(&mut self, expression: &'a Expression) -> Evaluation<Item<'a>> {
        if self.depth >= DEPTH_MAX {
            return Ok(ErrorValue::Calculation.into());
        }
        self.visited = self.visited.wrapping_add(1);
        if self.visited.is_multiple_of(POLL_EVERY) && self.setting.cancel.is_requested() {
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
            Expression::Binary(..) => return self.binary(expression, Step::Inner),
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

    /// Calls a function of the library, a lazy one, or a lambda with a name. A lambda that LET or LAMBDA has named
    /// like a function of the library hides it.
    fn call(&mut self, name: &'a FunctionName, arguments: &'a [Expression]) -> Evaluation<Item<'a>> {
        let is_bound = |(bound, item): &(&str, Item)| {
            matches!(item, Item::Lambda(_)) && bound.eq_ignore_ascii_case(name)
        };
        if self.scope.iter().any(is_bound) {
            return self.call_named_lambda(name, arguments);
        }
        let function = name.number(number_of).map(numbered);
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
        if let (Some(memo), [Item::Reference(Areas::One(sheet, range))]) = (self.setting.memo, &items[..])
            && ResultCache::takes(function, *range)
        {
            return self.call_shared(memo, function, *sheet, *range);
        }
        self.call_with(function, items)
    }

    /// Calls a function whose result others may want as well.
    fn call_shared(
        &mut self,
        memo: &ResultCache,
        function: &'static quadrille_functions::Function,
        sheet: SheetId,
        range: Range,
    ) -> Evaluation<Item<'a>> {
        if let Some((value, steps)) = memo.get(function, sheet, range) {
            return Ok(self.charged(value, steps, 1));
        }
        let found = self.setting.workbook.sheet(sheet);
        if let Some(aggregate) = Aggregate::of(function) {
            // What the function charges that reads it all.
            let view = SheetView::new(found, range);
            let steps = 1 + u64::from(view.used_rows()) * u64::from(range.column_count());
            if let (Some(partials), Some(found)) = (self.setting.partials, found)
                && !memo.is_running(sheet, range)
                && let Some((value, cells_read)) = partials.aggregate(aggregate, found, range)
            {
                memo.put(function, sheet, range, value.clone(), steps);
                return Ok(self.charged(value, steps, cells_read + 1));
            }
            let mut rows_read = 0;
            let running = memo.running(function, sheet, range, |rest| {
                rows_read = rest.row_count();
                SheetView::new(found, rest).with_cancel(self.setting.cancel)
            });
            if let Some(value) = running {
                return Ok(self.charged(value, steps, u64::from(rows_read) + 1));
            }
        }
        let before = self.context.budget.steps_left;
        let item = self.call_with(function, vec![Item::Reference(Areas::One(sheet, range))])?;
        if let Item::Value(value) = &item
            && self.context.budget.steps_left > 0
        {
            memo.put(function, sheet, range, value.clone(), before - self.context.budget.steps_left);
        }
        Ok(item)
    }

    /// A value that took fewer steps than are charged for it: whether a formula may take so many must not depend on what
    /// others have calculated.
    fn charged(&mut self, value: Value, steps: u64, spent: u64) -> Item<'a> {
        if self.context.budget.charge(steps).is_err() {
            return ErrorValue::Calculation.into();
        }
        self.context.steps_saved += steps.saturating_sub(spent);
        Item::Value(value)
    }

    /// Calls a function of the library with evaluated arguments.
    fn call_with(
        &mut self,
        function: &'static quadrille_functions::Function,
        items: Vec<Item<'a>>,
    ) -> Evaluation<Item<'a>> {
        if self.charge_long_texts(function, &items).is_err() {
            return Ok(ErrorValue::Calculation.into());
        }
        // Views live here while operands borrow them.
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

    /// A function applied to each cell of a range looks at its other arguments each time, however long they are.
    fn charge_long_texts(
        &mut self,
        function: &'static quadrille_functions::Function,
        items: &[Item<'a>],
    ) -> Result<(), quadrille_functions::Exhausted> {
        // Characters that are looked at in the time of a step.
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

    /// The one value an item stands for where one is wanted and arrays give their first.
    fn one_value(&mut self, item: Item<'a>) -> Evaluation<Value> {
        Ok(match self.values(item)? {
            Values::One(value) => value,
            Values::Array(array) => array.get(0, 0).cloned().unwrap_or_default(),
        })
    }

    /// Reads references. A reference to one cell gives its value, a larger one an array.
    fn values(&mut self, item: Item<'a>) -> Evaluation<Values> {
        Ok(match item {
            Item::Value(value) => Values::One(value),
            Item::Missing => Values::One(Value::Blank),
            Item::Array(array) => Values::Array(array),
            Item::Lambda(lambda) => Values::One(Value::Error(lambda.as_value())),
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
        if !self.setting.surroundings.is_ready(sheet, cell) {
            return Err(Stop::Need(sheet, cell));
        }
        let found = match self.sheet {
            Some(host) if host.id() == sheet => Some(host),
            _ => self.setting.workbook.sheet(sheet),
        };
        Ok(found.map_or(Value::Error(ErrorValue::Reference), |found| found.value(cell.first())))
    }

    fn view(&mut self, sheet: SheetId, range: Range) -> Evaluation<SheetView<'a>> {
        if !self.setting.surroundings.is_ready(sheet, range) {
            return Err(Stop::Need(sheet, range));
        }
        let view = SheetView::new(self.setting.workbook.sheet(sheet), range);
        Ok(view.with_indexes(self.setting.indexes).with_cancel(self.setting.cancel))
    }

    fn open(&mut self, areas: &Areas) -> Evaluation<Vec<(SheetId, Range, SheetView<'a>)>> {
        let mut opened = Vec::new();
        for (sheet, range) in areas.as_slice() {
            opened.push((sheet, range, self.view(sheet, range)?));
        }
        Ok(opened)
    }
}

/// An argument with the views that were opened of it.
fn operand<'v, V: RangeView>((item, views): (Item<'_>, &'v Vec<(SheetId, Range, V)>)) -> Operand<'v> {
    match item {
        Item::Value(value) => Operand::Value(value),
        Item::Array(array) => Operand::Array(array),
        Item::Missing => Operand::Missing,
        Item::Lambda(lambda) => Operand::error(lambda.as_value()),
        Item::Reference(_) => {
            let area = |(sheet, range, view): &'v (SheetId, Range, V)| RangeArea {
                sheet: *sheet,
                range: *range,
                view,
            };
            Operand::Range(RangeOperand { areas: views.iter().map(area).collect() })
        }
    }
}

impl Item<'_> {
    fn from_result(result: Operand<'static>) -> Self {
        match result {
            Operand::Value(value) => Item::Value(value),
            Operand::Array(array) => Item::Array(array),
            Operand::Reference(sheet, range) => Item::Reference(Areas::One(sheet, range)),
            Operand::Missing => Item::Missing,
            Operand::Range(_) => ErrorValue::Value.into(),
        }
    }
}

/// What an item holds once references are read.
pub(crate) enum Values {
    One(Value),
    Array(Array),
}

/// A formula that yields a blank shows zero.
pub(crate) fn shown(value: Value) -> Value {
    match value {
        Value::Blank => Value::Number(0.0),
        other => other,
    }
}
