//! The searches shared by all lookup functions: linear and indexed search for a value in a row or
//! column, and binary search in sorted ones.

use std::cmp::Ordering;
use std::ops::ControlFlow;

use quadrille_cell::{ErrorValue, Value};

use crate::cancel::Cancel;
use crate::compare::{compare, compare_text};
use crate::context::CallContext;
use crate::operands::{Chunk, IndexMatches, RangeView, RowOrColumn, ValueRef};
use crate::wildcard::{Pattern, equals_folded, has_wildcards};

/// A row or column of a view, called a vector in Excel's help.
#[derive(Clone, Copy)]
pub(crate) struct Vector<'a> {
    view: &'a dyn RangeView,
    axis: RowOrColumn,
}

/// The value or pattern that a search compares cells with.
pub(crate) enum LookupTarget {
    Blank,
    Number(f64),
    Boolean(bool),
    Error(ErrorValue),
    Text(std::sync::Arc<str>),
    Pattern(Pattern),
}

impl LookupTarget {
    /// Creates the target of a lookup value; text is a pattern if it has wildcards and
    /// `with_wildcards` is set.
    pub fn new(value: &Value, with_wildcards: bool) -> LookupTarget {
        match value {
            Value::Blank => LookupTarget::Blank,
            Value::Number(number) => LookupTarget::Number(*number),
            Value::Boolean(boolean) => LookupTarget::Boolean(*boolean),
            Value::Error(error) => LookupTarget::Error(*error),
            Value::Text(text) if with_wildcards && has_wildcards(text) => {
                LookupTarget::Pattern(Pattern::new(text))
            }
            Value::Text(text) => LookupTarget::Text(text.clone()),
        }
    }

    fn matches(&self, value: ValueRef<'_>) -> bool {
        match (self, value) {
            (LookupTarget::Blank, ValueRef::Blank) => true,
            (LookupTarget::Number(expected), ValueRef::Number(number)) => *expected == number,
            (LookupTarget::Boolean(expected), ValueRef::Boolean(boolean)) => *expected == boolean,
            (LookupTarget::Text(expected), ValueRef::Text(text)) => equals_folded(expected, text),
            (LookupTarget::Pattern(pattern), ValueRef::Text(text)) => pattern.matches(text),
            (LookupTarget::Error(expected), ValueRef::Error(error)) => *expected == error,
            _ => false,
        }
    }
}

