//! Calculated fields: formulas over the sums of columns.

use std::collections::BTreeMap;

use quadrille_cell::{ErrorValue, SheetId, Value};
use quadrille_formula::{Area, Coordinate, Expression, Reference, Template, map_leaves};
use quadrille_workbook::Workbook;

/// The formula of a calculated field. As in Excel, each column in it stands for the sum of that
/// column over the rows of a group, so that totals are calculated from sums and are not sums of
/// results.
#[derive(Clone, PartialEq, Debug)]
pub struct Calculation {
    /// References are whole columns whose number is a position in `columns`.
    template: Template,
    /// Columns of the source in the order in which the formula names them first.
    pub columns: Vec<u32>,
}

impl Calculation {
    /// Reads a formula. `column` returns the column of the source that a reference is; other
    /// references become `#REF!`, and names of the workbook `#NAME?`.
    pub(crate) fn read(
        workbook: &Workbook,
        host: SheetId,
        template: &Template,
        column: &dyn Fn(&Reference) -> Option<u32>,
    ) -> Calculation {
        let mut columns: Vec<u32> = Vec::new();
        let mapped = map_leaves(template.expression(), &mut |leaf| match leaf {
            Expression::Reference(reference) => {
                let Some(column) = column(reference) else {
                    return Some(Expression::Error(ErrorValue::Reference));
                };
                let known = columns.iter().position(|other| *other == column);
                let position = known.unwrap_or_else(|| {
                    columns.push(column);
                    columns.len() - 1
                });
                let coordinate = Coordinate::Absolute(position as u32);
                let area = Area::Columns(coordinate, coordinate);
                Some(Expression::Reference(Reference { sheet: None, area }))
            }
            // Parameters of LET and LAMBDA are names too.
            Expression::Name(name) if name.contains('[') || workbook.resolve_name(host, name).is_some() => {
                Some(Expression::Error(ErrorValue::Name))
            }
            _ => None,
        });
        Calculation { template: mapped.map_or_else(|| template.clone(), Template::new), columns }
    }

    /// The formula; its references are whole columns whose number is a position in `columns`.
    pub fn template(&self) -> &Template {
        &self.template
    }

    /// The formula with sums in the place of references.
    fn with_sums(&self, sums: &[Value]) -> Template {
        let sum = |value: &Value| match value {
            Value::Number(number) => Expression::Number(*number),
            Value::Error(error) => Expression::Error(*error),
            _ => Expression::Number(0.0),
        };
        let mapped = map_leaves(self.template.expression(), &mut |leaf| match leaf {
            Expression::Reference(Reference {
                area: Area::Columns(Coordinate::Absolute(position), _),
                ..
            }) => sums.get(*position as usize).map(sum),
            _ => None,
        });
        mapped.map_or_else(|| self.template.clone(), Template::new)
    }
}

/// The results of calculated fields by field and sums. After an edit only formulas over sums that
/// have changed are evaluated.
#[derive(Clone, Debug, Default)]
pub(crate) struct Results {
    known: BTreeMap<(usize, Vec<Sum>), Value>,
}

/// The bits of a number, or an error.
type Sum = Result<u64, ErrorValue>;

/// Calculates fields with the results of the evaluation before.
pub(crate) struct Calculator<'a, 'b> {
    pub before: Results,
    pub after: Results,
    pub evaluate: &'a mut (dyn FnMut(&Template) -> Value + 'b),
}

impl Calculator<'_, '_> {
    /// The result of a calculated field over the sums of its columns.
    pub fn result(&mut self, field: usize, calculation: &Calculation, sums: &[Value]) -> Value {
        let key = |sum: &Value| match sum {
            Value::Number(number) => Ok(number.to_bits()),
            Value::Error(error) => Err(*error),
            _ => Ok(0),
        };
        let key = (field, sums.iter().map(key).collect::<Vec<Sum>>());
        if let Some(value) = self.after.known.get(&key) {
            return value.clone();
        }
        let known = self.before.known.remove(&key);
        let value = known.unwrap_or_else(|| (self.evaluate)(&calculation.with_sums(sums)));
        self.after.known.insert(key, value.clone());
        value
    }
}
