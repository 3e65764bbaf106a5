//! A sheet: cells by column, formats, row and column sizes, hidden rows and columns, and items.

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
use crate::values::PreparedBlocks;
use crate::{Format, FormatPatch, Input, TextRuns};

/// A sheet. A clone copies one pointer per column and shares the columns and their blocks until
/// they are written.
#[derive(Clone, Debug)]
pub struct Sheet {
    id: SheetId,
    pub(crate) instance: u64,
    pub(crate) name: Arc<str>,
    /// By column index, up to the last column that was ever used.
    columns: Vec<Option<Arc<Column>>>,
    formats: Arc<Formats>,
    row_heights: Arc<Runs<u16>>,
    column_widths: Arc<Runs<u16>>,
    hidden_rows: Arc<Runs<()>>,
    hidden_columns: Arc<Runs<()>>,
    items: Arc<Items>,
}

impl Sheet {
    /// Creates an empty sheet.
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

    /// The id of the sheet, unique within the workbook.
    pub fn id(&self) -> SheetId {
        self.id
    }

    /// A number that differs between a removed sheet and a sheet that is later added with the same
    /// id; caches use it to recognize the replacement.
    pub fn instance(&self) -> u64 {
        self.instance
    }

    /// The name on the sheet's tab.
    pub fn name(&self) -> &Arc<str> {
        &self.name
    }

    // Reading cells

    /// The value of a cell: its literal, the result of its formula, or an element of a spilled
    /// array.
    pub fn value(&self, cell: CellAddress) -> Value {
        self.column(cell.column).map_or(Value::Blank, |column| column.value(cell.row.get()))
    }

    /// The formula of a cell.
    pub fn formula(&self, cell: CellAddress) -> Option<&Template> {
        self.column(cell.column)?.formulas().get(cell.row.get())
    }

    /// The input of a cell; blank for spilled cells.
    pub fn input(&self, cell: CellAddress) -> Input {
        self.column(cell.column).map_or(Input::Blank, |column| column.input(cell.row.get()))
    }

    /// The cell of the array formula that spilled into this cell; `None` for the cell of the
    /// formula itself. For all cells that a pivot table fills, its first cell.
    pub fn spill_anchor(&self, cell: CellAddress) -> Option<CellAddress> {
        self.column(cell.column)?.spilled().get(cell.row.get()).copied()
    }

    /// The cells that the formula or the pivot table of `anchor` fills, with the anchor; only the anchor if it
    /// fills no others.
    pub fn spilled_range(&self, anchor: CellAddress) -> Range {
        let (row, column) = (anchor.row.get(), anchor.column.get());
        let is_filled = |column: u32| {
            CellAddress::new(row, column).is_some_and(|cell| self.spill_anchor(cell) == Some(anchor))
        };
        let mut right = column;
        while is_filled(right + 1) {
            right += 1;
        }
        // The first row below begins a run that ends with the range.
        let below = self.column(anchor.column).and_then(|column| column.spilled().run_at(row + 1));
        let bottom = below.filter(|run| run.value == anchor).map_or(row, |run| run.last);
        Range::new(anchor, CellAddress::clamped(bottom, right))
    }

    /// The column, or `None` if nothing was ever written to it.
    pub fn column(&self, column: ColumnIndex) -> Option<&Column> {
        self.columns.get(column.get() as usize)?.as_deref()
    }

    /// The non-empty columns of `range`.
    pub fn columns_in(&self, range: Range) -> impl Iterator<Item = (ColumnIndex, &Column)> {
        let (first, last) = (range.first().column.get() as usize, range.last().column.get() as usize);
        let end = self.columns.len().min(last + 1);
        let columns = self.columns.get(first..end).unwrap_or_default();
        (first as u32..).zip(columns).filter_map(|(index, column)| {
            Some((ColumnIndex::clamped(index), column.as_deref().filter(|column| !column.is_empty())?))
        })
    }

    /// Number of columns up to and including the last non-empty one.
    pub fn columns_end(&self) -> u32 {
        let is_used = |column: &Option<Arc<Column>>| column.as_ref().is_some_and(|column| !column.is_empty());
        self.columns.iter().rposition(is_used).map_or(0, |last| last as u32 + 1)
    }

    /// The smallest range that contains every value and formula; formats do not count.
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

    /// Runs of equal formulas, clipped to `range`: column, first row, last row, template.
    pub fn formula_runs(&self, range: Range) -> impl Iterator<Item = (ColumnIndex, u32, u32, &Template)> {
        let (top, bottom) = (range.first().row.get(), range.last().row.get());
        self.columns_in(range).flat_map(move |(index, column)| {
            column.formula_runs(top, bottom).map(move |run| (index, run.first, run.last, run.value))
        })
    }