impl<'a> Vector<'a> {
    /// Returns the single row or column of a view; `None` when it has several of both.
    pub fn new(view: &'a dyn RangeView) -> Option<Vector<'a>> {
        match (view.rows(), view.columns()) {
            (_, 1) => Some(Vector { view, axis: RowOrColumn::Column(0) }),
            (1, _) => Some(Vector { view, axis: RowOrColumn::Row(0) }),
            _ => None,
        }
    }

    /// Returns a column of a view.
    pub fn column(view: &'a dyn RangeView, column: u32) -> Vector<'a> {
        Vector { view, axis: RowOrColumn::Column(column) }
    }

    /// Returns a row of a view.
    pub fn row(view: &'a dyn RangeView, row: u32) -> Vector<'a> {
        Vector { view, axis: RowOrColumn::Row(row) }
    }

    /// Whether the vector is a column.
    pub fn is_column(&self) -> bool {
        matches!(self.axis, RowOrColumn::Column(_))
    }

    /// Returns the number of cells.
    pub fn len(&self) -> u32 {
        match self.axis {
            RowOrColumn::Column(_) => self.view.rows(),
            RowOrColumn::Row(_) => self.view.columns(),
        }
    }

    /// All cells from this index on are blank.
    pub fn used_len(&self) -> u32 {
        match self.axis {
            RowOrColumn::Column(_) => self.view.used_rows(),
            RowOrColumn::Row(_) => self.view.used_columns(),
        }
    }

    /// Returns the value of a cell.
    pub fn value(&self, index: u32) -> Value {
        match self.axis {
            RowOrColumn::Column(column) => self.view.value(index, column),
            RowOrColumn::Row(row) => self.view.value(row, index),
        }
    }

    /// Returns the index of the first cell that matches the target.
    pub fn find_first(
        &self,
        context: &mut CallContext,
        target: &LookupTarget,
    ) -> Result<Option<u32>, ErrorValue> {
        let indexed = self.indexed(target, |positions| positions.first());
        let found = indexed.unwrap_or_else(|| match self.axis {
            RowOrColumn::Row(_) => {
                let first_blank = matches!(target, LookupTarget::Blank).then_some(self.used_len());
                let is_match = |index: &u32| target.matches(ValueRef::from(&self.value(*index)));
                (0..self.used_len()).find(is_match).or(first_blank)
            }
            RowOrColumn::Column(column) => find_in_column(&context.budget.cancel, self.view, column, target),
        });
        let visited = found.map_or(self.used_len(), |index| index + 1);
        // Comparing slices takes a fraction of the time of a single cell.
        let cells_per_step = if matches!(target, LookupTarget::Number(_)) { 64 } else { 16 };
        let steps = u64::from(visited) / cells_per_step + 1;
        context.budget.charge(steps)?;
        context.steps_saved += if indexed.is_some() { steps - 1 } else { 0 };
        Ok(found.filter(|index| *index < self.len()))
    }

    /// Looks up the target in the index of the view; `None` without an index.
    fn indexed(
        &self,
        target: &LookupTarget,
        pick: impl Fn(IndexMatches<'_>) -> Option<u32>,
    ) -> Option<Option<u32>> {
        let value = match target {
            LookupTarget::Number(number) => ValueRef::Number(*number),
            LookupTarget::Boolean(boolean) => ValueRef::Boolean(*boolean),
            LookupTarget::Text(text) => ValueRef::Text(text),
            LookupTarget::Blank | LookupTarget::Error(_) | LookupTarget::Pattern(_) => return None,
        };
        let mut picked = None;
        let has_index =
            self.view.with_positions_of(self.axis, value, &mut |positions| picked = pick(positions));
        has_index.then_some(picked)
    }

    /// Returns the index of the last cell that matches the target.
    pub fn find_last(
        &self,
        context: &mut CallContext,
        target: &LookupTarget,
    ) -> Result<Option<u32>, ErrorValue> {
        context.budget.charge(u64::from(self.used_len()))?;
        if let Some(found) = self.indexed(target, |positions| positions.last()) {
            context.steps_saved += u64::from(self.used_len());
            return Ok(found);
        }
        if matches!(target, LookupTarget::Blank) && self.used_len() < self.len() {
            return Ok(Some(self.len() - 1));
        }
        let is_match =
            |index: &u32| context.work(1).is_err() || target.matches(ValueRef::from(&self.value(*index)));
        Ok((0..self.used_len()).rev().find(is_match))
    }

    /// Searches a sorted vector: returns the last cell that is not greater than the value
    /// (ascending) or not less than it (descending). Cells of other types are ignored.
    pub fn find_sorted(
        &self,
        context: &mut CallContext,
        value: &Value,
        is_descending: bool,
    ) -> Result<Option<u32>, ErrorValue> {
        if let Value::Error(error) = value {
            return Err(*error);
        }
        if let (Value::Number(number), RowOrColumn::Column(column), false) = (value, self.axis, is_descending)
            && let Some(found) = self.view.last_row_up_to(column, *number)
        {
            context.budget.charge(32)?;
            return Ok(found);
        }
        let after = if is_descending { Ordering::Less } else { Ordering::Greater };
        self.binary_search(context, value, same_type_order, |order| order != after)
    }

    /// Searches a sorted vector of mixed types: returns the last cell before the first that is
    /// equal to or after the value.
    pub fn last_before(
        &self,
        context: &mut CallContext,
        value: &Value,
        is_descending: bool,
    ) -> Result<Option<u32>, ErrorValue> {
        let before = if is_descending { Ordering::Greater } else { Ordering::Less };
        self.binary_search(context, value, order_across_types, |order| order == before)
    }

    fn binary_search(
        &self,
        context: &mut CallContext,
        value: &Value,
        compare: fn(&Value, &Value) -> Option<Ordering>,
        is_before: impl Fn(Ordering) -> bool,
    ) -> Result<Option<u32>, ErrorValue> {
        context.budget.charge(32)?;
        let (mut low, mut high) = (0, self.used_len());
        let mut found = None;
        while low < high {
            let middle = low + (high - low) / 2;
            // The last comparable cell up to the middle.
            let cancel = &context.budget.cancel;
            let mut positions = (low..=middle).rev().take_while(|_| !cancel.is_requested_within(1));
            let comparable = positions.find_map(|index| Some((index, compare(&self.value(index), value)?)));
            match comparable {
                None => low = middle + 1,
                Some((index, order)) if is_before(order) => {
                    found = Some(index);
                    low = middle + 1;
                }
                Some((index, _)) => high = index,
            }
        }
        Ok(found)
    }

    /// Returns the cell nearest to the value on one side by linear search: the largest not greater,
    /// or the smallest not less; of equal cells the first, or the last.
    pub fn find_nearest(
        &self,
        context: &mut CallContext,
        value: &Value,
        wants_smaller: bool,
        from_end: bool,
    ) -> Result<Option<u32>, ErrorValue> {
        context.budget.charge(u64::from(self.used_len()))?;
        let mut best: Option<(u32, Value)> = None;
        for step in 0..self.used_len() {
            context.work(1)?;
            let index = if from_end { self.used_len() - 1 - step } else { step };
            let cell = self.value(index);
            let Some(order) = order_across_types(&cell, value) else { continue };
            if order == Ordering::Equal {
                return Ok(Some(index));
            }
            if (order == Ordering::Less) != wants_smaller {
                continue;
            }
            let is_nearer = best.as_ref().is_none_or(|(_, best)| {
                order_across_types(&cell, best)
                    == Some(if wants_smaller { Ordering::Greater } else { Ordering::Less })
            });
            if is_nearer {
                best = Some((index, cell));
            }
        }
        Ok(best.map(|(index, _)| index))
    }
}

/// Compares two values of the same type; `None` for different types and blanks.
fn same_type_order(cell: &Value, value: &Value) -> Option<Ordering> {
    match (cell, value) {
        (Value::Number(a), Value::Number(b)) => a.partial_cmp(b),
        (Value::Text(a), Value::Text(b)) => Some(compare_text(a, b)),
        (Value::Boolean(_), Value::Boolean(_)) => compare(cell, value).ok(),
        _ => None,
    }
}

/// Compares two values in sort order: numbers, text, Booleans. `None` for blanks and errors.
fn order_across_types(cell: &Value, value: &Value) -> Option<Ordering> {
    if cell.is_blank() || value.is_blank() {
        return None;
    }
    same_type_order(cell, value).or_else(|| compare(cell, value).ok())
}

fn find_in_column(cancel: &Cancel, view: &dyn RangeView, column: u32, target: &LookupTarget) -> Option<u32> {
    let mut found = None;
    let mut row = 0;
    view.for_each_chunk(column, &mut |chunk| {
        let steps = if matches!(target, LookupTarget::Pattern(_)) { 16 } else { 1 };
        if cancel.is_requested_within(u64::from(chunk.len()) * steps) {
            return ControlFlow::Break(());
        }
        let index = match (chunk, target) {
            (Chunk::Blank(_), LookupTarget::Blank) => Some(0),
            (Chunk::Numbers(numbers), LookupTarget::Number(expected)) => {
                numbers.iter().position(|number| number == expected).map(|index| index as u32)
            }
            (Chunk::Mixed(cells), _) => {
                (0..cells.len()).find(|index| target.matches(cells.get(*index))).map(|index| index as u32)
            }
            _ => None,
        };
        if let Some(index) = index {
            found = Some(row + index);
            return ControlFlow::Break(());
        }
        row += chunk.len();
        ControlFlow::Continue(())
    });
    match (found, target) {
        (None, LookupTarget::Blank) => Some(row),
        _ => found,
    }
}
