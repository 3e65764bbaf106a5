//! What-if data tables: `<f t="dataTable" ref="B3:B7" r1="B1"/>` in the first cell (ECMA-376 part 1,
//! 18.3.1.40). Each cell of a table is one call of MULTIPLE.OPERATIONS (rule F30).
//!
//! ```text
//!   one variable, in a column      in a row                 two variables
//!        A     B                        A     B                 A     B
//!   2          formula             2          value         2  formula value of r1
//!   3  value   result              3  formula result        3  value   result
//!                                                              of r2
//! ```

use std::collections::{BTreeMap, BTreeSet};

use quadrille_cell::{CellAddress, ColumnIndex, Range, Value};
use quadrille_formula::{Expression, Template, TokenKind, resolve_area, tokens, visit};
use quadrille_workbook::{Sheet, Workbook};

use super::added_parts::AddedParts;
use super::references::cell_reference;
use super::xml::Element;

/// The function of the cells of a table.
pub(crate) const FUNCTION: &str = "MULTIPLE.OPERATIONS";
/// The name that LibreOffice gives to the function in `.xlsx` files.
const LIBREOFFICE_FUNCTION: &str = "TABLE";
/// Tables of a sheet that are read; others keep their values.
const DATA_TABLES_MAX: usize = 1_000;

/// Which cells are replaced.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Inputs {
    /// By the values to the left of the table.
    Column(Option<CellAddress>),
    /// By the values above the table.
    Row(Option<CellAddress>),
    /// By the values above and by those to the left.
    Both(Option<CellAddress>, Option<CellAddress>),
}

/// A table; its first cell is neither in the first row nor in the first column of the sheet.
pub(super) struct DataTable {
    area: Range,
    inputs: Inputs,
}

impl DataTable {
    /// Reads the attributes of an `f` element. An input cell that was deleted is `None`.
    pub fn read(element: &Element) -> Option<DataTable> {
        let area = element.attribute("ref").and_then(|area| Range::parse_a1(&area).ok())?;
        if area.first().row.get() == 0 || area.first().column.get() == 0 {
            return None;
        }
        let input = |name: &str, deleted: &str| {
            let cell = element.attribute(name).and_then(|cell| CellAddress::parse_a1(&cell).ok());
            cell.filter(|_| element.flag(deleted) != Some(true))
        };
        let (first, second) = (input("r1", "del1"), input("r2", "del2"));
        let inputs = match (element.flag("dt2D"), element.flag("dtr")) {
            (Some(true), _) => Inputs::Both(first, second),
            (_, Some(true)) => Inputs::Row(first),
            _ => Inputs::Column(first),
        };
        Some(DataTable { area, inputs })
    }

    /// The formula without `=` in a cell of the table.
    fn formula(&self, cell: CellAddress) -> Option<String> {
        if !self.area.contains(cell) {
            return None;
        }
        let (top, left) = (self.area.first().row.get() - 1, self.area.first().column.get() - 1);
        let above = cell_reference(CellAddress::clamped(top, cell.column.get()), false, true);
        let beside = cell_reference(CellAddress::clamped(cell.row.get(), left), true, false);
        let corner = cell_reference(CellAddress::clamped(top, left), true, true);
        let input = |cell: Option<CellAddress>| {
            cell.map_or_else(|| "#REF!".to_owned(), |cell| cell_reference(cell, true, true))
        };
        Some(match self.inputs {
            Inputs::Column(cell) => format!("{FUNCTION}({above},{},{beside})", input(cell)),
            Inputs::Row(cell) => format!("{FUNCTION}({beside},{},{above})", input(cell)),
            Inputs::Both(row, column) => {
                let (row, column) = (input(row), input(column));
                // In the order in which LibreOffice writes them.
                format!("{FUNCTION}({corner},{column},{beside},{row},{above})")
            }
        })
    }

