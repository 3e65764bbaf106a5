//! Structured references: the ranges that names such as `Prices[Amount]` refer to.
//!
//! They are derived from the items of kind [`ItemKind::Table`] and the texts of their header cells,
//! and are never stored.

use std::collections::BTreeMap;

use quadrille_cell::{CellAddress, Range, SheetId};
use quadrille_formula::{
    Area, CellReference, Coordinate, Expression, Reference, SheetReference, TableRows, Template,
    structured_name,
};

use crate::items::{Field, Item, ItemId, ItemKind};
use crate::{Input, Literal, Sheet};

/// Table columns with a name, at most, in the whole workbook.
const COLUMNS_MAX: usize = 10_000;

/// Structured names in lower case with the references they stand for, and the header cells they
/// depend on.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct TableNames {
    pub names: BTreeMap<String, Template>,
    pub headers: Vec<(SheetId, Range)>,
}

/// A table with the names of its columns, from left to right.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TableColumns {
    pub sheet: SheetId,
    pub item: ItemId,
    pub area: Range,
    pub name: String,
    pub columns: Vec<Option<String>>,
}

impl TableColumns {
    pub(crate) fn of_sheet(sheet: &Sheet) -> impl Iterator<Item = TableColumns> {
        sheet.items().of_kind(ItemKind::Table).filter_map(|(item, table)| {
            let (area, name) = (*table.anchors.first()?, table.text(Field::Name)?.to_string());
            let has_header = table.boolean(Field::HeaderRow).unwrap_or(true);
            let top = area.first().row.get();
            let columns = (area.first().column.get()..=area.last().column.get())
                .take(COLUMNS_MAX)
                .map(|column| column_name(sheet, item, CellAddress::clamped(top, column), has_header))
                .collect();
            Some(TableColumns { sheet: sheet.id(), item, area, name, columns })
        })
    }
}

impl TableNames {
    /// Collects the structured names of all tables.
    pub fn of<'a>(sheets: impl Iterator<Item = &'a Sheet>) -> TableNames {
        let mut tables = TableNames::default();
        let mut columns_left = COLUMNS_MAX;
        for sheet in sheets.filter(|sheet| sheet.items().has_tables()) {
            for (id, item) in sheet.items().of_kind(ItemKind::Table) {
                tables.add(sheet, id, item, &mut columns_left);
            }
        }
        tables
    }

    fn add(&mut self, sheet: &Sheet, id: ItemId, item: &Item, columns_left: &mut usize) {
        let (Some(area), Some(table)) = (item.anchors.first().copied(), item.text(Field::Name)) else {
            return;
        };
        let has_header = item.boolean(Field::HeaderRow).unwrap_or(true);
        let has_totals = item.boolean(Field::TotalRow).unwrap_or(false);
        let (top, bottom) = (area.first().row.get(), area.last().row.get());
        let data_top = top + u32::from(has_header);
        let data_bottom = bottom.checked_sub(u32::from(has_totals));
        let data = data_bottom.filter(|bottom| *bottom >= data_top).map(|bottom| (data_top, bottom));
        let rows = [
            (TableRows::Data, data),
            (TableRows::All, Some((top, bottom))),
            (TableRows::Headers, has_header.then_some((top, top))),
            (TableRows::Totals, has_totals.then_some((bottom, bottom))),
        ];
        let (left, right) = (area.first().column.get(), area.last().column.get());
        if has_header {
            let last = CellAddress::clamped(top, right);
            self.headers.push((sheet.id(), Range::new(area.first(), last)));
        }
        self.put(sheet.id(), table, &rows, None, (left, right));
        for column in left..=right {
            let Some(left) = columns_left.checked_sub(1) else { return };
            *columns_left = left;
            if let Some(name) = column_name(sheet, id, CellAddress::clamped(top, column), has_header) {
                self.put(sheet.id(), table, &rows, Some(&name), (column, column));
            }
        }
    }

    /// Adds the names of a column, or of the whole table if `column` is `None`. The first of two
    /// columns with the same name wins.
    fn put(
        &mut self,
        sheet: SheetId,
        table: &str,
        rows: &[(TableRows, Option<(u32, u32)>)],
        column: Option<&str>,
        (left, right): (u32, u32),
    ) {
        let mut put = |rows: TableRows, area: Area| {
            let reference = Reference { sheet: Some(SheetReference::Sheet(sheet)), area };
            let name = structured_name(table, rows, column).to_lowercase();
            self.names.entry(name).or_insert_with(|| Template::new(Expression::Reference(reference)));
        };
        let corner =
            |row: Coordinate, column: u32| CellReference { row, column: Coordinate::Absolute(column) };
        for (part, part_rows) in rows {
            let Some((top, bottom)) = *part_rows else { continue };
            let (first, last) =
                (corner(Coordinate::Absolute(top), left), corner(Coordinate::Absolute(bottom), right));
            put(*part, area_of(first, last));
        }
        let here = Coordinate::Relative(0);
        put(TableRows::This, area_of(corner(here, left), corner(here, right)));
    }
}

fn area_of(first: CellReference, last: CellReference) -> Area {
    if first == last { Area::Cell(first) } else { Area::Cells(first, last) }
}

/// Name of a column: the text of its header cell, or for a table without headers the name in the
/// column's item.
fn column_name(sheet: &Sheet, table: ItemId, header: CellAddress, has_header: bool) -> Option<String> {
    if has_header {
        return match sheet.input(header) {
            Input::Value(Literal::Text(text)) => Some(text.to_string()),
            Input::Value(Literal::Number(number)) => Some(number.to_string()),
            _ => None,
        };
    }
    let columns = sheet.items().of_kind(ItemKind::TableColumn);
    let mut columns = columns.filter(|(_, column)| column.parent() == Some(table));
    let (_, column) =
        columns.find(|(_, column)| column.anchors.iter().any(|anchor| anchor.contains(header)))?;
    column.text(Field::Name).map(|name| name.to_string())
}