    /// The non-blank inputs of `range`, by columns, then by rows. Takes time proportional to the
    /// number of inputs, not to the size of `range`.
    pub fn inputs_in(&self, range: Range) -> impl Iterator<Item = (CellAddress, Input)> {
        let (top, bottom) = (range.first().row.get(), range.last().row.get());
        self.columns_in(range).flat_map(move |(index, column)| {
            column
                .inputs(top, bottom)
                .map(move |(row, input)| (CellAddress::clamped(row, index.get()), input))
        })
    }

    // Writing cells

    /// Sets the input of a cell. The previous value remains until a new formula is evaluated.
    pub fn set_input(&mut self, cell: CellAddress, input: &Input) {
        if *input == Input::Blank && self.column(cell.column).is_none() {
            return;
        }
        self.column_mut(cell.column).set_input(cell.row.get(), input);
    }

    /// Sets the same input in every cell of `range`; the references of a formula are relative to
    /// each cell.
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

    /// Replaces formulas of a column by other formulas, in ascending order of rows; values remain.
    pub fn replace_formulas(&mut self, column: ColumnIndex, formulas: Vec<Run<Template>>) {
        self.column_mut(column).formulas.overlay(formulas);
    }

    /// Sets literals in the rows from `first_row` on: the fast path of imports. Values beyond the
    /// last row are dropped.
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

    /// [`set_column_values`](Self::set_column_values) for numbers, which must be canonical.
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

    /// Sets the result of a formula. The cell must contain a formula or a spilled value.
    pub fn set_computed(&mut self, cell: CellAddress, value: Value) {
        debug_assert!(
            self.formula(cell).is_some() || self.spill_anchor(cell).is_some(),
            "{cell} holds no formula and nothing has spilled there"
        );
        self.column_mut(cell.column).values.set(cell.row.get(), &value);
    }

    /// Sets the results of a run of formulas from `first_row` on.
    pub fn set_computed_values(&mut self, column: ColumnIndex, first_row: u32, values: &[Value]) {
        self.column_mut(column).values.replace(first_row, values);
    }

    /// [`set_computed_values`](Self::set_computed_values) for values that are already in blocks.
    pub fn set_computed_blocks(&mut self, column: ColumnIndex, prepared: PreparedBlocks) {
        self.column_mut(column).values.put(prepared);
    }

    /// [`set_computed_values`](Self::set_computed_values) for numbers, which must be canonical.
    pub fn set_computed_numbers(&mut self, column: ColumnIndex, first_row: u32, numbers: &[f64]) {
        self.column_mut(column).values.replace_numbers(first_row, numbers);
    }

    /// Marks the cells of `area` as filled by the array formula in `anchor`, which is not marked
    /// itself, or by the pivot table at `anchor`, which is. The caller has checked that they have
    /// no input, and sets their values.
    pub fn mark_spilled(&mut self, area: Range, anchor: CellAddress) {
        let parts = match self.formula(anchor) {
            Some(_) => area.subtract(Range::cell(anchor)),
            None => vec![area],
        };
        for part in parts {
            for index in part.first().column.get()..=part.last().column.get() {
                let (top, bottom) = (part.first().row.get(), part.last().row.get());
                self.column_mut(ColumnIndex::clamped(index)).spilled.set(top, bottom, Some(anchor));
            }
        }
    }

    /// Removes spilled values of `range`.
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

    /// Inserts, deletes or moves rows or columns: cells, formats, sizes and hidden state. Templates
    /// of formulas are not changed. Inserted rows and columns are blank, with default format and
    /// size. Spilled values of the whole sheet are removed; evaluation spills them again.
    pub fn restructure(&mut self, edit: &StructuralEdit) {
        debug_assert_eq!(edit.sheet, self.id);
        self.clear_spilled(Range::whole_sheet());
        if let EditKind::Move { .. } = edit.kind {
            return self.move_dimension(edit);
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

    /// Moves rows or columns, which exchanges two adjacent parts of the sheet; the smaller part is
    /// taken out and inserted again.
    fn move_dimension(&mut self, edit: &StructuralEdit) {
        let Some((window_first, window_last)) = edit.moved_window() else { return };
        let shifted = window_last - window_first + 1 - edit.count;
        let (first, count, destination) = match edit.destination() {
            destination if edit.count <= shifted => (edit.at, edit.count, destination),
            destination if destination < edit.at => (destination, shifted, destination + edit.count),
            _ => (edit.end(), shifted, edit.at),
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
                    // Unused columns behind the last used one take part in the exchange.
                    self.columns.resize(self.columns.len().max(end), None);
                    match edit.destination() < edit.at {
                        true => self.columns[start..end].rotate_right(edit.count as usize),
                        false => self.columns[start..end].rotate_left(edit.count as usize),
                    }
                }
            }
        }
        Arc::make_mut(&mut self.formats).move_dimension(edit.dimension, (first, count), destination);
        let sizes = Arc::make_mut(match edit.dimension {
            Dimension::Rows => &mut self.row_heights,
            Dimension::Columns => &mut self.column_widths,
        });
        sizes.move_range(first, count, destination);
        if !self.hidden(edit.dimension).is_empty() {
            self.hidden_mut(edit.dimension).move_range(first, count, destination);
        }
    }

