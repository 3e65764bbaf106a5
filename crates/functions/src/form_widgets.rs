//! EtherCalc's form controls and actions.
//!
//! Controls (BUTTON, CHECKBOX etc.) return their initial value, so that formulas that refer to them
//! work. Actions change other cells or send mail when something happens; a calculation only returns
//! what SocialCalc shows in their cells: the label of the button that triggers them, `Send`, or which
//! panels they show.

use quadrille_cell::{ErrorValue, Value};

use crate::arguments::{OperandResult, ValueResult, charge_view, single};
use crate::coerce::{text, text_value};
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
    widget!("STYLE", "css", "A style to add to a control, without a value of its own.", style, "=\"a\"+STYLE(\"color:red\")", "a"),
    widget!("PANEL", "shown, panel1, [panel2], …", "Parts of the sheet to show, here their numbers.", panel, "=PANEL(\"1,2\",A1:B2,A4:B5)", "PANEL:1,2"),
    widget!("SPLASH", "panel", "A part of the sheet to show first, here its range.", splash, "=SPLASH(A1:B2)", "SPLASH:A1|B2|"),
    widget!("COMMAND", "trigger, commands", "Changes the sheet when a button is pressed, here its label.", trigger, "=COMMAND(A1,\"recalc\")", "#VALUE!"),
    widget!("COMMANDIF", "trigger, conditions, commands", "Changes the sheet when a button is pressed, here its label.", trigger, "=COMMANDIF(A1,TRUE,\"recalc\")", "#VALUE!"),
    widget!("COPYVALUE", "trigger, target, source", "Copies a value when a button is pressed, here its label.", trigger, "=COPYVALUE(A1,B1,C1)", "#VALUE!"),
    widget!("COPYFORMULA", "trigger, target, source", "Copies formulas when a button is pressed, here its label.", trigger, "=COPYFORMULA(A1,B1,C1)", "#VALUE!"),
    widget!("DELETEIF", "trigger, criteria, [range], …", "Deletes rows when a button is pressed, here its label.", trigger, "=DELETEIF(A1,\">1\",B1:B3)", "#VALUE!"),
    widget!("INSERT", "trigger, target, [source], …", "Inserts rows when a button is pressed, here its label.", trigger, "=INSERT(A1,B1:B3)", "#VALUE!"),
    widget!("EMAIL", "to, subject, body, …", "Sends mail when pressed, here the text Send.", send, "=EMAIL(\"a\",\"b\",\"c\")", "Send"),
    widget!("EMAILIF", "condition, to, subject, body, …", "Sends mail when pressed, here the text Send.", send, "=EMAILIF(TRUE,\"a\",\"b\",\"c\")", "Send"),
    widget!("EMAILONEDIT", "range, to, subject, body, …", "Sends mail when cells change, here the text Send Now.", send_now, "=EMAILONEDIT(A1,\"a\",\"b\",\"c\")", "Send Now"),
    widget!("EMAILONEDITIF", "range, condition, to, subject, body, …", "Sends mail when cells change, here the text Send Now.", send_now, "=EMAILONEDITIF(A1,TRUE,\"a\",\"b\",\"c\")", "Send Now"),
    widget!("EMAILAT", "time, to, subject, body, …", "Sends mail at a time, here the text Send Now.", send_now, "=EMAILAT(45000,\"a\",\"b\",\"c\")", "Send Now"),
    widget!("EMAILATIF", "time, condition, to, subject, body, …", "Sends mail at a time, here the text Send Now.", send_now, "=EMAILATIF(45000,TRUE,\"a\",\"b\",\"c\")", "Send Now"),
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

/// What SocialCalc shows for an action: the value of the cell that triggers it, and of an address, as that
/// of an IMAGEBUTTON, the part behind the last slash.
fn trigger(_: &mut CallContext, arguments: &[Operand]) -> OperandResult {
    let value = single(&arguments[0])?;
    if value.is_blank() {
        return Err(ErrorValue::Value);
    }
    let label = text(&value)?;
    Ok(Value::text(label.rsplit('/').next().unwrap_or_default().to_owned()).into())
}

fn send(_: &mut CallContext, _: &[Operand]) -> OperandResult {
    Ok("Send".into())
}

fn send_now(_: &mut CallContext, _: &[Operand]) -> OperandResult {
    Ok("Send Now".into())
}

/// The numbers of the panels: a number, a text with commas, or cells.
fn panel(context: &mut CallContext, arguments: &[Operand]) -> OperandResult {
    let mut shown = "PANEL:".to_owned();
    match arguments[0].view() {
        Some(view) => {
            charge_view(context, view)?;
            let mut separator = "";
            for column in 0..view.columns() {
                for row in 0..view.used_rows() {
                    context.work(1)?;
                    shown += separator;
                    shown += &text(&view.value(row, column))?;
                    separator = ",";
                }
            }
        }
        None => shown += &text(&single(&arguments[0])?)?,
    }
    text_value(shown).map(Operand::Value)
}

fn splash(_: &mut CallContext, arguments: &[Operand]) -> OperandResult {
    let Operand::Range(operand) = &arguments[0] else { return Err(ErrorValue::Value) };
    let range = operand.areas[0].range;
    Ok(Value::text(format!("SPLASH:{}|{}|", range.first(), range.last())).into())
}

fn hex_code(_: &mut CallContext, arguments: &[Value]) -> ValueResult {
    let first = text(&arguments[0])?.chars().next().ok_or(ErrorValue::Value)?;
    Ok(Value::text(format!("{:X}", u32::from(first))))
}
