//! The table that a written chart has beside the addresses of its cells, for programs that show a chart
//! without its spreadsheet, and for constants.

use quadrille_cell::{CellAddress, Range, Value};
use quadrille_number_format::NumberFormat;
use quadrille_workbook::{Field, Sheet, Workbook};

use super::chart_addresses::{ChartCells, Constant};
use super::local_table::LOCAL_TABLE;
use super::numbers::escaped;
use crate::charts::{Record, WrittenChart};
use crate::displayed_rows::{Numbers, displayed_text};

/// Points of a series whose values are in the table, at most.
const POINTS_MAX: usize = 1_000;
/// Cells of the name of a series, at most.
const NAME_CELLS_MAX: usize = 10;

/// A part of a series that refers to cells.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Part {
    Name,
    Values,
    Categories,
    Sizes,
}

impl Part {
    const ALL: [Part; 4] = [Part::Name, Part::Values, Part::Categories, Part::Sizes];

    fn field(self) -> Field {
        match self {
            Part::Name => Field::Name,
            Part::Values => Field::Values,
            Part::Categories => Field::Categories,
            Part::Sizes => Field::Sizes,
        }
    }
}

/// The cells of the series of a chart, and the columns of its table.
pub(super) struct Columns<'a> {
    workbook: &'a Workbook,
    /// By series and part.
    cells: Vec<[ChartCells; 4]>,
    columns: Vec<Column>,
}

/// A column of the table. The first row has the names of the series.
struct Column {
    series: usize,
    part: Part,
    name: Value,
    values: Vec<Value>,
}

impl Column {
    /// The first column, with the categories that the series share; for points with two numbers, which have
    /// none, it is blank.
    fn of_labels(
        workbook: &Workbook,
        cells: &[[ChartCells; 4]],
        has_numbers: bool,
        cells_left: &mut usize,
    ) -> Column {
        let labelled = cells.iter().position(|parts| !parts[Part::Categories as usize].is_empty());
        match labelled.filter(|_| !has_numbers) {
            Some(series) => {
                let parts = &cells[series][Part::Categories as usize];
                let values = values(workbook, parts, true, cells_left);
                Column { series, part: Part::Categories, name: Value::Blank, values }
            }
            // No address names such a column.
            None => Column { series: 0, part: Part::Name, name: Value::Blank, values: Vec::new() },
        }
    }
}

impl<'a> Columns<'a> {
    /// The cells of the series of a chart. `cells_left` is the number of cells whose values may still be
    /// copied into tables; constants are always in them.
    pub fn of(
        workbook: &'a Workbook,
        sheet: &Sheet,
        written: &WrittenChart,
        cells_left: &mut usize,
    ) -> Columns<'a> {
        let of_series = |fields: &&Record| {
            Part::ALL.map(|part| ChartCells::of(workbook, sheet, fields.get(&part.field())))
        };
        let cells: Vec<[ChartCells; 4]> = written.series.iter().map(of_series).collect();
        let has_numbers = matches!(written.kind, "scatter" | "bubble");
        let mut columns = vec![Column::of_labels(workbook, &cells, has_numbers, cells_left)];
        for (series, parts) in cells.iter().enumerate() {
            let own = [
                // Only points with two numbers have x values of their own.
                (Part::Categories, has_numbers),
                (Part::Values, true),
                (Part::Sizes, written.kind == "bubble"),
            ];
            for (part, _) in own.into_iter().filter(|(_, is_written)| *is_written) {
                let values = values(workbook, &parts[part as usize], false, cells_left);
                let name = match part {
                    Part::Values => values_of_name(workbook, &parts[Part::Name as usize]),
                    _ => Value::Blank,
                };
                columns.push(Column { series, part, name, values });
            }
        }
        Columns { workbook, cells, columns }
    }

    /// Whether a series has cells of a sheet.
    pub fn has_cells(&self) -> bool {
        self.cells.iter().flatten().any(|cells| !cells.ranges.is_empty())
    }

    /// The number of points of a series.
    pub fn point_count(&self, series: usize) -> usize {
        let values = &self.cells[series][Part::Values as usize];
        let cells: u64 = values.ranges.iter().map(|(_, range)| range.cell_count()).sum();
        values.constants.len() + usize::try_from(cells).unwrap_or(usize::MAX)
    }

    /// The name of a series that is a constant beside cells of a sheet, in quotes.
    pub fn own_name(&self, series: usize) -> Option<String> {
        match self.cells[series][Part::Name as usize].constants.as_slice() {
            [Constant::Text(text)] if self.has_cells() => Some(format!("\"{}\"", text.replace('"', "\"\""))),
            [Constant::Number(number)] if self.has_cells() => Some(format!("\"{number}\"")),
            _ => None,
        }
    }

    /// The addresses of a part of a series, in a sheet or in the table.
    pub fn address(&self, series: usize, part: Part) -> Option<String> {
        let cells = &self.cells[series][part as usize];
        if cells.constants.is_empty() {
            return cells.addresses(self.workbook);
        }
        let column_of = if part == Part::Name { Part::Values } else { part };
        let at =
            self.columns.iter().position(|column| (column.series, column.part) == (series, column_of))?;
        let cell = |row: usize| CellAddress::clamped(row as u32, at as u32);
        Some(match (part, self.columns[at].values.len()) {
            (Part::Name, _) => format!("{LOCAL_TABLE}.{}", cell(0)),
            (_, count) => format!("{LOCAL_TABLE}.{}:{LOCAL_TABLE}.{}", cell(1), cell(count.max(1))),
        })
    }

    /// The addresses of the categories that the series share: those of the first series that has some.
    pub fn categories(&self) -> Option<String> {
        (0..self.cells.len()).find_map(|series| self.address(series, Part::Categories))
    }

    /// The table as an element.
    pub fn table(&self) -> String {
        let rows = self.columns.iter().map(|column| column.values.len()).max().unwrap_or(0);
        let names: String = self.columns.iter().map(|column| cell(&column.name)).collect();
        let mut table = format!(
            "<table:table table:name=\"{LOCAL_TABLE}\"><table:table-header-columns><table:table-column/>\
             </table:table-header-columns><table:table-columns><table:table-column \
             table:number-columns-repeated=\"{}\"/></table:table-columns><table:table-header-rows>\
             <table:table-row>{names}</table:table-row></table:table-header-rows><table:table-rows>",
            self.columns.len() - 1
        );
        for row in 0..rows {
            table.push_str("<table:table-row>");
            self.columns.iter().for_each(|column| {
                table.push_str(&cell(column.values.get(row).unwrap_or(&Value::Blank)));
            });
            table.push_str("</table:table-row>");
        }
        table + "</table:table-rows></table:table>"
    }
}

