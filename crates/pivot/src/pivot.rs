//! A pivot table between evaluations.

use std::collections::BTreeSet;
use std::sync::Arc;

use quadrille_cell::{ErrorValue, SheetId, Value};
use quadrille_formula::Template;
use quadrille_workbook::Workbook;

use crate::accumulator::Accumulator;
use crate::axis::axes_of;
use crate::calculation::{Calculator, Results};
use crate::definition::{Definition, Grouping};
use crate::dictionary::Dictionary;
use crate::groups::{Columns, Groups, NO_GROUP, used_columns};
use crate::layout::lay_out;
use crate::output::{Line, Output};
use crate::own_groups::value_text;
use crate::source::SourceColumn;

/// Beyond this fraction of the source's rows, building all groups again costs less than updating
/// them row by row.
const CHANGED_PART_MAX: usize = 8;

/// The groups of a pivot table's source and its last output. A pivot table can be discarded at any
/// time; a new one gives the same output.
#[derive(Debug)]
pub struct Pivot {
    definition: Definition,
    columns: Columns,
    groups: Groups,
    /// One list per aggregated column, by group.
    accumulators: Vec<Vec<Accumulator>>,
    /// Different values of each aggregated column whose function counts them.
    value_dictionaries: Vec<Dictionary>,
    /// Results of calculated fields.
    results: Results,
    output: Result<Arc<Output>, ErrorValue>,
}

/// A label of a pivot table.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Label {
    /// Whether its field is one of the columns.
    pub is_column: bool,
    /// The number of its field among those of the rows or columns.
    pub field: usize,
    /// The value, as [`value_text`] writes it, or the name of a group of one's own.
    pub text: String,
}

impl Pivot {
    /// Evaluates a definition. `before` is the state of the last evaluation of this pivot table;
    /// with it the cost follows the groups that have changed. Returns `None` when `should_stop`
    /// returns `true`, which is called with the number of cells about to be read. `evaluate` returns
    /// the value of a formula without references, for calculated fields.
    pub fn refresh(
        before: Option<Pivot>,
        definition: Definition,
        workbook: &Workbook,
        should_stop: &mut dyn FnMut(u64) -> bool,
        evaluate: &mut dyn FnMut(&Template) -> Value,
    ) -> Option<Pivot> {
        let columns = read_columns(&definition, workbook);
        if let Some(mut pivot) = before.filter(|before| definition.has_groups_of(&before.definition)) {
            let is_same = pivot.definition == definition;
            match pivot.update(&definition, &columns, should_stop)? {
                Some(0) if is_same => return Some(pivot),
                Some(_) => {
                    (pivot.definition, pivot.columns) = (definition, columns);
                    pivot.lay_out(evaluate);
                    return Some(pivot);
                }
                None => {}
            }
        }
        let rows = filled_rows(&definition, &columns);
        let groups = Groups::build(&definition, &columns, rows, should_stop)?;
        let dictionary = || Dictionary::new(Grouping::Values, definition.dates);
        let mut pivot = Pivot {
            value_dictionaries: definition.aggregates().iter().map(|_| dictionary()).collect(),
            accumulators: vec![Vec::new(); definition.aggregates().len()],
            definition,
            columns,
            groups,
            results: Results::default(),
            output: Err(ErrorValue::Calculation),
        };
        for value in 0..pivot.accumulators.len() {
            pivot.accumulate(value, None);
            if should_stop(u64::from(rows.1)) {
                return None;
            }
        }
        pivot.lay_out(evaluate);
        Some(pivot)
    }

    /// The definition of the last evaluation.
    pub fn definition(&self) -> &Definition {
        &self.definition
    }

    /// The cells of the pivot table, or the error that it shows instead.
    pub fn output(&self) -> &Result<Arc<Output>, ErrorValue> {
        &self.output
    }

    /// The label in the cell at zero-based indices from the first cell of the output. `None` for other
    /// cells, and for labels of dates or numbers that are grouped.
    pub fn label(&self, row: u32, column: u32) -> Option<Label> {
        let (line, is_column, field) = self.output.as_ref().ok()?.label_at(row, column)?;
        let fields = if is_column { &self.definition.columns } else { &self.definition.rows };
        if fields.get(field)?.grouping != Grouping::Values {
            return None;
        }
        let first = if is_column { self.definition.rows.len() } else { 0 };
        let value = self.groups.dictionaries.get(first + field)?.value(*line.codes.get(field)?);
        Some(Label { is_column, field, text: value_text(value) })
    }

    /// The rows of the source behind the cells in which a row and a column of the output meet, as
    /// the sheet and zero-based rows.
    pub fn source_rows(&self, row: &Line, column: &Line) -> (SheetId, Vec<u32>) {
        // Groups that are not among the top ones are no part of the totals.
        let shown = |lines: &[Line], fields: usize, within: &Line| -> BTreeSet<Vec<u32>> {
            let lines = lines.iter().filter(|line| line.codes.len() == fields);
            let parts = lines.filter(|line| line.codes.starts_with(&within.codes));
            quadrille_cell::collect_by_insertion(parts.map(|line| line.codes.clone()))
        };
        let (rows, columns) = match &self.output {
            Ok(output) => (
                shown(&output.row_lines, self.definition.rows.len(), row),
                shown(&output.column_lines, self.definition.columns.len(), column),
            ),
            Err(_) => Default::default(),
        };
        let is_part = |group: u32| {
            let (row, column) = self.groups.combinations_of(group);
            rows.contains(&self.groups.rows.codes(row))
                && columns.contains(&self.groups.columns.codes(column))
        };
        let is_shown: Vec<bool> = (0..self.groups.len() as u32).map(is_part).collect();
        let (first, _) = self.definition.data_rows();
        let of_row = (first..).zip(&self.groups.of_row);
        let shown = of_row.filter(|(_, group)| **group != NO_GROUP && is_shown[**group as usize]);
        (self.definition.sheet, shown.map(|(row, _)| row).collect())
    }

