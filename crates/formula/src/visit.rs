//! Visitors of the nodes of a template, from left to right.

use crate::structured::optional_parameter;
use crate::{Expression, Reference, Template};

/// Calls `visitor` for every node, parents before children.
pub fn visit(expression: &Expression, visitor: &mut dyn FnMut(&Expression)) {
    visitor(expression);
    match expression {
        Expression::Call { arguments, .. } => {
            for argument in arguments {
                visit(argument, visitor);
            }
        }
        Expression::Apply { callee, arguments } => {
            visit(callee, visitor);
            for argument in arguments {
                visit(argument, visitor);
            }
        }
        Expression::Unary(_, inner) | Expression::Parenthesised(inner) => visit(inner, visitor),
        Expression::Binary(_, left, right) => {
            visit(left, visitor);
            visit(right, visitor);
        }
        Expression::Array(rows) => {
            for element in rows.iter().flatten() {
                visit(element, visitor);
            }
        }
        Expression::Number(_)
        | Expression::Text(_)
        | Expression::Boolean(_)
        | Expression::Error(_)
        | Expression::Missing
        | Expression::Reference(_)
        | Expression::Name(_)
        | Expression::Invalid(_) => {}
    }
}

/// Calls `visitor` for every reference.
pub fn visit_references(template: &Template, visitor: &mut dyn FnMut(&Reference)) {
    visit(template.expression(), &mut |node| {
        if let Expression::Reference(reference) = node {
            visitor(reference);
        }
    });
}

/// Whether a formula refers to cells of another workbook: `[Book.xlsx]Sheet1!A1`.
pub fn refers_to_other_workbook(template: &Template) -> bool {
    let mut found = false;
    visit_references(template, &mut |reference| {
        found |= reference.sheet.as_ref().is_some_and(|sheet| sheet.other_workbook().is_some());
    });
    found
}

/// Calls `visitor` with the function name (upper case) and the arguments of every call.
pub fn visit_calls(template: &Template, visitor: &mut dyn FnMut(&str, &[Expression])) {
    visit(template.expression(), &mut |node| {
        if let Expression::Call { function, arguments } = node {
            visitor(function, arguments);
        }
    });
}

/// Calls `visitor` for every free name, that is, except parameters that an enclosing `LET` or
/// `LAMBDA` binds.
pub fn visit_names(template: &Template, visitor: &mut dyn FnMut(&str)) {
    visit_free_names(template.expression(), &mut Vec::new(), visitor);
}

fn visit_free_names<'a>(expression: &'a Expression, bound: &mut Vec<&'a str>, visitor: &mut dyn FnMut(&str)) {
    match expression {
        Expression::Name(name) => {
            let is_parameter = bound.iter().any(|parameter| is_same_name(parameter, name));
            if !is_parameter {
                visitor(name);
            }
        }
        Expression::Call { function, arguments } => {
            let outer = bound.len();
            // A parameter of LET is bound after its value.
            let mut pending = None;
            for (position, argument) in arguments.iter().enumerate() {
                let is_last = position + 1 == arguments.len();
                match (&**function, argument) {
                    ("LET", Expression::Name(parameter)) if position % 2 == 0 && !is_last => {
                        pending = Some(parameter);
                    }
                    ("LAMBDA", Expression::Name(parameter)) if !is_last => {
                        bound.push(optional_parameter(parameter).unwrap_or(parameter));
                    }
                    _ => {
                        visit_free_names(argument, bound, visitor);
                        bound.extend(pending.take().map(|name| &**name));
                    }
                }
            }
            bound.truncate(outer);
        }
        Expression::Apply { callee, arguments } => {
            visit_free_names(callee, bound, visitor);
            for argument in arguments {
                visit_free_names(argument, bound, visitor);
            }
        }
        Expression::Unary(_, inner) | Expression::Parenthesised(inner) => {
            visit_free_names(inner, bound, visitor);
        }
        Expression::Binary(_, left, right) => {
            visit_free_names(left, bound, visitor);
            visit_free_names(right, bound, visitor);
        }
        _ => {}
    }
}

fn is_same_name(a: &str, b: &str) -> bool {
    a.eq_ignore_ascii_case(b) || a.to_lowercase() == b.to_lowercase()
}
