//! A column: its values, its formulas and the cells that spilled arrays fill.

use quadrille_cell::{CellAddress, Value};
use quadrille_formula::Template;
use std::sync::Arc;

use crate::block::{Block, Slice};
use crate::runs::{Run, Runs};
use crate::values::Values;
use crate::{Input, Literal};

/// The values of a column (literals and results) with two overlays: formulas and spills. A row is
/// in at most one overlay; a value in neither overlay is a literal.
#[derive(Clone, Debug, Default)]
pub struct Column {
    pub(crate) values: Values,
    pub(crate) formulas: Runs<Template>,
    /// For each spilled value, the cell of the array formula.
    pub(crate) spilled: Runs<CellAddress>,
}

/// Number of preceding formula runs that are compared with a new formula to share its tree.
const RUNS_COMPARED_MAX: usize = 4;

impl Column {
    /// The value of a row: its literal or the result of a formula.
    pub fn value(&self, row: u32) -> Value {
        self.values.get(row)
    }

    /// Values of the rows `first..=last` as slices, each with its first row; rows between slices
    /// are blank.
    pub fn slices(&self, first: u32, last: u32) -> impl Iterator<Item = (u32, Slice<'_>)> {
        self.values.slices(first, last)
    }

    /// The blocks that intersect the rows `first..=last`, each with the row of its first value. The
    /// address of a block changes only when the block is written, so it can serve as a cache key.
    pub fn blocks(&self, first: u32, last: u32) -> impl Iterator<Item = (u32, &Arc<Block>)> {
        self.values.blocks(first, last)
    }

    /// The formula runs of the column.
    pub fn formulas(&self) -> &Runs<Template> {
        &self.formulas
    }

    /// The spilled cells with the cell of their array formula, which is not itself among them.
    pub fn spilled(&self) -> &Runs<CellAddress> {
        &self.spilled
    }

    /// The input of a row: its formula or literal. Blank for spilled cells.
    pub fn input(&self, row: u32) -> Input {
        if let Some(template) = self.formulas.get(row) {
            return Input::Formula(template.clone());
        }
        if self.spilled.get(row).is_some() {
            return Input::Blank;
        }
        Input::from(self.values.get(row))
    }

    /// First and last row that contain a formula or a value, including spilled ones.
    pub fn extent(&self) -> Option<(u32, u32)> {
        match (self.values.extent(), self.formulas.extent()) {
            (Some(a), Some(b)) => Some((a.0.min(b.0), a.1.max(b.1))),
            (one, other) => one.or(other),
        }
    }

    /// The non-blank inputs of the rows `first..=last`, in row order.
    pub fn inputs(&self, first: u32, last: u32) -> impl Iterator<Item = (u32, Input)> {
        let formulas = self
            .formulas
            .iter_in(first, last)
            .flat_map(|run| (run.first..=run.last).map(move |row| (row, Input::Formula(run.value.clone()))));
        let literals = self
            .literal_slices(first, last)
            .flat_map(|(row, slice)| (row..).zip((0..slice.len()).map(move |index| slice.get(index))))
            .filter(|(_, value)| !value.is_blank())
            .map(|(row, value)| (row, Input::from(value)));
        merge_by_row(formulas, literals)
    }

    /// Slices of `first..=last` that are literals: neither formulas nor spilled values. They can
    /// contain blanks.
    pub fn literal_slices(&self, first: u32, last: u32) -> impl Iterator<Item = (u32, Slice<'_>)> {
        self.literal_spans(first, last).into_iter().flat_map(|(first, last)| self.values.slices(first, last))
    }

    /// The parts of `first..=last` that are in neither overlay.
    fn literal_spans(&self, first: u32, last: u32) -> Vec<(u32, u32)> {
        let computed = merge_by_row(
            self.formulas.iter_in(first, last).map(|run| (run.first, run.last)),
            self.spilled.iter_in(first, last).map(|run| (run.first, run.last)),
        );
        let mut spans = Vec::new();
        let mut next = first;
        for (first, last) in computed {
            if first > next {
                spans.push((next, first - 1));
            }
            next = last + 1;
        }
        if next <= last {
            spans.push((next, last));
        }
        spans
    }

    pub(crate) fn set_input(&mut self, row: u32, input: &Input) {
        if let Input::Formula(template) = input {
            if !self.spilled.is_empty() && self.spilled.get(row).is_some() {
                self.spilled.set(row, row, None);
                self.values.set(row, &Value::Blank);
            }
            // Runs of formulas often alternate (A, B, A, B, …). Sharing their trees costs a
            // comparison and saves most of their memory.
            let mut preceding = self.formulas.preceding(row).take(RUNS_COMPARED_MAX).map(|run| &run.value);
            let shared = preceding.find(|existing| *existing == template).unwrap_or(template).clone();
            drop(preceding);
            // The previous value remains until the formula has been evaluated.
            self.formulas.set(row, row, Some(shared));
            return;
        }
        self.clear_overlays(row, row);
        match input {
            Input::Value(Literal::Number(number)) => self.values.set(row, &Value::Number(*number)),
            Input::Value(literal) => self.values.set(row, &Value::from(literal.clone())),
            _ => self.values.set(row, &Value::Blank),
        }
    }

