//! XLOOKUP and XMATCH. Described in Excel's help.

use quadrille_cell::{ErrorValue, Range, Value};

use super::find::{LookupTarget, Vector};
use crate::arguments::{OperandResult, array_operand, optional, optional_integer, single, view};
use crate::coerce::text;
use crate::context::CallContext;
use crate::function::Function;
use crate::operands::Operand;
use crate::text::patterns::compile;

pub(crate) const FUNCTIONS: &[Function] = &[
    Function::whole(
        "XLOOKUP",
        "value, lookup_line, results, [if_not_found], [match_mode], [search_mode]",
        "Finds a value in a line and yields what stands beside it.",
        xlookup,
    )
    .lifts(&[0])
    .excel_only()
    .examples(&[
        ("=XLOOKUP(2,{1;2;3},{\"a\";\"b\";\"c\"})", "b"),
        ("=XLOOKUP(9,{1;2},{3;4},\"none\")", "none"),
        ("=XLOOKUP(9,{1;2},{3;4})", "#N/A"),
        ("=XLOOKUP(2.5,{1;2;3},{\"a\";\"b\";\"c\"},,-1)", "b"),
        ("=XLOOKUP(2.5,{1;2;3},{\"a\";\"b\";\"c\"},,1)", "c"),
        ("=XLOOKUP(\"b*\",{\"apple\";\"berry\"},{1;2},,2)", "2"),
        ("=XLOOKUP(1,{1;1},{\"first\";\"last\"},,0,-1)", "last"),
        ("=XLOOKUP(\"^b.+y$\",{\"apple\";\"berry\"},{1;2},,3)", "2"),
        ("=SUM(XLOOKUP(2,{1;2},{1,2;3,4}))", "7"),
    ]),
    Function::whole(
        "XMATCH",
        "value, line, [match_mode], [search_mode]",
        "The place of a value in a line.",
        xmatch,
    )
    .lifts(&[0])
    .excel_only()
    .examples(&[
        ("=XMATCH(3,{1,2,3})", "3"),
        ("=XMATCH(2.5,{1,2,3},1)", "3"),
        ("=XMATCH(4,{1,2,3})", "#N/A"),
        ("=XMATCH(2,{1,2,3},0,2)", "2"),
        ("=XMATCH(5,{1,5,5,5,7},0,2)", "2"),
        ("=XMATCH(TRUE,{\"a\",\"b\"},-1,2)", "2"),
        ("=XMATCH(12,{\"b\",\"a\"},-1,-2)", "#N/A"),
        ("=XMATCH(\"[0-9]\",{\"a\",\"b2\",\"c3\"},3)", "2"),
    ]),
];

fn find(
    context: &mut CallContext,
    vector: Vector<'_>,
    value: &Value,
    match_mode: i64,
    search_mode: i64,
) -> Result<Option<u32>, ErrorValue> {
    if let Value::Error(error) = value {
        return Err(*error);
    }
    let exact = match match_mode {
        -1..=2 => LookupTarget::new(value, match_mode == 2),
        3 if search_mode.abs() == 1 => {
            return find_regex_match(context, vector, &text(value)?, search_mode == -1);
        }
        _ => return Err(ErrorValue::Value),
    };
    match search_mode {
        1 | -1 => {
            let from_end = search_mode == -1;
            match match_mode {
                -1 | 1 => vector.find_nearest(context, value, match_mode == -1, from_end),
                _ if from_end => vector.find_last(context, &exact),
                _ => vector.find_first(context, &exact),
            }
        }
        2 | -2 => binary_search(context, vector, value, match_mode, search_mode == -2),
        _ => Err(ErrorValue::Value),
    }
}

/// Returns the first or last text that matches a regular expression.
fn find_regex_match(
    context: &mut CallContext,
    vector: Vector<'_>,
    pattern: &str,
    from_end: bool,
) -> Result<Option<u32>, ErrorValue> {
    /// Steps of work for matching a short text.
    const TEXT_STEPS: u64 = 16;
    let expression = compile(context, pattern, false, "")?;
    for step in 0..vector.used_len() {
        context.work(TEXT_STEPS)?;
        let index = if from_end { vector.used_len() - 1 - step } else { step };
        let Value::Text(text) = vector.value(index) else { continue };
        context.budget.charge((pattern.len() as u64 + 1) * (text.len() as u64 / TEXT_STEPS + 1))?;
        if expression.is_match(&text) {
            return Ok(Some(index));
        }
    }
    Ok(None)
}

