//! Reads a [`Definition`] from an item of the workbook.

use std::collections::BTreeMap;
use std::sync::Arc;

use quadrille_cell::{CellAddress, ErrorValue, Range, SheetId, Value, column_name, parse_number};
use quadrille_formula::{Area, CellReference, Coordinate, Expression, Reference, SheetReference, Template};
use quadrille_number_format::NumberFormat;
use quadrille_workbook::{Field, FieldValue, Item, Sheet, Workbook, range_of_reference, without_parentheses};

use crate::calculation::Calculation;
use crate::definition::{
    Condition, Definition, FilterField, Function, GroupField, Grouping, Layout, Operator, ShownAs, Top,
    ValueField,
};
use crate::own_groups::{OwnGroup, OwnGroups};

const TOTAL_LABEL: &str = "Grand total";
const CALCULATED_FIELD: &str = "Calculated field";
const SUBTOTAL_LABEL: &str = "* total";

type Record = BTreeMap<Field, FieldValue>;

impl Definition {
    /// Reads the definition of a pivot table on the sheet `host`.
    ///
    /// Fails with `#REF!` when the source or a field refers to nothing, or to cells outside the
    /// source.
    pub fn read(workbook: &Workbook, host: SheetId, item: &Item) -> Result<Definition, ErrorValue> {
        let (sheet, source) = resolve_source(workbook, host, item).ok_or(ErrorValue::Reference)?;
        let reader = Reader { workbook, host, sheet, source };
        let records = |field: Field| match item.fields.get(&field) {
            Some(FieldValue::List(records)) => records.as_slice(),
            _ => &[],
        };
        let values = reader.all(records(Field::Values), Reader::value_field)?;
        let mut definition = Definition {
            sheet,
            source,
            rows: reader.all(records(Field::Rows), Reader::group_field)?,
            columns: reader.all(records(Field::Columns), Reader::group_field)?,
            filters: reader.all(records(Field::Filters), Reader::filter_field)?,
            values,
            has_total_row: item.boolean(Field::ShowTotalRow).unwrap_or(true),
            has_total_column: item.boolean(Field::ShowTotalColumn).unwrap_or(true),
            layout: named(&item.fields, Field::Layout, Layout::NAMES).unwrap_or_default(),
            repeats_labels: item.boolean(Field::RepeatLabels).unwrap_or(false),
            total_label: item.text(Field::TotalLabel).cloned().unwrap_or_else(|| TOTAL_LABEL.into()),
            subtotal_label: item.text(Field::SubtotalLabel).cloned().unwrap_or_else(|| SUBTOTAL_LABEL.into()),
            dates: workbook.date_system(),
        };
        let value_count = definition.values.len();
        for field in definition.rows.iter_mut().chain(&mut definition.columns) {
            field.sorted_by = field.sorted_by.filter(|value| *value < value_count);
            field.top = field.top.filter(|top| top.value < value_count);
        }
        Ok(definition)
    }
}

/// The sheet and range that the source of a pivot table refers to, directly or by a name. `None`
/// for anything but one range of one sheet.
pub fn resolve_source(workbook: &Workbook, host: SheetId, item: &Item) -> Option<(SheetId, Range)> {
    workbook.referenced_range(host, item, Field::Source)
}

/// The source as an expression that reads the same from every cell, for the dependency graph: a
/// reference becomes absolute, a name stays.
pub fn source_expression(host: SheetId, item: &Item) -> Template {
    let unknown = || Template::new(Expression::Error(ErrorValue::Reference));
    let Some((at, template)) = item.formula(Field::Source) else { return unknown() };
    match without_parentheses(template.expression()) {
        Expression::Name(name) => Template::new(Expression::Name(name.clone())),
        Expression::Reference(reference) => {
            let Some((sheet, range)) = range_of_reference(reference, host, at) else { return unknown() };
            let corner = |cell: CellAddress| CellReference {
                row: Coordinate::Absolute(cell.row.get()),
                column: Coordinate::Absolute(cell.column.get()),
            };
            let area = Area::Cells(corner(range.first()), corner(range.last()));
            let sheet = Some(SheetReference::Sheet(sheet));
            Template::new(Expression::Reference(Reference { sheet, area }))
        }
        _ => unknown(),
    }
}

