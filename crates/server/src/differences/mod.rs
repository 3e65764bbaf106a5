//! The differences between two revisions of a workbook, cell by cell. Cells are compared with those
//! that they were before rows and columns were inserted, deleted or moved.

mod alignment;

use std::collections::BTreeMap;

use quadrille_cell::{CellAddress, Dimension, SheetId};
use quadrille_formula::{Host, print};
use quadrille_operation::{Operation, Transaction};
use quadrille_workbook::{Sheet, Workbook};
use serde_json::{Value as Json, json};

use self::alignment::{AlignedRun, Alignment};
use crate::cells::CellReader;
use crate::limits;

/// Follows the sheets of a workbook through the transactions between two revisions.
#[derive(Default)]
pub struct SheetAlignments {
    /// Rows, then columns.
    sheets: BTreeMap<SheetId, [Alignment; 2]>,
}

impl SheetAlignments {
    /// Follows the next transaction.
    pub fn follow(&mut self, transaction: &Transaction) {
        for operation in &transaction.operations {
            if let Operation::Restructure(edit) = operation {
                let new = || [Dimension::Rows, Dimension::Columns].map(Alignment::new);
                for alignment in self.sheets.entry(edit.sheet).or_insert_with(new) {
                    alignment.follow(edit);
                }
            }
        }
    }

    fn runs(&self, sheet: SheetId, dimension: Dimension, before: u32, after: u32) -> Vec<AlignedRun> {
        let known = self.sheets.get(&sheet).map(|both| &both[dimension as usize]);
        let runs = known.map(|alignment| alignment.runs(before, after)).unwrap_or_default();
        match runs.len() {
            1..=limits::DIFFERENCES_RUNS_MAX => runs,
            _ => Alignment::new(dimension).runs(before, after),
        }
    }
}

/// Compares the sheets of two revisions, with at most `shown_max` cells of each.
pub fn sheet_differences(
    before: &Workbook,
    after: &Workbook,
    alignments: &SheetAlignments,
    shown_max: usize,
) -> Vec<Json> {
    let mut budget = limits::DIFFERENCES_COMPARED_MAX;
    let mut removed: Vec<&Sheet> = before.sheets().iter().map(|sheet| &**sheet).collect();
    let mut listed = Vec::new();
    for sheet in after.sheets() {
        // Restored and imported sheets have new identities.
        let same = removed.iter().position(|old| old.id() == sheet.id());
        let same = same.or_else(|| {
            let is_new = |old: &&Sheet| after.sheet(old.id()).is_none() && old.name() == sheet.name();
            removed.iter().position(is_new)
        });
        let Some(same) = same else {
            listed.push(json!({ "before": null, "after": &**sheet.name(), "isComplete": true }));
            continue;
        };
        let old = removed.remove(same);
        let mut comparison = Comparison::new((before, old), (after, &**sheet), alignments, shown_max);
        comparison.run(&mut budget);
        listed.push(comparison.json());
    }
    let gone = removed.into_iter();
    listed.extend(gone.map(|old| json!({ "before": &**old.name(), "after": null, "isComplete": true })));
    listed
}

/// One revision of a sheet.
struct Side<'a> {
    workbook: &'a Workbook,
    sheet: &'a Sheet,
    reader: CellReader<'a>,
    /// Number of rows and columns up to the last used cell.
    size: (u32, u32),
}

impl<'a> Side<'a> {
    fn new((workbook, sheet): (&'a Workbook, &'a Sheet)) -> Side<'a> {
        let last = sheet.used_range().map(|used| used.last());
        let size = last.map_or((0, 0), |last| (last.row.get() + 1, last.column.get() + 1));
        Side { workbook, sheet, reader: CellReader::new(workbook, sheet), size }
    }

    fn json(&mut self, cell: Option<CellAddress>) -> Json {
        let Some(cell) = cell else { return Json::Null };
        let mut json = self.reader.cell(cell);
        json["cell"] = cell.to_string().into();
        json
    }

    fn formula_text(&self, cell: CellAddress) -> Option<String> {
        let template = self.sheet.formula(cell)?;
        Some(print(template, Host { sheet: self.sheet.id(), cell }, self.workbook))
    }
}

