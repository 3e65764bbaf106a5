//! Rows that filters hide, as SUBTOTAL and AGGREGATE need to know them.
//!
//! ```text
//!   A: what the filter judges      B: amounts        C20  =SUBTOTAL(9,B2:B9)
//!   A5  "pear" ──▶ hidden? ────────────────────────────▶ B5 counts or does not
//! ```
//! A filter's conditions are the document's; the engine asks [`Filters`]. What it hides follows from the values it judges, so
//! a formula that leaves filtered rows out depends on the judged cells of the rows it reads: the graph has an entry for them
//! beside each of the formula's own references (`Plan::judged`). What came of judging is kept across edits and asked again
//! for those rows only whose cells have changed.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Debug;
use std::sync::Arc;

use quadrille_cell::{ColumnIndex, DateSystem, Dimension, EditKind, Range, SheetId, StructuralEdit};
use quadrille_formula::{Expression, Template};
use quadrille_functions::Cancel;
use quadrille_workbook::{Item, ItemId, Sheet, Workbook};

use crate::Calculation;
use crate::row_set::RowSet;

/// The filters that everybody sees, and so formulas do.
pub trait Filters: Debug + Sync {
    /// Those of a sheet.
    fn of(&self, sheet: &Sheet, dates: DateSystem) -> Vec<Filter>;

    /// Hands out those rows of `judged` that the condition of a column hides, from above. Ends early when the evaluation is
    /// to end. `judged` are spans `first..=last`, ascending; a condition that ranks is asked for all it decides about at once.
    fn hide(
        &self,
        sheet: &Sheet,
        column: &FilterColumn,
        judged: &[(u32, u32)],
        cancel: &Cancel,
        hidden: &mut dyn FnMut(u32),
    );
}

/// A filter, as far as it hides rows.
#[derive(Clone, Debug)]
pub struct Filter {
    pub id: ItemId,
    /// First and last row below its header.
    pub rows: (u32, u32),
    pub columns: Vec<FilterColumn>,
}

/// A column by which a filter hides rows.
#[derive(Clone, Debug)]
pub struct FilterColumn {
    pub column: u32,
    pub condition: Arc<Item>,
    /// Whether a row is hidden depends on all values of the column, as with the ten largest.
    pub ranks: bool,
    /// What its numbers mean as dates, by which it may judge them.
    pub dates: DateSystem,
}

impl FilterColumn {
    fn is_same(&self, other: &FilterColumn) -> bool {
        self.column == other.column
            && self.dates == other.dates
            && self.condition.fields == other.condition.fields
    }
}

/// No filters at all.
#[derive(Debug)]
pub(crate) struct NoFilters;

impl Filters for NoFilters {
    fn of(&self, _sheet: &Sheet, _dates: DateSystem) -> Vec<Filter> {
        Vec::new()
    }

    fn hide(&self, _: &Sheet, _: &FilterColumn, _: &[(u32, u32)], _: &Cancel, _hidden: &mut dyn FnMut(u32)) {}
}

/// Whether a formula is a subtotal: others leave its cell out, and filters do not judge it.
pub fn is_subtotal(template: &Template) -> bool {
    let mut is_subtotal = false;
    quadrille_formula::visit(template.expression(), &mut |node| {
        if let Expression::Call { function, .. } = node {
            is_subtotal |= ignores_hidden_rows(function);
        }
    });
    is_subtotal
}

/// Functions that do not see all of their ranges.
pub(crate) fn ignores_hidden_rows(function: &str) -> bool {
    matches!(function, "SUBTOTAL" | "AGGREGATE")
}

/// The rows of a column that a filter judges: all but those with subtotals, which would depend on being judged.
pub fn rows_in_filter(sheet: &Sheet, column: u32, (first, last): (u32, u32)) -> Vec<(u32, u32)> {
    let mut judged = RowSet::of(first, last);
    let formulas = sheet.column(ColumnIndex::clamped(column)).map(|column| column.formulas());
    for run in formulas.into_iter().flat_map(|formulas| formulas.iter_in(first, last)) {
        if is_subtotal(run.value) {
            judged.remove(run.first, run.last);
        }
    }
    judged.iter().collect()
}

/// What the filters of each sheet hide, as far as it was asked for.
#[derive(Debug)]
pub(crate) struct HiddenRows {
    filters: &'static dyn Filters,
    sheets: RefCell<BTreeMap<SheetId, Vec<CachedFilter>>>,
}

