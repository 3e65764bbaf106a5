//! One sheet: cells by column, formats and sizes.

use std::sync::Arc;

use quadrille_cell::{
    COLUMNS_MAX, CellAddress, ColumnIndex, Dimension, EditKind, ROWS_MAX, Range, SheetId, StructuralEdit,
    Value,
};
use quadrille_formula::Template;

use crate::column::Column;
use crate::formats::Formats;
use crate::items::{Item, ItemId, Items};
use crate::runs::{Run, Runs};
use crate::values::ReadyRows;
use crate::{Format, FormatPatch, Input};

/// A sheet. Cloning copies one pointer per column; columns, and in them blocks, are shared until written.
#[derive(Clone, Debug)]
pub struct Sheet {
    id: SheetId,
    pub(crate) instance: u64,
    pub(crate) name: Arc<str>,
    /// By column index, up to the last column ever used.
    columns: Vec<Option<Arc<Column>>>,
    formats: Arc<Formats>,
    row_heights: Arc<Runs<u16>>,
    column_widths: Arc<Runs<u16>>,
    hidden_rows: Arc<Runs<()>>,
    hidden_columns: Arc<Runs<()>>,
    items: Arc<Items>,
}

impl Sheet {
    pub fn new(id: SheetId, name: &str) -> Sheet {
        Sheet {
            id,
            instance: 0,
            name: name.into(),
            columns: Vec::new(),
            formats: Arc::default(),
            row_heights: Arc::default(),
            column_widths: Arc::default(),
            hidden_rows: Arc::default(),
            hidden_columns: Arc::default(),
            items: Arc::default(),
        }
    }

    pub fn id(&self) -> SheetId {
        self.id
    }

    /// Differs when a sheet was removed and one with the same identity put in again: what was known of the first
    /// does not hold for the second.
    pub fn instance(&self) -> u64 {
        self.instance
    }

    pub fn name(&self) -> &Arc<str> {
        &self.name
    }

    // Reading cells

    /// What the cell shows: its literal, or what its formula or a spilling one gave.
    pub fn value(&self, cell: CellAddress) -> Value {
        self.column(cell.column).map_or(Value::Blank, |column| column.value(cell.row.get()))
    }

    pub fn formula(&self, cell: CellAddress) -> Option<&Template> {
        self.column(cell.column)?.formulas().get(cell.row.get())
    }

    /// What was entered; blank where an array has spilled.
    pub fn input(&self, cell: CellAddress) -> Input {
        self.column(cell.column).map_or(Input::Blank, |column| column.input(cell.row.get()))
    }

    /// The formula whose array has spilled into the cell; `None` for that formula's own cell.
    pub fn spill_anchor(&self, cell: CellAddress) -> Option<CellAddress> {
        self.column(cell.column)?.spilled().get(cell.row.get()).copied()
    }

    /// `None` when nothing was ever put into the column.
    pub fn column(&self, column: ColumnIndex) -> Option<&Column> {
        self.columns.get(column.get() as usize)?.as_deref()
    }

    /// The columns that hold something, among those of `range`.
    pub fn columns_in(&self, range: Range) -> impl Iterator<Item = (ColumnIndex, &Column)> {
        let (first, last) = (range.first().column.get() as usize, range.last().column.get() as usize);
        let end = self.columns.len().min(last + 1);
        let columns = self.columns.get(first..end).unwrap_or_default();
        (first as u32..).zip(columns).filter_map(|(index, column)| {
            Some((ColumnIndex::clamped(index), column.as_deref().filter(|column| !column.is_empty())?))
        })
    }

    /// From this column on the sheet holds nothing.
    pub fn columns_end(&self) -> u32 {
        let holds = |column: &Option<Arc<Column>>| column.as_ref().is_some_and(|column| !column.is_empty());
        self.columns.iter().rposition(holds).map_or(0, |last| last as u32 + 1)
    }

    /// The smallest range that holds every value and formula; formats do not count.
    pub fn used_range(&self) -> Option<Range> {
        let mut used: Option<Range> = None;
        for (index, column) in self.columns_in(Range::whole_sheet()) {
            if let Some((first, last)) = column.extent() {
                let extent = Range::from_indices(first, index.get(), last, index.get());
                let extent = extent.expect("columns lie within the sheet");
                used = Some(used.map_or(extent, |used| used.union(extent)));
            }
        }
        used
    }

    /// Runs of one formula, cut to `range`: column, first row, last row, template.
    pub fn formula_runs(&self, range: Range) -> impl Iterator<Item = (ColumnIndex, u32, u32, &Template)> {
        let (top, bottom) = (range.first().row.get(), range.last().row.get());
        self.columns_in(range).flat_map(move |(index, column)| {
            column.formula_runs(top, bottom).map(move |run| (index, run.first, run.last, run.value))
        })
    }