/// What the fields of one pivot table have in common.
struct Reader<'a> {
    workbook: &'a Workbook,
    /// The sheet of the pivot table.
    host: SheetId,
    /// The sheet of the source.
    sheet: SheetId,
    source: Range,
}

impl Reader<'_> {
    fn all<T>(
        &self,
        records: &[FieldValue],
        read: impl Fn(&Self, &Record) -> Result<T, ErrorValue>,
    ) -> Result<Vec<T>, ErrorValue> {
        let records = records.iter().filter_map(|record| match record {
            FieldValue::Record(record) => Some(record),
            _ => None,
        });
        records.map(|record| read(self, record)).collect()
    }

    fn group_field(&self, record: &Record) -> Result<GroupField, ErrorValue> {
        let column = self.column(record)?;
        let index = |field: Field| number(record, field).map(|number| number as usize);
        let top = index(Field::Rank).map(|count| Top {
            count,
            is_smallest: text(record, Field::Rule).is_some_and(|rule| &**rule == "bottom"),
            value: index(Field::RankBy).unwrap_or(0),
        });
        let groups = own_groups(record);
        Ok(GroupField {
            column,
            name: text(record, Field::Name).cloned().unwrap_or_else(|| self.header(column)),
            grouping: if groups.is_some() { Grouping::Values } else { grouping(record) },
            groups: groups.map(Arc::new),
            is_descending: text(record, Field::Order).is_some_and(|order| &**order == "descending"),
            sorted_by: index(Field::SortBy),
            has_subtotals: boolean(record, Field::Subtotals).unwrap_or(true),
            top,
        })
    }

    fn value_field(&self, record: &Record) -> Result<ValueField, ErrorValue> {
        let name = text(record, Field::Name).cloned();
        let shown_as = named(record, Field::ShownAs, ShownAs::NAMES).unwrap_or(ShownAs::Value);
        let number_format = text(record, Field::NumberFormat).cloned();
        if let Some(FieldValue::Formula { at, template }) = record.get(&Field::Formula) {
            let column = |reference: &Reference| self.whole_column(*at, reference);
            let calculation = Calculation::read(self.workbook, self.host, template, &column);
            return Ok(ValueField {
                column: calculation.columns.first().copied().unwrap_or(0),
                name: name.unwrap_or_else(|| CALCULATED_FIELD.into()),
                function: Function::Sum,
                calculation: Some(calculation),
                shown_as,
                number_format,
            });
        }
        let column = self.column(record)?;
        let function = named(record, Field::Function, Function::NAMES).unwrap_or(Function::Sum);
        let default_name = || format!("{} of {}", function.spreadsheet_name(), self.header(column)).into();
        Ok(ValueField {
            column,
            name: name.unwrap_or_else(default_name),
            function,
            calculation: None,
            shown_as,
            number_format,
        })
    }

    fn filter_field(&self, record: &Record) -> Result<FilterField, ErrorValue> {
        let column = self.column(record)?;
        let shown = texts(record, Field::Shown);
        let limit = |field: Field| match text(record, field) {
            Some(text) => parse_number(text).map_or_else(|| Value::Text(text.clone()), Value::Number),
            None => Value::Blank,
        };
        let condition = named(record, Field::Operator, Operator::NAMES).map(|operator| Condition {
            operator,
            value1: limit(Field::Value1),
            value2: limit(Field::Value2),
        });
        Ok(FilterField {
            column,
            shows_blanks: boolean(record, Field::ShowBlanks).unwrap_or(shown.is_none()),
            shown,
            condition,
            number_format: self.number_format(column),
        })
    }

    /// The column of the source that a field refers to.
    fn column(&self, record: &Record) -> Result<u32, ErrorValue> {
        let Some(FieldValue::Formula { at, template }) = record.get(&Field::Column) else {
            return Err(ErrorValue::Reference);
        };
        let (sheet, range) =
            self.workbook.range_of_formula(self.host, *at, template).ok_or(ErrorValue::Reference)?;
        let column = range.first().column.get();
        let (left, right) = (self.source.first().column.get(), self.source.last().column.get());
        let is_inside = sheet == self.sheet && (left..=right).contains(&column) && range.column_count() == 1;
        if is_inside { Ok(column - left) } else { Err(ErrorValue::Reference) }
    }

    /// The column of the source that a reference in the formula of a calculated field stands for.
    fn whole_column(&self, at: CellAddress, reference: &Reference) -> Option<u32> {
        let (sheet, range) = range_of_reference(reference, self.host, at)?;
        let column = range.first().column.get().checked_sub(self.source.first().column.get())?;
        let is_column = sheet == self.sheet && range.is_whole_columns() && range.column_count() == 1;
        (is_column && column < self.source.column_count()).then_some(column)
    }

    fn source_sheet(&self) -> Option<&Sheet> {
        self.workbook.sheet(self.sheet)
    }

    fn cell(&self, row: u32, column: u32) -> CellAddress {
        let first = self.source.first();
        CellAddress::clamped(first.row.get() + row, first.column.get() + column)
    }

    /// The text above a column; its letters when there is none.
    fn header(&self, column: u32) -> Arc<str> {
        let cell = self.cell(0, column);
        let sheet = self.source_sheet();
        let code = sheet.and_then(|sheet| sheet.format(cell).number_format.as_deref());
        match sheet.map(|sheet| sheet.value(cell)) {
            Some(Value::Text(text)) if !text.is_empty() => text,
            Some(value @ Value::Number(_)) => {
                NumberFormat::parse(code.unwrap_or("General")).format(&value).text.into()
            }
            _ => column_name(cell.column).into(),
        }
    }

    /// The number format of a column's first data cell.
    fn number_format(&self, column: u32) -> Option<Arc<str>> {
        self.source_sheet()?.format(self.cell(1, column)).number_format.clone()
    }
}

