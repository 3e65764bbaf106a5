//! Execution of a query: filtering, grouping, pivoting, ordering, limit and offset, labels and
//! formats.

use quadrille_cell::{ErrorValue, Value};
use quadrille_number_format::NumberFormat;

use super::expression::Expression;
use super::parse::Query;
use super::table::Table;
use crate::arguments::{OperandResult, array_operand};
use crate::array::columns::{SortCode, order_by, sort_codes};
use crate::array::shape::extent;
use crate::coerce::text;
use crate::context::CallContext;
use crate::date_system::date_system;

/// A result row: the table rows of the group, and their partition by pivot value.
struct Group {
    rows: Vec<u32>,
    /// For each pivot value, the rows of the group that have it.
    parts: Vec<Vec<u32>>,
}

/// A result column.
struct Output<'a> {
    expression: &'a Expression,
    /// Index of the pivot value.
    part: Option<usize>,
    label: String,
    format: Option<NumberFormat>,
}

pub(super) fn run(context: &mut CallContext, query: &Query, table: &Table) -> OperandResult {
    let mut rows = Vec::new();
    for row in 0..table.rows {
        context.budget.charge(1)?;
        let is_selected = match &query.condition {
            Some(condition) => condition.holds(context, table, row)?,
            None => true,
        };
        if is_selected {
            rows.push(row);
        }
    }
    let aggregates = query.select.iter().any(Expression::has_aggregate);
    let is_grouped = aggregates || !query.group_by.is_empty() || !query.pivot.is_empty();
    if is_grouped {
        let ordering = query.order_by.iter().map(|(expression, _)| expression);
        let mut displayed = query.select.iter().chain(ordering);
        if !displayed.all(|expression| expression.is_made_of(&query.group_by)) {
            return Err(ErrorValue::Value);
        }
    }
    let (mut groups, parts) = if is_grouped {
        grouped(context, query, table, rows)?
    } else {
        (rows.into_iter().map(|row| Group { rows: vec![row], parts: Vec::new() }).collect(), Vec::new())
    };
    order(context, query, table, &mut groups)?;
    let page = groups.into_iter().skip(query.offset as usize);
    let page: Vec<Group> = page.take(query.limit.map_or(usize::MAX, |limit| limit as usize)).collect();
    result_array(context, table, &outputs(query, table, &parts), &page)
}

/// Evaluates expressions for rows; returns the sort codes of their values.
fn key_codes(
    context: &mut CallContext,
    table: &Table,
    rows: &[u32],
    expressions: &[Expression],
) -> Result<Vec<Vec<SortCode>>, ErrorValue> {
    let mut columns = Vec::with_capacity(expressions.len());
    for expression in expressions {
        let mut values = Vec::with_capacity(rows.len());
        for row in rows {
            values.push(expression.value(context, table, &[*row])?);
        }
        columns.push(sort_codes(&context.budget.cancel, &values)?);
    }
    Ok(columns)
}

/// Sorts rows by keys and returns the runs of rows with equal keys, as indices into `rows`.
fn runs(
    context: &mut CallContext,
    columns: &[Vec<SortCode>],
    count: usize,
) -> Result<Vec<Vec<u32>>, ErrorValue> {
    context.budget.charge(count as u64 * 16)?;
    let same = |a: &u32, b: &u32| columns.iter().all(|codes| codes[*a as usize] == codes[*b as usize]);
    let order = order_by(&context.budget.cancel, columns, count as u32)?;
    Ok(order.chunk_by(same).map(<[u32]>::to_vec).collect())
}