    /// Inputs that are not blank, column by column and from above. Costs what it yields, not what `range` covers.
    pub fn inputs_in(&self, range: Range) -> impl Iterator<Item = (CellAddress, Input)> {
        let (top, bottom) = (range.first().row.get(), range.last().row.get());
        self.columns_in(range).flat_map(move |(index, column)| {
            column
                .inputs(top, bottom)
                .map(move |(row, input)| (CellAddress::clamped(row, index.get()), input))
        })
    }

    // Writing cells

    pub fn set_input(&mut self, cell: CellAddress, input: &Input) {
        if *input == Input::Blank && self.column(cell.column).is_none() {
            return;
        }
        self.column_mut(cell.column).set_input(cell.row.get(), input);
    }

    /// Puts the same input into every cell of `range`; the references of a formula are relative to each cell.
    pub fn fill_input(&mut self, range: Range, input: &Input) {
        let (first, last) = (range.first(), range.last());
        for index in first.column.get()..=last.column.get() {
            let index = ColumnIndex::clamped(index);
            if *input == Input::Blank && self.columns.len() <= index.get() as usize {
                return;
            }
            if *input == Input::Blank && self.column(index).is_none() {
                continue;
            }
            self.column_mut(index).fill_input(first.row.get(), last.row.get(), input);
        }
    }

    /// Other formulas where formulas stand, ascending; values stay what they are.
    pub fn replace_formulas(&mut self, column: ColumnIndex, formulas: Vec<Run<Template>>) {
        self.column_mut(column).formulas.overlay(formulas);
    }

    /// Literals for the rows from `first_row` on, replacing what they held: the fast way in for imports.
    pub fn set_column_values(&mut self, column: ColumnIndex, first_row: u32, values: &[Value]) {
        let room = ROWS_MAX.saturating_sub(first_row) as usize;
        let values = &values[..values.len().min(room)];
        if values.is_empty() {
            return;
        }
        let column = self.column_mut(column);
        column.clear_overlays(first_row, first_row + values.len() as u32 - 1);
        column.values.replace(first_row, values);
    }

    /// As [`set_column_values`](Self::set_column_values); the numbers must be canonical.
    pub fn set_column_numbers(&mut self, column: ColumnIndex, first_row: u32, numbers: &[f64]) {
        let room = ROWS_MAX.saturating_sub(first_row) as usize;
        let numbers = &numbers[..numbers.len().min(room)];
        if numbers.is_empty() {
            return;
        }
        let column = self.column_mut(column);
        column.clear_overlays(first_row, first_row + numbers.len() as u32 - 1);
        column.values.replace_numbers(first_row, numbers);
    }

    /// What a formula gave. Only for cells that hold a formula or spilled values.
    pub fn set_computed(&mut self, cell: CellAddress, value: Value) {
        debug_assert!(
            self.formula(cell).is_some() || self.spill_anchor(cell).is_some(),
            "{cell} holds no formula and nothing has spilled there"
        );
        self.column_mut(cell.column).values.set(cell.row.get(), &value);
    }

    /// What a run of formulas gave, for the rows from `first_row` on.
    pub fn set_computed_values(&mut self, column: ColumnIndex, first_row: u32, values: &[Value]) {
        self.column_mut(column).values.replace(first_row, values);
    }

    /// The same with values that are in blocks already.
    pub fn put_computed(&mut self, column: ColumnIndex, ready: ReadyRows) {
        self.column_mut(column).values.put(ready);
    }

    /// As [`set_computed_values`](Self::set_computed_values); the numbers must be canonical.
    pub fn set_computed_numbers(&mut self, column: ColumnIndex, first_row: u32, numbers: &[f64]) {
        self.column_mut(column).values.replace_numbers(first_row, numbers);
    }

    /// Marks the cells of `area` other than `anchor` as filled by the array of `anchor`'s formula. The caller
    /// has made sure that they hold no input, and sets their values.
    pub fn mark_spilled(&mut self, area: Range, anchor: CellAddress) {
        for part in area.subtract(Range::cell(anchor)) {
            for index in part.first().column.get()..=part.last().column.get() {
                let (top, bottom) = (part.first().row.get(), part.last().row.get());
                self.column_mut(ColumnIndex::clamped(index)).spilled.set(top, bottom, Some(anchor));
            }
        }
    }

