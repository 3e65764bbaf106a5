//! GROUPBY and PIVOTBY: group rows by keys and aggregate each group with a lambda.
//!
//! Rows are sorted by their keys and cut where a key changes ([`Axis`]). Each cut is a line of the
//! result; subtotals are lines that span several cuts. A pivot has an axis for its rows and one for
//! its columns, and a cell for the source rows that two lines have in common.

use std::sync::Arc;

use quadrille_cell::{Array, ErrorValue, Value};
use quadrille_formula::Expression;
use quadrille_functions::{Cancel, Exhausted, SortCode, boolean, number, sort_by_codes, sort_codes};

use super::Evaluator;
use super::item::{Evaluation, Item, Lambda, Stop, Values};

/// Fields to group by. Each field is one level of recursion.
const FIELDS_MAX: u32 = 32;

/// Why there is no result: the evaluation stops, or the result is an error.
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

/// Layout of one axis, from the arguments.
struct Layout {
    /// Argument `total_depth`: 0 without totals, 1 with a grand total, n with subtotals of n - 1
    /// levels.
    totals: u32,
    totals_first: bool,
    /// Argument `sort_order`: fields, or values after them, counted from 1; negative for descending
    /// order.
    order: Vec<i64>,
    /// Argument `field_relationship`: fields are sorted independently of one another (a table)
    /// instead of within their parent field (a hierarchy).
    is_table: bool,
}

/// A line of the result.
struct Line {
    /// Source rows that the line aggregates.
    rows: Vec<u32>,
    /// Source rows of the parent group.
    parent: Arc<Vec<u32>>,
    /// Number of fields that are displayed; totals display fewer than all.
    shown_fields: usize,
}

struct Axis {
    lines: Vec<Line>,
    fields: Array,
    /// Label of the grand total.
    total: &'static str,
}

impl Axis {
    fn width(&self) -> usize {
        self.fields.columns() as usize
    }

    fn label(&self, line: &Line, field: usize) -> Value {
        match (line.rows.first(), field) {
            (_, 0) if line.shown_fields == 0 => Value::text(self.total),
            (Some(row), _) if field < line.shown_fields => {
                self.fields.get(*row, field as u32).cloned().map_or_else(|| Value::text(""), blank_as_empty)
            }
            _ => Value::text(""),
        }
    }
}

fn blank_as_empty(value: Value) -> Value {
    if value.is_blank() { Value::text("") } else { value }
}

/// What is aggregated, and how.
struct Aggregation<'a> {
    values: Array,
    functions: Vec<(String, Arc<Lambda<'a>>)>,
    /// Source rows with data, in source order.
    rows: Vec<u32>,
    /// Whether the first row holds headers.
    has_headers: bool,
    shows_headers: Option<bool>,
}

