//! The arrangement of groups and totals in cells: the three layouts of Excel, of which the tabular
//! one is also that of Google Sheets.
//!
//! ```text
//!    SUM of Amount   Quarter                          header rows: names of the column fields,
//!    Region  Product Q1      Q2      Grand total      then their labels
//!    East    Apple   1       2       3
//!            Pear            4       4
//!    East total      1       6       7                a subtotal
//!    Grand total     1       6       7
//!    └ label columns ┘
//!
//!    outline:  Region  Product        compact:  Region / Product
//!              East            7                East              7
//!                      Apple   3                  Apple           3
//! ```

use std::sync::Arc;

use quadrille_cell::{Array, Value};

use crate::axis::{Axis, ROOT, Totals};
use crate::definition::{Definition, GroupField, Layout};
use crate::dictionary::Dictionary;
use crate::limits::OUTPUT_CELLS_MAX;
use crate::output::{Line, LineKind, NumberFormatSource, Output};
use crate::own_groups::value_text;
use crate::shown_as::Shown;

/// What a pivot table without fields shows, so that it can be found.
const WITHOUT_FIELDS: &str = "Pivot table";

/// The lines of an axis with their nodes.
struct Lines {
    nodes: Vec<usize>,
    lines: Vec<Line>,
}

/// Lays out a pivot table. Returns `None` when it has more than [`OUTPUT_CELLS_MAX`] cells.
pub(crate) fn lay_out(
    definition: &Definition,
    (rows, columns): (&Axis, &Axis),
    totals: &Totals,
    dictionaries: &[Dictionary],
) -> Option<Output> {
    let (row_dictionaries, others) = dictionaries.split_at(definition.rows.len());
    let has_values = !definition.values.is_empty();
    let totals_first = definition.layout != Layout::Tabular;
    let has_totals = (definition.has_total_row && has_values, definition.has_total_column && has_values);
    let row_lines = lines_of(rows, &definition.rows, row_dictionaries, totals_first, has_totals.0);
    let column_lines = lines_of(columns, &definition.columns, others, false, has_totals.1);
    let has_columns = !definition.columns.is_empty();
    let value_count = definition.values.len();
    let width = if has_columns { value_count.max(1) } else { value_count };
    let header_rows = match has_columns {
        true => 1 + definition.columns.len() + usize::from(value_count > 1),
        false => 1,
    };
    let is_compact = definition.layout == Layout::Compact;
    let row_label_columns = if is_compact { definition.rows.len().min(1) } else { definition.rows.len() };
    let label_columns = row_label_columns.max(usize::from(has_columns));
    let is_empty = definition.rows.is_empty() && !has_columns && !has_values;
    let body_columns = (column_lines.nodes.len() * width).max(definition.columns.len());
    let (height, total_width) = (header_rows + row_lines.nodes.len(), label_columns + body_columns);
    if height as u64 * total_width as u64 > OUTPUT_CELLS_MAX {
        return None;
    }
    let mut cells = Cells { values: vec![Value::Blank; height * total_width], width: total_width };
    cells.set_headers(definition, &column_lines, (header_rows, label_columns, width));
    cells.set_row_labels(definition, &row_lines, header_rows, label_columns);
    for value in 0..value_count {
        let shown = Shown { definition, rows, columns, totals, value };
        let mut set = |row: usize, column: usize, shown: Value| {
            if row_lines.lines[row].kind != LineKind::Heading {
                cells.set(header_rows + row, label_columns + column * width + value, shown);
            }
        };
        if !shown.depends_on_siblings() {
            for (row, row_node) in row_lines.nodes.iter().enumerate() {
                for (column, column_node) in column_lines.nodes.iter().enumerate() {
                    set(row, column, shown.at(*row_node, *column_node));
                }
            }
        } else if !definition.rows.is_empty() {
            for (column, column_node) in column_lines.nodes.iter().enumerate() {
                let total = |node: usize| totals.get(node, *column_node, value, definition);
                let along = shown.along(rows, &row_lines.nodes, &total);
                along.into_iter().enumerate().for_each(|(row, shown)| set(row, column, shown));
            }
        } else {
            for (row, row_node) in row_lines.nodes.iter().enumerate() {
                let total = |node: usize| totals.get(*row_node, node, value, definition);
                let along = shown.along(columns, &column_lines.nodes, &total);
                along.into_iter().enumerate().for_each(|(column, shown)| set(row, column, shown));
            }
        }
    }
    let array = match is_empty || total_width == 0 {
        true => Array::new(1, 1, vec![Value::text(WITHOUT_FIELDS)]),
        false => Array::new(height as u32, total_width as u32, cells.values),
    };
    let names = |fields: &[GroupField]| fields.iter().map(|field| field.name.clone()).collect();
    let label_formats = |fields: &[GroupField]| fields.iter().map(label_format).collect();
    Some(Output {
        cells: array?,
        header_rows: header_rows as u32,
        label_columns: label_columns as u32,
        row_lines: row_lines.lines,
        column_lines: column_lines.lines,
        row_names: names(&definition.rows),
        column_names: names(&definition.columns),
        value_names: definition.values.iter().map(|field| field.name.clone()).collect(),
        is_compact,
        row_formats: label_formats(&definition.rows),
        column_formats: label_formats(&definition.columns),
        value_formats: value_formats(definition),
    })
}

