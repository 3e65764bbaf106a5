//! Reference functions: ROWS, COLUMNS, AREAS, ADDRESS, HYPERLINK; and declarations of the functions
//! that the evaluator implements. Described in ECMA-376 part 1, 18.17.7, and Excel's help.

use quadrille_cell::{COLUMNS_MAX, ColumnIndex, ErrorValue, ROWS_MAX, Value, column_name};

use crate::arguments::{OperandResult, ValueResult, boolean_or, integer_or, view};
use crate::coerce::{integer, text, text_value};
use crate::context::CallContext;
use crate::function::Function;
use crate::operands::Operand;

pub(crate) const FUNCTIONS: &[Function] = &[
    Function::evaluator("CHOOSE", "place, value1, [value2], …", "One of several values, by place.")
        .examples(&[("=CHOOSE(2,\"a\",\"b\")", "b"), ("=CHOOSE(3,1,2)", "#VALUE!")]),
    Function::evaluator("ROW", "[reference]", "The row number of a reference, or of the formula's own cell.")
        .examples(&[("=ROW(B7)", "7")]),
    Function::evaluator(
        "COLUMN",
        "[reference]",
        "The column number of a reference, or of the formula's own cell.",
    )
    .examples(&[("=COLUMN(B7)", "2")]),
    Function::evaluator(
        "OFFSET",
        "reference, rows, columns, [height], [width]",
        "A reference moved, and if wanted resized.",
    )
    .volatile()
    .examples(&[("=ROW(OFFSET(A1,2,0))", "3"), ("=OFFSET(A1,-1,0)", "#REF!")]),
    Function::evaluator("INDIRECT", "text, [is_a1]", "The reference that a text names.")
        .volatile()
        .examples(&[("=ROW(INDIRECT(\"B7\"))", "7"), ("=INDIRECT(\"?\")", "#REF!")]),
    Function::evaluator(
        "LET",
        "name1, value1, [name2], [value2], …",
        "A calculation with names for its parts.",
    )
    .excel_only()
    .examples(&[("=LET(x,2,y,x+1,x*y)", "6")]),
    Function::evaluator("LAMBDA", "[parameter1], …, calculation", "A custom function.")
        .excel_only()
        .examples(&[("=LAMBDA(x,x*2)(4)", "8")]),
    Function::evaluator("MAP", "array1, [array2], …, lambda", "A lambda applied to each element.")
        .excel_only()
        .examples(&[("=SUM(MAP({1,2,3},LAMBDA(x,x*x)))", "14")]),
    Function::evaluator("REDUCE", "[start], array, lambda", "One value gathered from all elements.")
        .excel_only()
        .examples(&[("=REDUCE(1,{2,3,4},LAMBDA(a,x,a*x))", "24")]),
    Function::evaluator(
        "SCAN",
        "[start], array, lambda",
        "Every step of gathering one value from all elements.",
    )
    .excel_only()
    .examples(&[("=TEXTJOIN(\",\",TRUE,SCAN(0,{1,2,3},LAMBDA(a,x,a+x)))", "1,3,6")]),
    Function::evaluator("BYROW", "array, lambda", "A lambda applied to each row.")
        .excel_only()
        .examples(&[("=TEXTJOIN(\",\",TRUE,BYROW({1,2;3,4},LAMBDA(r,SUM(r))))", "3,7")]),
    Function::evaluator("BYCOL", "array, lambda", "A lambda applied to each column.")
        .excel_only()
        .examples(&[("=TEXTJOIN(\",\",TRUE,BYCOL({1,2;3,4},LAMBDA(c,SUM(c))))", "4,6")]),
    Function::evaluator(
        "MAKEARRAY",
        "rows, columns, lambda",
        "An array calculated from its row and column numbers.",
    )
    .excel_only()
    .examples(&[("=SUM(MAKEARRAY(2,3,LAMBDA(r,c,r*c)))", "18")]),
    Function::evaluator("ISOMITTED", "parameter", "Whether a parameter of a lambda was omitted.")
        .excel_only()
        .examples(&[
            ("=LAMBDA(x,[y],IF(ISOMITTED(y),x,x+y))(4)", "4"),
            ("=LAMBDA(x,[y],IF(ISOMITTED(y),x,x+y))(4,1)", "5"),
            ("=LAMBDA(x,y,IF(ISOMITTED(y),x,x+y))(4,)", "4"),
            ("=ISOMITTED(A1)", "#VALUE!"),
        ]),
    Function::evaluator(
        "GROUPBY",
        "row_fields, values, function, [field_headers], [total_depth], [sort_order], [filter_array], [field_relationship]",
        "Values combined for each group of rows with the same fields.",
    )
    .excel_only()
    .examples(&[
        ("=TEXTJOIN(\",\",FALSE,GROUPBY({\"b\";\"a\";\"b\"},{1;2;3},SUM))", "a,2,b,4,Total,6"),
        ("=TEXTJOIN(\",\",FALSE,GROUPBY({\"b\";\"a\";\"b\"},{1;2;3},LAMBDA(v,MAX(v)),,0,-1))", "b,3,a,2"),
    ]),
    Function::evaluator(
        "PIVOTBY",
        "row_fields, column_fields, values, function, [field_headers], [row_total_depth], [row_sort_order], [column_total_depth], [column_sort_order], [filter_array], [relative_to]",
        "Values combined for each pair of a group of rows and a group of columns.",
    )
    .excel_only()
    .examples(&[(
        "=TEXTJOIN(\",\",FALSE,PIVOTBY({\"b\";\"a\";\"b\"},{\"x\";\"x\";\"y\"},{1;2;3},SUM))",
        ",x,y,Total,a,2,,2,b,1,3,4,Total,3,3,6",
    )]),
    Function::evaluator(
        "GETPIVOTDATA",
        "data_field, pivot_table, [field_and_item], …",
        "A value of a pivot table, by the labels of its row and column.",
    )
    .excel_only()
    .examples(&[("=GETPIVOTDATA(\"Sales\",A1)", "#REF!")]),
    Function::evaluator(
        "MULTIPLE.OPERATIONS",
        "formula, input_cell, replacement, [input_cell2], [replacement2]",
        "The result of a formula in a cell with another value in one or two other cells.",
    )
    .described_in("OpenFormula 1.3, 6.14.5")
    .examples(&[("=MULTIPLE.OPERATIONS(A1,A1,5)", "5")]),
    Function::evaluator("FORMULATEXT", "reference", "The formula in a cell, as text.")
        .examples(&[("=FORMULATEXT(A1)", "#N/A")]),
    Function::evaluator("SHEET", "[reference]", "The place of a sheet among the tabs.")
        .examples(&[("=SHEET()", "1"), ("=SHEET(0)", "#N/A")]),
    Function::evaluator("SHEETS", "[reference]", "How many sheets there are.")
        .examples(&[("=SHEETS()", "1")]),
    Function::whole("ROWS", "array", "How many rows there are.", rows)
        .examples(&[("=ROWS({1;2;3})", "3"), ("=ROWS(A1:B4)", "4")]),
    Function::whole("COLUMNS", "array", "How many columns there are.", columns)
        .examples(&[("=COLUMNS({1,2,3})", "3")]),
    Function::whole("AREAS", "reference", "How many areas a reference has.", areas)
        .examples(&[("=AREAS((A1:A2,C1))", "2")]),
    Function::scalar("ADDRESS", "row, column, [absolute], [is_a1], [sheet]", "A reference as text.", address)
        .examples(&[
            ("=ADDRESS(2,3)", "$C$2"),
            ("=ADDRESS(2,3,2)", "C$2"),
            ("=ADDRESS(2,3,3)", "$C2"),
            ("=ADDRESS(2,3,4)", "C2"),
            ("=ADDRESS(2,3,1,FALSE)", "R2C3"),
            ("=ADDRESS(2,3,4,FALSE)", "R[2]C[3]"),
            ("=ADDRESS(1,1,1,TRUE,\"My sheet\")", "'My sheet'!$A$1"),
            ("=ADDRESS(0,1)", "#VALUE!"),
        ]),
    Function::scalar(
        "HYPERLINK",
        "address, [shown]",
        "A link, shown as its address or another value.",
        hyperlink,
    )
    .examples(&[("=HYPERLINK(\"https://example.org\",\"there\")", "there")]),
];

