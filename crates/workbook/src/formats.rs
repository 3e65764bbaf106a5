//! The formats of a sheet: runs of columns that each hold runs of rows.

use std::collections::BTreeMap;
use std::sync::Arc;

use quadrille_cell::{CellAddress, Dimension, EditKind, Range, StructuralEdit};

use crate::format::Rotation;
use crate::runs::{Run, Runs};
use crate::{Format, FormatPatch, ItemId};

/// Format of an untouched cell.
static DEFAULT: Format = Format {
    number_format: None,
    bold: false,
    italic: false,
    underline: false,
    strikethrough: false,
    wrap: false,
    horizontal: None,
    vertical: None,
    text_color: None,
    fill_color: None,
    border_top: None,
    border_right: None,
    border_bottom: None,
    border_left: None,
    font_family: None,
    font_size: None,
    indent: 0,
    rotation: Rotation::NONE,
    overflow: None,
    text_format: None,
    underline_style: None,
    script: None,
    border_diagonal_up: None,
    border_diagonal_down: None,
    fill_pattern: None,
    fill_pattern_color: None,
    quote_prefix: false,
    reading_order: None,
    text_runs: None,
    cell_style: None,
    direct: 0,
};

type RowRuns = Runs<Arc<Format>>;

/// Cell formats by column and row. Neighboring columns with equal formats share one list of row
/// runs, so the format of a whole sheet is one entry. Cells with the default format are in no run.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Formats {
    columns: Runs<Arc<RowRuns>>,
}

impl Formats {
    /// The format of a cell.
    pub fn get(&self, cell: CellAddress) -> &Format {
        let rows = self.columns.get(cell.column.get());
        rows.and_then(|rows| rows.get(cell.row.get())).map_or(&DEFAULT, |format| format)
    }

    /// Applies a patch to every cell of `range`.
    pub fn patch(&mut self, range: Range, patch: &FormatPatch) {
        let (top, bottom) = (range.first().row.get(), range.last().row.get());
        self.change_columns(range, &mut |rows| {
            let before: Vec<Run<Arc<Format>>> = rows
                .iter_in(top, bottom)
                .map(|run| Run { first: run.first, last: run.last, value: run.value.clone() })
                .collect();
            let untouched = non_default(patch.apply_to(&DEFAULT));
            rows.set(top, bottom, untouched);
            for run in before {
                rows.set(run.first, run.last, non_default(patch.apply_to(&run.value)));
            }
        });
    }

    /// Sets the format of every cell of `range`.
    pub fn set(&mut self, range: Range, format: Format) {
        let (top, bottom) = (range.first().row.get(), range.last().row.get());
        let format = non_default(format);
        self.change_columns(range, &mut |rows| rows.set(top, bottom, format.clone()));
    }

    /// Permutes the rows of `range`: row `i` gets the formats of row `order[i]`.
    pub fn permute_rows(&mut self, range: Range, order: &[u32]) {
        self.change_columns(range, &mut |rows| rows.permute(range.first().row.get(), order));
    }

    /// Applies `change` to the row runs of the range's columns, once for columns that share them.
    fn change_columns(&mut self, range: Range, change: &mut dyn FnMut(&mut RowRuns)) {
        let (left, right) = (range.first().column.get(), range.last().column.get());
        let mut changed: Vec<Run<Arc<RowRuns>>> = Vec::new();
        let mut next = left;
        let mut push = |first: u32, last: u32, rows: &RowRuns| {
            let mut rows = rows.clone();
            change(&mut rows);
            if !rows.is_empty() {
                changed.push(Run { first, last, value: Arc::new(rows) });
            }
        };
        for run in self.columns.iter_in(left, right) {
            if run.first > next {
                push(next, run.first - 1, &RowRuns::default());
            }
            push(run.first, run.last, run.value);
            next = run.last + 1;
        }
        if next <= right {
            push(next, right, &RowRuns::default());
        }
        self.columns.set(left, right, None);
        for run in changed {
            self.columns.set(run.first, run.last, Some(run.value));
        }
    }