fn cell(value: &Value) -> String {
    match value {
        Value::Number(number) => format!(
            "<table:table-cell office:value-type=\"float\" office:value=\"{number}\"><text:p>{number}</text:p>\
             </table:table-cell>"
        ),
        Value::Text(text) => format!(
            "<table:table-cell office:value-type=\"string\"><text:p>{}</text:p></table:table-cell>",
            escaped(text)
        ),
        _ => "<table:table-cell/>".to_owned(),
    }
}

/// The texts of the cells of a name.
fn values_of_name(workbook: &Workbook, cells: &ChartCells) -> Value {
    let mut cells_left = NAME_CELLS_MAX;
    let texts: Vec<String> = values(workbook, cells, true, &mut cells_left)
        .into_iter()
        .filter_map(|value| match value {
            Value::Text(text) => Some(text.to_string()),
            _ => None,
        })
        .collect();
    if texts.is_empty() { Value::Blank } else { Value::Text(texts.join(" ").into()) }
}

/// The constants, or the values of the cells as far as `cells_left` allows. `is_text` stands for the
/// displayed texts.
fn values(workbook: &Workbook, cells: &ChartCells, is_text: bool, cells_left: &mut usize) -> Vec<Value> {
    if !cells.constants.is_empty() {
        let value = |constant: &Constant| match constant {
            Constant::Number(number) => Value::number(*number),
            Constant::Text(text) => Value::Text(text.as_str().into()),
        };
        return cells.constants.iter().map(value).collect();
    }
    let mut values = Vec::new();
    for (id, range) in &cells.ranges {
        let Some(sheet) = workbook.sheet(*id) else { continue };
        // Whole columns end with the last used cell.
        let Some(used) = sheet.used_range().and_then(|used| used.intersection(*range)) else { continue };
        let filled = Range::new(range.first(), used.last());
        let count = (*cells_left).min(POINTS_MAX - values.len());
        for at in filled.cells().take(count) {
            let value = sheet.value(at);
            values.push(match (&value, is_text) {
                (Value::Number(_), false) => value,
                (Value::Number(_) | Value::Text(_), true) => {
                    let code = sheet.format(at).number_format.as_deref();
                    let code =
                        code.map(|code| NumberFormat::parse(code).with_date_system(workbook.date_system()));
                    Value::Text(displayed_text(&value, Numbers::AsShown, code.as_ref()).into())
                }
                _ => Value::Blank,
            });
            *cells_left -= 1;
        }
    }
    values
}
