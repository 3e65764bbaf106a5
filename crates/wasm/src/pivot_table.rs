//! The source of a pivot table and the columns of its fields, for its panel.

use quadrille_cell::{CellAddress, ColumnIndex, Range, RowIndex, SheetId, Value};
use quadrille_document::Document;
use quadrille_formula::{Area, Coordinate, Expression, Host, Reference, SheetReference, Template, print};
use quadrille_workbook::{Field, FieldValue, Item, ItemId, ItemKind};

use crate::messages::{PivotColumn, PivotTableDetails};

/// Columns of a source that the panel lists, at most.
const COLUMNS_MAX: u32 = 256;

/// The details of a pivot table; `None` when there is no such item.
pub fn details(document: &Document, sheet: SheetId, item: ItemId) -> Option<PivotTableDetails> {
    let item = document.workbook().sheet(sheet)?.item(item)?;
    if item.kind != ItemKind::PivotTable {
        return None;
    }
    let source = document.pivot_source(sheet, item);
    let fields = |field: Field| match item.fields.get(&field) {
        Some(FieldValue::List(records)) => {
            records.iter().map(|record| column_of(document, sheet, source, record)).collect()
        }
        _ => Vec::new(),
    };
    Some(PivotTableDetails {
        source_sheet: source.map(|(sheet, _)| sheet.0),
        source: source.map(|(_, range)| range.into()),
        columns: source.map_or_else(Vec::new, |(source_sheet, range)| {
            let first = range.first().column.get();
            let count = range.column_count().min(COLUMNS_MAX);
            let columns = (first..first + count).map(ColumnIndex::clamped);
            columns
                .map(|column| details_of_column(document, sheet, item, (source_sheet, range), column))
                .collect()
        }),
        rows: fields(Field::Rows),
        column_fields: fields(Field::Columns),
        values: fields(Field::Values),
        filters: fields(Field::Filters),
    })
}

fn column_of(
    document: &Document,
    sheet: SheetId,
    source: Option<(SheetId, Range)>,
    record: &FieldValue,
) -> Option<u32> {
    let FieldValue::Record(record) = record else { return None };
    let Some(FieldValue::Formula { at, template }) = record.get(&Field::Column) else { return None };
    let (found, range) = document.referenced_range(Host { sheet, cell: *at }, template)?;
    let (source_sheet, source) = source?;
    let column = range.first().column.get();
    let is_inside = found == source_sheet && column <= source.last().column.get();
    column.checked_sub(source.first().column.get()).filter(|_| is_inside)
}

fn details_of_column(
    document: &Document,
    sheet: SheetId,
    item: &Item,
    (source_sheet, source): (SheetId, Range),
    column: ColumnIndex,
) -> PivotColumn {
    let header = CellAddress { row: source.first().row, column };
    let first = CellAddress { row: RowIndex::clamped(header.row.get() + 1), column };
    let name = document.display(source_sheet, header).text;
    let coordinate = Coordinate::Absolute(column.get());
    let area = Area::Columns(coordinate, coordinate);
    let own = (source_sheet != sheet).then_some(SheetReference::Sheet(source_sheet));
    let template = Template::new(Expression::Reference(Reference { sheet: own, area }));
    let cell = item.anchors.first().map_or(CellAddress::clamped(0, 0), |anchor| anchor.first());
    let found = document.workbook().sheet(source_sheet);
    PivotColumn {
        name: if name.is_empty() { quadrille_cell::column_name(column) } else { name },
        reference: format!("={}", print(&template, Host { sheet, cell }, document.workbook())),
        is_number: found.is_some_and(|found| matches!(found.value(first), Value::Number(_))),
        is_date: found.is_some_and(|found| document.shows_date(found.format(first))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_documents::document;

    #[test]
    fn fields_are_columns_of_the_source() {
        let mut document = document("A1: Region | B1: Amount | A2: East | B2: 5");
        let command = r#"{"type":"setItem","sheet":1,"item":7,"kind":"pivotTable","anchors":["D1"],"fields":{
            "source":"=$A$1:$B$2","rows":[{"column":"=$A:$A"}],"values":[{"column":"=$C:$C"}]}}"#;
        let command = quadrille_operation::Command::from_json(
            &quadrille_json::Json::parse(command.as_bytes()).expect("JSON"),
        );
        let transaction =
            quadrille_operation::plan(&command.expect("a command"), document.workbook(), &mut || SheetId(9));
        document.apply(&transaction.expect("an operation"), quadrille_document::EvaluationContext::default());
        let details = details(&document, SheetId(1), ItemId(7)).expect("it exists");
        let columns: Vec<(&str, &str, bool)> = details
            .columns
            .iter()
            .map(|column| (&*column.name, &*column.reference, column.is_number))
            .collect();
        assert_eq!(columns, [("Region", "=$A:$A", false), ("Amount", "=$B:$B", true)]);
        // The value field lies outside the source.
        assert_eq!((details.rows, details.values), (vec![Some(0)], vec![None]));
    }
}