#[derive(Clone, Debug)]
struct CachedFilter {
    filter: Filter,
    /// One for each of the filter's columns.
    columns: Vec<FilteredColumn>,
    /// Hidden by any of them.
    hidden: RowSet,
}

#[derive(Clone, Debug)]
struct FilteredColumn {
    hidden: RowSet,
    /// Rows that have changed since, or that nobody has asked for.
    unjudged: RowSet,
}

impl HiddenRows {
    pub fn new(filters: &'static dyn Filters) -> HiddenRows {
        HiddenRows { filters, sheets: RefCell::default() }
    }

    /// Knows the filters, and nothing of what they hide.
    pub fn of(filters: &'static dyn Filters, workbook: &Workbook) -> HiddenRows {
        let mut hidden = HiddenRows::new(filters);
        for sheet in workbook.sheets() {
            hidden.refresh(workbook, sheet.id());
        }
        hidden
    }

    pub fn filters(&self) -> &'static dyn Filters {
        self.filters
    }

    pub fn clear(&mut self) {
        self.sheets.get_mut().clear();
    }

    pub fn sheets(&self) -> Vec<SheetId> {
        self.sheets.borrow().keys().copied().collect()
    }

    /// Looks which filters a sheet has now; says which rows other filters than before decide about.
    pub fn refresh(&mut self, workbook: &Workbook, sheet: SheetId) -> Vec<(u32, u32)> {
        let now = workbook
            .sheet(sheet)
            .map(|sheet| self.filters.of(sheet, workbook.date_system()))
            .unwrap_or_default();
        let sheets = self.sheets.get_mut();
        let mut before = sheets.remove(&sheet).unwrap_or_default();
        let mut concerned = Vec::new();
        let mut kept: Vec<CachedFilter> = Vec::with_capacity(now.len());
        for filter in now {
            let known = before.iter().position(|kept| kept.filter.id == filter.id);
            let known = known.map(|place| before.remove(place));
            let known = match known {
                Some(known) if known.filter.rows == filter.rows => Some(known),
                other => {
                    concerned.extend(other.map(|known| known.filter.rows));
                    None
                }
            };
            let (kept_now, is_same) = CachedFilter::new(filter, known);
            if !is_same {
                concerned.push(kept_now.filter.rows);
            }
            kept.push(kept_now);
        }
        concerned.extend(before.iter().map(|kept| kept.filter.rows));
        if !kept.is_empty() {
            sheets.insert(sheet, kept);
        }
        concerned
    }

    /// Values of the range, or their looks, may have changed.
    pub fn changed(&mut self, sheet: SheetId, range: Range) {
        let sheets = self.sheets.get_mut();
        let Some(kept) = (if sheets.is_empty() { None } else { sheets.get_mut(&sheet) }) else { return };
        let (left, right) = (range.first().column.get(), range.last().column.get());
        for CachedFilter { filter, columns, .. } in kept {
            let (first, last) = filter.rows;
            let (top, bottom) = (range.first().row.get().max(first), range.last().row.get().min(last));
            for (column, judged) in filter.columns.iter().zip(columns) {
                if top > bottom || column.column < left || column.column > right {
                    continue;
                }
                match column.ranks {
                    true => judged.unjudged = RowSet::of(first, last),
                    false => judged.unjudged.add(top, bottom, |_, _| {}),
                }
            }
        }
    }

    /// Rows or columns came or went. Lines that came, and those on the way of moved ones, have to be told with `changed`.
    pub fn restructured(&mut self, edit: &StructuralEdit) {
        let Some(mut kept) = self.sheets.get_mut().remove(&edit.sheet) else { return };
        kept.retain_mut(|kept| kept.follow(edit));
        self.sheets.get_mut().insert(edit.sheet, kept);
    }

    /// What the graph has to know: the columns by which a sheet's filters hide rows.
    pub fn filter_dependencies(&self, sheet: SheetId) -> Vec<FilterDependency> {
        let sheets = self.sheets.borrow();
        let kept = sheets.get(&sheet).map(Vec::as_slice).unwrap_or_default();
        let columns = |kept: &CachedFilter| {
            let rows = kept.filter.rows;
            let decides =
                |column: &FilterColumn| FilterDependency { column: column.column, rows, ranks: column.ranks };
            kept.filter.columns.iter().map(decides).collect::<Vec<_>>()
        };
        kept.iter().flat_map(columns).collect()
    }

    /// The cells that decide whether the rows are hidden.
    pub fn filter_inputs(&self, sheet: SheetId, (first, last): (u32, u32)) -> Vec<Range> {
        let mut cells = Vec::new();
        for FilterDependency { column, rows, ranks } in self.filter_dependencies(sheet) {
            let meeting = (rows.0.max(first), rows.1.min(last));
            if meeting.0 <= meeting.1 {
                let (first, last) = if ranks { rows } else { meeting };
                cells.extend(Range::from_indices(first, column, last, column));
            }
        }
        cells
    }

    /// Adds to `hidden` what filters hide of the rows `first..=last`; says how many cells had to be judged. `None` when the
    /// evaluation is to end.
    pub fn filtered(
        &self,
        sheet: &Sheet,
        (first, last): (u32, u32),
        cancel: &Cancel,
        hidden: &mut Vec<(u32, u32)>,
    ) -> Option<u64> {
        let mut sheets = self.sheets.borrow_mut();
        let mut judged = 0;
        for kept in sheets.get_mut(&sheet.id()).into_iter().flatten() {
            let asked = (kept.filter.rows.0.max(first), kept.filter.rows.1.min(last));
            if asked.0 <= asked.1 {
                judged += kept.judge(self.filters, sheet, asked, cancel)?;
                hidden.extend(kept.hidden.iter_in(asked.0, asked.1));
            }
        }
        Some(judged)
    }
}

