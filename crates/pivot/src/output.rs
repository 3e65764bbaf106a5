//! The cells of a pivot table, and what each of them is.

use quadrille_cell::{Array, Value, parse_number};

use std::sync::Arc;

/// The largest indent of a label.
const INDENT_MAX: usize = 15;

/// What a pivot table shows.
#[derive(Debug)]
pub struct Output {
    /// The values, header rows and labels included.
    pub cells: Array,
    pub header_rows: u32,
    pub label_columns: u32,
    /// The rows below the headers, from top to bottom.
    pub row_lines: Vec<Line>,
    /// The groups of columns beside the labels, each `values.len()` columns wide, at least 1.
    pub column_lines: Vec<Line>,
    /// Names of the row fields and of the column fields.
    pub row_names: Vec<Arc<str>>,
    pub column_names: Vec<Arc<str>>,
    /// Names of the value fields.
    pub value_names: Vec<Arc<str>>,
    /// Whether the labels of all row fields are in one column.
    pub(crate) is_compact: bool,
    pub(crate) row_formats: Vec<NumberFormatSource>,
    pub(crate) column_formats: Vec<NumberFormatSource>,
    pub(crate) value_formats: Vec<NumberFormatSource>,
}

/// A row or a group of columns: the group of which it shows the values.
#[derive(Clone, Debug)]
pub struct Line {
    pub kind: LineKind,
    /// Labels of the group, outermost field first; empty for the grand total.
    pub labels: Vec<Value>,
    /// Codes of the labels.
    pub(crate) codes: Vec<u32>,
}

/// What a line shows.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum LineKind {
    /// A group of the innermost field.
    Group,
    Subtotal,
    /// The label of a group above its inner groups, without a subtotal.
    Heading,
    GrandTotal,
}

/// Where the number format of a cell is from.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum NumberFormatSource {
    Code(Arc<str>),
    /// The format of the first data cell of this column of the source.
    Column(u32),
    /// General.
    None,
}

/// What a cell of the output is.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct CellRole {
    pub is_header: bool,
    /// Whether the cell belongs to a subtotal or a grand total.
    pub is_total: bool,
    /// Levels by which a label of the compact layout is indented.
    pub indent: u8,
    pub number_format: NumberFormatSource,
}

impl Output {
    /// The role of the cell at zero-based indices from the first cell of the output.
    pub fn role(&self, row: u32, column: u32) -> CellRole {
        let line = |lines: &[Line], index: u32| {
            lines.get(index as usize).is_some_and(|line| line.kind != LineKind::Group)
        };
        let width = self.value_names.len().max(1) as u32;
        let beside = column.checked_sub(self.label_columns);
        let Some(below) = row.checked_sub(self.header_rows) else {
            let label = row.checked_sub(1).and_then(|field| self.column_formats.get(field as usize));
            let number_format = label.filter(|_| beside.is_some()).cloned();
            return CellRole {
                is_header: true,
                is_total: false,
                indent: 0,
                number_format: number_format.unwrap_or(NumberFormatSource::None),
            };
        };
        let is_total_row = line(&self.row_lines, below);
        match beside {
            None => {
                let depth = self.row_lines.get(below as usize).map_or(0, |line| line.labels.len());
                let indent = if self.is_compact { depth.saturating_sub(1) } else { 0 };
                let field = if self.is_compact { indent } else { column as usize };
                CellRole {
                    is_header: false,
                    is_total: is_total_row,
                    indent: indent.min(INDENT_MAX) as u8,
                    number_format: self
                        .row_formats
                        .get(field)
                        .filter(|_| depth > 0)
                        .cloned()
                        .unwrap_or(NumberFormatSource::None),
                }
            }
            Some(beside) => CellRole {
                is_header: false,
                is_total: is_total_row
                    || !self.column_names.is_empty() && line(&self.column_lines, beside / width),
                indent: 0,
                number_format: self
                    .value_formats
                    .get((beside % width) as usize)
                    .cloned()
                    .unwrap_or(NumberFormatSource::None),
            },
        }
    }

    /// The line whose label is in a cell, on which axis it is, and the number of its field. `None` for
    /// headers, values and labels of grand totals.
    pub(crate) fn label_at(&self, row: u32, column: u32) -> Option<(&Line, bool, usize)> {
        let (line, is_column, field) = match (row.checked_sub(self.header_rows), column) {
            (Some(below), column) if column < self.label_columns => {
                let line = self.row_lines.get(below as usize)?;
                let field = if self.is_compact { line.codes.len().checked_sub(1)? } else { column as usize };
                (line, false, field)
            }
            (None, column) => {
                let width = self.value_names.len().max(1) as u32;
                let beside = column.checked_sub(self.label_columns)? / width;
                let field = row.checked_sub(1)? as usize;
                (self.column_lines.get(beside as usize)?, true, field)
            }
            _ => return None,
        };
        (field < line.codes.len()).then_some((line, is_column, field))
    }

    /// The value that GETPIVOTDATA returns: of the value field with this name (or the name of its
    /// only value field), in the row and column that show the groups of exactly these items.
    /// `None` when the pivot table does not show it.
    pub fn lookup(&self, value_name: &str, items: &[(String, Value)]) -> Option<Value> {
        let is_named =
            |name: &Arc<str>, text: &str| crate::folding::folded(name) == crate::folding::folded(text);
        let value = self.value_names.iter().position(|name| {
            is_named(name, value_name)
                || name.strip_suffix(value_name).is_some_and(|function| function.ends_with(" of "))
        })?;
        let mut wanted = [Vec::new(), Vec::new()];
        for (name, item) in items {
            let in_rows = self.row_names.iter().position(|field| is_named(field, name));
            let in_columns = self.column_names.iter().position(|field| is_named(field, name));
            match (in_rows, in_columns) {
                (Some(field), _) => wanted[0].push((field, item)),
                (None, Some(field)) => wanted[1].push((field, item)),
                (None, None) => return None,
            }
        }
        let position = |lines: &[Line], wanted: &[(usize, &Value)]| {
            lines.iter().position(|line| {
                line.kind != LineKind::Heading
                    && line.labels.len() == wanted.len()
                    && wanted.iter().all(|(field, item)| {
                        line.labels.get(*field).is_some_and(|label| is_item(label, item))
                    })
            })
        };
        let row = position(&self.row_lines, &wanted[0])? as u32;
        let column = position(&self.column_lines, &wanted[1])?;
        let column = (column * self.value_names.len().max(1) + value) as u32;
        self.cells.get(self.header_rows + row, self.label_columns + column).cloned()
    }
}

/// Whether a label is the item of a lookup: the same value, texts case-insensitively.
fn is_item(label: &Value, item: &Value) -> bool {
    match (label, item) {
        (Value::Text(label), Value::Text(item)) => {
            crate::folding::folded(label) == crate::folding::folded(item)
        }
        (Value::Number(label), Value::Text(item)) => parse_number(item) == Some(*label),
        _ => label == item,
    }
}
