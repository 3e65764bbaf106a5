//! How a [`Calculation`] follows changes of pivot tables, and what it tells about their cells.

use std::collections::BTreeMap;
use std::sync::Arc;

use quadrille_cell::{CellAddress, Range, SheetId};
use quadrille_pivot::{CellRole, Label as PivotLabel, Line, LineKind, NumberFormatSource, source_expression};
use quadrille_workbook::{ItemId, ItemKind, Workbook};

use crate::calculation::Calculation;
use crate::evaluated::Evaluated;
use crate::pivots::{PivotFormula, PivotNode};

impl Calculation {
    /// Notes that items of a sheet may have been added, changed or removed.
    pub fn pivots_changed(&mut self, workbook: &Workbook, sheet: SheetId) {
        let has_pivots = workbook.sheet(sheet).is_some_and(|sheet| sheet.items().has_pivot_tables());
        if has_pivots || self.pivots.by_sheet.contains_key(&sheet) {
            self.pivots.stale.insert(sheet);
        }
    }

    /// The pivot table that fills a cell: its item and the range of its output.
    pub fn pivot_table_at(
        &self,
        workbook: &Workbook,
        sheet: SheetId,
        cell: CellAddress,
    ) -> Option<(ItemId, Range)> {
        let anchor = workbook.sheet(sheet)?.spill_anchor(cell)?;
        let known = self.pivots.known(sheet, anchor)?;
        Some((known.id, self.spills.area(sheet, anchor).unwrap_or(Range::cell(anchor))))
    }

    /// What a cell of a pivot table is, and the cell whose number format it has, if any.
    pub fn pivot_role(
        &self,
        workbook: &Workbook,
        sheet: SheetId,
        cell: CellAddress,
    ) -> Option<(CellRole, Option<(SheetId, CellAddress)>)> {
        let (_, anchor, pivot) = self.pivots.at(workbook, sheet, cell)?;
        let output = pivot.output().as_ref().ok()?;
        let row = cell.row.get() - anchor.row.get();
        let role = output.role(row, cell.column.get() - anchor.column.get());
        let definition = pivot.definition();
        let (first, _) = definition.data_rows();
        let left = definition.source.first().column.get();
        let source = match role.number_format {
            NumberFormatSource::Column(column) => {
                Some((definition.sheet, CellAddress::clamped(first, left + column)))
            }
            NumberFormatSource::Code(_) | NumberFormatSource::None => None,
        };
        Some((role, source))
    }

    /// The rows of the pivot table that fills a cell, below its headers: the first of them, and whether
    /// each is a group of the innermost field, not a total or a heading. With whether the cell's column
    /// is one of totals.
    pub fn pivot_group_rows(
        &self,
        workbook: &Workbook,
        sheet: SheetId,
        cell: CellAddress,
    ) -> Option<(u32, Vec<bool>, bool)> {
        let (_, anchor, pivot) = self.pivots.at(workbook, sheet, cell)?;
        let output = pivot.output().as_ref().ok()?;
        let is_group = |line: &Line| line.kind == LineKind::Group;
        let width = output.value_names.len().max(1) as u32;
        let beside = (cell.column.get() - anchor.column.get()).checked_sub(output.label_columns);
        let line = beside.and_then(|beside| output.column_lines.get((beside / width) as usize));
        let is_total = !output.column_names.is_empty() && line.is_some_and(|line| !is_group(line));
        let rows = output.row_lines.iter().map(is_group).collect();
        Some((anchor.row.get() + output.header_rows, rows, is_total))
    }

    /// The rows of the source behind a value of a pivot table: the sheet, the source with its
    /// header row, and zero-based rows. `None` for labels and headers.
    pub fn pivot_source_rows(
        &self,
        workbook: &Workbook,
        sheet: SheetId,
        cell: CellAddress,
    ) -> Option<(SheetId, Range, Vec<u32>)> {
        let (_, anchor, pivot) = self.pivots.at(workbook, sheet, cell)?;
        let output = pivot.output().as_ref().ok()?;
        let row = (cell.row.get() - anchor.row.get()).checked_sub(output.header_rows)?;
        let column = (cell.column.get() - anchor.column.get()).checked_sub(output.label_columns)?;
        let width = output.value_names.len().max(1) as u32;
        let column = output.column_lines.get((column / width) as usize)?;
        let (source_sheet, rows) = pivot.source_rows(output.row_lines.get(row as usize)?, column);
        Some((source_sheet, pivot.definition().source, rows))
    }

    /// The label in a cell of a pivot table, with the pivot table's item. `None` for other cells, and
    /// for labels of dates or numbers that are grouped.
    pub fn pivot_label(
        &self,
        workbook: &Workbook,
        sheet: SheetId,
        cell: CellAddress,
    ) -> Option<(ItemId, PivotLabel)> {
        let (item, anchor, pivot) = self.pivots.at(workbook, sheet, cell)?;
        let row = cell.row.get() - anchor.row.get();
        Some((item, pivot.label(row, cell.column.get() - anchor.column.get())?))
    }

    /// Brings the graph's pivot tables up to date with the items of the workbook. The cells of
    /// those that are gone become blank; those that have changed become dirty.
    pub(crate) fn refresh_pivots(&mut self, workbook: &mut Workbook, evaluated: &mut Evaluated, all: bool) {
        let mut stale = std::mem::take(&mut self.pivots.stale);
        if all {
            stale.extend(self.pivots.by_sheet.keys());
            let sheets = workbook.sheets().iter().filter(|sheet| sheet.items().has_pivot_tables());
            stale.extend(sheets.map(|sheet| sheet.id()));
        }
        for sheet in stale {
            let mut before = self.pivots.by_sheet.remove(&sheet).unwrap_or_default();
            let mut now: BTreeMap<CellAddress, PivotNode> = BTreeMap::new();
            let found = workbook.sheet(sheet).filter(|found| found.items().has_pivot_tables());
            for (id, item) in found.into_iter().flat_map(|found| found.items().of_kind(ItemKind::PivotTable))
            {
                let Some(anchor) = item.anchors.first().map(|anchor| anchor.first()) else { continue };
                // The schema keeps two items from having the same anchor.
                let same = before.remove(&anchor).filter(|known| known.id == id);
                let is_same = same.as_ref().is_some_and(|known| Arc::ptr_eq(&known.item, item));
                // A structural edit clears all spilled cells of the sheet. `Spills` knows the areas to fill again,
                // but not the cell that shows an error.
                let is_shown = found.is_some_and(|found| found.spill_anchor(anchor) == Some(anchor));
                if !is_same || !is_shown {
                    self.pending.push((sheet, Range::cell(anchor)));
                }
                let pivot = same.and_then(|known| known.pivot);
                now.insert(anchor, PivotNode { id, item: item.clone(), pivot });
            }
            let formulas = now.iter().map(|(anchor, known)| {
                let template = source_expression(sheet, &known.item);
                (*anchor, PivotFormula { item: known.id, template })
            });
            self.graph.set_pivots(sheet, formulas.collect());
            for anchor in before.into_keys() {
                let spill = self.spills.remove(sheet, anchor);
                let own = Range::cell(anchor);
                let area = spill.filter(|spill| spill.is_placed).map_or(own, |spill| spill.requested);
                let is_own =
                    workbook.sheet(sheet).is_some_and(|found| found.spill_anchor(anchor) == Some(anchor));
                if is_own {
                    self.clear_cells(workbook, sheet, area, evaluated);
                }
                self.pending.push((sheet, own));
            }
            if !now.is_empty() {
                self.pivots.by_sheet.insert(sheet, now);
            }
        }
    }
}
