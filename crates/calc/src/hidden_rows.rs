//! Rows that filters hide, as SUBTOTAL and AGGREGATE see them.
//!
//! ```text
//!   A: tested by the filter       B: amounts        C20  =SUBTOTAL(9,B2:B9)
//!   A5  "pear" ──▶ hidden? ────────────────────────────▶ B5 counts or does not
//! ```
//! The document knows the conditions of filters; the engine asks it through [`Filters`]. A formula
//! that ignores hidden rows depends on the cells that a filter tests in the rows it reads: the
//! graph has an entry for them beside each of the formula's own references
//! (`TemplateAnalysis::resolve_filter_dependencies`). Results are cached across edits, and only
//! rows whose cells have changed are tested again.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Debug;
use std::sync::Arc;

use quadrille_cell::{ColumnIndex, DateSystem, Dimension, EditKind, Range, SheetId, StructuralEdit};
use quadrille_formula::{Expression, Template};
use quadrille_functions::Cancel;
use quadrille_workbook::{Item, ItemId, Sheet, Workbook};

use crate::row_set::RowSet;

/// The shared filters of a workbook. Filter views, which one user sees, do not affect formulas.
pub trait Filters: Debug + Sync {
    /// Returns the filters of a sheet.
    fn of(&self, sheet: &Sheet, dates: DateSystem) -> Vec<Filter>;

    /// Calls `hidden` with each of the `rows` that the condition of a column hides, in ascending
    /// order. `rows` are ascending spans `first..=last`; a condition with `depends_on_whole_column`
    /// gets all rows of its filter. Returns early when the evaluation is cancelled.
    fn hide(
        &self,
        sheet: &Sheet,
        column: &FilterColumn,
        tested: &[(u32, u32)],
        cancel: &Cancel,
        hidden: &mut dyn FnMut(u32),
    );
}

/// A filter with the columns by which it hides rows.
#[derive(Clone, Debug)]
pub struct Filter {
    pub id: ItemId,
    /// First and last row below the header.
    pub rows: (u32, u32),
    pub columns: Vec<FilterColumn>,
}

/// A column by which a filter hides rows.
#[derive(Clone, Debug)]
pub struct FilterColumn {
    pub column: u32,
    pub condition: Arc<Item>,
    /// Whether the condition compares a row with all values of the column, as "top 10" does.
    pub depends_on_whole_column: bool,
    /// Date system of the workbook, for conditions on dates.
    pub dates: DateSystem,
}

impl FilterColumn {
    fn is_same(&self, other: &FilterColumn) -> bool {
        self.column == other.column
            && self.dates == other.dates
            && self.condition.fields == other.condition.fields
    }
}

/// A workbook without filters.
#[derive(Debug)]
pub(crate) struct NoFilters;

impl Filters for NoFilters {
    fn of(&self, _sheet: &Sheet, _dates: DateSystem) -> Vec<Filter> {
        Vec::new()
    }

    fn hide(&self, _: &Sheet, _: &FilterColumn, _: &[(u32, u32)], _: &Cancel, _hidden: &mut dyn FnMut(u32)) {}
}

/// Whether the formula is a subtotal. Other subtotals skip its cell, and filters do not test it.
pub fn is_subtotal(template: &Template) -> bool {
    let mut is_subtotal = false;
    quadrille_formula::visit(template.expression(), &mut |node| {
        if let Expression::Call { function, .. } = node {
            is_subtotal |= ignores_hidden_rows(function);
        }
    });
    is_subtotal
}

/// Whether the function ignores hidden rows.
pub(crate) fn ignores_hidden_rows(function: &str) -> bool {
    matches!(function, "SUBTOTAL" | "AGGREGATE")
}

