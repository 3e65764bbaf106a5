//! The columns of a table as items, by which a form names them: items move with their cells, so that
//! inserted columns and other headers do not change the questions.

use std::sync::Arc;

use quadrille_cell::{CellAddress, Range, Value, column_name};
use quadrille_operation::{Operation, Transaction};
use quadrille_workbook::{Field, FieldValue, Input, Item, ItemId, ItemKind, Sheet, Workbook};

use crate::error::{ApiError, ErrorCode};
use crate::limits;
use crate::rooms::RequestMark;
use crate::sheet_lookup::sheet_by_name;

/// The table of a new form.
#[derive(Clone, Debug)]
pub enum TableChoice {
    /// A table by its name.
    Named(String),
    /// Cells that become a table with a header row, unless they are one.
    Cells { sheet: String, range: Range },
}

/// A table with its columns, and what has to be added to the workbook for a form.
#[derive(Debug)]
pub struct TableColumnsPlan {
    pub sheet: u32,
    pub table: u64,
    pub columns: Vec<PlannedColumn>,
    pub transaction: Transaction,
}

/// A column of a table.
#[derive(Clone, Debug)]
pub struct PlannedColumn {
    pub header: String,
    pub item: u64,
    /// It is filled by formulas.
    pub is_calculated: bool,
}

impl TableColumnsPlan {
    /// The column with a header.
    pub fn column(&self, header: &str) -> Option<&PlannedColumn> {
        self.columns.iter().find(|column| column.header.to_lowercase() == header.to_lowercase())
    }
}

/// Finds the table and its columns, and plans the items that are missing.
///
/// # Errors
/// `not_found` for an unknown table, `no_such_sheet`, `bad_request` for cells that cannot become a table.
pub fn plan_columns(workbook: &Workbook, choice: &TableChoice) -> Result<TableColumnsPlan, ApiError> {
    let mut operations = Vec::new();
    let (sheet, table, area, has_header) = match choice {
        TableChoice::Named(name) => named_table(workbook, name)?,
        TableChoice::Cells { sheet, range } => {
            let sheet = sheet_by_name(workbook, sheet)?;
            let mut tables = sheet.items().of_kind(ItemKind::Table);
            match tables.find(|(_, item)| item.anchors.iter().any(|anchor| anchor.intersects(*range))) {
                Some((id, item)) => (sheet, id, item.anchors[0], has_header(item)),
                None => (sheet, new_table(workbook, sheet, *range, &mut operations)?, *range, true),
            }
        }
    };
    if area.column_count() as usize > limits::FORM_QUESTIONS_MAX {
        let message = format!("a form has at most {} columns: {area}", limits::FORM_QUESTIONS_MAX);
        return Err(ApiError::new(ErrorCode::BadRequest, message));
    }
    let mut columns = Vec::new();
    for column in area.first().column.get()..=area.last().column.get() {
        let top = CellAddress::clamped(area.first().row.get(), column);
        let known = sheet.items().of_kind(ItemKind::TableColumn).find(|(_, item)| {
            item.parent() == Some(table)
                && item.anchors.iter().any(|anchor| anchor.first().column.get() == column)
        });
        let header = match sheet.value(top) {
            Value::Text(text) if has_header && !text.trim().is_empty() => text.to_string(),
            Value::Number(number) if has_header => number.to_string(),
            _ => known
                .and_then(|(_, item)| item.text(Field::Name).map(|name| name.to_string()))
                .unwrap_or_else(|| column_name(top.column)),
        };
        let last = CellAddress::clamped(area.last().row.get(), column);
        let first_data = CellAddress::clamped(top.row.get() + u32::from(has_header), column);
        let is_formula = |cell| matches!(sheet.input(cell), Input::Formula(_));
        let is_calculated = known.is_some_and(|(_, item)| item.formula(Field::Formula).is_some())
            || first_data.row <= last.row && is_formula(first_data);
        let item = known.map_or_else(RequestMark::random_number, |(id, _)| id.0);
        if known.is_none() {
            let mut content = Item::new(ItemKind::TableColumn);
            content.anchors = vec![Range::new(top, last)];
            content.fields.insert(Field::Parent, FieldValue::Number(table.0 as f64));
            content
                .fields
                .insert(Field::Name, FieldValue::Text(header.chars().take(255).collect::<String>().into()));
            operations.push(Operation::PutItem {
                sheet: Some(sheet.id()),
                item: ItemId(item),
                content: Arc::new(content),
            });
        }
        columns.push(PlannedColumn { header, item, is_calculated });
    }
    Ok(TableColumnsPlan {
        sheet: sheet.id().0,
        table: table.0,
        columns,
        transaction: Transaction { operations },
    })
}

fn named_table<'a>(workbook: &'a Workbook, name: &str) -> Result<(&'a Sheet, ItemId, Range, bool), ApiError> {
    for sheet in workbook.sheets() {
        for (id, item) in sheet.items().of_kind(ItemKind::Table) {
            let is_named =
                item.text(Field::Name).is_some_and(|text| text.to_lowercase() == name.to_lowercase());
            if let (true, Some(area)) = (is_named, item.anchors.first()) {
                return Ok((&**sheet, id, *area, has_header(item)));
            }
        }
    }
    let shortened: String = name.chars().take(64).collect();
    Err(ApiError::new(ErrorCode::NotFound, format!("no such table: {shortened}")))
}

fn has_header(table: &Item) -> bool {
    table.boolean(Field::HeaderRow).unwrap_or(true)
}

/// Plans a table over cells, with a free name.
fn new_table(
    workbook: &Workbook,
    sheet: &Sheet,
    range: Range,
    operations: &mut Vec<Operation>,
) -> Result<ItemId, ApiError> {
    if range.is_whole_rows() || range.is_whole_columns() {
        let message = format!("a table needs a range with a first and a last cell: {range}");
        return Err(ApiError::new(ErrorCode::BadRequest, message));
    }
    let tables = workbook.table_columns();
    let is_free = |name: &String| {
        let is_other = |known: &str| known.to_lowercase() != name.to_lowercase();
        tables.iter().all(|table| is_other(&table.name)) && workbook.names().all(|(known, _)| is_other(known))
    };
    let name = (1..).map(|number| format!("Table{number}")).find(is_free).expect("one of them is free");
    let id = ItemId(RequestMark::random_number());
    let mut content = Item::new(ItemKind::Table);
    content.anchors = vec![range];
    content.fields.insert(Field::Name, FieldValue::Text(name.into()));
    content.fields.insert(Field::HeaderRow, FieldValue::Boolean(true));
    content.fields.insert(Field::BandedRows, FieldValue::Boolean(true));
    operations.push(Operation::PutItem { sheet: Some(sheet.id()), item: id, content: Arc::new(content) });
    Ok(id)
}
