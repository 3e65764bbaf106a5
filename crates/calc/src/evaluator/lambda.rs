//! Names, LET, LAMBDA and the functions that take a lambda.

use std::sync::Arc;

use quadrille_cell::{Array, DeferredVec, Dimension, ErrorValue, Value};
use quadrille_formula::{Expression, Template, optional_parameter};
use quadrille_functions::{lookup, number};

use super::Evaluator;
use super::item::{Evaluation, Item, Lambda, Stop, Values};

/// Steps charged per use of a name or lambda, so that names that multiply one another end soon.
const CALL_STEPS: u64 = 100;
/// Cancellation work charged for passing one element to a lambda.
const ELEMENT_STEPS: u64 = 4;

fn is_same_name(a: &str, b: &str) -> bool {
    a.eq_ignore_ascii_case(b) || !a.is_ascii() && a.to_lowercase() == b.to_lowercase()
}

impl<'a> Evaluator<'a, '_> {
    pub(super) fn name(&mut self, name: &'a str) -> Evaluation<Item<'a>> {
        if let Some((_, item)) = self.scope.iter().rev().find(|(parameter, _)| is_same_name(parameter, name))
        {
            return Ok(item.clone());
        }
        match self.pass.workbook.resolve_name(self.context.sheet, name) {
            Some(definition) => self.evaluate_definition(definition),
            None => Ok(match lookup(&name.to_uppercase()).filter(|function| !function.is_lazy()) {
                Some(function) => Item::Lambda(Arc::new(Lambda::Library(function))),
                None => ErrorValue::Name.into(),
            }),
        }
    }

    /// Evaluates a defined name, which does not see the variables at the place of its use.
    fn evaluate_definition(&mut self, definition: &'a Template) -> Evaluation<Item<'a>> {
        if self.context.budget.charge(CALL_STEPS).is_err() {
            return Ok(ErrorValue::Calculation.into());
        }
        let scope = std::mem::take(&mut self.scope);
        let item = self.evaluate(definition.expression());
        self.scope = scope;
        item
    }

    pub(super) fn call_let(&mut self, arguments: &'a [Expression]) -> Evaluation<Item<'a>> {
        let Some((body, bindings)) = arguments.split_last().filter(|(_, rest)| rest.len().is_multiple_of(2))
        else {
            return Ok(ErrorValue::Value.into());
        };
        let outer = self.scope.len();
        let mut result = None;
        for binding in bindings.chunks_exact(2) {
            let Expression::Name(name) = &binding[0] else {
                result = Some(Ok(ErrorValue::Name.into()));
                break;
            };
            match self.evaluate(&binding[1]) {
                Ok(item) => self.scope.push((name, item)),
                stop => {
                    result = Some(stop);
                    break;
                }
            }
        }
        let result = result.unwrap_or_else(|| self.evaluate(body));
        self.scope.truncate(outer);
        result
    }

    pub(super) fn make_lambda(&mut self, arguments: &'a [Expression]) -> Item<'a> {
        let Some((body, names)) = arguments.split_last() else { return ErrorValue::Value.into() };
        let mut parameters = Vec::with_capacity(names.len());
        let mut required = 0;
        for name in names {
            let Expression::Name(name) = name else { return ErrorValue::Value.into() };
            match optional_parameter(name) {
                Some(optional) => parameters.push(optional),
                None => {
                    parameters.push(&**name);
                    required = parameters.len();
                }
            }
        }
        Item::Lambda(Arc::new(Lambda::Defined { parameters, required, body, scope: self.scope.clone() }))
    }

    /// ISOMITTED: whether a parameter was given no argument.
    pub(super) fn call_is_omitted(&mut self, arguments: &'a [Expression]) -> Evaluation<Item<'a>> {
        let [Expression::Name(name)] = arguments else { return Ok(ErrorValue::Value.into()) };
        let bound = self.scope.iter().rev().find(|(parameter, _)| is_same_name(parameter, name));
        Ok(match bound {
            Some((_, item)) => Item::Value(Value::Boolean(matches!(item, Item::Missing))),
            None => ErrorValue::Value.into(),
        })
    }

    pub(super) fn apply(
        &mut self,
        callee: &'a Expression,
        arguments: &'a [Expression],
    ) -> Evaluation<Item<'a>> {
        let callee = self.evaluate(callee)?;
        self.apply_item(callee, arguments)
    }

    /// `NAME(...)` where NAME is not a function: a lambda bound by LET, or a defined name.
    pub(super) fn call_named_lambda(
        &mut self,
        name: &'a str,
        arguments: &'a [Expression],
    ) -> Evaluation<Item<'a>> {
        let callee = self.name(name)?;
        self.apply_item(callee, arguments)
    }

    fn apply_item(&mut self, callee: Item<'a>, arguments: &'a [Expression]) -> Evaluation<Item<'a>> {
        let lambda = match callee {
            Item::Lambda(lambda) => lambda,
            Item::Value(error @ Value::Error(_)) => return Ok(Item::Value(error)),
            _ => return Ok(ErrorValue::Value.into()),
        };
        let mut items = Vec::with_capacity(arguments.len());
        for argument in arguments {
            items.push(self.evaluate(argument)?);
        }
        self.apply_lambda(&lambda, items)
    }

    pub(super) fn apply_lambda(&mut self, lambda: &Lambda<'a>, items: Vec<Item<'a>>) -> Evaluation<Item<'a>> {
        if self.context.budget.charge(CALL_STEPS).is_err() {
            // A million elements may follow without any further check.
            return match self.pass.cancel.is_requested_within(ELEMENT_STEPS) {
                true => Err(Stop::Cancelled),
                false => Ok(ErrorValue::Calculation.into()),
            };
        }
        let (parameters, required, body, scope) = match lambda {
            Lambda::Defined { parameters, required, body, scope } => (parameters, *required, body, scope),
            Lambda::Library(function) => return self.call_function(function, items),
        };
        if !(required..=parameters.len()).contains(&items.len()) {
            return Ok(ErrorValue::Value.into());
        }
        let mut scope = scope.clone();
        let missing = std::iter::repeat_with(|| Item::Missing);
        scope.extend(parameters.iter().copied().zip(items.into_iter().chain(missing)));
        let outer = std::mem::replace(&mut self.scope, scope);
        let result = self.evaluate(body);
        self.scope = outer;
        result
    }

    /// Evaluates the last argument as a lambda and the others as arrays.
    #[allow(clippy::type_complexity)] // an array per argument and the lambda, or the error that is the result
    fn arrays_and_lambda(
        &mut self,
        arguments: &'a [Expression],
    ) -> Evaluation<Result<(Vec<Array>, Arc<Lambda<'a>>), ErrorValue>> {
        let Some((lambda, arrays)) = arguments.split_last() else { return Ok(Err(ErrorValue::Value)) };
        let mut values = Vec::with_capacity(arrays.len());
        for array in arrays {
            let item = self.evaluate(array)?;
            values.push(match self.values(item)? {
                Values::Array(array) => array,
                Values::One(value) => Array::new(1, 1, vec![value]).expect("one value is an array"),
            });
        }
        Ok(match self.evaluate(lambda)? {
            Item::Lambda(lambda) => Ok((values, lambda)),
            Item::Value(Value::Error(error)) => Err(error),
            _ => Err(ErrorValue::Value),
        })
    }

    fn build_array(
        &mut self,
        rows: u32,
        columns: u32,
        mut element: impl FnMut(&mut Self, u32, u32) -> Evaluation<Item<'a>>,
    ) -> Evaluation<Item<'a>> {
        let count = u64::from(rows) * u64::from(columns);
        if self.context.budget.charge_cells(count).is_err() {
            return Ok(ErrorValue::Calculation.into());
        }
        let mut values = DeferredVec::with_capacity(count as usize);
        for row in 0..rows {
            for column in 0..columns {
                let item = element(self, row, column)?;
                values.push(match self.values(item)? {
                    Values::One(value) => value,
                    // Arrays do not nest.
                    Values::Array(_) => Value::Error(ErrorValue::Calculation),
                });
            }
        }
        Ok(Array::new(rows, columns, values).map_or(ErrorValue::Calculation.into(), Item::Array))
    }

    pub(super) fn call_map(&mut self, arguments: &'a [Expression]) -> Evaluation<Item<'a>> {
        let (arrays, lambda) = match self.arrays_and_lambda(arguments)? {
            Ok(found) if !found.0.is_empty() => found,
            Ok(_) => return Ok(ErrorValue::Value.into()),
            Err(error) => return Ok(error.into()),
        };
        let rows = arrays.iter().map(Array::rows).max().unwrap_or(1);
        let columns = arrays.iter().map(Array::columns).max().unwrap_or(1);
        self.build_array(rows, columns, |evaluator, row, column| {
            let not_available = Value::Error(ErrorValue::NotAvailable);
            let elements = arrays
                .iter()
                .map(|array| Item::Value(array.get(row, column).unwrap_or(&not_available).clone()))
                .collect();
            evaluator.apply_lambda(&lambda, elements)
        })
    }

    /// REDUCE, or SCAN when `all` is set, which returns every intermediate result.
    pub(super) fn call_reduce(&mut self, arguments: &'a [Expression], all: bool) -> Evaluation<Item<'a>> {
        let [initial, array, lambda] = arguments else { return Ok(ErrorValue::Value.into()) };
        let mut total = self.evaluate(initial)?;
        let item = self.evaluate(array)?;
        let array = match self.values(item)? {
            Values::Array(array) => array,
            Values::One(value) => Array::new(1, 1, vec![value]).expect("one value is an array"),
        };
        let lambda = match self.evaluate(lambda)? {
            Item::Lambda(lambda) => lambda,
            Item::Value(error @ Value::Error(_)) => return Ok(Item::Value(error)),
            _ => return Ok(ErrorValue::Value.into()),
        };
        if matches!(total, Item::Missing) {
            total = Item::Value(Value::Blank);
        }
        if all {
            return self.build_array(array.rows(), array.columns(), |evaluator, row, column| {
                let element = Item::Value(array.get(row, column).cloned().unwrap_or_default());
                total = evaluator.apply_lambda(&lambda, vec![total.clone(), element])?;
                Ok(total.clone())
            });
        }
        for element in array.values() {
            total = self.apply_lambda(&lambda, vec![total, Item::Value(element.clone())])?;
        }
        Ok(total)
    }

    /// BYROW and BYCOL.
    pub(super) fn call_by_row_or_column(
        &mut self,
        arguments: &'a [Expression],
        dimension: Dimension,
    ) -> Evaluation<Item<'a>> {
        let (arrays, lambda) = match self.arrays_and_lambda(arguments)? {
            Ok(found) if found.0.len() == 1 => found,
            Ok(_) => return Ok(ErrorValue::Value.into()),
            Err(error) => return Ok(error.into()),
        };
        let array = &arrays[0];
        let line = |index: u32| -> Array {
            let cells = |rows: std::ops::Range<u32>, columns: std::ops::Range<u32>| {
                let positions = rows.flat_map(|row| columns.clone().map(move |column| (row, column)));
                positions.filter_map(|(row, column)| array.get(row, column).cloned()).collect::<Vec<Value>>()
            };
            let part = match dimension {
                Dimension::Rows => {
                    Array::new(1, array.columns(), cells(index..index + 1, 0..array.columns()))
                }
                Dimension::Columns => Array::new(array.rows(), 1, cells(0..array.rows(), index..index + 1)),
            };
            part.expect("a line of an array is not empty")
        };
        let (rows, columns) = match dimension {
            Dimension::Rows => (array.rows(), 1),
            Dimension::Columns => (1, array.columns()),
        };
        self.build_array(rows, columns, |evaluator, row, column| {
            evaluator.apply_lambda(&lambda, vec![Item::Array(line(row.max(column)))])
        })
    }

    pub(super) fn call_make_array(&mut self, arguments: &'a [Expression]) -> Evaluation<Item<'a>> {
        let (sizes, lambda) = match self.arrays_and_lambda(arguments)? {
            Ok(found) if found.0.len() == 2 => found,
            Ok(_) => return Ok(ErrorValue::Value.into()),
            Err(error) => return Ok(error.into()),
        };
        let size = |array: &Array| match array.get(0, 0).map(number) {
            Some(Ok(size)) if (1.0..4_294_967_296.0).contains(&size) => Ok(size as u32),
            Some(Err(error)) => Err(error),
            _ => Err(ErrorValue::Value),
        };
        match (size(&sizes[0]), size(&sizes[1])) {
            (Ok(rows), Ok(columns)) => self.build_array(rows, columns, |evaluator, row, column| {
                let position = |index: u32| Item::Value(Value::Number(f64::from(index) + 1.0));
                evaluator.apply_lambda(&lambda, vec![position(row), position(column)])
            }),
            (Err(error), _) | (_, Err(error)) => Ok(error.into()),
        }
    }
}