/// Binary search in a vector that the caller asserts to be sorted.
fn binary_search(
    context: &mut CallContext,
    vector: Vector<'_>,
    value: &Value,
    match_mode: i64,
    is_descending: bool,
) -> Result<Option<u32>, ErrorValue> {
    if match_mode == 2 {
        return Err(ErrorValue::Value);
    }
    if value.is_blank() {
        return vector.find_first(context, &LookupTarget::Blank);
    }
    let before = vector.last_before(context, value, is_descending)?;
    // The first of equal values follows `before`. Which of the two neighbors is smaller depends on
    // the order.
    let after = before.map_or(0, |index| index + 1);
    let after = (after < vector.len() && !vector.value(after).is_blank()).then_some(after);
    if after.is_some_and(|index| crate::compare::equals(&vector.value(index), value)) {
        return Ok(after);
    }
    Ok(match (match_mode, is_descending) {
        (-1, false) | (1, true) => before,
        (1, false) | (-1, true) => after,
        _ => None,
    })
}

fn xlookup(context: &mut CallContext, arguments: &[Operand]) -> OperandResult {
    let (vector_view, results) = (view(&arguments[1])?, view(&arguments[2])?);
    let vector = Vector::new(vector_view).ok_or(ErrorValue::Value)?;
    // A single cell is a row when its length equals the width of the results.
    let is_column = vector.is_column() && vector.len() == results.rows();
    if !is_column && vector.len() != results.columns() {
        return Err(ErrorValue::Value);
    }
    let (match_mode, search_mode) = (optional_integer(arguments, 4, 0)?, optional_integer(arguments, 5, 1)?);
    let found = find(context, vector, &single(&arguments[0])?, match_mode, search_mode)?;
    let Some(index) = found else {
        return match optional(arguments, 3) {
            Some(argument) => Ok(Operand::Value(single(argument)?)),
            None => Err(ErrorValue::NotAvailable),
        };
    };
    let (first, last) = match is_column {
        true => ((index, 0), (index, results.columns() - 1)),
        false => ((0, index), (results.rows() - 1, index)),
    };
    subrange(context, &arguments[2], first, last)
}

/// Returns a part of an operand, with inclusive zero-based rows and columns. A part of a reference
/// is a reference.
pub(crate) fn subrange(
    context: &mut CallContext,
    operand: &Operand,
    first: (u32, u32),
    last: (u32, u32),
) -> OperandResult {
    if let Operand::Range(reference) = operand
        && let [area] = &reference.areas[..]
    {
        let corner = area.range.first();
        let (row, column) = (corner.row.get(), corner.column.get());
        let part = Range::from_indices(row + first.0, column + first.1, row + last.0, column + last.1);
        return Ok(Operand::Reference(area.sheet, part.ok_or(ErrorValue::Reference)?));
    }
    let view = view(operand)?;
    if first == last {
        return Ok(Operand::Value(view.value(first.0, first.1)));
    }
    let (rows, columns) = (last.0 - first.0 + 1, last.1 - first.1 + 1);
    context.budget.charge_cells(u64::from(rows) * u64::from(columns))?;
    let cells = (first.0..=last.0).flat_map(|row| (first.1..=last.1).map(move |column| (row, column)));
    array_operand(rows, columns, cells.map(|(row, column)| view.value(row, column)).collect::<Vec<_>>())
}

fn xmatch(context: &mut CallContext, arguments: &[Operand]) -> OperandResult {
    let vector = Vector::new(view(&arguments[1])?).ok_or(ErrorValue::Value)?;
    let (match_mode, search_mode) = (optional_integer(arguments, 2, 0)?, optional_integer(arguments, 3, 1)?);
    let found = find(context, vector, &single(&arguments[0])?, match_mode, search_mode)?;
    Ok(f64::from(found.ok_or(ErrorValue::NotAvailable)? + 1).into())
}
