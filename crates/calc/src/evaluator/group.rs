//! GROUPBY and PIVOTBY: rows with the same keys made one, what they hold combined by a lambda.
//!
//! Rows are put in the order of their keys and cut where a key changes ([`Axis`]); each cut is a line of the result, and
//! subtotals are lines that stand for several cuts. A pivot has an axis for its rows and one for its columns, and a cell for the
//! rows that a line of each has in common.

use std::sync::Arc;

use quadrille_cell::{Array, ErrorValue, Value};
use quadrille_formula::Expression;
use quadrille_functions::{Cancel, Exhausted, SortCode, boolean, number, sort_by_codes, sort_codes};

use super::lambda::Lambda;
use super::{Evaluation, Evaluator, Item, Stop, Values};

/// Fields that rows are grouped by; each is a level that is walked by recursion.
const FIELDS_MAX: u32 = 32;

/// Why there is no result: not yet, or never.
enum Failure {
    Stop(Stop),
    Error(ErrorValue),
}

impl From<Stop> for Failure {
    fn from(stop: Stop) -> Failure {
        Failure::Stop(stop)
    }
}

impl From<ErrorValue> for Failure {
    fn from(error: ErrorValue) -> Failure {
        Failure::Error(error)
    }
}

impl From<Exhausted> for Failure {
    fn from(exhausted: Exhausted) -> Failure {
        Failure::Error(exhausted.into())
    }
}

type Attempt<T> = Result<T, Failure>;

/// How one axis is laid out, as the arguments say it.
struct Layout {
    /// 0: no totals, 1: one of all, 2 and more: also of so many outer levels less one.
    totals: u32,
    totals_come_first: bool,
    /// Fields, or values behind them, to sort by; from one on, negative to fall.
    order: Vec<i64>,
    /// Every field is sorted on its own and not within the one before.
    is_table: bool,
}

/// A line of the result across an axis.
struct Line {
    /// Rows of the source it stands for.
    rows: Vec<u32>,
    /// Rows of the group that it is a part of.
    parent: Arc<Vec<u32>>,
    /// How many of its fields are shown; fewer than all for totals.
    shown: usize,
}

struct Axis {
    lines: Vec<Line>,
    fields: Array,
    /// What stands before the total of all.
    total: &'static str,
}

impl Axis {
    fn width(&self) -> usize {
        self.fields.columns() as usize
    }

    fn label(&self, line: &Line, field: usize) -> Value {
        match (line.rows.first(), field) {
            (_, 0) if line.shown == 0 => Value::text(self.total),
            (Some(row), _) if field < line.shown => {
                self.fields.get(*row, field as u32).cloned().map_or_else(|| Value::text(""), blank_as_empty)
            }
            _ => Value::text(""),
        }
    }
}

fn blank_as_empty(value: Value) -> Value {
    if value.is_blank() { Value::text("") } else { value }
}

/// What is combined, and by what.
struct Combination<'a> {
    values: Array,
    functions: Vec<(String, Arc<Lambda<'a>>)>,
    /// Rows of data that count, in the order of the source.
    rows: Vec<u32>,
    /// The first row holds titles.
    has_titles: bool,
    shows_titles: Option<bool>,
}

impl Combination<'_> {
    /// Columns of results for a line: every function of every column of values.
    fn width(&self) -> usize {
        self.values.columns() as usize * self.functions.len()
    }

    fn title(&self, column: u32) -> Value {
        match self.has_titles {
            true => self.values.get(0, column).cloned().map_or_else(|| Value::text(""), blank_as_empty),
            false => Value::text(format!("Value {}", column + 1)),
        }
    }

    fn field_title(&self, fields: &Array, field: usize, what: &str) -> Value {
        match self.has_titles {
            true => fields.get(0, field as u32).cloned().map_or_else(|| Value::text(""), blank_as_empty),
            false => Value::text(format!("{what} Field {}", field + 1)),
        }
    }
}

