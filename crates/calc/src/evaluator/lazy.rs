//! Functions that choose which arguments to evaluate, or that take references instead of values.

use quadrille_cell::{Dimension, ErrorValue, Value};
use quadrille_formula::{Expression, Host, SheetNames};
use quadrille_functions::{boolean, equals, number};
use quadrille_workbook::ImportFunction;

use super::Evaluator;
use super::item::{Areas, Evaluation, Item, Values};

impl<'a> Evaluator<'a, '_> {
    /// Calls a lazy function, or a named lambda when there is no such function.
    pub(super) fn call_lazy(&mut self, name: &'a str, arguments: &'a [Expression]) -> Evaluation<Item<'a>> {
        match name {
            "IF" => self.call_if(arguments),
            "IFERROR" => self.call_if_error(arguments, |_| true),
            "IFNA" => self.call_if_error(arguments, |error| error == ErrorValue::NotAvailable),
            "IFS" => self.call_ifs(arguments),
            "SWITCH" => self.call_switch(arguments),
            "CHOOSE" => self.call_choose(arguments),
            "LET" => self.call_let(arguments),
            "LAMBDA" => Ok(self.make_lambda(arguments)),
            "MAP" => self.call_map(arguments),
            "REDUCE" => self.call_reduce(arguments, false),
            "SCAN" => self.call_reduce(arguments, true),
            "BYROW" => self.call_by_row_or_column(arguments, Dimension::Rows),
            "BYCOL" => self.call_by_row_or_column(arguments, Dimension::Columns),
            "GROUPBY" => self.call_group_by(arguments),
            "PIVOTBY" => self.call_pivot_by(arguments),
            "ISOMITTED" => self.call_is_omitted(arguments),
            "MAKEARRAY" => self.call_make_array(arguments),
            "ROW" => self.row_or_column_number(arguments, Dimension::Rows),
            "COLUMN" => self.row_or_column_number(arguments, Dimension::Columns),
            "OFFSET" => self.offset(arguments),
            "MULTIPLE.OPERATIONS" => self.call_multiple_operations(arguments),
            "INDIRECT" => self.indirect(arguments),
            "ISREF" => self.call_is_reference(arguments),
            "ISFORMULA" => self.call_formula_text(arguments, |text| Value::Boolean(text.is_some())),
            "FORMULATEXT" => self.call_formula_text(arguments, |text| {
                text.map_or(Value::Error(ErrorValue::NotAvailable), |text| Value::text(format!("={text}")))
            }),
            "GETPIVOTDATA" => self.call_get_pivot_data(arguments),
            "SHEET" => self.call_sheet(arguments),
            "SHEETS" => self.call_sheets(arguments),
            _ => match ImportFunction::from_name(name) {
                Some(function) => self.call_import(function, arguments),
                None => self.call_named_lambda(name, arguments),
            },
        }
    }

    fn call_if(&mut self, arguments: &'a [Expression]) -> Evaluation<Item<'a>> {
        let (test, branches) = match arguments {
            [test, branches @ ..] if (1..=2).contains(&branches.len()) => (test, branches),
            _ => return Ok(ErrorValue::Value.into()),
        };
        let test = self.evaluate(test)?;
        match self.values(test)? {
            Values::One(test) => match boolean(&test) {
                Err(error) => Ok(error.into()),
                Ok(true) => self.branch(&branches[0]),
                Ok(false) if branches.len() == 1 => Ok(Item::Value(Value::Boolean(false))),
                Ok(false) => self.branch(&branches[1]),
            },
            tests @ Values::Array(_) => {
                let if_true = self.branch_values(&branches[0])?;
                let if_false = match branches.get(1) {
                    Some(branch) => self.branch_values(branch)?,
                    None => Values::One(Value::Boolean(false)),
                };
                Ok(self.broadcast(&[tests, if_true, if_false], |values| match boolean(values[0]) {
                    Err(error) => Value::Error(error),
                    Ok(test) => values[if test { 1 } else { 2 }].clone(),
                }))
            }
        }
    }

    /// An empty result argument, as in `IF(A1,,2)`, is zero.
    fn branch(&mut self, expression: &'a Expression) -> Evaluation<Item<'a>> {
        Ok(match self.evaluate(expression)? {
            Item::Missing => Item::Value(Value::Number(0.0)),
            item => item,
        })
    }

    fn branch_values(&mut self, expression: &'a Expression) -> Evaluation<Values> {
        let item = self.branch(expression)?;
        self.values(item)
    }

    fn call_if_error(
        &mut self,
        arguments: &'a [Expression],
        catches: impl Fn(ErrorValue) -> bool,
    ) -> Evaluation<Item<'a>> {
        let [attempt, otherwise] = arguments else { return Ok(ErrorValue::Value.into()) };
        let caught = |value: &Value| matches!(value, Value::Error(error) if catches(*error));
        let attempt = self.evaluate(attempt)?;
        match self.values(attempt)? {
            Values::One(value) if caught(&value) => self.branch(otherwise),
            Values::One(value) => Ok(Item::Value(value)),
            Values::Array(array) if array.values().iter().any(&caught) => {
                let otherwise = self.branch_values(otherwise)?;
                let attempt = Values::Array(array);
                Ok(self.broadcast(&[attempt, otherwise], |values| {
                    if caught(values[0]) { values[1].clone() } else { values[0].clone() }
                }))
            }
            Values::Array(array) => Ok(Item::Array(array)),
        }
    }

    fn call_ifs(&mut self, arguments: &'a [Expression]) -> Evaluation<Item<'a>> {
        if arguments.is_empty() || !arguments.len().is_multiple_of(2) {
            return Ok(ErrorValue::Value.into());
        }
        for (index, pair) in arguments.chunks(2).enumerate() {
            let test = self.evaluate(&pair[0])?;
            match self.values(test)? {
                Values::One(test) => match boolean(&test) {
                    Err(error) => return Ok(error.into()),
                    Ok(true) => return self.branch(&pair[1]),
                    Ok(false) => {}
                },
                tests @ Values::Array(_) => {
                    let mut all = vec![tests, self.branch_values(&pair[1])?];
                    for argument in &arguments[index * 2 + 2..] {
                        all.push(self.branch_values(argument)?);
                    }
                    return Ok(self.broadcast(&all, |values| {
                        for pair in values.chunks(2) {
                            match boolean(pair[0]) {
                                Err(error) => return Value::Error(error),
                                Ok(true) => return pair[1].clone(),
                                Ok(false) => {}
                            }
                        }
                        Value::Error(ErrorValue::NotAvailable)
                    }));
                }
            }
        }
        Ok(ErrorValue::NotAvailable.into())
    }

    fn call_switch(&mut self, arguments: &'a [Expression]) -> Evaluation<Item<'a>> {
        let [subject, cases @ ..] = arguments else { return Ok(ErrorValue::Value.into()) };
        if cases.len() < 2 {
            return Ok(ErrorValue::Value.into());
        }
        let subject = self.evaluate(subject)?;
        let subject = match self.values(subject)? {
            Values::One(error @ Value::Error(_)) => return Ok(Item::Value(error)),
            Values::One(subject) => subject,
            subjects @ Values::Array(_) => {
                let mut all = vec![subjects];
                for case in cases {
                    all.push(self.branch_values(case)?);
                }
                return Ok(self.broadcast(&all, |values| {
                    let (subject, cases) = (values[0], &values[1..]);
                    let found = cases.chunks_exact(2).find(|case| equals(subject, case[0]));
                    match (found, cases.chunks_exact(2).remainder()) {
                        (Some(case), _) => case[1].clone(),
                        (None, [default]) => (*default).clone(),
                        (None, _) => Value::Error(ErrorValue::NotAvailable),
                    }
                }));
            }
        };
        let pairs = cases.chunks_exact(2);
        let default = pairs.remainder().first();
        for pair in pairs {
            let case = self.evaluate(&pair[0])?;
            match self.one_value(case)? {
                error @ Value::Error(_) => return Ok(Item::Value(error)),
                case if equals(&subject, &case) => return self.branch(&pair[1]),
                _ => {}
            }
        }
        match default {
            Some(default) => self.branch(default),
            None => Ok(ErrorValue::NotAvailable.into()),
        }
    }

    fn call_choose(&mut self, arguments: &'a [Expression]) -> Evaluation<Item<'a>> {
        let [index, choices @ ..] = arguments else { return Ok(ErrorValue::Value.into()) };
        let pick = |value: &Value| -> Result<usize, ErrorValue> {
            let index = number(value)?.trunc();
            let inside = index >= 1.0 && index <= choices.len() as f64;
            if inside { Ok(index as usize - 1) } else { Err(ErrorValue::Value) }
        };
        let index = self.evaluate(index)?;
        match self.values(index)? {
            Values::One(index) => match pick(&index) {
                Ok(index) => self.branch(&choices[index]),
                Err(error) => Ok(error.into()),
            },
            indices @ Values::Array(_) => {
                let mut all = vec![indices];
                for choice in choices {
                    all.push(self.branch_values(choice)?);
                }
                Ok(self.broadcast(&all, |values| match pick(values[0]) {
                    Ok(index) => values[index + 1].clone(),
                    Err(error) => Value::Error(error),
                }))
            }
        }
    }

    fn call_is_reference(&mut self, arguments: &'a [Expression]) -> Evaluation<Item<'a>> {
        let [argument] = arguments else { return Ok(ErrorValue::Value.into()) };
        let item = self.evaluate(argument)?;
        Ok(Item::Value(Value::Boolean(matches!(item, Item::Reference(_)))))
    }

    fn call_formula_text(
        &mut self,
        arguments: &'a [Expression],
        finish: impl Fn(Option<String>) -> Value,
    ) -> Evaluation<Item<'a>> {
        let [argument] = arguments else { return Ok(ErrorValue::Value.into()) };
        let (sheet, range) = match self.first_area(argument)? {
            Ok(area) => area,
            Err(error) => return Ok(error.into()),
        };
        self.pass.state.note_reference(sheet, range);
        let workbook = self.pass.workbook;
        let cell = range.first();
        let template = workbook.sheet(sheet).and_then(|sheet| sheet.formula(cell));
        let text =
            template.map(|template| quadrille_formula::print(template, Host { sheet, cell }, workbook));
        Ok(Item::Value(finish(text)))
    }

    /// SHEET: the position of a tab, counted from 1.
    fn call_sheet(&mut self, arguments: &'a [Expression]) -> Evaluation<Item<'a>> {
        let workbook = self.pass.workbook;
        let sheet = match arguments {
            [] => Some(self.context.sheet),
            [argument] => match self.evaluate(argument)? {
                Item::Reference(areas) => areas.as_slice().first().map(|area| area.0),
                Item::Value(Value::Text(name)) => workbook.sheet_id(&name),
                Item::Value(error @ Value::Error(_)) => return Ok(Item::Value(error)),
                _ => None,
            },
            _ => return Ok(ErrorValue::Value.into()),
        };
        let position = sheet.and_then(|sheet| workbook.position(sheet));
        Ok(position.map_or(ErrorValue::NotAvailable.into(), |position| {
            Item::Value(Value::Number(position as f64 + 1.0))
        }))
    }

    fn call_sheets(&mut self, arguments: &'a [Expression]) -> Evaluation<Item<'a>> {
        let count = match arguments {
            [] => self.pass.workbook.sheets().len(),
            [argument] => match self.evaluate(argument)? {
                Item::Reference(Areas::One(..)) => 1,
                Item::Reference(Areas::Many(areas)) => areas.len(),
                Item::Value(error @ Value::Error(_)) => return Ok(Item::Value(error)),
                _ => return Ok(ErrorValue::Value.into()),
            },
            _ => return Ok(ErrorValue::Value.into()),
        };
        Ok(Item::Value(Value::Number(count as f64)))
    }
}
