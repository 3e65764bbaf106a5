//! CELL and INFO: the address and content of a reference's first cell. Questions about formats,
//! files or the program are `#N/A`. Described in ECMA-376 part 1, 18.17.7, and Excel's help.

use quadrille_cell::{CellAddress, ErrorValue, Value, column_name};

use crate::arguments::{OperandResult, ValueResult, optional_text};
use crate::coerce::text;
use crate::context::CallContext;
use crate::function::Function;
use crate::operands::Operand;

pub(crate) const FUNCTIONS: &[Function] = &[
    Function::whole(
        "CELL",
        "what, [reference]",
        "The address, row, col, contents or type of a reference's first cell.",
        cell,
    )
    .examples(&[
        ("=CELL(\"row\",B3:C4)", "3"),
        ("=CELL(\"address\",B3:C4)", "$B$3"),
        ("=CELL(\"type\",B3)", "b"),
        ("=CELL(\"format\",B3)", "#N/A"),
        ("=CELL(\"other\",B3)", "#VALUE!"),
    ]),
    Function::scalar(
        "INFO",
        "what",
        "How the workbook is calculated (recalc) and where it starts (origin).",
        info,
    )
    .examples(&[("=INFO(\"recalc\")", "Automatic"), ("=INFO(\"release\")", "#N/A")]),
];

fn cell(context: &mut CallContext, arguments: &[Operand]) -> OperandResult {
    let what = optional_text(arguments, 0, "")?.to_ascii_lowercase();
    let area = match arguments.get(1) {
        Some(Operand::Range(range)) => range.areas.first(),
        Some(Operand::Missing) | None => None,
        Some(_) => return Err(ErrorValue::Value),
    };
    let address: CellAddress = area.map_or(context.host, |area| area.range.first());
    let value = || area.map(|area| area.view.value(0, 0)).ok_or(ErrorValue::Value);
    Ok(Operand::Value(match what.as_str() {
        "address" => Value::text(format!("${}${}", column_name(address.column), address.row.get() + 1)),
        "row" => Value::number(f64::from(address.row.get()) + 1.0),
        "col" => Value::number(f64::from(address.column.get()) + 1.0),
        "contents" => value()?,
        "type" => Value::text(match value()? {
            Value::Blank => "b",
            Value::Text(_) => "l",
            _ => "v",
        }),
        "color" | "filename" | "format" | "parentheses" | "prefix" | "protect" | "width" => {
            return Err(ErrorValue::NotAvailable);
        }
        _ => return Err(ErrorValue::Value),
    }))
}

fn info(_: &mut CallContext, arguments: &[Value]) -> ValueResult {
    match text(&arguments[0])?.to_ascii_lowercase().as_str() {
        "recalc" => Ok(Value::text("Automatic")),
        "origin" => Ok(Value::text("$A:$A$1")),
        "directory" | "numfile" | "osversion" | "release" | "system" => Err(ErrorValue::NotAvailable),
        _ => Err(ErrorValue::Value),
    }
}