impl Aggregation<'_> {
    /// Result columns per line: each function for each column of values.
    fn width(&self) -> usize {
        self.values.columns() as usize * self.functions.len()
    }

    fn header(&self, column: u32) -> Value {
        match self.has_headers {
            true => self.values.get(0, column).cloned().map_or_else(|| Value::text(""), blank_as_empty),
            false => Value::text(format!("Value {}", column + 1)),
        }
    }

    fn field_header(&self, fields: &Array, field: usize, what: &str) -> Value {
        match self.has_headers {
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
        into_item(self.group_by(arguments))
    }

    pub(super) fn call_pivot_by(&mut self, arguments: &'a [Expression]) -> Evaluation<Item<'a>> {
        if !(4..=11).contains(&arguments.len()) {
            return Ok(ErrorValue::Value.into());
        }
        into_item(self.pivot_by(arguments))
    }

    fn group_by(&mut self, arguments: &'a [Expression]) -> Attempt<Item<'a>> {
        let fields = self.array_argument(&arguments[0])?;
        let values = self.array_argument(&arguments[1])?;
        let headers = self.integer_argument(arguments.get(3))?;
        let mut aggregation = self.aggregation(values, &arguments[2], headers, fields.rows())?;
        self.apply_filter(&mut aggregation, arguments.get(6))?;
        let mut layout = self.layout(arguments.get(4), arguments.get(5))?;
        layout.is_table = self.integer_argument(arguments.get(7))? == Some(1);
        let axis = self.axis(fields, &layout, &aggregation)?;

        let fields = axis.width();
        let width = fields + aggregation.width();
        let shows_headers = aggregation.shows_headers.unwrap_or(aggregation.has_headers && fields > 1);
        let mut cells = Vec::new();
        if shows_headers {
            cells.extend((0..fields).map(|field| aggregation.field_header(&axis.fields, field, "Row")));
            let headers = (0..aggregation.values.columns()).map(|column| aggregation.header(column));
            for header in headers {
                cells.extend(std::iter::repeat_n(header, aggregation.functions.len()));
            }
        }
        if aggregation.functions.len() > 1 {
            cells.extend((0..fields).map(|_| Value::text("")));
            for _ in 0..aggregation.values.columns() {
                cells.extend(aggregation.functions.iter().map(|(name, _)| Value::text(name.as_str())));
            }
        }
        self.context.budget.charge_cells((axis.lines.len() as u64 + 2) * width as u64)?;
        for line in &axis.lines {
            cells.extend((0..fields).map(|field| axis.label(line, field)));
            self.aggregate_line(&aggregation, &line.rows, &aggregation.rows, &mut cells)?;
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
        let mut aggregation = self.aggregation(values, &arguments[3], headers, height)?;
        self.apply_filter(&mut aggregation, arguments.get(9))?;
        let row_layout = self.layout(arguments.get(5), arguments.get(6))?;
        let column_layout = self.layout(arguments.get(7), arguments.get(8))?;
        let relative_to = self.integer_argument(arguments.get(10))?.unwrap_or(0);
        let down = self.axis(row_fields, &row_layout, &aggregation)?;
        let across = self.axis(column_fields, &column_layout, &aggregation)?;

        let (fields, each) = (down.width(), aggregation.width());
        let width = fields + across.lines.len() * each;
        let shows_headers = aggregation.shows_headers.unwrap_or(aggregation.has_headers && fields > 1);
        let names_values = shows_headers || each > 1;
        let header_rows = across.width() + usize::from(names_values);
        self.context.budget.charge_cells((down.lines.len() + header_rows) as u64 * width as u64)?;
        let mut cells = Vec::new();
        for field in 0..across.width() {
            cells.extend((0..fields).map(|_| Value::text("")));
            for line in &across.lines {
                cells.extend(std::iter::repeat_n(across.label(line, field), each));
            }
        }
        if names_values {
            let header = |field| match shows_headers {
                true => aggregation.field_header(&down.fields, field, "Row"),
                false => Value::text(""),
            };
            cells.extend((0..fields).map(header));
            for _ in &across.lines {
                for column in 0..aggregation.values.columns() {
                    cells.extend(aggregation.functions.iter().map(|(name, _)| {
                        match aggregation.functions.len() {
                            1 => aggregation.header(column),
                            _ => Value::text(name.as_str()),
                        }
                    }));
                }
            }
        }
        // Marks source rows of one column line, to intersect them with each row line.
        let mut is_across = vec![false; height as usize];
        let mut body = vec![Value::text(""); down.lines.len() * across.lines.len() * each];
        for (position, column) in across.lines.iter().enumerate() {
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
                    2 => aggregation.rows.clone(),
                    3 => intersection(&line.rows, &column.parent),
                    4 => common(&line.parent),
                    _ => return Err(ErrorValue::Value.into()),
                };
                let mut results = Vec::with_capacity(each);
                self.aggregate_line(&aggregation, &rows, &whole, &mut results)?;
                let from = (at * across.lines.len() + position) * each;
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

    // Arguments

    fn array_argument(&mut self, argument: &'a Expression) -> Attempt<Array> {
        let item = self.evaluate(argument)?;
        match self.values(item)? {
            Values::Array(array) => Ok(array),
            Values::One(Value::Error(error)) => Err(error.into()),
            Values::One(value) => Ok(Array::new(1, 1, vec![value]).expect("one value is an array")),
        }
    }

    /// `None` when the argument is omitted.
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
            totals_first: totals < 0,
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
            let position = number(value)?.trunc() as i64;
            if position == 0 {
                return Err(ErrorValue::Value.into());
            }
            layout.order.push(position);
        }
        Ok(layout)
    }

    fn aggregation(
        &mut self,
        values: Array,
        function: &'a Expression,
        headers: Option<i64>,
        height: u32,
    ) -> Attempt<Aggregation<'a>> {
        if values.rows() != height {
            return Err(ErrorValue::Value.into());
        }
        let (has_headers, shows_headers) = match headers {
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
        Ok(Aggregation {
            functions: self.lambdas(function)?,
            rows: (u32::from(has_headers)..height).collect(),
            values,
            has_headers,
            shows_headers,
        })
    }

    /// One lambda, or several in an HSTACK.
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

    /// Keeps only the rows for which argument `filter_array` holds.
    fn apply_filter(
        &mut self,
        aggregation: &mut Aggregation<'a>,
        filter: Option<&'a Expression>,
    ) -> Attempt<()> {
        let Some(filter) = filter else { return Ok(()) };
        if matches!(filter, Expression::Missing) {
            return Ok(());
        }
        let filter = self.array_argument(filter)?.into_values();
        // The filter covers the data with or without its header row.
        let skipped =
            aggregation.values.rows() as usize - filter.len().min(aggregation.values.rows() as usize);
        if filter.len() + skipped != aggregation.values.rows() as usize
            || skipped > usize::from(aggregation.has_headers)
        {
            return Err(ErrorValue::Value.into());
        }
        let mut included = Vec::new();
        for row in &aggregation.rows {
            if boolean(&filter[*row as usize - skipped])? {
                included.push(*row);
            }
        }
        aggregation.rows = included;
        Ok(())
    }

    // Lines

    fn axis(&mut self, fields: Array, layout: &Layout, aggregation: &Aggregation<'a>) -> Attempt<Axis> {
        let width = fields.columns();
        if width > FIELDS_MAX || fields.rows() != aggregation.values.rows() {
            return Err(ErrorValue::Value.into());
        }
        if aggregation.rows.is_empty() {
            return Err(ErrorValue::Calculation.into());
        }
        let rows = &aggregation.rows;
        self.context.budget.charge(rows.len() as u64 * 16 * u64::from(width))?;
        let mut codes = Vec::new();
        for field in 0..width {
            let column: Vec<Value> =
                (0..fields.rows()).map(|row| fields.get(row, field).cloned().unwrap_or_default()).collect();
            codes.push(sort_codes(self.pass.cancel, &column)?);
        }
        let last = i64::from(width) + aggregation.width() as i64;
        if layout.order.iter().any(|position| position.abs() > last) {
            return Err(ErrorValue::Value.into());
        }
        for position in &layout.order {
            if let Some(codes) = codes.get_mut(position.unsigned_abs() as usize - 1)
                && *position < 0
            {
                for code in codes {
                    *code = code.reversed();
                }
            }
        }
        let by_value = match layout.order[..] {
            [position] if position.abs() > i64::from(width) => {
                Some((position.unsigned_abs() as usize - 1 - width as usize, position < 0))
            }
            _ => None,
        };
        let all = Arc::new(rows.clone());
        let mut lines = Vec::new();
        if layout.is_table {
            let listed = layout.order.iter().map(|position| position.unsigned_abs() as usize - 1);
            let listed: Vec<usize> = listed.filter(|field| *field < codes.len()).collect();
            let rest = (0..codes.len()).filter(|field| !listed.contains(field));
            let order: Vec<usize> = listed.iter().copied().chain(rest).collect();
            let columns: Vec<&[SortCode]> = order.iter().map(|field| &codes[*field][..]).collect();
            let mut groups = group_rows(self.pass.cancel, rows.clone(), &columns)?;
            if let Some(by_value) = by_value {
                self.sort_by_value(&mut groups, aggregation, by_value)?;
            }
            lines.extend(groups.into_iter().map(|rows| Line {
                rows,
                parent: all.clone(),
                shown_fields: width as usize,
            }));
        } else {
            let plan = GroupingPlan { codes: &codes, layout, by_value };
            self.add_levels(&plan, aggregation, all.clone(), 0, &mut lines)?;
        }
        if layout.totals > 0 {
            let total = Line { rows: rows.clone(), parent: all, shown_fields: 0 };
            lines.insert(if layout.totals_first { 0 } else { lines.len() }, total);
        }
        let total = if layout.totals > 1 && width > 1 { "Grand Total" } else { "Total" };
        Ok(Axis { lines, fields, total })
    }

    /// Adds the lines of some rows for the fields from `level` on.
    fn add_levels(
        &mut self,
        plan: &GroupingPlan,
        aggregation: &Aggregation<'a>,
        rows: Arc<Vec<u32>>,
        level: usize,
        lines: &mut Vec<Line>,
    ) -> Attempt<()> {
        let mut groups = group_rows(self.pass.cancel, rows.to_vec(), &[&plan.codes[level]])?;
        if let Some(by_value) = plan.by_value {
            self.sort_by_value(&mut groups, aggregation, by_value)?;
        }
        let is_last = level + 1 == plan.codes.len();
        let has_totals = !is_last && (level as u32) + 1 < plan.layout.totals;
        for group in groups {
            if is_last {
                lines.push(Line { rows: group, parent: rows.clone(), shown_fields: level + 1 });
                continue;
            }
            let group = Arc::new(group);
            let total = || Line { rows: group.to_vec(), parent: rows.clone(), shown_fields: level + 1 };
            if has_totals && plan.layout.totals_first {
                lines.push(total());
            }
            self.add_levels(plan, aggregation, group.clone(), level + 1, lines)?;
            if has_totals && !plan.layout.totals_first {
                lines.push(total());
            }
        }
        Ok(())
    }

    fn sort_by_value(
        &mut self,
        groups: &mut [Vec<u32>],
        aggregation: &Aggregation<'a>,
        (position, is_descending): (usize, bool),
    ) -> Attempt<()> {
        let mut values = Vec::with_capacity(groups.len());
        for group in groups.iter() {
            values.push(self.aggregate(aggregation, position, group, &aggregation.rows)?);
        }
        let codes = sort_codes(self.pass.cancel, &values)?;
        let codes: Vec<SortCode> =
            codes.into_iter().map(|code| if is_descending { code.reversed() } else { code }).collect();
        let mut order: Vec<u32> = (0..groups.len() as u32).collect();
        sort_by_codes(self.pass.cancel, &mut order, &[&codes])?;
        let mut taken: Vec<Vec<u32>> = groups.iter_mut().map(std::mem::take).collect();
        for (group, position) in groups.iter_mut().zip(order) {
            *group = std::mem::take(&mut taken[position as usize]);
        }
        Ok(())
    }

    // Values

    fn aggregate_line(
        &mut self,
        aggregation: &Aggregation<'a>,
        rows: &[u32],
        whole: &[u32],
        cells: &mut Vec<Value>,
    ) -> Attempt<()> {
        for position in 0..aggregation.width() {
            cells.push(self.aggregate(aggregation, position, rows, whole)?);
        }
        Ok(())
    }

    /// Applies one function to one column of values. A function of two arguments also gets the
    /// values of the set that `rows` are compared with.
    fn aggregate(
        &mut self,
        aggregation: &Aggregation<'a>,
        position: usize,
        rows: &[u32],
        whole: &[u32],
    ) -> Attempt<Value> {
        let column = (position / aggregation.functions.len()) as u32;
        let (_, lambda) = &aggregation.functions[position % aggregation.functions.len()];
        let takes_whole_set = lambda.takes_whole_set();
        let cells = rows.len() + if takes_whole_set { whole.len() } else { 0 };
        self.context.budget.charge_cells(cells as u64)?;
        let part = |rows: &[u32]| -> Item<'a> {
            let values = rows
                .iter()
                .map(|row| aggregation.values.get(*row, column).cloned().unwrap_or_default())
                .collect::<Vec<Value>>();
            Array::new(values.len() as u32, 1, values).map_or(Item::Missing, Item::Array)
        };
        let mut items = vec![part(rows)];
        if takes_whole_set {
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

/// The inputs from which the lines of an axis are made.
struct GroupingPlan<'c> {
    codes: &'c [Vec<SortCode>],
    layout: &'c Layout,
    by_value: Option<(usize, bool)>,
}

fn into_item<'a>(attempt: Attempt<Item<'a>>) -> Evaluation<Item<'a>> {
    match attempt {
        Ok(item) => Ok(item),
        Err(Failure::Error(error)) => Ok(error.into()),
        Err(Failure::Stop(stop)) => Err(stop),
    }
}

/// Groups rows with equal keys, in key order; within a group rows keep their order.
fn group_rows(cancel: &Cancel, mut rows: Vec<u32>, columns: &[&[SortCode]]) -> Attempt<Vec<Vec<u32>>> {
    sort_by_codes(cancel, &mut rows, columns)?;
    let same = |a: &u32, b: &u32| columns.iter().all(|codes| codes[*a as usize] == codes[*b as usize]);
    Ok(rows.chunk_by(same).map(<[u32]>::to_vec).collect())
}

fn intersection(left: &[u32], right: &[u32]) -> Vec<u32> {
    let mut right: Vec<u32> = right.to_vec();
    right.sort();
    left.iter().copied().filter(|row| right.binary_search(row).is_ok()).collect()
}