/// Sheets whose filters have to be looked at.
#[derive(Debug)]
pub(crate) enum StaleFilters {
    /// None of them is known.
    All,
    Some(BTreeSet<SheetId>),
}

impl Calculation {
    /// The filters of a sheet may have come, gone or changed.
    pub fn filters_changed(&mut self, sheet: SheetId) {
        if let StaleFilters::Some(sheets) = &mut self.stale_filters {
            sheets.insert(sheet);
        }
    }

    /// Somebody has hidden the rows `first..=last` or shown them again.
    pub fn rows_hidden(&mut self, sheet: SheetId, first: u32, last: u32) {
        if self.graph.ignores_hidden_rows() {
            self.pending_rows.push((sheet, first, last));
        }
    }

    /// Cells look otherwise than before, which filters may judge them by.
    pub fn formats_changed(&mut self, sheet: SheetId, range: Range) {
        if !self.graph.ignores_hidden_rows() {
            return;
        }
        let rows = (range.first().row.get(), range.last().row.get());
        self.hidden.changed(sheet, range);
        for cells in
            self.hidden.filter_inputs(sheet, rows).into_iter().filter(|cells| cells.intersects(range))
        {
            self.pending_rows.push((sheet, cells.first().row.get(), cells.last().row.get()));
        }
    }

    /// What is known of hidden rows moves along.
    pub(crate) fn rows_moved(&mut self, edit: &StructuralEdit) {
        self.hidden.restructured(edit);
        self.filters_changed(edit.sheet);
        self.pending_rows.retain_mut(|(sheet, first, last)| {
            if *sheet != edit.sheet || edit.dimension == Dimension::Columns {
                return true;
            }
            match edit.map_span(*first, *last) {
                Some(rows) => (*first, *last) = rows,
                None => return false,
            }
            true
        });
    }

    /// Whether filters are known, as they are once some formula leaves out what they hide.
    pub(crate) fn knows_filters(&self) -> bool {
        matches!(self.stale_filters, StaleFilters::Some(_))
    }

    /// Whether formulas that leave out hidden rows may have to be calculated because of what is hidden.
    pub(crate) fn is_hiding_new(&self) -> bool {
        let is_stale = match &self.stale_filters {
            StaleFilters::All => true,
            StaleFilters::Some(sheets) => !sheets.is_empty(),
        };
        self.graph.ignores_hidden_rows() && (is_stale || !self.pending_rows.is_empty())
    }

    /// Marks the formulas that leave out hidden rows where it may be others than before. Costs nothing without such formulas.
    pub(crate) fn refresh_hidden_rows(&mut self, workbook: &Workbook) {
        let mut rows = std::mem::take(&mut self.pending_rows);
        if !self.graph.ignores_hidden_rows() {
            for sheet in self.hidden.sheets() {
                self.graph.set_filter_dependencies(sheet, Vec::new());
            }
            self.hidden.clear();
            self.stale_filters = StaleFilters::All;
            return;
        }
        let stale = std::mem::replace(&mut self.stale_filters, StaleFilters::Some(BTreeSet::new()));
        let sheets: Vec<SheetId> = match stale {
            StaleFilters::Some(sheets) => sheets.iter().copied().collect(),
            StaleFilters::All => {
                let mut sheets = self.hidden.sheets();
                sheets.extend(workbook.sheets().iter().map(|sheet| sheet.id()));
                sheets
            }
        };
        for sheet in sheets {
            let concerned = self.hidden.refresh(workbook, sheet);
            self.graph.set_filter_dependencies(sheet, self.hidden.filter_dependencies(sheet));
            rows.extend(concerned.into_iter().map(|(first, last)| (sheet, first, last)));
        }
        for (sheet, first, last) in rows {
            self.graph.rows_hidden(sheet, (first, last));
        }
    }
}