/// The comparison of two revisions of a sheet.
struct Comparison<'a> {
    before: Side<'a>,
    after: Side<'a>,
    rows: Vec<AlignedRun>,
    columns: Vec<AlignedRun>,
    shown_max: usize,
    shown: Vec<Json>,
    count: u64,
    is_complete: bool,
}

impl<'a> Comparison<'a> {
    fn new(
        before: (&'a Workbook, &'a Sheet),
        after: (&'a Workbook, &'a Sheet),
        alignments: &SheetAlignments,
        shown_max: usize,
    ) -> Comparison<'a> {
        let (before, after) = (Side::new(before), Side::new(after));
        let id = after.sheet.id();
        // Blank rows below the used ones are aligned as well: a row that was deleted there is none.
        let (rows, columns) = (before.size.0.max(after.size.0), before.size.1.max(after.size.1));
        let rows = alignments.runs(id, Dimension::Rows, before.size.0, rows);
        let columns = alignments.runs(id, Dimension::Columns, before.size.1, columns);
        Comparison { before, after, rows, columns, shown_max, shown: Vec::new(), count: 0, is_complete: true }
    }

    fn run(&mut self, budget: &mut u64) {
        for rows in self.rows.clone() {
            for row in 0..rows.count {
                for columns in self.columns.clone() {
                    if *budget < u64::from(columns.count) {
                        self.is_complete = false;
                        return;
                    }
                    *budget -= u64::from(columns.count);
                    for column in 0..columns.count {
                        let at = |rows: Option<u32>, columns: Option<u32>| {
                            Some(CellAddress::clamped(rows? + row, columns? + column))
                        };
                        self.compare(at(rows.before, columns.before), at(rows.after, columns.after));
                    }
                }
            }
        }
    }

    fn compare(&mut self, before: Option<CellAddress>, after: Option<CellAddress>) {
        let kind = match (before, after) {
            (Some(old), Some(new)) if self.has_other_content(old, new) => "content",
            (Some(old), Some(new)) if self.before.sheet.format(old) != self.after.sheet.format(new) => {
                "format"
            }
            // Rows and columns that are new or deleted: only cells with contents.
            (Some(old), None) if !is_blank(self.before.sheet, old) => "removed",
            (None, Some(new)) if !is_blank(self.after.sheet, new) => "added",
            _ => return,
        };
        self.count += 1;
        if self.shown.len() < self.shown_max {
            let (before, after) = (self.before.json(before), self.after.json(after));
            self.shown.push(json!({ "kind": kind, "before": before, "after": after }));
        }
    }

    /// Whether the value differs, or the formula: neither the same text nor the same in relative form,
    /// as formulas have whose cells moved with them.
    fn has_other_content(&self, old: CellAddress, new: CellAddress) -> bool {
        if self.before.sheet.value(old) != self.after.sheet.value(new) {
            return true;
        }
        match (self.before.sheet.formula(old), self.after.sheet.formula(new)) {
            (None, None) => false,
            (Some(a), Some(b)) if a == b => false,
            _ => self.before.formula_text(old) != self.after.formula_text(new),
        }
    }

    fn json(self) -> Json {
        json!({
            "before": &**self.before.sheet.name(),
            "after": &**self.after.sheet.name(),
            "rows": runs_json(&self.rows),
            "columns": runs_json(&self.columns),
            "cells": self.shown,
            "cellCount": self.count,
            "isComplete": self.is_complete,
        })
    }
}

fn is_blank(sheet: &Sheet, cell: CellAddress) -> bool {
    sheet.formula(cell).is_none() && sheet.value(cell) == quadrille_cell::Value::Blank
}

/// Runs of rows or columns with numbers from 1.
fn runs_json(runs: &[AlignedRun]) -> Json {
    let number = |index: Option<u32>| index.map(|index| index + 1);
    runs.iter()
        .map(|run| json!({ "before": number(run.before), "after": number(run.after), "count": run.count }))
        .collect()
}
