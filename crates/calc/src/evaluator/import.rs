//! Imported data: functions such as IMPORTRANGE, and references to other workbooks.

use std::sync::Arc;

use quadrille_cell::ErrorValue;
use quadrille_formula::Expression;
use quadrille_functions::{function_at, function_index, text};
use quadrille_workbook::{ImportFunction, ImportSource, Imported};

use super::Evaluator;
use super::item::{Evaluation, Item};

impl<'a> Evaluator<'a, '_> {
    /// Returns what the workbook has of a source: its values, the error of a failure, or `#N/A` until
    /// the server has written something.
    pub(super) fn call_import(
        &mut self,
        function: ImportFunction,
        arguments: &'a [Expression],
    ) -> Evaluation<Item<'a>> {
        let (fewest, most) = function_index(function.name()).map_or((1, 1), |index| function_at(index).arity);
        if arguments.len() < usize::from(fewest) || arguments.len() > usize::from(most) {
            return Ok(ErrorValue::Value.into());
        }
        let mut texts: Vec<Arc<str>> = Vec::with_capacity(arguments.len());
        for argument in arguments {
            let item = self.evaluate(argument)?;
            match text(&self.one_value(item)?) {
                Ok(text) => texts.push(text.trim().into()),
                Err(error) => return Ok(error.into()),
            }
        }
        let is_given = |text: &Arc<str>| !text.is_empty();
        texts.truncate(texts.iter().rposition(is_given).map_or(0, |last| last + 1));
        if texts.len() < usize::from(fewest) {
            return Ok(ErrorValue::Value.into());
        }
        let source = ImportSource { function, arguments: texts };
        Ok(self.imported(source))
    }

    /// What the workbook has of a source.
    pub(super) fn imported(&mut self, source: ImportSource) -> Item<'a> {
        if source.to_string().len() > ImportSource::BYTES_MAX {
            return ErrorValue::Value.into();
        }
        let function = source.function;
        let found = source.find(self.pass.workbook.items());
        self.pass.state.note_import(source);
        match found {
            None => function.error_before().into(),
            Some(Imported::Failure(failure, _)) => function.error_of(failure).into(),
            Some(Imported::Values(values)) => {
                if self.context.budget.charge_cells(values.values().len() as u64).is_err() {
                    return ErrorValue::Calculation.into();
                }
                match values.values() {
                    [value] => Item::Value(value.clone()),
                    _ => Item::Array(values),
                }
            }
        }
    }
}
