//! The source of a pivot table and the columns of its fields, for its panel.

use quadrille_cell::{CellAddress, ColumnIndex, Range, RowIndex, SheetId, Value};
use quadrille_document::Document;
use quadrille_formula::{Area, Coordinate, Expression, Host, Reference, SheetReference, Template, print};
use quadrille_workbook::{Field, FieldValue, Item, ItemId, ItemKind};

use crate::pivot_messages::{PivotColumn, PivotLabels, PivotSourceRows, PivotTableDetails};

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

/// The rows of the source behind a value of a pivot table; `None` for other cells.
pub fn source_rows(document: &Document, sheet: SheetId, cell: CellAddress) -> Option<PivotSourceRows> {
    let (source_sheet, source, rows) = document.pivot_source_rows(sheet, cell)?;
    let mut excluded: Vec<(u32, u32)> = Vec::new();
    let mut next = source.first().row.get() + 1;
    for row in &rows {
        if *row > next {
            excluded.push((next, row - next));
        }
        next = row + 1;
    }
    let last = CellAddress { row: RowIndex::clamped(next - 1), column: source.last().column };
    let source = Range::new(source.first(), last).into();
    Some(PivotSourceRows { sheet: source_sheet.0, source, excluded })
}

/// The labels in `ranges` of the field whose label is in `cell`; `None` for other cells.
pub fn labels(
    document: &Document,
    sheet: SheetId,
    cell: CellAddress,
    ranges: &[Range],
) -> Option<PivotLabels> {
    let (item, label, texts) = document.pivot_labels(sheet, cell, ranges)?;
    Some(PivotLabels { item: item.0, is_column: label.is_column, field: label.field as u32, texts })
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

    fn with_pivot_table(cells: &str, fields: &str) -> Document {
        let mut document = document(cells);
        let command = format!(
            r#"{{"type":"setItem","sheet":1,"item":7,"kind":"pivotTable","anchors":["D1"],"fields":{fields}}}"#
        );
        let command = quadrille_operation::Command::from_json(
            &quadrille_json::Json::parse(command.as_bytes()).expect("JSON"),
        );
        let transaction =
            quadrille_operation::plan(&command.expect("a command"), document.workbook(), &mut || SheetId(9));
        document.apply(&transaction.expect("an operation"), quadrille_document::EvaluationContext::default());
        while !document.evaluate(u64::MAX).finished {}
        document
    }

    #[test]
    fn a_value_is_traced_to_the_rows_behind_it() {
        let document = with_pivot_table(
            "A1: Region | B1: Amount | A2: West | B2: 5 | A3: East | B3: 7 | A4: West | B4: 1 | A5: West | B5: 2",
            r#"{"source":"=$A$1:$B$9","rows":[{"column":"=$A:$A"}],"values":[{"column":"=$B:$B"}]}"#,
        );
        let rows = |cell: &str| {
            source_rows(&document, SheetId(1), CellAddress::parse_a1(cell).expect("an address"))
                .map(|found| (Range::from(found.source).to_string(), found.excluded))
        };
        // E2 is the sum of East, E3 that of West, E4 the total.
        assert_eq!(rows("E2"), Some(("A1:B3".to_owned(), vec![(1, 1)])));
        assert_eq!(rows("E3"), Some(("A1:B5".to_owned(), vec![(2, 1)])));
        assert_eq!(rows("E4"), Some(("A1:B5".to_owned(), vec![])));
        assert_eq!([rows("D2"), rows("E1"), rows("A2")], [None, None, None]);
    }

    #[test]
    fn fields_are_columns_of_the_source() {
        let document = with_pivot_table(
            "A1: Region | B1: Amount | A2: East | B2: 5",
            r#"{"source":"=$A$1:$B$2","rows":[{"column":"=$A:$A"}],"values":[{"column":"=$C:$C"}]}"#,
        );
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