fn grouping(record: &Record) -> Grouping {
    if let Some(step) = number(record, Field::Step).filter(|step| *step > 0.0) {
        return Grouping::Step { start: number(record, Field::Start).unwrap_or(0.0), step };
    }
    named(record, Field::Grouping, Grouping::NAMES).unwrap_or(Grouping::Values)
}

/// The groups with a name; `None` without any.
fn own_groups(record: &Record) -> Option<OwnGroups> {
    let Some(FieldValue::List(records)) = record.get(&Field::Groups) else { return None };
    let groups = records.iter().filter_map(|record| match record {
        FieldValue::Record(record) => Some(OwnGroup {
            name: text(record, Field::Name)?.clone(),
            values: texts(record, Field::Values).unwrap_or_default(),
        }),
        _ => None,
    });
    let groups: Vec<OwnGroup> = groups.collect();
    (!groups.is_empty()).then(|| OwnGroups::new(groups))
}

fn named<T: Copy>(record: &Record, field: Field, names: &[(T, &str)]) -> Option<T> {
    let name = text(record, field)?;
    names.iter().find(|(_, other)| *other == &**name).map(|(value, _)| *value)
}

fn text(record: &Record, field: Field) -> Option<&Arc<str>> {
    match record.get(&field) {
        Some(FieldValue::Text(text)) => Some(text),
        _ => None,
    }
}

fn texts(record: &Record, field: Field) -> Option<Vec<Arc<str>>> {
    let Some(FieldValue::List(texts)) = record.get(&field) else { return None };
    let texts = texts.iter().filter_map(|text| match text {
        FieldValue::Text(text) => Some(text.clone()),
        _ => None,
    });
    Some(texts.collect())
}

fn number(record: &Record, field: Field) -> Option<f64> {
    match record.get(&field) {
        Some(FieldValue::Number(number)) => Some(*number),
        _ => None,
    }
}

fn boolean(record: &Record, field: Field) -> Option<bool> {
    match record.get(&field) {
        Some(FieldValue::Boolean(boolean)) => Some(*boolean),
        _ => None,
    }
}