impl<'a> Evaluator<'a, '_> {
    pub(super) fn call_group_by(&mut self, arguments: &'a [Expression]) -> Evaluation<Item<'a>> {
        if !(3..=8).contains(&arguments.len()) {
            return Ok(ErrorValue::Value.into());
        }
        answer(self.group_by(arguments))
    }

    pub(super) fn call_pivot_by(&mut self, arguments: &'a [Expression]) -> Evaluation<Item<'a>> {
        if !(4..=11).contains(&arguments.len()) {
            return Ok(ErrorValue::Value.into());
        }
        answer(self.pivot_by(arguments))
    }

    fn group_by(&mut self, arguments: &'a [Expression]) -> Attempt<Item<'a>> {
        let fields = self.array_argument(&arguments[0])?;
        let values = self.array_argument(&arguments[1])?;
        let headers = self.integer_argument(arguments.get(3))?;
        let mut combination = self.combination(values, &arguments[2], headers, fields.rows())?;
        self.leave_out(&mut combination, arguments.get(6))?;
        let mut layout = self.layout(arguments.get(4), arguments.get(5))?;
        layout.is_table = self.integer_argument(arguments.get(7))? == Some(1);
        let axis = self.axis(fields, &layout, &combination)?;

        let fields = axis.width();
        let width = fields + combination.width();
        let shows_titles = combination.shows_titles.unwrap_or(combination.has_titles && fields > 1);
        let mut cells = Vec::new();
        if shows_titles {
            cells.extend((0..fields).map(|field| combination.field_title(&axis.fields, field, "Row")));
            let titles = (0..combination.values.columns()).map(|column| combination.title(column));
            for title in titles {
                cells.extend(std::iter::repeat_n(title, combination.functions.len()));
            }
        }
        if combination.functions.len() > 1 {
            cells.extend((0..fields).map(|_| Value::text("")));
            for _ in 0..combination.values.columns() {
                cells.extend(combination.functions.iter().map(|(name, _)| Value::text(name.as_str())));
            }
        }
        self.context.budget.charge_cells((axis.lines.len() as u64 + 2) * width as u64)?;
        for line in &axis.lines {
            cells.extend((0..fields).map(|field| axis.label(line, field)));
            self.combine_line(&combination, &line.rows, &combination.rows, &mut cells)?;
        }
        let height = cells.len() / width;
        Ok(Array::new(height as u32, width as u32, cells).map_or(ErrorValue::Calculation.into(), Item::Array))
    }

    fn pivot_by(&mut self, arguments: &'a [Expression]) -> Attempt<Item<'a>> {
        let row_fields = self.array_argument(&arguments[0])?;
        let column_fields = self.array_argument(&arguments[1])?;
        let values = self.array_argument(&arguments[2])?;
        let headers = self.integer_argument(arguments.get(4))?;
        let height = row_fields.rows();
        if column_fields.rows() != height {
            return Err(ErrorValue::Value.into());
        }
        let mut combination = self.combination(values, &arguments[3], headers, height)?;
        self.leave_out(&mut combination, arguments.get(9))?;
        let row_layout = self.layout(arguments.get(5), arguments.get(6))?;
        let column_layout = self.layout(arguments.get(7), arguments.get(8))?;
        let relative_to = self.integer_argument(arguments.get(10))?.unwrap_or(0);
        let down = self.axis(row_fields, &row_layout, &combination)?;
        let across = self.axis(column_fields, &column_layout, &combination)?;

        let (fields, each) = (down.width(), combination.width());
        let width = fields + across.lines.len() * each;
        let shows_titles = combination.shows_titles.unwrap_or(combination.has_titles && fields > 1);
        let names_values = shows_titles || each > 1;
        let title_rows = across.width() + usize::from(names_values);
        self.context.budget.charge_cells((down.lines.len() + title_rows) as u64 * width as u64)?;
        let mut cells = Vec::new();
        for field in 0..across.width() {
            cells.extend((0..fields).map(|_| Value::text("")));
            for line in &across.lines {
                cells.extend(std::iter::repeat_n(across.label(line, field), each));
            }
        }
        if names_values {
            let title = |field| match shows_titles {
                true => combination.field_title(&down.fields, field, "Row"),
                false => Value::text(""),
            };
            cells.extend((0..fields).map(title));
            for _ in &across.lines {
                for column in 0..combination.values.columns() {
                    cells.extend(combination.functions.iter().map(|(name, _)| {
                        match combination.functions.len() {
                            1 => combination.title(column),
                            _ => Value::text(name.as_str()),
                        }
                    }));
                }
            }
        }
        // Rows of the source by the line of the columns that they are in, to meet each line of the rows.
        let mut is_across = vec![false; height as usize];
        let mut body = vec![Value::text(""); down.lines.len() * across.lines.len() * each];
        for (place, column) in across.lines.iter().enumerate() {
            for row in &column.rows {
                is_across[*row as usize] = true;
            }
            for (at, line) in down.lines.iter().enumerate() {
                self.context.budget.charge(line.rows.len() as u64 + 1)?;
                let common = |rows: &[u32]| -> Vec<u32> {
                    rows.iter().copied().filter(|row| is_across[*row as usize]).collect()
                };
                let rows = common(&line.rows);
                if rows.is_empty() {
                    continue;
                }
                let whole = match relative_to {
                    0 => column.rows.clone(),
                    1 => line.rows.clone(),
                    2 => combination.rows.clone(),
                    3 => intersection(&line.rows, &column.parent),
                    4 => common(&line.parent),
                    _ => return Err(ErrorValue::Value.into()),
                };
                let mut results = Vec::with_capacity(each);
                self.combine_line(&combination, &rows, &whole, &mut results)?;
                let from = (at * across.lines.len() + place) * each;
                for (cell, result) in body[from..].iter_mut().zip(results) {
                    *cell = result;
                }
            }
            for row in &column.rows {
                is_across[*row as usize] = false;
            }
        }
        let mut body = body.into_iter();
        for line in &down.lines {
            cells.extend((0..fields).map(|field| down.label(line, field)));
            cells.extend(body.by_ref().take(across.lines.len() * each));
        }
        let height = cells.len() / width;
        Ok(Array::new(height as u32, width as u32, cells).map_or(ErrorValue::Calculation.into(), Item::Array))
    }

    // What the arguments say

    fn array_argument(&mut self, argument: &'a Expression) -> Attempt<Array> {
        let item = self.evaluate(argument)?;
        match self.values(item)? {
            Values::Array(array) => Ok(array),
            Values::One(Value::Error(error)) => Err(error.into()),
            Values::One(value) => Ok(Array::new(1, 1, vec![value]).expect("one value is an array")),
        }
    }

    /// `None` when the argument is left out.
    fn integer_argument(&mut self, argument: Option<&'a Expression>) -> Attempt<Option<i64>> {
        let Some(argument) = argument else { return Ok(None) };
        let item = self.evaluate(argument)?;
        if matches!(item, Item::Missing) {
            return Ok(None);
        }
        let value = self.one_value(item)?;
        Ok(Some(number(&value)?.trunc() as i64))
    }

    fn layout(&mut self, totals: Option<&'a Expression>, order: Option<&'a Expression>) -> Attempt<Layout> {
        let totals = self.integer_argument(totals)?.unwrap_or(1);
        let mut layout = Layout {
            totals: totals.unsigned_abs().min(u64::from(FIELDS_MAX)) as u32,
            totals_come_first: totals < 0,
            order: Vec::new(),
            is_table: false,
        };
        let Some(order) = order else { return Ok(layout) };
        let item = self.evaluate(order)?;
        if matches!(item, Item::Missing) {
            return Ok(layout);
        }
        let order = match self.values(item)? {
            Values::Array(array) => array.into_values(),
            Values::One(value) => vec![value],
        };
        for value in &order {
            let place = number(value)?.trunc() as i64;
            if place == 0 {
                return Err(ErrorValue::Value.into());
            }
            layout.order.push(place);
        }
        Ok(layout)
    }

    fn combination(
        &mut self,
        values: Array,
        function: &'a Expression,
        headers: Option<i64>,
        height: u32,
    ) -> Attempt<Combination<'a>> {
        if values.rows() != height {
            return Err(ErrorValue::Value.into());
        }
        let (has_titles, shows_titles) = match headers {
            None => {
                let text_then_number = matches!(values.get(0, 0), Some(Value::Text(_)))
                    && matches!(values.get(1, 0), Some(Value::Number(_)));
                (text_then_number, None)
            }
            Some(0) => (false, Some(false)),
            Some(1) => (true, Some(false)),
            Some(2) => (false, Some(true)),
            Some(3) => (true, Some(true)),
            Some(_) => return Err(ErrorValue::Value.into()),
        };
        Ok(Combination {
            functions: self.lambdas(function)?,
            rows: (u32::from(has_titles)..height).collect(),
            values,
            has_titles,
            shows_titles,
        })
    }

    /// One lambda, or several that HSTACK puts side by side.
    fn lambdas(&mut self, function: &'a Expression) -> Attempt<Vec<(String, Arc<Lambda<'a>>)>> {
        let expressions = match function {
            Expression::Call { function, arguments } if &**function == "HSTACK" => &arguments[..],
            other => std::slice::from_ref(other),
        };
        let mut lambdas = Vec::with_capacity(expressions.len());
        for expression in expressions {
            match self.evaluate(expression)? {
                Item::Lambda(lambda) => lambdas.push((lambda.name().to_owned(), lambda)),
                Item::Value(Value::Error(error)) => return Err(error.into()),
                _ => return Err(ErrorValue::Value.into()),
            }
        }
        if lambdas.is_empty() { Err(ErrorValue::Value.into()) } else { Ok(lambdas) }
    }

    /// Rows for which the filter does not hold.
    fn leave_out(
        &mut self,
        combination: &mut Combination<'a>,
        filter: Option<&'a Expression>,
    ) -> Attempt<()> {
        let Some(filter) = filter else { return Ok(()) };
        if matches!(filter, Expression::Missing) {
            return Ok(());
        }
        let filter = self.array_argument(filter)?.into_values();
        // Its length is that of the data, with or without its titles.
        let skipped =
            combination.values.rows() as usize - filter.len().min(combination.values.rows() as usize);
        if filter.len() + skipped != combination.values.rows() as usize
            || skipped > usize::from(combination.has_titles)
        {
            return Err(ErrorValue::Value.into());
        }
        let mut kept = Vec::new();
        for row in &combination.rows {
            if boolean(&filter[*row as usize - skipped])? {
                kept.push(*row);
            }
        }
        combination.rows = kept;
        Ok(())
    }

    // Lines

    fn axis(&mut self, fields: Array, layout: &Layout, combination: &Combination<'a>) -> Attempt<Axis> {
        let width = fields.columns();
        if width > FIELDS_MAX || fields.rows() != combination.values.rows() {
            return Err(ErrorValue::Value.into());
        }
        if combination.rows.is_empty() {
            return Err(ErrorValue::Calculation.into());
        }
        let rows = &combination.rows;
        self.context.budget.charge(rows.len() as u64 * 16 * u64::from(width))?;
        let mut codes = Vec::new();
        for field in 0..width {
            let column: Vec<Value> =
                (0..fields.rows()).map(|row| fields.get(row, field).cloned().unwrap_or_default()).collect();
            codes.push(sort_codes(self.setting.cancel, &column)?);
        }
        let last = i64::from(width) + combination.width() as i64;
        if layout.order.iter().any(|place| place.abs() > last) {
            return Err(ErrorValue::Value.into());
        }
        for place in &layout.order {
            if let Some(codes) = codes.get_mut(place.unsigned_abs() as usize - 1)
                && *place < 0
            {
                for code in codes {
                    *code = code.reversed();
                }
            }
        }
        let by_value = match layout.order[..] {
            [place] if place.abs() > i64::from(width) => {
                Some((place.unsigned_abs() as usize - 1 - width as usize, place < 0))
            }
            _ => None,
        };
        let all = Arc::new(rows.clone());
        let mut lines = Vec::new();
        if layout.is_table {
            let listed = layout.order.iter().map(|place| place.unsigned_abs() as usize - 1);
            let listed: Vec<usize> = listed.filter(|field| *field < codes.len()).collect();
            let rest = (0..codes.len()).filter(|field| !listed.contains(field));
            let order: Vec<usize> = listed.iter().copied().chain(rest).collect();
            let columns: Vec<&[SortCode]> = order.iter().map(|field| &codes[*field][..]).collect();
            let mut groups = grouped(self.setting.cancel, rows.clone(), &columns)?;
            if let Some(by_value) = by_value {
                self.sort_by_value(&mut groups, combination, by_value)?;
            }
            lines.extend(groups.into_iter().map(|rows| Line {
                rows,
                parent: all.clone(),
                shown: width as usize,
            }));
        } else {
            let plan = TemplateAnalysis { codes: &codes, layout, by_value };
            self.levels(&plan, combination, all.clone(), 0, &mut lines)?;
        }
        if layout.totals > 0 {
            let total = Line { rows: rows.clone(), parent: all, shown: 0 };
            lines.insert(if layout.totals_come_first { 0 } else { lines.len() }, total);
        }
        let total = if layout.totals > 1 && width > 1 { "Grand Total" } else { "Total" };
        Ok(Axis { lines, fields, total })
    }

    /// The lines of some rows by their fields from a level on.
    fn levels(
        &mut self,
        plan: &TemplateAnalysis,
        combination: &Combination<'a>,
        rows: Arc<Vec<u32>>,
        level: usize,
        lines: &mut Vec<Line>,
    ) -> Attempt<()> {
        let mut groups = grouped(self.setting.cancel, rows.to_vec(), &[&plan.codes[level]])?;
        if let Some(by_value) = plan.by_value {
            self.sort_by_value(&mut groups, combination, by_value)?;
        }
        let is_last = level + 1 == plan.codes.len();
        let has_totals = !is_last && (level as u32) + 1 < plan.layout.totals;
        for group in groups {
            if is_last {
                lines.push(Line { rows: group, parent: rows.clone(), shown: level + 1 });
                continue;
            }
            let group = Arc::new(group);
            let total = || Line { rows: group.to_vec(), parent: rows.clone(), shown: level + 1 };
            if has_totals && plan.layout.totals_come_first {
                lines.push(total());
            }
            self.levels(plan, combination, group.clone(), level + 1, lines)?;
            if has_totals && !plan.layout.totals_come_first {
                lines.push(total());
            }
        }
        Ok(())
    }

    fn sort_by_value(
        &mut self,
        groups: &mut [Vec<u32>],
        combination: &Combination<'a>,
        (place, falls): (usize, bool),
    ) -> Attempt<()> {
        let mut values = Vec::with_capacity(groups.len());
        for group in groups.iter() {
            values.push(self.combine(combination, place, group, &combination.rows)?);
        }
        let codes = sort_codes(self.setting.cancel, &values)?;
        let codes: Vec<SortCode> =
            codes.into_iter().map(|code| if falls { code.reversed() } else { code }).collect();
        let mut order: Vec<u32> = (0..groups.len() as u32).collect();
        sort_by_codes(self.setting.cancel, &mut order, &[&codes])?;
        let mut taken: Vec<Vec<u32>> = groups.iter_mut().map(std::mem::take).collect();
        for (group, place) in groups.iter_mut().zip(order) {
            *group = std::mem::take(&mut taken[place as usize]);
        }
        Ok(())
    }

    // Values

    fn combine_line(
        &mut self,
        combination: &Combination<'a>,
        rows: &[u32],
        whole: &[u32],
        cells: &mut Vec<Value>,
    ) -> Attempt<()> {
        for place in 0..combination.width() {
            cells.push(self.combine(combination, place, rows, whole)?);
        }
        Ok(())
    }

    /// One column of values under one function. A function of two arguments also gets the rows that they are a part of.
    fn combine(
        &mut self,
        combination: &Combination<'a>,
        place: usize,
        rows: &[u32],
        whole: &[u32],
    ) -> Attempt<Value> {
        let column = (place / combination.functions.len()) as u32;
        let (_, lambda) = &combination.functions[place % combination.functions.len()];
        let takes_whole = lambda.takes_whole();
        let cells = rows.len() + if takes_whole { whole.len() } else { 0 };
        self.context.budget.charge_cells(cells as u64)?;
        let part = |rows: &[u32]| -> Item<'a> {
            let values = rows
                .iter()
                .map(|row| combination.values.get(*row, column).cloned().unwrap_or_default())
                .collect::<Vec<Value>>();
            Array::new(values.len() as u32, 1, values).map_or(Item::Missing, Item::Array)
        };
        let mut items = vec![part(rows)];
        if takes_whole {
            items.push(part(whole));
        }
        let lambda = lambda.clone();
        let item = self.apply_lambda(&lambda, items)?;
        Ok(match self.values(item)? {
            Values::One(value) => value,
            Values::Array(array) if array.values().len() == 1 => array.into_values().swap_remove(0),
            Values::Array(_) => Value::Error(ErrorValue::Calculation),
        })
    }
}

/// What the lines of an axis are made by.
struct TemplateAnalysis<'c> {
    codes: &'c [Vec<SortCode>],
    layout: &'c Layout,
    by_value: Option<(usize, bool)>,
}

fn answer<'a>(attempt: Attempt<Item<'a>>) -> Evaluation<Item<'a>> {
    match attempt {
        Ok(item) => Ok(item),
        Err(Failure::Error(error)) => Ok(error.into()),
        Err(Failure::Stop(stop)) => Err(stop),
    }
}

/// Rows with the same key together, in the order of the keys; within a group they keep their order.
fn grouped(cancel: &Cancel, mut rows: Vec<u32>, columns: &[&[SortCode]]) -> Attempt<Vec<Vec<u32>>> {
    sort_by_codes(cancel, &mut rows, columns)?;
    let same = |a: &u32, b: &u32| columns.iter().all(|codes| codes[*a as usize] == codes[*b as usize]);
    Ok(rows.chunk_by(same).map(<[u32]>::to_vec).collect())
}

fn intersection(left: &[u32], right: &[u32]) -> Vec<u32> {
    let mut right: Vec<u32> = right.to_vec();
    right.sort();
    left.iter().copied().filter(|row| right.binary_search(row).is_ok()).collect()
}