/// Returns the groups, and the label of each pivot value.
fn grouped(
    context: &mut CallContext,
    query: &Query,
    table: &Table,
    rows: Vec<u32>,
) -> Result<(Vec<Group>, Vec<String>), ErrorValue> {
    if query.group_by.iter().chain(&query.pivot).any(Expression::has_aggregate) {
        return Err(ErrorValue::Value);
    }
    let keys = key_codes(context, table, &rows, &query.group_by)?;
    let members = runs(context, &keys, rows.len())?;
    let mut parts = Vec::new();
    let mut part_of = vec![0usize; rows.len()];
    if !query.pivot.is_empty() {
        let keys = key_codes(context, table, &rows, &query.pivot)?;
        for run in runs(context, &keys, rows.len())? {
            let mut titles = Vec::new();
            for expression in &query.pivot {
                let value = expression.value(context, table, &[rows[run[0] as usize]])?;
                titles.push(text(&value)?.to_string());
            }
            for index in run {
                part_of[index as usize] = parts.len();
            }
            parts.push(titles.join(","));
        }
    }
    context.budget.charge_cells(members.len() as u64 * parts.len() as u64)?;
    let mut groups = Vec::with_capacity(members.len());
    for run in members {
        context.work(run.len() as u64)?;
        let mut group = Group { rows: Vec::with_capacity(run.len()), parts: vec![Vec::new(); parts.len()] };
        for index in run {
            let row = rows[index as usize];
            group.rows.push(row);
            if let Some(part) = group.parts.get_mut(part_of[index as usize]) {
                part.push(row);
            }
        }
        groups.push(group);
    }
    Ok((groups, parts))
}

fn order(
    context: &mut CallContext,
    query: &Query,
    table: &Table,
    groups: &mut Vec<Group>,
) -> Result<(), ErrorValue> {
    if query.order_by.is_empty() {
        return Ok(());
    }
    let mut columns = Vec::new();
    for (expression, is_descending) in &query.order_by {
        let mut values = Vec::with_capacity(groups.len());
        for group in groups.iter() {
            values.push(expression.value(context, table, &group.rows)?);
        }
        let column = sort_codes(&context.budget.cancel, &values)?;
        columns.push(column.into_iter().map(|code| code.blank_first(*is_descending)).collect());
    }
    context.budget.charge(groups.len() as u64 * 16)?;
    let order = order_by(&context.budget.cancel, &columns, groups.len() as u32)?;
    let mut taken: Vec<Option<Group>> = groups.drain(..).map(Some).collect();
    groups.extend(order.into_iter().filter_map(|index| taken[index as usize].take()));
    Ok(())
}

/// Returns the result columns. With a pivot, an aggregate has one for each pivot value.
fn outputs<'a>(query: &'a Query, table: &Table, parts: &[String]) -> Vec<Output<'a>> {
    let aggregates = query.select.iter().filter(|expression| expression.has_aggregate()).count();
    let mut outputs = Vec::new();
    for expression in &query.select {
        let custom = query.labels.iter().find(|(other, _)| other == expression);
        let label = custom.map_or_else(|| expression.label(table), |(_, label)| label.clone());
        let format = query.formats.iter().find(|(other, _)| other == expression);
        let format = format.map(|(_, code)| NumberFormat::parse(code).with_date_system(date_system()));
        if query.pivot.is_empty() || !expression.has_aggregate() {
            outputs.push(Output { expression, part: None, label, format });
            continue;
        }
        for (index, part) in parts.iter().enumerate() {
            let label = if aggregates == 1 { part.clone() } else { format!("{part} {label}") };
            outputs.push(Output { expression, part: Some(index), label, format: format.clone() });
        }
    }
    outputs
}

fn result_array(
    context: &mut CallContext,
    table: &Table,
    outputs: &[Output],
    groups: &[Group],
) -> OperandResult {
    let has_titles = outputs.iter().any(|output| !output.label.is_empty());
    let height = groups.len() + usize::from(has_titles);
    if height == 0 || outputs.is_empty() {
        return Err(ErrorValue::NotAvailable);
    }
    let (height, width, count) = extent(context, height as i64, outputs.len() as i64)?;
    let mut values = Vec::with_capacity(count);
    if has_titles {
        values.extend(outputs.iter().map(|output| Value::text(output.label.as_str())));
    }
    for group in groups {
        for output in outputs {
            let rows = match output.part {
                Some(part) => &group.parts[part],
                None => &group.rows,
            };
            let value = match rows.is_empty() && output.part.is_some() {
                true => Value::Blank,
                false => output.expression.value(context, table, rows)?,
            };
            values.push(match &output.format {
                Some(format) if !value.is_blank() => Value::text(format.format(&value).text),
                _ => value,
            });
        }
    }
    array_operand(height, width, values)
}
