//! The search all lookups share: for a value in a row or a column, exactly by scanning, or in sorted ones by halving.

use std::cmp::Ordering;
use std::ops::ControlFlow;

use quadrille_cell::{ErrorValue, Value};

use crate::cancel::Cancel;
use crate::compare::{compare, compare_text};
use crate::context::CallContext;
use crate::operands::{Along, Chunk, IndexMatches, RangeView, ValueRef};
use crate::wildcard::{Pattern, equals_folded, has_wildcards};

/// A row or a column to search in.
#[derive(Clone, Copy)]
pub(crate) struct Line<'a> {
    view: &'a dyn RangeView,
    along: Along,
}

/// What counts as found.
pub(crate) enum LookupTarget {
    Blank,
    Number(f64),
    Boolean(bool),
    Error(ErrorValue),
    Text(std::sync::Arc<str>),
    Pattern(Pattern),
}

impl LookupTarget {
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

    fn is(&self, value: ValueRef<'_>) -> bool {
        match (self, value) {
            (LookupTarget::Blank, ValueRef::Blank) => true,
            (LookupTarget::Number(wanted), ValueRef::Number(number)) => *wanted == number,
            (LookupTarget::Boolean(wanted), ValueRef::Boolean(boolean)) => *wanted == boolean,
            (LookupTarget::Text(wanted), ValueRef::Text(text)) => equals_folded(wanted, text),
            (LookupTarget::Pattern(pattern), ValueRef::Text(text)) => pattern.matches(text),
            (LookupTarget::Error(wanted), ValueRef::Error(error)) => *wanted == error,
            _ => false,
        }
    }
}

