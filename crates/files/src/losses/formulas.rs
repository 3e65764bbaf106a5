//! Formulas that other programs calculate otherwise or not at all.

use std::collections::BTreeMap;

use quadrille_cell::{CellAddress, Range};
use quadrille_formula::{Expression, Template, visit};
use quadrille_workbook::Sheet;

use super::collected::Losses;
use super::loss::LossKind;
use crate::limits::LOSS_RANGES_MAX;

/// The cells of a run of formulas in one column.
pub fn run_range(column: u32, first: u32, last: u32) -> Range {
    Range::new(CellAddress::clamped(first, column), CellAddress::clamped(last, column))
}

/// Adds the functions that neither Excel nor OpenFormula have, each with its first cells: other programs
/// show the stored results until they calculate.
#[cfg(feature = "xlsx")]
pub fn add_foreign_functions(sheet: &Sheet, losses: &mut Losses) {
    let mut found: BTreeMap<String, (Vec<Range>, u64)> = BTreeMap::new();
    for (column, first, last, template) in sheet.formula_runs(Range::whole_sheet()) {
        for name in foreign_functions(template) {
            let (ranges, count) = found.entry(name).or_default();
            *count += u64::from(last - first + 1);
            if ranges.len() < LOSS_RANGES_MAX {
                ranges.push(run_range(column.get(), first, last));
            }
        }
    }
    for (name, (ranges, count)) in found {
        losses.add_many(LossKind::Functions, Some(sheet), &ranges, &name, count);
    }
}

#[cfg(feature = "xlsx")]
fn foreign_functions(template: &Template) -> Vec<String> {
    let mut names = Vec::new();
    visit(template.expression(), &mut |node| {
        if let Expression::Call { function, .. } = node {
            let name = function.text();
            let is_foreign = quadrille_functions::lookup(name).is_some_and(|known| {
                !known.source.contains("Excel") && !known.source.contains("OpenFormula")
            });
            if is_foreign && !names.iter().any(|other: &String| **other == **name) {
                names.push(name.to_string());
            }
        }
    });
    names
}

/// Adds all formulas: the format only has their results. Runs of neighbouring columns over the same rows
/// are one range.
pub fn add_all(sheet: &Sheet, losses: &mut Losses) {
    let mut ranges: Vec<Range> = Vec::new();
    let mut count = 0;
    for (column, first, last, _) in sheet.formula_runs(Range::whole_sheet()) {
        count += u64::from(last - first + 1);
        let run = run_range(column.get(), first, last);
        let neighbour = ranges.iter().position(|range| {
            range.first().row == run.first().row
                && range.last().row == run.last().row
                && range.last().column.get() + 1 == column.get()
        });
        match neighbour {
            Some(index) => ranges[index] = ranges[index].union(run),
            // A few more than are named, so that they can still be joined.
            None if ranges.len() < 8 * LOSS_RANGES_MAX => ranges.push(run),
            None => {}
        }
    }
    if count > 0 {
        losses.add_many(LossKind::Formulas, Some(sheet), &ranges, "", count);
    }
}