fn rows(_: &mut CallContext, arguments: &[Operand]) -> OperandResult {
    check_error(&arguments[0])?;
    Ok(f64::from(view(&arguments[0])?.rows()).into())
}

fn columns(_: &mut CallContext, arguments: &[Operand]) -> OperandResult {
    check_error(&arguments[0])?;
    Ok(f64::from(view(&arguments[0])?.columns()).into())
}

/// Fails with the argument if it is an error, such as a deleted reference.
fn check_error(argument: &Operand) -> Result<(), ErrorValue> {
    match argument {
        Operand::Value(Value::Error(error)) => Err(*error),
        _ => Ok(()),
    }
}

fn areas(_: &mut CallContext, arguments: &[Operand]) -> OperandResult {
    match &arguments[0] {
        Operand::Range(reference) => Ok((reference.areas.len() as f64).into()),
        other => check_error(other).and(Err(ErrorValue::Value)),
    }
}

fn address(_: &mut CallContext, arguments: &[Value]) -> ValueResult {
    let (row, column) = (integer(&arguments[0])?, integer(&arguments[1])?);
    if !(1..=i64::from(ROWS_MAX)).contains(&row) || !(1..=i64::from(COLUMNS_MAX)).contains(&column) {
        return Err(ErrorValue::Value);
    }
    let (row_is_absolute, column_is_absolute) = match integer_or(arguments, 2, 1)? {
        1 => (true, true),
        2 => (true, false),
        3 => (false, true),
        4 => (false, false),
        _ => return Err(ErrorValue::Value),
    };
    let address = match boolean_or(arguments, 3, true)? {
        true => {
            let dollar = |is_absolute| if is_absolute { "$" } else { "" };
            let letters = column_name(ColumnIndex::clamped(column as u32 - 1));
            format!("{}{letters}{}{row}", dollar(column_is_absolute), dollar(row_is_absolute))
        }
        false => {
            let part = |number: i64, is_absolute| match is_absolute {
                true => number.to_string(),
                false => format!("[{number}]"),
            };
            format!("R{}C{}", part(row, row_is_absolute), part(column, column_is_absolute))
        }
    };
    match arguments.get(4) {
        Some(sheet) => text_value(format!("{}!{address}", quoted_sheet(&text(sheet)?))),
        None => text_value(address),
    }
}

/// Quotes a sheet name unless it is a plain word.
fn quoted_sheet(name: &str) -> String {
    let is_word = name.chars().all(|character| character.is_alphanumeric() || matches!(character, '_' | '.'))
        && name.chars().next().is_some_and(|first| first.is_alphabetic() || first == '_');
    if is_word { name.to_owned() } else { format!("'{}'", name.replace('\'', "''")) }
}

fn hyperlink(_: &mut CallContext, arguments: &[Value]) -> ValueResult {
    match (&arguments[0], arguments.last().expect("there is at least one argument")) {
        (Value::Error(error), _) | (_, Value::Error(error)) => Err(*error),
        (_, shown) => Ok(shown.clone()),
    }
}