    /// Inserts, deletes or moves rows or columns.
    pub fn restructure(&mut self, edit: &StructuralEdit) {
        match (edit.dimension, edit.kind) {
            (Dimension::Columns, EditKind::Insert) => {
                self.columns.insert(edit.at, edit.count, edit.dimension.len_max())
            }
            (Dimension::Columns, EditKind::Delete) => self.columns.delete(edit.at, edit.count),
            (Dimension::Rows, EditKind::Insert) => {
                self.change_rows(&mut |rows| rows.insert(edit.at, edit.count, edit.dimension.len_max()));
            }
            (Dimension::Rows, EditKind::Delete) => {
                self.change_rows(&mut |rows| rows.delete(edit.at, edit.count));
            }
            (dimension, EditKind::Move { .. }) => {
                self.move_dimension(dimension, (edit.at, edit.count), edit.destination());
            }
        }
    }

    /// Moves `count` rows or columns from `first` on so that they begin at `destination`; those
    /// between shift.
    pub fn move_dimension(&mut self, dimension: Dimension, (first, count): (u32, u32), destination: u32) {
        match dimension {
            Dimension::Rows => self.change_rows(&mut |rows| rows.move_range(first, count, destination)),
            Dimension::Columns => self.columns.move_range(first, count, destination),
        }
    }

    fn change_rows(&mut self, change: &mut dyn FnMut(&mut RowRuns)) {
        let Some((left, right)) = self.columns.extent() else { return };
        let all = Range::from_indices(0, left, 0, right).expect("runs lie within the sheet");
        self.change_columns(all, change);
    }

    /// Rectangles of equal non-default format within `range`, by columns from left to right, then
    /// by rows.
    pub fn runs_in(&self, range: Range) -> impl Iterator<Item = (Range, &Format)> {
        let (top, bottom) = (range.first().row.get(), range.last().row.get());
        self.columns.iter_in(range.first().column.get(), range.last().column.get()).flat_map(move |columns| {
            let (left, right) = (columns.first, columns.last);
            columns.value.iter_in(top, bottom).map(move |rows| {
                let area = Range::from_indices(rows.first, left, rows.last, right);
                (area.expect("runs lie within the sheet"), &**rows.value)
            })
        })
    }

    /// Makes equal formats share one allocation.
    pub fn deduplicate(&mut self) {
        self.replace_each(&Arc::clone);
    }

    /// Whether a format has a style whose attributes, by `style`, differ from those that it has.
    pub fn are_outdated(&self, style: &dyn Fn(ItemId) -> Option<Format>) -> bool {
        let mut runs = self.columns.iter().flat_map(|columns| columns.value.iter());
        runs.any(|run| restyled(&run.value, style).is_some_and(|format| format != *run.value))
    }

    /// Updates the attributes that formats have from their styles.
    pub fn restyle(&mut self, style: &dyn Fn(ItemId) -> Option<Format>) {
        self.replace_each(&|format| match restyled(format, style) {
            Some(restyled) => Arc::new(restyled),
            None => format.clone(),
        });
    }

    /// Replaces every format; `replacement` is called once for equal formats.
    fn replace_each(&mut self, replacement: &dyn Fn(&Arc<Format>) -> Arc<Format>) {
        let mut replaced: BTreeMap<Format, Arc<Format>> = BTreeMap::new();
        let columns: Vec<Run<Arc<RowRuns>>> = self.columns.iter().cloned().collect();
        for columns in columns {
            let mut rows = RowRuns::default();
            for run in columns.value.iter() {
                let shared = replaced.entry((*run.value).clone()).or_insert_with(|| replacement(&run.value));
                rows.set(run.first, run.last, Some(shared.clone()));
            }
            self.columns.set(columns.first, columns.last, Some(Arc::new(rows)));
        }
    }
}

/// The format with the attributes of its style; `None` without a style, or if `style` does not know
/// the style.
fn restyled(format: &Format, style: &dyn Fn(ItemId) -> Option<Format>) -> Option<Format> {
    Some(format.with_style(&style(format.cell_style?)?))
}

fn non_default(format: Format) -> Option<Arc<Format>> {
    (format != DEFAULT).then(|| Arc::new(format))
}
