//! Form controls: cells whose formula is a call of one of EtherCalc's functions, such as
//! `=SELECT("red","red,blue")`. A style may be added to it, `=TEXTBOX("")+STYLE("…")`.

use quadrille_formula::{BinaryOperator, Expression, Template};

/// The control that a formula makes, as [`CellMark::control`](crate::CellMark) names it.
pub(crate) fn control(template: &Template) -> Option<&'static str> {
    let is_style = |expression: &Expression| name(expression) == Some("STYLE");
    let expression = match template.expression() {
        Expression::Binary(BinaryOperator::Add | BinaryOperator::Concatenate, control, style)
            if is_style(style) =>
        {
            control
        }
        expression => expression,
    };
    match name(expression)? {
        "BUTTON" | "IMAGEBUTTON" | "SUBMIT" => Some("button"),
        "TEXTBOX" => Some("field"),
        "SELECT" | "AUTOCOMPLETE" => Some("list"),
        "CHECKBOX" => Some("checkbox"),
        "RADIOBUTTON" => Some("radio"),
        _ => None,
    }
}

/// The style that a formula adds to a control, with the text of CSS in the formula.
pub(crate) fn control_style(template: &Template) -> Option<&str> {
    let Expression::Binary(_, _, style) = template.expression() else { return None };
    match &**style {
        Expression::Call { function, arguments } if &**function.text() == "STYLE" => {
            match arguments.first()? {
                Expression::Text(css) => Some(css),
                _ => None,
            }
        }
        _ => None,
    }
}

fn name(expression: &Expression) -> Option<&str> {
    match expression {
        Expression::Call { function, .. } => Some(function.text()),
        _ => None,
    }
}
