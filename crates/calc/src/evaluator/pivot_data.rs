//! GETPIVOTDATA: a value of a pivot table by the labels of its groups.

use quadrille_cell::{ErrorValue, Range, Value};
use quadrille_formula::Expression;
use quadrille_functions::text;

use super::Evaluator;
use super::item::{Areas, Evaluation, Item};

impl<'a> Evaluator<'a, '_> {
    /// `GETPIVOTDATA(value_name, any_cell_of_the_pivot_table, [field, item]…)`. `#REF!` when the
    /// pivot table does not show such a value.
    pub(super) fn call_get_pivot_data(&mut self, arguments: &'a [Expression]) -> Evaluation<Item<'a>> {
        let [name, pivot_table, items @ ..] = arguments else { return Ok(ErrorValue::Value.into()) };
        if items.len() % 2 != 0 {
            return Ok(ErrorValue::Value.into());
        }
        let name = self.evaluate(name)?;
        let name = match text(&self.one_value(name)?) {
            Ok(name) => name,
            Err(error) => return Ok(error.into()),
        };
        let (sheet, cell) = match self.evaluate(pivot_table)? {
            Item::Reference(Areas::One(sheet, range)) => (sheet, range.first()),
            Item::Value(error @ Value::Error(_)) => return Ok(Item::Value(error)),
            _ => return Ok(ErrorValue::Reference.into()),
        };
        let mut wanted = Vec::with_capacity(items.len() / 2);
        for pair in items.chunks(2) {
            let field = self.evaluate(&pair[0])?;
            let field = self.one_value(field)?;
            let item = self.evaluate(&pair[1])?;
            let item = self.one_value(item)?;
            match text(&field) {
                Ok(field) => wanted.push((field.to_string(), item)),
                Err(error) => return Ok(error.into()),
            }
        }
        // The pivot table is evaluated before its cells are read.
        self.cell_value(sheet, Range::cell(cell))?;
        let output = self.pass.pivots.output_at(self.pass.workbook, sheet, cell);
        let value = output.and_then(|output| output.lookup(&name, &wanted));
        Ok(Item::Value(value.unwrap_or(Value::Error(ErrorValue::Reference))))
    }
}
