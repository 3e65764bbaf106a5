//! Percentages, running totals, differences and ranks instead of the aggregates themselves.

use quadrille_cell::{ErrorValue, Value};

use crate::axis::{Axis, ROOT, Totals};
use crate::definition::{Definition, ShownAs};

/// What one value field shows, for any pair of nodes.
pub(crate) struct Shown<'a> {
    pub definition: &'a Definition,
    pub rows: &'a Axis,
    pub columns: &'a Axis,
    pub totals: &'a Totals,
    /// The value field.
    pub value: usize,
}

impl Shown<'_> {
    /// Whether a cell depends on the cells before it on the base axis, so that [`along`] has to
    /// compute a whole line.
    ///
    /// [`along`]: Self::along
    pub fn depends_on_siblings(&self) -> bool {
        use ShownAs::*;
        matches!(self.shown_as(), RunningTotal | Difference | PercentDifference | Rank)
    }

    fn shown_as(&self) -> ShownAs {
        self.definition.values[self.value].shown_as
    }

    fn total(&self, row: usize, column: usize) -> Option<Value> {
        self.totals.get(row, column, self.value, self.definition)
    }

    /// The shown value of a pair of nodes; blank when it has no source rows.
    pub fn at(&self, row: usize, column: usize) -> Value {
        let parent = |axis: &Axis, node: usize| axis.nodes[node].parent;
        let Some(value) = self.total(row, column) else { return Value::Blank };
        let whole = match self.shown_as() {
            ShownAs::PercentOfRow => self.total(row, ROOT),
            ShownAs::PercentOfColumn => self.total(ROOT, column),
            ShownAs::PercentOfTotal => self.total(ROOT, ROOT),
            ShownAs::PercentOfParentRow => self.total(parent(self.rows, row), column),
            ShownAs::PercentOfParentColumn => self.total(row, parent(self.columns, column)),
            _ => return value,
        };
        quotient(&value, &whole.unwrap_or_default())
    }

    /// The shown values of all lines of the base axis, against one node of the other axis. The
    /// base axis is that of the rows if there are row fields.
    pub fn along(&self, base: &Axis, lines: &[usize], total: &dyn Fn(usize) -> Option<Value>) -> Vec<Value> {
        // For each depth the parent of the last group, and what is known of its children.
        let mut siblings: Vec<Siblings> = Vec::new();
        let mut shown = Vec::with_capacity(lines.len());
        for node in lines {
            if *node == ROOT {
                shown.push(Value::Blank);
                continue;
            }
            let (depth, parent) = (base.nodes[*node].depth, base.nodes[*node].parent);
            siblings.resize_with(siblings.len().max(depth + 1), Siblings::default);
            let siblings = &mut siblings[depth];
            if siblings.parent != Some(parent) {
                *siblings = Siblings { parent: Some(parent), ..Siblings::default() };
                if self.shown_as() == ShownAs::Rank {
                    let children = base.nodes[parent].children.iter();
                    siblings.numbers = children.filter_map(|child| number(total(*child))).collect();
                    siblings.numbers.sort_unstable_by(f64::total_cmp);
                    siblings.numbers.reverse();
                }
            }
            shown.push(siblings.next(self.shown_as(), total(*node)));
        }
        shown
    }
}

/// The children of one group, of which some have been shown.
#[derive(Default)]
struct Siblings {
    parent: Option<usize>,
    /// The sum of those shown, or their first error.
    sum: Option<Result<f64, ErrorValue>>,
    before: Option<Value>,
    /// All numbers in descending order; only for ranks.
    numbers: Vec<f64>,
}

impl Siblings {
    fn next(&mut self, shown_as: ShownAs, total: Option<Value>) -> Value {
        let sum = self.sum.unwrap_or(Ok(0.0));
        let sum = match &total {
            Some(Value::Number(number)) => sum.map(|sum| sum + number),
            Some(Value::Error(error)) => sum.and(Err(*error)),
            _ => sum,
        };
        self.sum = Some(sum);
        let before = self.before.take();
        self.before = total.clone();
        match shown_as {
            ShownAs::RunningTotal => sum.map_or_else(Value::Error, Value::number),
            ShownAs::Rank => match number(total) {
                Some(number) => {
                    Value::Number(self.numbers.partition_point(|other| *other > number) as f64 + 1.0)
                }
                None => Value::Blank,
            },
            _ => {
                let Some(before) = before else { return Value::Blank };
                if let (Some(Value::Error(error)), _) | (_, Value::Error(error)) = (&total, &before) {
                    return Value::Error(*error);
                }
                let difference = number(total).unwrap_or(0.0) - number(Some(before.clone())).unwrap_or(0.0);
                match shown_as {
                    ShownAs::PercentDifference => quotient(&Value::Number(difference), &before),
                    _ => Value::number(difference),
                }
            }
        }
    }
}

fn number(value: Option<Value>) -> Option<f64> {
    match value {
        Some(Value::Number(number)) => Some(number),
        _ => None,
    }
}

fn quotient(part: &Value, whole: &Value) -> Value {
    match (part, whole) {
        (Value::Error(error), _) | (_, Value::Error(error)) => Value::Error(*error),
        (Value::Number(part), Value::Number(whole)) if *whole != 0.0 => Value::number(part / whole),
        _ => Value::Error(ErrorValue::DivideByZero),
    }
}
