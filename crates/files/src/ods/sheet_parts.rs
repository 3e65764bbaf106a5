//! Items of a sheet by the cells they are written with, and the range that is written.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::sync::Arc;

use quadrille_cell::{CellAddress, Dimension, Range};
use quadrille_workbook::{Field, ItemId, ItemKind, Sheet, Workbook};

use super::groups::Groups;
use super::validations::validation_name;
use super::write_charts::Frames;
use crate::limits::ROWS_MAX;
use crate::pivot_source::{FilledPivot, filled_pivots};
use crate::xlsx::page_breaks;

/// Blank cells that are written because of their format, and cells with a validation, at most per sheet.
pub(super) const BLANKS_MAX: u64 = 100_000;

/// Cells within merged ranges, at most per sheet.
const COVERED_MAX: u64 = 5_000_000;

/// Items of a sheet by the cells they are attached to.
pub(super) struct SheetParts {
    pub merges: HashMap<CellAddress, Range>,
    pub covered: HashSet<CellAddress>,
    pub notes: HashMap<CellAddress, String>,
    pub links: HashMap<CellAddress, String>,
    /// Names of validations.
    pub validations: HashMap<CellAddress, Arc<str>>,
    /// Validations that reach the last row, in the order of their columns.
    pub validated_columns: Vec<(Range, Arc<str>)>,
    pub pivots: Vec<FilledPivot>,
    /// Rows that begin a page.
    pub page_breaks: BTreeSet<u32>,
    pub row_groups: Groups,
    /// Images and charts by row and column.
    pub frames: Frames,
}

impl SheetParts {
    /// The parts of a sheet.
    pub fn new(workbook: &Workbook, sheet: &Sheet, frames: Frames) -> SheetParts {
        let mut parts = SheetParts {
            merges: HashMap::new(),
            covered: HashSet::new(),
            notes: HashMap::new(),
            links: HashMap::new(),
            validations: HashMap::new(),
            validated_columns: Vec::new(),
            pivots: filled_pivots(workbook, sheet),
            page_breaks: page_breaks(sheet, Dimension::Rows),
            row_groups: Groups::of(sheet, Dimension::Rows),
            frames,
        };
        let bound = written_range(sheet);
        let unmerged = unmerged(sheet);
        for (id, item) in sheet.items().iter() {
            if item.kind == ItemKind::Validation
                && let Some(name) = validation_name(workbook, sheet, id, item)
            {
                parts.validate(bound, &item.anchors, &name.into());
            }
            let Some(anchor) = item.anchors.first().copied() else { continue };
            let text = |field| item.text(field).map(|text| text.to_string());
            match item.kind {
                ItemKind::Merge if !unmerged.contains(&id) => {
                    parts.merges.insert(anchor.first(), anchor);
                    let visible = anchor.intersection(bound).unwrap_or(Range::cell(anchor.first()));
                    parts.covered.extend(cells_of(visible).filter(|cell| *cell != anchor.first()));
                }
                ItemKind::Note => parts.notes.extend(text(Field::Text).map(|text| (anchor.first(), text))),
                ItemKind::Link => parts.links.extend(text(Field::Url).map(|url| (anchor.first(), url))),
                _ => {}
            }
        }
        parts.validated_columns.sort_by_key(|(range, _)| range.first().column);
        parts
    }

    /// The columns of a row that have frames, from `column` on.
    pub fn framed_columns(&self, row: u32, column: u32) -> Vec<u32> {
        self.frames.range((row, column)..(row + 1, 0)).map(|((_, column), _)| *column).collect()
    }

    /// Notes the validation of cells within the written range and of whole columns.
    fn validate(&mut self, bound: Range, anchors: &[Range], name: &Arc<str>) {
        for anchor in anchors.iter().filter(|anchor| is_written_with_cells(**anchor)) {
            if is_to_last_row(*anchor) {
                self.validated_columns.push((*anchor, name.clone()));
            }
            let left = (BLANKS_MAX as usize).saturating_sub(self.validations.len());
            let cells = anchor.intersection(bound).into_iter().flat_map(cells_of).take(left);
            self.validations.extend(cells.map(|cell| (cell, name.clone())));
        }
    }
}

fn cells_of(range: Range) -> impl Iterator<Item = CellAddress> {
    let columns = range.first().column.get()..=range.last().column.get();
    let rows = range.first().row.get()..=range.last().row.get();
    rows.flat_map(move |row| columns.clone().map(move |column| CellAddress::clamped(row, column)))
}

/// The merged ranges that are not merged in the file, because their cells would be too many.
pub(crate) fn unmerged(sheet: &Sheet) -> Vec<ItemId> {
    let bound = written_range(sheet);
    let mut cells = 0;
    let mut unmerged = Vec::new();
    for (id, item) in sheet.items().of_kind(ItemKind::Merge) {
        let visible = item.anchors.first().and_then(|anchor| anchor.intersection(bound));
        let more = visible.map_or(1, Range::cell_count);
        if cells + more > COVERED_MAX {
            unmerged.push(id);
        } else {
            cells += more;
        }
    }
    unmerged
}

/// Columns of validations over whole columns, at most, counted from column A.
const VALIDATED_COLUMNS_MAX: u32 = 1_000;

/// Whether cells are written because of their validation: those of a range up to a limit, and those of
/// columns down to the last row.
pub(crate) fn is_written_with_cells(range: Range) -> bool {
    let is_narrow = range.last().column.get() < VALIDATED_COLUMNS_MAX;
    range.cell_count() <= BLANKS_MAX || is_to_last_row(range) && is_narrow
}

fn is_to_last_row(range: Range) -> bool {
    range.last().row.get() + 1 == ROWS_MAX
}

/// The range from A1 to the last cell with content, format or item; formats of whole columns and
/// rows do not count.
pub(super) fn written_range(sheet: &Sheet) -> Range {
    let origin = CellAddress::default();
    let mut range = Range::new(origin, sheet.used_range().map_or(origin, |used| used.last()));
    for (formatted, _) in sheet.format_runs(Range::whole_sheet()) {
        if !formatted.is_whole_columns() && !formatted.is_whole_rows() && formatted.cell_count() <= BLANKS_MAX
        {
            range = range.union(formatted);
        }
    }
    for (_, item) in sheet.items().iter() {
        if matches!(item.kind, ItemKind::Merge | ItemKind::Note | ItemKind::Link) {
            for anchor in item.anchors.iter().filter(|anchor| anchor.cell_count() <= BLANKS_MAX) {
                range = range.union(*anchor);
            }
        }
    }
    for (_, item) in sheet.items().of_kind(ItemKind::Validation) {
        for anchor in item.anchors.iter().filter(|anchor| is_written_with_cells(**anchor)) {
            let (above, last) = (anchor.first().row.get().saturating_sub(1), anchor.last());
            range = match is_to_last_row(*anchor) {
                // The rows below are written as one.
                true => range.union(Range::cell(CellAddress::clamped(above, last.column.get()))),
                false => range.union(*anchor),
            };
        }
    }
    let broken = page_breaks(sheet, Dimension::Rows).last().map_or(0, |row| row + 1);
    let last_row = broken.max(Groups::of(sheet, Dimension::Rows).end()).saturating_sub(1);
    range.union(Range::cell(CellAddress::clamped(last_row, 0)))
}
