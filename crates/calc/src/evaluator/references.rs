//! References: resolving them, and the operators between them.

use quadrille_cell::{CellAddress, DeferredVec, ErrorValue, Range, SheetId, Value};
use quadrille_formula::{BinaryOperator, Expression, Host, Reference, SheetReference, resolve_area};
use quadrille_functions::{number, text};
use quadrille_workbook::ImportSource;

use super::Evaluator;
use super::item::{Areas, Evaluation, Item};
use crate::template_analysis::sheets_between;

impl<'a> Evaluator<'a, '_> {
    fn host(&self) -> Host {
        Host { sheet: self.context.sheet, cell: self.context.host }
    }

    pub(super) fn reference(&mut self, reference: &Reference) -> Item<'a> {
        let Some(range) = resolve_area(&reference.area, self.context.host) else {
            return ErrorValue::Reference.into();
        };
        let workbook = self.pass.workbook;
        match &reference.sheet {
            None => Item::Reference(Areas::One(self.context.sheet, range)),
            Some(SheetReference::Sheet(sheet)) if workbook.sheet(*sheet).is_some() => {
                Item::Reference(Areas::One(*sheet, range))
            }
            Some(SheetReference::Sheets(first, last)) => match sheets_between(workbook, *first, *last) {
                Some(sheets) => Item::Reference(match sheets[..] {
                    [sheet] => Areas::One(sheet, range),
                    _ => Areas::Many(sheets.into_iter().map(|sheet| (sheet, range)).collect()),
                }),
                None => ErrorValue::Reference.into(),
            },
            Some(SheetReference::Sheet(_)) => ErrorValue::Reference.into(),
            Some(other @ SheetReference::Unknown(_)) => match ImportSource::of_reference(other, range) {
                Some(source) => self.imported(source),
                None => ErrorValue::Reference.into(),
            },
        }
    }

    /// Applies the range, union or intersection operator to the areas of both sides.
    pub(super) fn combine_references(
        &self,
        operator: BinaryOperator,
        left: Item<'a>,
        right: Item<'a>,
    ) -> Item<'a> {
        let (left, right) = match (left, right) {
            (Item::Value(error @ Value::Error(_)), _) | (_, Item::Value(error @ Value::Error(_))) => {
                return Item::Value(error);
            }
            (Item::Reference(left), Item::Reference(right)) => (left.as_slice(), right.as_slice()),
            _ => return ErrorValue::Value.into(),
        };
        let areas = match operator {
            BinaryOperator::Union => [left, right].concat(),
            BinaryOperator::Range => {
                let sheet = left[0].0;
                if left.iter().chain(&right).any(|area| area.0 != sheet) {
                    return ErrorValue::Value.into();
                }
                let whole = left.iter().chain(&right).map(|area| area.1).reduce(Range::union);
                whole.map(|range| (sheet, range)).into_iter().collect()
            }
            _ => {
                let mut areas = Vec::new();
                for (sheet, range) in &left {
                    let others = right.iter().filter(|(other, _)| other == sheet);
                    areas.extend(others.filter_map(|(_, other)| Some((*sheet, range.intersection(*other)?))));
                }
                areas
            }
        };
        match areas[..] {
            [] => ErrorValue::Null.into(),
            [(sheet, range)] => Item::Reference(Areas::One(sheet, range)),
            _ => Item::Reference(Areas::Many(areas)),
        }
    }

    /// `@`: the cell where the host's row or column meets the range; the first element of an array.
    pub(super) fn implicit_intersection(&mut self, item: Item<'a>) -> Evaluation<Value> {
        let Item::Reference(Areas::One(sheet, range)) = item else {
            return self.one_value(item);
        };
        let (host, first) = (self.context.host, range.first());
        let cell = match (range.row_count(), range.column_count()) {
            (1, 1) => Some(first),
            (_, 1) => Some(CellAddress { row: host.row, column: first.column }),
            (1, _) => Some(CellAddress { row: first.row, column: host.column }),
            _ => Some(host),
        };
        match cell.filter(|cell| range.contains(*cell)) {
            Some(cell) => self.cell_value(sheet, Range::cell(cell)),
            None => Ok(Value::Error(ErrorValue::Value)),
        }
    }

    /// `A1#`: the area that the formula in A1 fills.
    pub(super) fn spilled(&mut self, operand: &'a Expression) -> Evaluation<Item<'a>> {
        let item = self.evaluate(operand)?;
        let Item::Reference(Areas::One(sheet, range)) = item else {
            return Ok(match item {
                Item::Value(error @ Value::Error(_)) => Item::Value(error),
                _ => ErrorValue::Reference.into(),
            });
        };
        let anchor = range.first();
        // The formula's area is known once it has been evaluated.
        let value = self.cell_value(sheet, Range::cell(anchor))?;
        if let Some(area) = self.pass.state.spill_area(sheet, anchor) {
            return Ok(Item::Reference(Areas::One(sheet, area)));
        }
        let is_formula = self.pass.workbook.sheet(sheet).is_some_and(|sheet| sheet.formula(anchor).is_some());
        Ok(match value {
            error @ Value::Error(ErrorValue::Spill) => Item::Value(error),
            _ if is_formula && range.cell_count() == 1 => Item::Reference(Areas::One(sheet, range)),
            _ => ErrorValue::Reference.into(),
        })
    }

    /// ROW and COLUMN; of the host when the argument is omitted.
    pub(super) fn row_or_column_number(
        &mut self,
        arguments: &'a [Expression],
        dimension: quadrille_cell::Dimension,
    ) -> Evaluation<Item<'a>> {
        let range = match arguments {
            [] => Range::cell(self.context.host),
            [argument] => match self.evaluate(argument)? {
                Item::Reference(Areas::One(_, range)) => range,
                Item::Missing => Range::cell(self.context.host),
                Item::Value(error @ Value::Error(_)) => return Ok(Item::Value(error)),
                _ => return Ok(ErrorValue::Value.into()),
            },
            _ => return Ok(ErrorValue::Value.into()),
        };
        let (first, last) = (range.first().index(dimension), range.last().index(dimension));
        if first == last {
            return Ok(Item::Value(Value::Number(f64::from(first + 1))));
        }
        let count = last - first + 1;
        if self.context.budget.charge_cells(u64::from(count)).is_err() {
            return Ok(ErrorValue::Calculation.into());
        }
        let numbers: DeferredVec<Value> =
            (first..=last).map(|index| Value::Number(f64::from(index + 1))).collect();
        let array = match dimension {
            quadrille_cell::Dimension::Rows => quadrille_cell::Array::new(count, 1, numbers),
            quadrille_cell::Dimension::Columns => quadrille_cell::Array::new(1, count, numbers),
        };
        Ok(Item::Array(array.expect("one number per line")))
    }

    /// OFFSET(reference, rows, columns, [height], [width]).
    pub(super) fn offset(&mut self, arguments: &'a [Expression]) -> Evaluation<Item<'a>> {
        if !(3..=5).contains(&arguments.len()) {
            return Ok(ErrorValue::Value.into());
        }
        let (sheet, range) = match self.evaluate(&arguments[0])? {
            Item::Reference(Areas::One(sheet, range)) => (sheet, range),
            Item::Value(error @ Value::Error(_)) => return Ok(Item::Value(error)),
            _ => return Ok(ErrorValue::Value.into()),
        };
        let mut numbers = [0.0, 0.0, f64::from(range.row_count()), f64::from(range.column_count())];
        for (index, argument) in arguments[1..].iter().enumerate() {
            let item = self.evaluate(argument)?;
            if matches!(item, Item::Missing) {
                continue;
            }
            match number(&self.one_value(item)?) {
                Ok(number) => numbers[index] = number.trunc(),
                Err(error) => return Ok(error.into()),
            }
        }
        Ok(offset_range(sheet, range, numbers))
    }

    /// INDIRECT(text, [a1]).
    pub(super) fn indirect(&mut self, arguments: &'a [Expression]) -> Evaluation<Item<'a>> {
        if !(1..=2).contains(&arguments.len()) {
            return Ok(ErrorValue::Value.into());
        }
        let item = self.evaluate(&arguments[0])?;
        let value = self.one_value(item)?;
        let a1_style = match arguments.get(1) {
            None => true,
            Some(style) => {
                let style = self.evaluate(style)?;
                match quadrille_functions::boolean(&self.one_value(style)?) {
                    Ok(style) => style,
                    Err(error) => return Ok(error.into()),
                }
            }
        };
        let written = match text(&value) {
            Ok(written) => written,
            Err(error) => return Ok(error.into()),
        };
        let written = written.trim();
        let (a1, found) = match a1_style {
            true => (written.to_owned(), 1),
            false => quadrille_formula::a1_from_r1c1(written, self.context.host),
        };
        let template = quadrille_formula::parse(&a1, self.host(), self.pass.workbook);
        // Without a reference in the requested notation, the text can only be a name.
        Ok(match template.expression() {
            Expression::Reference(_) if found == 0 => ErrorValue::Reference.into(),
            expression => self.reference_in_text(expression),
        })
    }

    /// INDIRECT accepts a reference or the name of one.
    fn reference_in_text(&mut self, expression: &Expression) -> Item<'a> {
        match expression {
            Expression::Reference(reference) => self.reference(reference),
            Expression::Name(name) => {
                match self.pass.workbook.resolve_name(self.context.sheet, name).map(|name| name.expression())
                {
                    Some(Expression::Reference(reference)) => self.reference(reference),
                    _ => ErrorValue::Reference.into(),
                }
            }
            _ => ErrorValue::Reference.into(),
        }
    }

    /// The area that SHEET, ISFORMULA or FORMULATEXT refers to.
    pub(super) fn first_area(
        &mut self,
        argument: &'a Expression,
    ) -> Evaluation<Result<(SheetId, Range), ErrorValue>> {
        Ok(match self.evaluate(argument)? {
            Item::Reference(Areas::One(sheet, range)) => Ok((sheet, range)),
            Item::Value(Value::Error(error)) => Err(error),
            _ => Err(ErrorValue::Value),
        })
    }
}

/// The result of OFFSET for a shift in rows and columns, a height and a width.
pub(super) fn offset_range<'a>(
    sheet: SheetId,
    range: Range,
    [rows, columns, height, width]: [f64; 4],
) -> Item<'a> {
    // A negative size extends upwards or to the left from the first cell.
    let line = |start: u32, offset: f64, size: f64| {
        let first = f64::from(start) + offset;
        if size > 0.0 { (first, first + size - 1.0) } else { (first + size + 1.0, first) }
    };
    if height == 0.0 || width == 0.0 {
        return ErrorValue::Reference.into();
    }
    let (top, bottom) = line(range.first().row.get(), rows, height);
    let (left, right) = line(range.first().column.get(), columns, width);
    // The cast saturates; negative positions are rejected here.
    let moved = if top < 0.0 || left < 0.0 {
        None
    } else {
        Range::from_indices(top as u32, left as u32, bottom as u32, right as u32)
    };
    match moved {
        Some(range) => Item::Reference(Areas::One(sheet, range)),
        None => ErrorValue::Reference.into(),
    }
}