/// Returns the rows of a column that a filter tests, as spans: all rows except those with
/// subtotals, which would otherwise depend on the outcome.
pub fn rows_in_filter(sheet: &Sheet, column: u32, (first, last): (u32, u32)) -> Vec<(u32, u32)> {
    let mut tested = RowSet::of(first, last);
    let formulas = sheet.column(ColumnIndex::clamped(column)).map(|column| column.formulas());
    for run in formulas.into_iter().flat_map(|formulas| formulas.iter_in(first, last)) {
        if is_subtotal(run.value) {
            tested.remove(run.first, run.last);
        }
    }
    tested.iter().collect()
}

/// The rows that filters hide, cached by sheet.
#[derive(Debug)]
pub(crate) struct HiddenRows {
    filters: &'static dyn Filters,
    sheets: RefCell<BTreeMap<SheetId, Vec<CachedFilter>>>,
}

#[derive(Clone, Debug)]
struct CachedFilter {
    filter: Filter,
    /// One entry for each of the filter's columns.
    columns: Vec<FilteredColumn>,
    /// Rows that any of the columns hides.
    hidden: RowSet,
}

#[derive(Clone, Debug)]
struct FilteredColumn {
    hidden: RowSet,
    /// Rows whose result is unknown or out of date.
    stale: RowSet,
}

impl HiddenRows {
    /// An empty cache for these filters.
    pub fn new(filters: &'static dyn Filters) -> HiddenRows {
        HiddenRows { filters, sheets: RefCell::default() }
    }

    /// A cache that has read the filters of every sheet and tested no row.
    pub fn of(filters: &'static dyn Filters, workbook: &Workbook) -> HiddenRows {
        let mut hidden = HiddenRows::new(filters);
        for sheet in workbook.sheets() {
            hidden.refresh(workbook, sheet.id());
        }
        hidden
    }