    pub(crate) fn fill_input(&mut self, first: u32, last: u32, input: &Input) {
        self.clear_overlays(first, last);
        match input {
            Input::Formula(template) => self.formulas.set(first, last, Some(template.clone())),
            Input::Blank => self.values.clear(first, last),
            Input::Value(literal) => self.values.fill(first, last, &Value::from(literal.clone())),
        }
    }

    pub(crate) fn clear_overlays(&mut self, first: u32, last: u32) {
        if !self.formulas.is_empty() {
            self.formulas.set(first, last, None);
        }
        self.clear_spilled(first, last);
    }

    /// Removes spilled values of the rows `first..=last` together with their marks.
    pub(crate) fn clear_spilled(&mut self, first: u32, last: u32) {
        if self.spilled.is_empty() {
            return;
        }
        let spans: Vec<(u32, u32)> =
            self.spilled.iter_in(first, last).map(|run| (run.first, run.last)).collect();
        for (first, last) in spans {
            self.spilled.set(first, last, None);
            self.values.clear(first, last);
        }
    }

    pub(crate) fn insert_rows(&mut self, at: u32, count: u32) {
        self.values.insert_rows(at, count);
        self.formulas.insert(at, count, quadrille_cell::ROWS_MAX);
        self.spilled.insert(at, count, quadrille_cell::ROWS_MAX);
    }

    pub(crate) fn delete_rows(&mut self, at: u32, count: u32) {
        self.values.delete_rows(at, count);
        self.formulas.delete(at, count);
        self.spilled.delete(at, count);
    }

    /// Moves the rows `first..first + count` so that they begin at `destination`; the rows between
    /// shift. Costs time proportional to the moved rows, so the caller moves the smaller of two
    /// adjacent parts.
    pub(crate) fn move_rows(&mut self, first: u32, count: u32, destination: u32) {
        self.formulas.move_range(first, count, destination);
        let mut moved = Vec::new();
        for (row, slice) in self.values.slices(first, first + (count - 1)) {
            let values: Vec<Value> = (0..slice.len()).map(|index| slice.get(index)).collect();
            moved.push((destination + (row - first), values));
        }
        self.values.delete_rows(first, count);
        self.values.insert_rows(destination, count);
        for (row, values) in moved {
            self.values.replace(row, &values);
        }
    }

    /// Permutes rows: row `first + i` gets the contents of row `first + order[i]`. Removes spilled
    /// values first.
    pub(crate) fn permute_rows(&mut self, first: u32, order: &[u32]) {
        let Some(last) = (first as usize + order.len()).checked_sub(1) else { return };
        self.clear_spilled(first, last as u32);
        self.formulas.permute(first, order);
        let Some((used_first, used_last)) = self.values.extent() else { return };
        if used_last < first || used_first > last as u32 {
            return;
        }
        if self.permute_numbers(first, order) {
            return;
        }
        let mut flat = vec![Value::Blank; order.len()];
        for (row, slice) in self.values.slices(first, last as u32) {
            for index in 0..slice.len() {
                flat[(row - first) as usize + index] = slice.get(index);
            }
        }
        let permuted: Vec<Value> = order.iter().map(|source| flat[*source as usize].clone()).collect();
        self.values.replace(first, &permuted);
    }

    /// [`permute_rows`](Self::permute_rows) for numbers. Returns `false` without changing anything
    /// if some values are not numbers.
    fn permute_numbers(&mut self, first: u32, order: &[u32]) -> bool {
        let last = first + (order.len() as u32 - 1);
        let mut flat: Vec<f64> = Vec::with_capacity(order.len());
        for (row, slice) in self.values.slices(first, last) {
            match slice {
                Slice::Numbers(numbers) if row as usize == first as usize + flat.len() => {
                    flat.extend_from_slice(numbers);
                }
                _ => return false,
            }
        }
        if flat.len() < order.len() {
            return false;
        }
        let permuted: Vec<f64> = order.iter().map(|source| flat[*source as usize]).collect();
        self.values.replace_numbers(first, &permuted);
        true
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.values.is_empty() && self.formulas.is_empty() && self.spilled.is_empty()
    }

    /// Formula runs that intersect the rows `first..=last`, clipped to them.
    pub fn formula_runs(&self, first: u32, last: u32) -> impl Iterator<Item = Run<&Template>> {
        self.formulas.iter_in(first, last)
    }
}

/// Merges two sequences that are sorted by row and have no row in common.
fn merge_by_row<T>(
    a: impl Iterator<Item = (u32, T)>,
    b: impl Iterator<Item = (u32, T)>,
) -> impl Iterator<Item = (u32, T)> {
    let (mut a, mut b) = (a.peekable(), b.peekable());
    std::iter::from_fn(move || match (a.peek(), b.peek()) {
        (Some(x), Some(y)) if y.0 < x.0 => b.next(),
        (Some(_), _) => a.next(),
        (None, _) => b.next(),
    })
}