    /// The element of the first cell.
    fn element(&self) -> String {
        let area = self.area;
        let name = |cell: Option<CellAddress>| cell.map(|cell| cell.to_string()).unwrap_or_default();
        match self.inputs {
            Inputs::Column(cell) => {
                format!(r#"<f t="dataTable" ref="{area}" dt2D="0" dtr="0" r1="{}"/>"#, name(cell))
            }
            Inputs::Row(cell) => {
                format!(r#"<f t="dataTable" ref="{area}" dt2D="0" dtr="1" r1="{}"/>"#, name(cell))
            }
            Inputs::Both(row, column) => {
                let (row, column) = (name(row), name(column));
                format!(r#"<f t="dataTable" ref="{area}" dt2D="1" dtr="1" r1="{row}" r2="{column}"/>"#)
            }
        }
    }
}

/// The tables of a sheet whose cells are being read, row by row.
#[derive(Default)]
pub(super) struct ReadTables {
    /// Tables that do not overlap, by their first columns; those above the last one are forgotten.
    by_column: BTreeMap<ColumnIndex, DataTable>,
    count: usize,
}

impl ReadTables {
    /// Adds a table whose first cell is being read. Returns `false` if there are too many or the table
    /// overlaps another one.
    pub fn add(&mut self, table: DataTable) -> bool {
        let area = table.area;
        self.by_column.retain(|_, other| other.area.last().row >= area.first().row);
        let is_free = self.by_column.values().all(|other| !other.area.intersects(area));
        let is_added = is_free && self.count < DATA_TABLES_MAX;
        if is_added {
            self.count += 1;
            self.by_column.insert(area.first().column, table);
        }
        is_added
    }

    /// The formula without `=` of a cell that a table covers.
    pub fn formula(&self, cell: CellAddress) -> Option<String> {
        self.by_column.range(..=cell.column).next_back()?.1.formula(cell)
    }
}

/// The tables of a sheet that are written as such.
pub(crate) struct DataTables {
    tables: Vec<DataTable>,
    cells: BTreeSet<CellAddress>,
}

impl DataTables {
    /// Finds rectangles of cells whose formulas are those of a table.
    pub fn of(sheet: &Sheet) -> DataTables {
        let mut found: BTreeMap<(CellAddress, Inputs), BTreeSet<CellAddress>> = BTreeMap::new();
        for (column, first, last, template) in sheet.formula_runs(Range::whole_sheet()) {
            let Expression::Call { function, arguments } = template.expression() else { continue };
            if **function.text() != *FUNCTION {
                continue;
            }
            for row in first..=last {
                let cell = CellAddress::clamped(row, column.get());
                if let Some(table) = table_of(cell, arguments) {
                    found.entry(table).or_default().insert(cell);
                }
            }
        }
        let tables: Vec<_> = found
            .into_iter()
            .filter_map(|((first, inputs), cells)| {
                let (mut bottom, mut right) = (first.row.get(), first.column.get());
                let has = |row: u32, column: u32| cells.contains(&CellAddress::clamped(row, column));
                if !has(bottom, right) {
                    return None;
                }
                while has(bottom, right + 1) {
                    right += 1;
                }
                while (first.column.get()..=right).all(|column| has(bottom + 1, column)) {
                    bottom += 1;
                }
                Some(DataTable { area: Range::new(first, CellAddress::clamped(bottom, right)), inputs })
            })
            .collect();
        let cells = tables.iter().flat_map(|table| table.area.cells()).collect();
        DataTables { tables, cells }
    }

    /// Whether a table covers the cell.
    pub fn contains(&self, cell: CellAddress) -> bool {
        self.cells.contains(&cell)
    }

    /// The cells that are written without a formula: those of the tables, except the first of each.
    pub fn into_values(mut self) -> BTreeSet<CellAddress> {
        for table in &self.tables {
            self.cells.remove(&table.area.first());
        }
        self.cells
    }
}

/// The first cell and the inputs of the table to which a formula in `cell` with these arguments would
/// belong.
fn table_of(cell: CellAddress, arguments: &[Expression]) -> Option<(CellAddress, Inputs)> {
    let mut cells = Vec::new();
    for argument in arguments {
        let Expression::Reference(reference) = argument else { return None };
        let range = resolve_area(&reference.area, cell).filter(|_| reference.sheet.is_none())?;
        cells.push(Some(range.first()).filter(|_| range.cell_count() == 1)?);
    }
    let below = |other: CellAddress| (other.column == cell.column).then_some(other.row.get() + 1);
    let right_of = |other: CellAddress| (other.row == cell.row).then_some(other.column.get() + 1);
    let (top, left, inputs) = match cells[..] {
        [formula, input, value] => match (below(formula), right_of(value)) {
            (Some(top), Some(left)) => (top, left, Inputs::Column(Some(input))),
            _ => (below(value)?, right_of(formula)?, Inputs::Row(Some(input))),
        },
        [formula, first, first_value, second, second_value] => {
            let (top, left) = (formula.row.get() + 1, formula.column.get() + 1);
            let fits = |above: CellAddress, beside: CellAddress| {
                below(above) == Some(top) && right_of(beside) == Some(left)
            };
            let inputs = if fits(first_value, second_value) {
                Inputs::Both(Some(first), Some(second))
            } else if fits(second_value, first_value) {
                Inputs::Both(Some(second), Some(first))
            } else {
                return None;
            };
            (top, left, inputs)
        }
        _ => return None,
    };
    let first = CellAddress::new(top, left)?;
    (first.row <= cell.row && first.column <= cell.column).then_some((first, inputs))
}

/// Whether a formula calls MULTIPLE.OPERATIONS, which Excel does not have.
pub(crate) fn has_multiple_operations(template: &Template) -> bool {
    let mut found = false;
    visit(template.expression(), &mut |node| {
        found |= matches!(node, Expression::Call { function, .. } if **function.text() == *FUNCTION);
    });
    found
}

/// A formula of a file with MULTIPLE.OPERATIONS instead of the name that LibreOffice writes.
pub(super) fn with_own_function(text: String) -> String {
    if !text.contains(LIBREOFFICE_FUNCTION) {
        return text;
    }
    let (mut changed, mut end) = (String::with_capacity(text.len() + 16), 0);
    for token in tokens(&text) {
        if token.kind == TokenKind::Function && text[token.start..token.end] == *LIBREOFFICE_FUNCTION {
            changed.push_str(&text[end..token.start]);
            changed.push_str(FUNCTION);
            end = token.end;
        }
    }
    changed + &text[end..]
}

/// Puts the tables in the place of the formulas of their first cells. Other cells only have values.
pub(super) fn add_data_tables(workbook: &Workbook, added: &mut AddedParts) {
    for (index, sheet) in workbook.sheets().iter().enumerate() {
        let tables = DataTables::of(sheet).tables;
        if tables.is_empty() {
            continue;
        }
        let is_error = |cell: &CellAddress| matches!(sheet.value(*cell), Value::Error(_));
        let mut elements: BTreeMap<CellAddress, String> = BTreeMap::new();
        for table in &tables {
            // `rust_xlsxwriter` writes errors as formulas.
            let errors = table.area.cells().filter(is_error);
            elements.extend(errors.map(|cell| (cell, String::new())));
            elements.insert(table.area.first(), table.element());
        }
        let part = added.sheet_part(index);
        added.change(part, move |text| with_formulas(text, &elements));
    }
}

/// Replaces the formulas of some cells of a worksheet part, whose cells are in the order of the elements.
fn with_formulas(text: &str, elements: &BTreeMap<CellAddress, String>) -> String {
    let (mut changed, mut rest) = (String::with_capacity(text.len()), text);
    for (cell, element) in elements {
        let Some(start) = rest.find(&format!("<c r=\"{cell}\"")) else {
            continue;
        };
        let end = rest[start..].find("</c>").map_or(rest.len(), |end| start + end);
        let (before, after) = rest.split_at(end);
        match before[start..].find("<f").zip(before.rfind("</f>")) {
            Some((from, to)) => {
                changed += &before[..start + from];
                changed += element;
                changed += &before[to + "</f>".len()..];
            }
            None => changed += before,
        }
        rest = after;
    }
    changed + rest
}