    /// Takes spilled values out of `range`.
    pub fn clear_spilled(&mut self, range: Range) {
        let (top, bottom) = (range.first().row.get(), range.last().row.get());
        for index in range.first().column.get()..=range.last().column.get() {
            let index = ColumnIndex::clamped(index);
            if self.columns.len() <= index.get() as usize {
                return;
            }
            if self.column(index).is_some_and(|column| column.spilled.iter_in(top, bottom).next().is_some()) {
                self.column_mut(index).clear_spilled(top, bottom);
            }
        }
    }

    pub(crate) fn column_mut(&mut self, column: ColumnIndex) -> &mut Column {
        let index = column.get() as usize;
        if index >= self.columns.len() {
            self.columns.resize(index + 1, None);
        }
        Arc::make_mut(self.columns[index].get_or_insert_default())
    }

    // Moving cells

    /// Moves cells, formats and sizes; the templates of formulas stay as they are. New lines are blank, of
    /// default format and size. Spilled values of this sheet are taken away, to spill anew where they then belong.
    pub fn restructure(&mut self, edit: &StructuralEdit) {
        debug_assert_eq!(edit.sheet, self.id);
        self.clear_spilled(Range::whole_sheet());
        if let EditKind::Move { .. } = edit.kind {
            return self.move_lines(edit);
        }
        match edit.dimension {
            Dimension::Rows => {
                for column in self.columns.iter_mut().flatten() {
                    if column.extent().is_none_or(|(_, last)| last < edit.at) {
                        continue;
                    }
                    let column = Arc::make_mut(column);
                    match edit.kind {
                        EditKind::Insert => column.insert_rows(edit.at, edit.count),
                        EditKind::Delete | EditKind::Move { .. } => column.delete_rows(edit.at, edit.count),
                    }
                }
            }
            Dimension::Columns => {
                let at = edit.at as usize;
                let count = edit.count as usize;
                if at < self.columns.len() {
                    match edit.kind {
                        EditKind::Insert => {
                            let count = count.min(COLUMNS_MAX as usize);
                            self.columns.splice(at..at, std::iter::repeat_n(None, count));
                            self.columns.truncate(COLUMNS_MAX as usize);
                        }
                        EditKind::Delete | EditKind::Move { .. } => {
                            let end = at.saturating_add(count).min(self.columns.len());
                            self.columns.drain(at..end);
                        }
                    }
                }
            }
        }
        Arc::make_mut(&mut self.formats).restructure(edit);
        let sizes = Arc::make_mut(match edit.dimension {
            Dimension::Rows => &mut self.row_heights,
            Dimension::Columns => &mut self.column_widths,
        });
        match edit.kind {
            EditKind::Insert => sizes.insert(edit.at, edit.count, edit.dimension.len_max()),
            EditKind::Delete | EditKind::Move { .. } => sizes.delete(edit.at, edit.count),
        }
        if self.hidden(edit.dimension).is_empty() {
            return;
        }
        let hidden = self.hidden_mut(edit.dimension);
        match edit.kind {
            EditKind::Insert => hidden.insert(edit.at, edit.count, edit.dimension.len_max()),
            EditKind::Delete | EditKind::Move { .. } => hidden.delete(edit.at, edit.count),
        }
    }

    /// Two neighbouring parts of the sheet change places; the smaller one is taken out and put in again.
    fn move_lines(&mut self, edit: &StructuralEdit) {
        let Some((window_first, window_last)) = edit.moved_window() else { return };
        let passed = window_last - window_first + 1 - edit.count;
        let (first, count, destination) = match edit.destination() {
            destination if edit.count <= passed => (edit.at, edit.count, destination),
            destination if destination < edit.at => (destination, passed, destination + edit.count),
            _ => (edit.end(), passed, edit.at),
        };
        match edit.dimension {
            Dimension::Rows => {
                for column in self.columns.iter_mut().flatten() {
                    if column.extent().is_some_and(|(_, last)| window_first <= last) {
                        Arc::make_mut(column).move_rows(first, count, destination);
                    }
                }
            }
            Dimension::Columns => {
                let (start, end) = (window_first as usize, window_last as usize + 1);
                if start < self.columns.len() {
                    // Columns beyond the last one used change places with used ones.
                    self.columns.resize(self.columns.len().max(end), None);
                    match edit.destination() < edit.at {
                        true => self.columns[start..end].rotate_right(edit.count as usize),
                        false => self.columns[start..end].rotate_left(edit.count as usize),
                    }
                }
            }
        }
        Arc::make_mut(&mut self.formats).move_lines(edit.dimension, (first, count), destination);
        let sizes = Arc::make_mut(match edit.dimension {
            Dimension::Rows => &mut self.row_heights,
            Dimension::Columns => &mut self.column_widths,
        });
        sizes.move_lines(first, count, destination);
        if !self.hidden(edit.dimension).is_empty() {
            self.hidden_mut(edit.dimension).move_lines(first, count, destination);
        }
    }