    /// The source of the filters.
    pub fn filters(&self) -> &'static dyn Filters {
        self.filters
    }

    /// Forgets everything that was read and tested.
    pub fn clear(&mut self) {
        self.sheets.get_mut().clear();
    }

    /// Sheets with filters.
    pub fn sheets(&self) -> Vec<SheetId> {
        self.sheets.borrow().keys().copied().collect()
    }

    /// Reads the filters of a sheet again. Returns the rows whose filters have changed.
    pub fn refresh(&mut self, workbook: &Workbook, sheet: SheetId) -> Vec<(u32, u32)> {
        let now = workbook
            .sheet(sheet)
            .map(|sheet| self.filters.of(sheet, workbook.date_system()))
            .unwrap_or_default();
        let sheets = self.sheets.get_mut();
        let mut before = sheets.remove(&sheet).unwrap_or_default();
        let mut affected_rows = Vec::new();
        let mut cached: Vec<CachedFilter> = Vec::with_capacity(now.len());
        for filter in now {
            let previous = before.iter().position(|cached| cached.filter.id == filter.id);
            let previous = previous.map(|index| before.remove(index));
            let previous = match previous {
                Some(previous) if previous.filter.rows == filter.rows => Some(previous),
                other => {
                    affected_rows.extend(other.map(|previous| previous.filter.rows));
                    None
                }
            };
            let (cached_filter, is_same) = CachedFilter::new(filter, previous);
            if !is_same {
                affected_rows.push(cached_filter.filter.rows);
            }
            cached.push(cached_filter);
        }
        affected_rows.extend(before.iter().map(|cached| cached.filter.rows));
        if !cached.is_empty() {
            sheets.insert(sheet, cached);
        }
        affected_rows
    }

    /// Marks rows stale whose values or formats may have changed.
    pub fn changed(&mut self, sheet: SheetId, range: Range) {
        let sheets = self.sheets.get_mut();
        let Some(cached) = (if sheets.is_empty() { None } else { sheets.get_mut(&sheet) }) else { return };
        let (left, right) = (range.first().column.get(), range.last().column.get());
        for CachedFilter { filter, columns, .. } in cached {
            let (first, last) = filter.rows;
            let (top, bottom) = (range.first().row.get().max(first), range.last().row.get().min(last));
            for (column, state) in filter.columns.iter().zip(columns) {
                if top > bottom || column.column < left || column.column > right {
                    continue;
                }
                match column.depends_on_whole_column {
                    true => state.stale = RowSet::of(first, last),
                    false => state.stale.add(top, bottom, |_, _| {}),
                }
            }
        }
    }

    /// Moves results with inserted, deleted or moved rows and columns. The caller reports new rows
    /// and the window of a move with [`changed`](Self::changed).
    pub fn restructured(&mut self, edit: &StructuralEdit) {
        let Some(mut cached) = self.sheets.get_mut().remove(&edit.sheet) else { return };
        cached.retain_mut(|cached| cached.restructure(edit));
        self.sheets.get_mut().insert(edit.sheet, cached);
    }

    /// Returns the columns by which the filters of a sheet hide rows, for the dependency graph.
    pub fn filter_dependencies(&self, sheet: SheetId) -> Vec<FilterDependency> {
        let sheets = self.sheets.borrow();
        let cached = sheets.get(&sheet).map(Vec::as_slice).unwrap_or_default();
        let columns = |cached: &CachedFilter| {
            let rows = cached.filter.rows;
            let decides = |column: &FilterColumn| FilterDependency {
                column: column.column,
                rows,
                depends_on_whole_column: column.depends_on_whole_column,
            };
            cached.filter.columns.iter().map(decides).collect::<Vec<_>>()
        };
        cached.iter().flat_map(columns).collect()
    }

    /// Returns the cells that decide whether the rows are hidden.
    pub fn filter_inputs(&self, sheet: SheetId, (first, last): (u32, u32)) -> Vec<Range> {
        let mut cells = Vec::new();
        for FilterDependency { column, rows, depends_on_whole_column } in self.filter_dependencies(sheet) {
            let intersecting = (rows.0.max(first), rows.1.min(last));
            if intersecting.0 <= intersecting.1 {
                let (first, last) = if depends_on_whole_column { rows } else { intersecting };
                cells.extend(Range::from_indices(first, column, last, column));
            }
        }
        cells
    }

    /// Appends the rows of `first..=last` that filters hide to `hidden` and returns the number of
    /// cells that had to be tested; `None` when the evaluation is cancelled.
    pub fn filtered(
        &self,
        sheet: &Sheet,
        (first, last): (u32, u32),
        cancel: &Cancel,
        hidden: &mut Vec<(u32, u32)>,
    ) -> Option<u64> {
        let mut sheets = self.sheets.borrow_mut();
        let mut tested = 0;
        for cached in sheets.get_mut(&sheet.id()).into_iter().flatten() {
            let requested = (cached.filter.rows.0.max(first), cached.filter.rows.1.min(last));
            if requested.0 <= requested.1 {
                tested += cached.test_rows(self.filters, sheet, requested, cancel)?;
                hidden.extend(cached.hidden.iter_in(requested.0, requested.1));
            }
        }
        Some(tested)
    }
}

/// Sheets whose filters have to be read again.
#[derive(Debug)]
pub(crate) enum StaleFilters {
    /// No filter has been read yet.
    All,
    Some(BTreeSet<SheetId>),
}

/// A column by which a filter hides rows, with the rows of the filter.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct FilterDependency {
    pub column: u32,
    pub rows: (u32, u32),
    pub depends_on_whole_column: bool,
}

