//! CONCATENATE, CONCAT and TEXTJOIN. Described in ECMA-376 part 1, 18.17.7, and Excel's help.

use quadrille_cell::{ErrorValue, Value};

use crate::arguments::{OperandResult, ValueResult, optional_boolean, values_by_row};
use crate::coerce::{TEXT_LENGTH_MAX, text, text_value};
use crate::context::CallContext;
use crate::function::Function;
use crate::operands::Operand;

pub(crate) const FUNCTIONS: &[Function] = &[
    Function::scalar("CONCATENATE", "text1, [text2], …", "Texts one behind the other.", concatenate)
        .examples(&[("=CONCATENATE(\"a\",1,TRUE)", "a1TRUE")]),
    Function::whole("CONCAT", "text1, [text2], …", "Texts, also of ranges, one behind the other.", concat)
        .excel_only()
        .examples(&[("=CONCAT({\"a\",\"b\"},1)", "ab1")]),
    Function::whole(
        "TEXTJOIN",
        "delimiter, ignore_empty, text1, [text2], …",
        "Texts joined with a delimiter.",
        text_join,
    )
    .excel_only()
    .examples(&[
        ("=TEXTJOIN(\",\",TRUE,{\"a\",\"\",\"b\"})", "a,b"),
        ("=TEXTJOIN(\",\",FALSE,\"a\",\"\",\"b\")", "a,,b"),
    ]),
];

/// Bytes of text that are copied in the time of one step.
const TEXT_PER_STEP: u64 = 64;

fn concatenate(context: &mut CallContext, arguments: &[Value]) -> ValueResult {
    let mut result = String::new();
    for argument in arguments {
        push(&mut result, &text(argument)?)?;
    }
    // A lifted call concatenates once per element.
    context.budget.charge(result.len() as u64 / TEXT_PER_STEP)?;
    text_value(result)
}

/// Appends text. Fails with `#VALUE!` as soon as the result cannot fit a cell.
fn push(result: &mut String, part: &str) -> Result<(), ErrorValue> {
    result.push_str(part);
    // A character has at most four bytes.
    if result.len() > 4 * TEXT_LENGTH_MAX { Err(ErrorValue::Value) } else { Ok(()) }
}

fn concat(context: &mut CallContext, arguments: &[Operand]) -> OperandResult {
    let mut result = String::new();
    for argument in arguments {
        for value in values_by_row(context, argument)? {
            context.work(8)?;
            push(&mut result, &text(&value)?)?;
        }
    }
    text_value(result).map(Operand::Value)
}

fn text_join(context: &mut CallContext, arguments: &[Operand]) -> OperandResult {
    let mut delimiters = Vec::new();
    for value in values_by_row(context, &arguments[0])? {
        context.work(8)?;
        delimiters.push(text(&value)?);
    }
    let ignores_empty = optional_boolean(arguments, 1, true)?;
    let mut result = String::new();
    let mut count = 0;
    for argument in &arguments[2..] {
        for value in values_by_row(context, argument)? {
            context.work(8)?;
            let part = text(&value)?;
            if part.is_empty() && ignores_empty {
                continue;
            }
            if count > 0 && !delimiters.is_empty() {
                push(&mut result, &delimiters[(count - 1) % delimiters.len()])?;
            }
            push(&mut result, &part)?;
            count += 1;
        }
    }
    text_value(result).map(Operand::Value)
}