/// The lines of an axis: its innermost groups, each group's subtotal after them, or before them with
/// `totals_first`, and the grand total. An axis without fields is one line.
fn lines_of(
    axis: &Axis,
    fields: &[GroupField],
    dictionaries: &[Dictionary],
    totals_first: bool,
    has_total: bool,
) -> Lines {
    let mut lines = Lines { nodes: Vec::new(), lines: Vec::new() };
    let mut push = |node: usize, kind: LineKind| {
        let codes = axis.codes(node);
        let labels = codes.iter().zip(dictionaries).map(|(code, dictionary)| dictionary.label(*code));
        lines.lines.push(Line { kind, labels: labels.collect(), codes });
        lines.nodes.push(node);
    };
    // Nodes with the number of their children that have been visited.
    let mut path = vec![(ROOT, 0)];
    while let Some((node, visited)) = path.last_mut() {
        let (node, depth) = (*node, axis.nodes[*node].depth);
        if let Some(child) = axis.nodes[node].children.get(*visited) {
            *visited += 1;
            path.push((*child, 0));
            if totals_first && depth + 1 < fields.len() {
                let kind = if fields[depth].has_subtotals { LineKind::Subtotal } else { LineKind::Heading };
                push(*child, kind);
            }
            continue;
        }
        path.pop();
        if node == ROOT {
            continue;
        }
        if depth == fields.len() {
            push(node, LineKind::Group);
        } else if !totals_first && fields[depth - 1].has_subtotals {
            push(node, LineKind::Subtotal);
        }
    }
    if has_total || fields.is_empty() {
        push(ROOT, LineKind::GrandTotal);
    }
    lines
}

struct Cells {
    /// Row by row.
    values: Vec<Value>,
    width: usize,
}

impl Cells {
    fn set(&mut self, row: usize, column: usize, value: Value) {
        self.values[row * self.width + column] = value;
    }

    fn set_headers(
        &mut self,
        definition: &Definition,
        lines: &Lines,
        (header_rows, label_columns, width): (usize, usize, usize),
    ) {
        let text = |name: &Arc<str>| Value::Text(name.clone());
        if definition.layout == Layout::Compact && definition.rows.len() > 1 {
            let names: Vec<&str> = definition.rows.iter().map(|field| &*field.name).collect();
            self.set(header_rows - 1, 0, Value::text(names.join(" / ")));
        } else {
            for (column, field) in definition.rows.iter().enumerate() {
                self.set(header_rows - 1, column, text(&field.name));
            }
        }
        let fields = definition.columns.len();
        if fields == 0 {
            for (value, field) in definition.values.iter().enumerate() {
                self.set(0, label_columns + value, text(&field.name));
            }
            return;
        }
        if let [value] = &definition.values[..] {
            self.set(0, 0, text(&value.name));
        }
        for (column, field) in definition.columns.iter().enumerate() {
            self.set(0, label_columns + column, text(&field.name));
        }
        for (position, line) in lines.lines.iter().enumerate() {
            let column = label_columns + position * width;
            for (field, label) in labels_of(definition, lines, position, Layout::Tabular) {
                self.set(1 + field, column, label);
            }
            if line.kind == LineKind::GrandTotal {
                self.set(1, column, text(&definition.total_label));
            }
            if definition.values.len() > 1 {
                for (value, field) in definition.values.iter().enumerate() {
                    self.set(1 + fields, column + value, text(&field.name));
                }
            }
        }
    }

    fn set_row_labels(
        &mut self,
        definition: &Definition,
        lines: &Lines,
        header_rows: usize,
        label_columns: usize,
    ) {
        for (position, line) in lines.lines.iter().enumerate() {
            for (field, label) in labels_of(definition, lines, position, definition.layout) {
                let column = if definition.layout == Layout::Compact { 0 } else { field };
                self.set(header_rows + position, column, label);
            }
            if line.kind == LineKind::GrandTotal && label_columns > 0 {
                self.set(header_rows + position, 0, Value::Text(definition.total_label.clone()));
            }
        }
    }
}

/// The labels that a line shows, with the field of each: those that differ from the line before.
fn labels_of(definition: &Definition, lines: &Lines, position: usize, layout: Layout) -> Vec<(usize, Value)> {
    let line = &lines.lines[position];
    if layout != Layout::Tabular {
        // Outer groups have lines of their own, so only the last label is new.
        let repeats = definition.repeats_labels && layout == Layout::Outline;
        let first = if repeats { 0 } else { line.labels.len().saturating_sub(1) };
        return line.labels.iter().cloned().enumerate().skip(first).collect();
    }
    if line.kind == LineKind::Subtotal {
        let field = line.labels.len() - 1;
        let label = definition.subtotal_label.replace('*', &value_text(&line.labels[field]));
        return vec![(field, Value::text(label))];
    }
    let before = position.checked_sub(1).map(|before| &lines.lines[before]);
    let shared = match before.filter(|before| before.kind == LineKind::Group && !definition.repeats_labels) {
        Some(before) => line.codes.iter().zip(&before.codes).take_while(|(a, b)| a == b).count(),
        None => 0,
    };
    line.labels.iter().cloned().enumerate().skip(shared).collect()
}

fn label_format(field: &GroupField) -> NumberFormatSource {
    match field.grouping.number_format() {
        Some("General") => NumberFormatSource::None,
        Some(code) => NumberFormatSource::Code(code.into()),
        None => NumberFormatSource::Column(field.column),
    }
}

fn value_formats(definition: &Definition) -> Vec<NumberFormatSource> {
    let of_field = |field: &crate::definition::ValueField| match &field.number_format {
        Some(code) => NumberFormatSource::Code(code.clone()),
        None if field.shown_as.is_percent() => NumberFormatSource::Code("0.00%".into()),
        None if field.function.is_count()
            || field.calculation.is_some()
            || field.shown_as == crate::definition::ShownAs::Rank =>
        {
            NumberFormatSource::None
        }
        None => NumberFormatSource::Column(field.column),
    };
    definition.values.iter().map(of_field).collect()
}
