//! The table of a chart with the values that it displays.

use super::chart_xml::{children, paragraphs};
use crate::error::FileError;
use crate::xlsx::archive::Part;
use quadrille_cell::Range;

/// The name that such tables have in addresses.
pub(super) const LOCAL_TABLE: &str = "local-table";
/// Rows and columns that are read, at most: as many as series have points without cells of a sheet.
const ROWS_MAX: usize = 1_001;
const COLUMNS_MAX: usize = 256;

/// The values of a chart that has no cells in a sheet.
#[derive(Default)]
pub(super) struct LocalTable {
    rows: Vec<Vec<LocalCell>>,
}

/// A cell: its text, and whether it is a number.
#[derive(Default, Clone)]
pub(super) struct LocalCell {
    pub text: String,
    pub is_number: bool,
}

impl LocalTable {
    /// Reads an element `table:table`, up to its end.
    pub fn read(&mut self, part: &mut Part) -> Result<(), FileError> {
        children(part, |part, name, _| match name {
            "table-header-rows" | "table-rows" => self.read(part),
            "table-row" => {
                let row = row(part)?;
                if self.rows.len() < ROWS_MAX {
                    self.rows.push(row);
                }
                Ok(())
            }
            _ => part.skip(),
        })
    }

    /// The cells of a range.
    pub fn cells(&self, range: Range) -> impl Iterator<Item = &LocalCell> {
        let columns = range.first().column.get() as usize..=range.last().column.get() as usize;
        let rows = range.first().row.get() as usize..=range.last().row.get() as usize;
        let rows = self.rows.iter().enumerate().filter(move |(row, _)| rows.contains(row));
        rows.flat_map(move |(_, row)| {
            let columns = columns.clone();
            row.iter().enumerate().filter(move |(column, _)| columns.contains(column)).map(|(_, cell)| cell)
        })
    }
}

fn row(part: &mut Part) -> Result<Vec<LocalCell>, FileError> {
    let mut cells = Vec::new();
    children(part, |part, name, attributes| {
        if !matches!(name, "table-cell" | "covered-table-cell") {
            return part.skip();
        }
        let value = attributes.get("office:value").map(str::to_owned);
        let repeated = attributes.get("table:number-columns-repeated").and_then(|count| count.parse().ok());
        let text = paragraphs(part)?;
        let cell = match value {
            Some(value) => LocalCell { text: value, is_number: true },
            None => LocalCell { text, is_number: false },
        };
        let left = COLUMNS_MAX.saturating_sub(cells.len());
        cells.extend(std::iter::repeat_n(cell, repeated.unwrap_or(1_usize).min(left)));
        Ok(())
    })?;
    Ok(cells)
}