impl CachedFilter {
    /// Keeps the results of conditions that have not changed. Also returns whether none has
    /// changed.
    fn new(filter: Filter, previous: Option<CachedFilter>) -> (CachedFilter, bool) {
        let (first, last) = filter.rows;
        let has_same_columns = |previous: &CachedFilter| {
            let pairs = previous.filter.columns.iter().zip(&filter.columns);
            previous.filter.columns.len() == filter.columns.len()
                && pairs.into_iter().all(|(a, b)| a.is_same(b))
        };
        match previous {
            Some(previous) if has_same_columns(&previous) => (CachedFilter { filter, ..previous }, true),
            previous => {
                let of_column = |column: &FilterColumn| {
                    let previous = previous.as_ref()?;
                    let index =
                        previous.filter.columns.iter().position(|previous| previous.is_same(column))?;
                    Some(previous.columns[index].clone())
                };
                let unknown = || FilteredColumn { hidden: RowSet::default(), stale: RowSet::of(first, last) };
                let columns: Vec<FilteredColumn> =
                    filter.columns.iter().map(|column| of_column(column).unwrap_or_else(unknown)).collect();
                let hidden = union_of_columns(&columns, (first, last));
                (CachedFilter { filter, columns, hidden }, false)
            }
        }
    }

    /// Returns `false` when nothing is left of the filter.
    fn restructure(&mut self, edit: &StructuralEdit) -> bool {
        match edit.dimension {
            Dimension::Columns => {
                for column in &mut self.filter.columns {
                    match edit.map_index(column.column) {
                        Some(index) => column.column = index,
                        None => return false,
                    }
                }
            }
            Dimension::Rows => {
                // The header row is the first of the filter's range and decides whether rows are
                // inserted above or inside the filter.
                let (first, last) = self.filter.rows;
                let Some((header, last)) = edit.map_span(first - 1, last) else { return false };
                if header >= last {
                    return false;
                }
                self.filter.rows = (header + 1, last);
                if matches!(edit.kind, EditKind::Move { .. }) {
                    return true;
                }
                for state in &mut self.columns {
                    state.hidden.restructure(edit);
                    state.stale.restructure(edit);
                }
                self.hidden.restructure(edit);
            }
        }
        true
    }

    /// Tests the stale rows among `requested`; returns the number of cells that were tested.
    fn test_rows(
        &mut self,
        filters: &dyn Filters,
        sheet: &Sheet,
        requested: (u32, u32),
        cancel: &Cancel,
    ) -> Option<u64> {
        let CachedFilter { filter, columns, hidden } = self;
        let mut cells_tested = 0;
        for index in 0..columns.len() {
            let (column, state) = (&filter.columns[index], &mut columns[index]);
            if state.stale.first_in(requested.0, requested.1).is_none() {
                continue;
            }
            // Rows below the used range hold nothing that a subtotal could count.
            let used = sheet.used_range().map_or(0, |used| used.last().row.get());
            let (first, last) = if column.depends_on_whole_column { filter.rows } else { requested };
            if first > used || state.stale.first_in(first, last.min(used)).is_none() {
                continue;
            }
            let spans: Vec<(u32, u32)> = match column.depends_on_whole_column {
                true => vec![(first, last.min(used))],
                false => state.stale.iter_in(first, last.min(used)).collect(),
            };
            for (first, last) in spans {
                let rows = rows_in_filter(sheet, column.column, (first, last));
                let mut inside: Vec<(u32, u32)> = Vec::new();
                filters.hide(sheet, column, &rows, cancel, &mut |row| match inside.last_mut() {
                    Some((_, end)) if *end + 1 == row => *end = row,
                    _ => inside.push((row, row)),
                });
                if cancel.is_requested_within(u64::from(last - first)) {
                    return None;
                }
                cells_tested += u64::from(last - first) + 1;
                let state = &mut columns[index];
                state.hidden.replace(first, last, &inside);
                state.stale.remove(first, last);
                if columns.len() > 1 {
                    inside = union_of_columns(columns, (first, last)).iter().collect();
                }
                hidden.replace(first, last, &inside);
            }
        }
        Some(cells_tested)
    }
}

/// Rows among `first..=last` that any column hides.
fn union_of_columns(columns: &[FilteredColumn], (first, last): (u32, u32)) -> RowSet {
    let mut all: Vec<(u32, u32)> =
        columns.iter().flat_map(|state| state.hidden.iter_in(first, last)).collect();
    all.sort_unstable();
    RowSet::from_ascending(all)
}
