//! EtherCalc's form controls and actions.
//!
//! Controls (BUTTON, CHECKBOX etc.) return their initial value, so that formulas that refer to them
//! work. Actions change other cells or send mail in EtherCalc; a calculation here only returns a
//! value, so they are always `#N/A`.

use quadrille_cell::{ErrorValue, Value};

use crate::arguments::{OperandResult, ValueResult, single};
use crate::coerce::text;
use crate::context::CallContext;
use crate::function::Function;
use crate::operands::Operand;

macro_rules! widget {
    ($name:literal, $arguments:literal, $summary:literal, $function:ident, $example:literal, $result:literal) => {
        Function::whole($name, $arguments, $summary, $function).examples(&[($example, $result)])
    };
}

#[rustfmt::skip]
pub(crate) const FUNCTIONS: &[Function] = &[
    widget!("AUTOCOMPLETE", "value, choices", "A text to fill in, here its value.", first, "=AUTOCOMPLETE(\"a\",\"a,b\")", "a"),
    widget!("BUTTON", "label", "A button, here its label.", first, "=BUTTON(\"Send\")", "Send"),
    widget!("CHECKBOX", "value", "A box to tick, here 1 or 0.", checked, "=CHECKBOX(\"true\")", "1"),
    widget!("IMAGEBUTTON", "address", "An image button, here its address.", first, "=IMAGEBUTTON(\"a.png\")", "a.png"),
    widget!("RADIOBUTTON", "value, group", "One of several boxes to tick, here 1 or 0.", checked, "=RADIOBUTTON(0,\"g\")", "0"),
    widget!("SELECT", "value, choices, [size], [several]", "A list to choose from, here its value.", first, "=SELECT(\"a\",\"a,b\")", "a"),
    widget!("SUBMIT", "[label]", "A button that sends a form, here its label.", submit, "=SUBMIT()", "Submit"),
    widget!("TEXTBOX", "value", "A text to fill in, here its value.", first, "=TEXTBOX(\"a\")", "a"),
    widget!("STYLE", "css", "A style to add to a value, here nothing.", style, "=\"a\"&STYLE(\"color:red\")", "a"),
    widget!("PANEL", "shown, panel1, [panel2], …", "Parts of the sheet to show: always #N/A.", no_action, "=PANEL(1,A1:B2)", "#N/A"),
    widget!("SPLASH", "panel", "A part of the sheet to show first: always #N/A.", no_action, "=SPLASH(A1:B2)", "#N/A"),
    widget!("COMMAND", "trigger, commands", "Changes the sheet when a button is pressed: always #N/A.", no_action, "=COMMAND(A1,\"recalc\")", "#N/A"),
    widget!("COMMANDIF", "trigger, conditions, commands", "Changes the sheet when a button is pressed: always #N/A.", no_action, "=COMMANDIF(A1,TRUE,\"recalc\")", "#N/A"),
    widget!("COPYVALUE", "trigger, target, source", "Copies a value when a button is pressed: always #N/A.", no_action, "=COPYVALUE(A1,B1,C1)", "#N/A"),
    widget!("COPYFORMULA", "trigger, target, source", "Copies formulas when a button is pressed: always #N/A.", no_action, "=COPYFORMULA(A1,B1,C1)", "#N/A"),
    widget!("DELETEIF", "trigger, criteria, [range], …", "Deletes rows when a button is pressed: always #N/A.", no_action, "=DELETEIF(A1,\">1\",B1:B3)", "#N/A"),
    widget!("INSERT", "trigger, target, [source], …", "Inserts rows when a button is pressed: always #N/A.", no_action, "=INSERT(A1,B1:B3)", "#N/A"),
    widget!("EMAIL", "to, subject, body, …", "Sends mail when pressed: always #N/A.", no_action, "=EMAIL(\"a\",\"b\",\"c\")", "#N/A"),
    widget!("EMAILIF", "condition, to, subject, body, …", "Sends mail when pressed: always #N/A.", no_action, "=EMAILIF(TRUE,\"a\",\"b\",\"c\")", "#N/A"),
    widget!("EMAILONEDIT", "range, to, subject, body, …", "Sends mail when cells change: always #N/A.", no_action, "=EMAILONEDIT(A1,\"a\",\"b\",\"c\")", "#N/A"),
    widget!("EMAILONEDITIF", "range, condition, to, subject, body, …", "Sends mail when cells change: always #N/A.", no_action, "=EMAILONEDITIF(A1,TRUE,\"a\",\"b\",\"c\")", "#N/A"),
    widget!("EMAILAT", "time, to, subject, body, …", "Sends mail at a time: always #N/A.", no_action, "=EMAILAT(45000,\"a\",\"b\",\"c\")", "#N/A"),
    widget!("EMAILATIF", "time, condition, to, subject, body, …", "Sends mail at a time: always #N/A.", no_action, "=EMAILATIF(45000,TRUE,\"a\",\"b\",\"c\")", "#N/A"),
    Function::scalar("HEXCODE", "text", "The code point of a text's first character, in hexadecimal.", hex_code)
        .examples(&[("=HEXCODE(\"A\")", "41"), ("=HEXCODE(\"😀\")", "1F600"), ("=HEXCODE(\"\")", "#VALUE!")]),
];

fn first(_: &mut CallContext, arguments: &[Operand]) -> OperandResult {
    single(&arguments[0]).map(Operand::Value)
}

fn checked(_: &mut CallContext, arguments: &[Operand]) -> OperandResult {
    let is_checked = match single(&arguments[0])? {
        Value::Text(text) => text.eq_ignore_ascii_case("true"),
        value => crate::coerce::boolean(&value)?,
    };
    Ok(f64::from(u8::from(is_checked)).into())
}

fn submit(context: &mut CallContext, arguments: &[Operand]) -> OperandResult {
    if arguments.is_empty() { Ok("Submit".into()) } else { first(context, arguments) }
}

fn style(_: &mut CallContext, _: &[Operand]) -> OperandResult {
    Ok("".into())
}

fn no_action(_: &mut CallContext, _: &[Operand]) -> OperandResult {
    Err(ErrorValue::NotAvailable)
}

fn hex_code(_: &mut CallContext, arguments: &[Value]) -> ValueResult {
    let first = text(&arguments[0])?.chars().next().ok_or(ErrorValue::Value)?;
    Ok(Value::text(format!("{:X}", u32::from(first))))
}