    /// Assigns the rows that have changed. Returns their number, or inside `Some` `None` when the
    /// groups have to be built again.
    fn update(
        &mut self,
        definition: &Definition,
        columns: &Columns,
        should_stop: &mut dyn FnMut(u64) -> bool,
    ) -> Option<Option<usize>> {
        let (first, count) = definition.data_rows();
        let rows_max = self.groups.of_row.len() / CHANGED_PART_MAX + 1_000;
        let (last, last_before) = (first + count, first + self.definition.data_rows().1);
        let (shorter, longer) = (last.min(last_before), last.max(last_before));
        let mut changed: Vec<u32> = Vec::new();
        let filled = |columns: &Columns| {
            columns.values().filter_map(|column| column.last_row(longer)).max().map_or(0, |row| row + 1)
        };
        // Rows that the source has gained or lost.
        let gained = shorter..longer.min(filled(columns).max(filled(&self.columns)));
        if gained.len() > rows_max {
            return Some(None);
        }
        changed.extend(gained);
        for (column, cells) in columns {
            let Some(before) = self.columns.get(column) else { return Some(None) };
            if longer > first && !cells.changed_rows(before, (first, longer - 1), rows_max, &mut changed) {
                return Some(None);
            }
        }
        changed.sort();
        changed.dedup();
        if should_stop(changed.len() as u64) {
            return None;
        }
        let mut is_dirty = vec![false; self.groups.len()];
        for row in &changed {
            let value = |column: u32| match *row < last {
                true => columns[&column].get(*row),
                false => Value::Blank,
            };
            let (before, after) = self.groups.reassign(definition, (row - first) as usize, &value);
            is_dirty.resize(self.groups.len(), false);
            for group in [before, after] {
                if group != NO_GROUP {
                    is_dirty[group as usize] = true;
                }
            }
        }
        if changed.is_empty() {
            return Some(Some(0));
        }
        // The label of a text with several spellings is that of its first row.
        if self.groups.dictionaries.iter().any(Dictionary::has_spellings) || self.groups.is_sparse() {
            return Some(None);
        }
        self.columns.clone_from(columns);
        for value in 0..self.accumulators.len() {
            if should_stop(self.groups.of_row.len() as u64 / 16) {
                return None;
            }
            self.accumulate(value, Some(&is_dirty));
        }
        Some(Some(changed.len()))
    }

    /// Aggregates a column in all groups, or in the dirty ones, from the first row on.
    fn accumulate(&mut self, value: usize, is_dirty: Option<&[bool]>) {
        let (column, function) = self.definition.aggregates()[value];
        let blank = Accumulator::new(function);
        let accumulators = &mut self.accumulators[value];
        accumulators.resize(self.groups.len(), blank.clone());
        for (group, accumulator) in accumulators.iter_mut().enumerate() {
            if is_dirty.is_none_or(|is_dirty| is_dirty[group]) {
                *accumulator = blank.clone();
            }
        }
        let (first, _) = self.definition.data_rows();
        let Some(last) = (self.groups.of_row.len() as u32).checked_sub(1).map(|offset| first + offset) else {
            return;
        };
        let (of_row, dictionary) = (&self.groups.of_row, &mut self.value_dictionaries[value]);
        self.columns[&column].for_each(first, last, |row, cell| {
            let group = of_row[(row - first) as usize];
            if group != NO_GROUP && is_dirty.is_none_or(|is_dirty| is_dirty[group as usize]) {
                accumulators[group as usize].push(function, cell, dictionary);
            }
        });
    }

    fn lay_out(&mut self, evaluate: &mut dyn FnMut(&Template) -> Value) {
        let before = std::mem::take(&mut self.results);
        let mut calculator = Calculator { before, after: Results::default(), evaluate };
        let (rows, columns, totals) =
            axes_of(&self.definition, &self.groups, &self.accumulators, &mut calculator);
        self.results = calculator.after;
        let output = lay_out(&self.definition, (&rows, &columns), &totals, &self.groups.dictionaries);
        self.output = output.map(Arc::new).ok_or(ErrorValue::Calculation);
    }
}

fn read_columns(definition: &Definition, workbook: &Workbook) -> Columns {
    let (first, count) = definition.data_rows();
    let sheet = workbook.sheet(definition.sheet);
    let left = definition.source.first().column.get();
    let read = |column: u32| match (sheet, count.checked_sub(1)) {
        (Some(sheet), Some(offset)) => SourceColumn::read(sheet, left + column, first, first + offset),
        _ => SourceColumn::default(),
    };
    let columns = used_columns(definition).into_iter();
    quadrille_cell::collect_by_insertion(columns.map(|column| (column, read(column))))
}

/// The first data row and the number of rows up to the last one with a block.
fn filled_rows(definition: &Definition, columns: &Columns) -> (u32, u32) {
    let (first, count) = definition.data_rows();
    let Some(offset) = count.checked_sub(1) else { return (first, 0) };
    let last = columns.values().filter_map(|column| column.last_row(first + offset)).max();
    (first, last.map_or(0, |last| (last + 1).saturating_sub(first)))
}