/// A column by which a filter hides rows, and which.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct FilterDependency {
    pub column: u32,
    pub rows: (u32, u32),
    pub ranks: bool,
}

impl CachedFilter {
    /// Takes over what is known by conditions that are as they were. Says whether all are.
    fn new(filter: Filter, known: Option<CachedFilter>) -> (CachedFilter, bool) {
        let (first, last) = filter.rows;
        let was_same = |known: &CachedFilter| {
            let pairs = known.filter.columns.iter().zip(&filter.columns);
            known.filter.columns.len() == filter.columns.len() && pairs.into_iter().all(|(a, b)| a.is_same(b))
        };
        match known {
            Some(known) if was_same(&known) => (CachedFilter { filter, ..known }, true),
            known => {
                let of_column = |column: &FilterColumn| {
                    let known = known.as_ref()?;
                    let place = known.filter.columns.iter().position(|known| known.is_same(column))?;
                    Some(known.columns[place].clone())
                };
                let unknown =
                    || FilteredColumn { hidden: RowSet::default(), unjudged: RowSet::of(first, last) };
                let columns: Vec<FilteredColumn> =
                    filter.columns.iter().map(|column| of_column(column).unwrap_or_else(unknown)).collect();
                let hidden = joined(&columns, (first, last));
                (CachedFilter { filter, columns, hidden }, false)
            }
        }
    }

    /// `false` when nothing of the filter is left.
    fn follow(&mut self, edit: &StructuralEdit) -> bool {
        match edit.dimension {
            Dimension::Columns => {
                for column in &mut self.filter.columns {
                    match edit.map_index(column.column) {
                        Some(place) => column.column = place,
                        None => return false,
                    }
                }
            }
            Dimension::Rows => {
                // The header row goes first in the filter's range, and decides whether lines come in above or inside it.
                let (first, last) = self.filter.rows;
                let Some((header, last)) = edit.map_span(first - 1, last) else { return false };
                if header >= last {
                    return false;
                }
                self.filter.rows = (header + 1, last);
                if matches!(edit.kind, EditKind::Move { .. }) {
                    return true;
                }
                for judged in &mut self.columns {
                    judged.hidden.follow(edit);
                    judged.unjudged.follow(edit);
                }
                self.hidden.follow(edit);
            }
        }
        true
    }

    /// Brings up to date what is hidden of the rows `asked`; says how many cells were looked at.
    fn judge(
        &mut self,
        filters: &dyn Filters,
        sheet: &Sheet,
        asked: (u32, u32),
        cancel: &Cancel,
    ) -> Option<u64> {
        let CachedFilter { filter, columns, hidden } = self;
        let mut judged_count = 0;
        for place in 0..columns.len() {
            let (column, judged) = (&filter.columns[place], &mut columns[place]);
            if judged.unjudged.first_in(asked.0, asked.1).is_none() {
                continue;
            }
            // Rows below what is in use may be hidden or not: there is nothing in them to leave out.
            let used = sheet.used_range().map_or(0, |used| used.last().row.get());
            let (first, last) = if column.ranks { filter.rows } else { asked };
            if first > used || judged.unjudged.first_in(first, last.min(used)).is_none() {
                continue;
            }
            let spans: Vec<(u32, u32)> = match column.ranks {
                true => vec![(first, last.min(used))],
                false => judged.unjudged.iter_in(first, last.min(used)).collect(),
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
                judged_count += u64::from(last - first) + 1;
                let judged = &mut columns[place];
                judged.hidden.replace(first, last, &inside);
                judged.unjudged.remove(first, last);
                if columns.len() > 1 {
                    inside = joined(columns, (first, last)).iter().collect();
                }
                hidden.replace(first, last, &inside);
            }
        }
        Some(judged_count)
    }
}

/// Rows among `first..=last` that any column hides.
fn joined(columns: &[FilteredColumn], (first, last): (u32, u32)) -> RowSet {
    let mut all: Vec<(u32, u32)> =
        columns.iter().flat_map(|judged| judged.hidden.iter_in(first, last)).collect();
    all.sort();
    RowSet::joining(all)
}