    /// Permutes the rows of `range`: row `i` gets the contents and formats of row `order[i]`.
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

    /// The format of a cell.
    pub fn format(&self, cell: CellAddress) -> &Format {
        self.formats.get(cell)
    }

    /// Applies a patch to the format of every cell of `range`.
    pub fn patch_format(&mut self, range: Range, patch: &FormatPatch) {
        Arc::make_mut(&mut self.formats).patch(range, patch);
    }

    /// Sets the format of every cell of `range`.
    pub fn set_format(&mut self, range: Range, format: Format) {
        Arc::make_mut(&mut self.formats).set(range, format);
    }

    /// Whether [`restyle`](Sheet::restyle) changes a format.
    pub(crate) fn has_outdated_formats(&self, style: &dyn Fn(ItemId) -> Option<Format>) -> bool {
        self.formats.are_outdated(style)
    }

    /// Updates the attributes that cells have from their styles.
    pub(crate) fn restyle(&mut self, style: &dyn Fn(ItemId) -> Option<Format>) {
        Arc::make_mut(&mut self.formats).restyle(style);
    }

    /// Rectangles of equal format within `range`; cells with the default format are left out.
    pub fn format_runs(&self, range: Range) -> impl Iterator<Item = (Range, &Format)> {
        self.formats.runs_in(range)
    }

    /// The text of a cell and the fonts of its parts. `None` unless the cell has a text, no formula,
    /// and fonts that were made for this text.
    pub fn rich_text(&self, cell: CellAddress) -> Option<(Arc<str>, &TextRuns)> {
        let runs = self.format(cell).text_runs.as_deref()?;
        match self.value(cell) {
            Value::Text(text) if self.formula(cell).is_none() && runs.is_of(&text) => Some((text, runs)),
            _ => None,
        }
    }

    /// Makes equal formats share one allocation; worthwhile after an import.
    pub fn deduplicate_formats(&mut self) {
        Arc::make_mut(&mut self.formats).deduplicate();
    }

    /// Row height or column width in CSS pixels; `None` is the client's default.
    pub fn size(&self, dimension: Dimension, index: u32) -> Option<u16> {
        self.sizes(dimension).get(index).copied()
    }

    /// Sets row heights or column widths in CSS pixels; `None` restores the default.
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

    /// Runs of equal row height or column width: first index, count, size in CSS pixels. Default
    /// sizes are left out.
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

    /// Whether the row or column is hidden manually; its size is preserved.
    pub fn is_hidden(&self, dimension: Dimension, index: u32) -> bool {
        self.hidden(dimension).get(index).is_some()
    }

    /// Hides or shows rows or columns.
    pub fn set_hidden(&mut self, dimension: Dimension, first: u32, count: u32, is_hidden: bool) {
        let end = first.saturating_add(count).min(dimension.len_max());
        if first < end {
            self.hidden_mut(dimension).set(first, end - 1, is_hidden.then_some(()));
        }
    }

    /// First index and count of each run of hidden rows or columns.
    pub fn hidden_runs(&self, dimension: Dimension) -> impl Iterator<Item = (u32, u32)> {
        self.hidden(dimension).iter().map(|run| (run.first, run.last - run.first + 1))
    }

    /// First and last index of each run of hidden rows or columns within `first..=last`.
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

    /// The items of the sheet.
    pub fn items(&self) -> &Items {
        &self.items
    }

    /// The item with this id.
    pub fn item(&self, id: ItemId) -> Option<&Arc<Item>> {
        self.items.get(id)
    }

    /// Sets an item, or removes it if `item` is `None`. Returns the previous item.
    pub fn set_item(&mut self, id: ItemId, item: Option<Item>) -> Option<Arc<Item>> {
        Arc::make_mut(&mut self.items).set(id, item)
    }
}