    /// Row `i` of `range` becomes what row `order[i]` of it was: contents and formats of the range's columns.
    pub fn permute_rows(&mut self, range: Range, order: &[u32]) {
        debug_assert_eq!(order.len() as u64, u64::from(range.row_count()));
        self.clear_spilled(range);
        let top = range.first().row.get();
        let end = (range.last().column.get() as usize + 1).min(self.columns.len());
        for index in range.first().column.get() as usize..end {
            if let Some(column) = &mut self.columns[index] {
                Arc::make_mut(column).permute_rows(top, order);
            }
        }
        Arc::make_mut(&mut self.formats).permute_rows(range, order);
    }

    // Formats and sizes

    pub fn format(&self, cell: CellAddress) -> &Format {
        self.formats.get(cell)
    }

    pub fn patch_format(&mut self, range: Range, patch: &FormatPatch) {
        Arc::make_mut(&mut self.formats).patch(range, patch);
    }

    /// Rectangles of one format within `range`; what looks as by default is left out.
    pub fn format_runs(&self, range: Range) -> impl Iterator<Item = (Range, &Format)> {
        self.formats.runs_in(range)
    }

    /// Gives equal formats one allocation; worth doing after an import.
    pub fn share_formats(&mut self) {
        Arc::make_mut(&mut self.formats).share_equal();
    }

    /// Height of a row or width of a column in CSS pixels; `None` is the client's default.
    pub fn size(&self, dimension: Dimension, index: u32) -> Option<u16> {
        self.sizes(dimension).get(index).copied()
    }

    pub fn set_sizes(&mut self, dimension: Dimension, first: u32, count: u32, size: Option<u16>) {
        let end = first.saturating_add(count).min(dimension.len_max());
        if first >= end {
            return;
        }
        let sizes = match dimension {
            Dimension::Rows => &mut self.row_heights,
            Dimension::Columns => &mut self.column_widths,
        };
        Arc::make_mut(sizes).set(first, end - 1, size);
    }

    /// First line, count, size; default sizes left out.
    pub fn size_runs(&self, dimension: Dimension) -> impl Iterator<Item = (u32, u32, u16)> {
        self.sizes(dimension).iter().map(|run| (run.first, run.last - run.first + 1, run.value))
    }

    fn sizes(&self, dimension: Dimension) -> &Runs<u16> {
        match dimension {
            Dimension::Rows => &self.row_heights,
            Dimension::Columns => &self.column_widths,
        }
    }

    // Hidden rows and columns

    /// Whether somebody has hidden the row or column; its size is kept for when it is shown again.
    pub fn is_hidden(&self, dimension: Dimension, index: u32) -> bool {
        self.hidden(dimension).get(index).is_some()
    }

    pub fn set_hidden(&mut self, dimension: Dimension, first: u32, count: u32, is_hidden: bool) {
        let end = first.saturating_add(count).min(dimension.len_max());
        if first < end {
            self.hidden_mut(dimension).set(first, end - 1, is_hidden.then_some(()));
        }
    }

    /// First line and count of what is hidden.
    pub fn hidden_runs(&self, dimension: Dimension) -> impl Iterator<Item = (u32, u32)> {
        self.hidden(dimension).iter().map(|run| (run.first, run.last - run.first + 1))
    }

    /// First and last line of what is hidden of `first..=last`.
    pub fn hidden_in(&self, dimension: Dimension, first: u32, last: u32) -> impl Iterator<Item = (u32, u32)> {
        self.hidden(dimension).iter_in(first, last).map(|run| (run.first, run.last))
    }

    fn hidden(&self, dimension: Dimension) -> &Runs<()> {
        match dimension {
            Dimension::Rows => &self.hidden_rows,
            Dimension::Columns => &self.hidden_columns,
        }
    }

    fn hidden_mut(&mut self, dimension: Dimension) -> &mut Runs<()> {
        Arc::make_mut(match dimension {
            Dimension::Rows => &mut self.hidden_rows,
            Dimension::Columns => &mut self.hidden_columns,
        })
    }

    // Items

    pub fn items(&self) -> &Items {
        &self.items
    }

    pub fn item(&self, id: ItemId) -> Option<&Arc<Item>> {
        self.items.get(id)
    }

    /// Puts an item in, or with `None` takes it out; yields what was there.
    pub fn set_item(&mut self, id: ItemId, item: Option<Item>) -> Option<Arc<Item>> {
        Arc::make_mut(&mut self.items).set(id, item)
    }
}