impl<'a> Line<'a> {
    /// The rectangle's one row or column; `None` when it has several of both.
    pub fn new(view: &'a dyn RangeView) -> Option<Line<'a>> {
        match (view.rows(), view.columns()) {
            (_, 1) => Some(Line { view, along: Along::Column(0) }),
            (1, _) => Some(Line { view, along: Along::Row(0) }),
            _ => None,
        }
    }

    pub fn column(view: &'a dyn RangeView, column: u32) -> Line<'a> {
        Line { view, along: Along::Column(column) }
    }

    pub fn row(view: &'a dyn RangeView, row: u32) -> Line<'a> {
        Line { view, along: Along::Row(row) }
    }

    pub fn is_column(&self) -> bool {
        matches!(self.along, Along::Column(_))
    }

    pub fn len(&self) -> u32 {
        match self.along {
            Along::Column(_) => self.view.rows(),
            Along::Row(_) => self.view.columns(),
        }
    }

    /// Behind this index all is blank.
    pub fn used_len(&self) -> u32 {
        match self.along {
            Along::Column(_) => self.view.used_rows(),
            Along::Row(_) => self.view.used_columns(),
        }
    }

    pub fn value(&self, index: u32) -> Value {
        match self.along {
            Along::Column(column) => self.view.value(index, column),
            Along::Row(row) => self.view.value(row, index),
        }
    }

    /// The first cell that is what is wanted.
    pub fn find_first(
        &self,
        context: &mut CallContext,
        wanted: &LookupTarget,
    ) -> Result<Option<u32>, ErrorValue> {
        let indexed = self.indexed(wanted, |places| places.first());
        let found = indexed.unwrap_or_else(|| match self.along {
            Along::Row(_) => {
                let behind = matches!(wanted, LookupTarget::Blank).then_some(self.used_len());
                let is_wanted = |index: &u32| wanted.is(ValueRef::from(&self.value(*index)));
                (0..self.used_len()).find(is_wanted).or(behind)
            }
            Along::Column(column) => find_in_column(&context.budget.cancel, self.view, column, wanted),
        });
        let visited = found.map_or(self.used_len(), |index| index + 1);
        // Comparing in a slice takes a fraction of what a cell takes elsewhere.
        let cells_per_step = if matches!(wanted, LookupTarget::Number(_)) { 64 } else { 16 };
        let steps = u64::from(visited) / cells_per_step + 1;
        context.budget.charge(steps)?;
        context.steps_saved += if indexed.is_some() { steps - 1 } else { 0 };
        Ok(found.filter(|index| *index < self.len()))
    }

    /// What an index says about where a value stands; `None` when there is none.
    fn indexed(
        &self,
        wanted: &LookupTarget,
        pick: impl Fn(IndexMatches<'_>) -> Option<u32>,
    ) -> Option<Option<u32>> {
        let value = match wanted {
            LookupTarget::Number(number) => ValueRef::Number(*number),
            LookupTarget::Boolean(boolean) => ValueRef::Boolean(*boolean),
            LookupTarget::Text(text) => ValueRef::Text(text),
            LookupTarget::Blank | LookupTarget::Error(_) | LookupTarget::Pattern(_) => return None,
        };
        let mut picked = None;
        let is_known = self.view.with_positions_of(self.along, value, &mut |places| picked = pick(places));
        is_known.then_some(picked)
    }

    /// The last cell that is what is wanted.
    pub fn find_last(
        &self,
        context: &mut CallContext,
        wanted: &LookupTarget,
    ) -> Result<Option<u32>, ErrorValue> {
        context.budget.charge(u64::from(self.used_len()))?;
        if let Some(found) = self.indexed(wanted, |places| places.last()) {
            context.steps_saved += u64::from(self.used_len());
            return Ok(found);
        }
        if matches!(wanted, LookupTarget::Blank) && self.used_len() < self.len() {
            return Ok(Some(self.len() - 1));
        }
        let is_wanted =
            |index: &u32| context.work(1).is_err() || wanted.is(ValueRef::from(&self.value(*index)));
        Ok((0..self.used_len()).rev().find(is_wanted))
    }

    /// In a line in rising order: the last cell not above the value. In falling order: the last not below it. Cells of
    /// other types are passed over.
    pub fn find_sorted(
        &self,
        context: &mut CallContext,
        value: &Value,
        is_descending: bool,
    ) -> Result<Option<u32>, ErrorValue> {
        if let Value::Error(error) = value {
            return Err(*error);
        }
        if let (Value::Number(number), Along::Column(column), false) = (value, self.along, is_descending)
            && let Some(found) = self.view.last_row_up_to(column, *number)
        {
            context.budget.charge(32)?;
            return Ok(found);
        }
        let behind = if is_descending { Ordering::Less } else { Ordering::Greater };
        self.find_by_halves(context, value, same_type_order, |order| order != behind)
    }

    /// In a sorted line of values of any types: the last cell before the first that is the value, or would be behind it.
    pub fn last_before(
        &self,
        context: &mut CallContext,
        value: &Value,
        is_descending: bool,
    ) -> Result<Option<u32>, ErrorValue> {
        let before = if is_descending { Ordering::Greater } else { Ordering::Less };
        self.find_by_halves(context, value, order_across_types, |order| order == before)
    }

    fn find_by_halves(
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
            // The last cell down from the middle that can be compared.
            let cancel = &context.budget.cancel;
            let mut places = (low..=middle).rev().take_while(|_| !cancel.is_requested_within(1));
            let comparable = places.find_map(|index| Some((index, compare(&self.value(index), value)?)));
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

    /// Scans for the cell nearest to the value on one side: the largest not above it, or the smallest not below it.
    /// Of equal ones the first, or the last.
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

/// The order of two values of one type; `None` for different types and blanks.
fn same_type_order(cell: &Value, value: &Value) -> Option<Ordering> {
    match (cell, value) {
        (Value::Number(a), Value::Number(b)) => a.partial_cmp(b),
        (Value::Text(a), Value::Text(b)) => Some(compare_text(a, b)),
        (Value::Boolean(_), Value::Boolean(_)) => compare(cell, value).ok(),
        _ => None,
    }
}

/// As sorted: numbers before text before truth values. `None` for blanks and errors.
fn order_across_types(cell: &Value, value: &Value) -> Option<Ordering> {
    if cell.is_blank() || value.is_blank() {
        return None;
    }
    same_type_order(cell, value).or_else(|| compare(cell, value).ok())
}

fn find_in_column(cancel: &Cancel, view: &dyn RangeView, column: u32, wanted: &LookupTarget) -> Option<u32> {
    let mut found = None;
    let mut row = 0;
    view.for_each_chunk(column, &mut |chunk| {
        let steps = if matches!(wanted, LookupTarget::Pattern(_)) { 16 } else { 1 };
        if cancel.is_requested_within(u64::from(chunk.len()) * steps) {
            return ControlFlow::Break(());
        }
        let index = match (chunk, wanted) {
            (Chunk::Blank(_), LookupTarget::Blank) => Some(0),
            (Chunk::Numbers(numbers), LookupTarget::Number(wanted)) => {
                numbers.iter().position(|number| number == wanted).map(|index| index as u32)
            }
            (Chunk::Mixed(lane), _) => {
                (0..lane.len()).find(|index| wanted.is(lane.get(*index))).map(|index| index as u32)
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
    match (found, wanted) {
        (None, LookupTarget::Blank) => Some(row),
        _ => found,
    }
}
