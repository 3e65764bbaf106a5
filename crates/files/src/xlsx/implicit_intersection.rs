//! Formulas from before arrays spilled.
//!
//! Where such a formula has a range of several cells in a place that wants one value, Excel takes the cell in the
//! formula's own row or column, and shows that as `@`. In files the sign is not written: a formula without array
//! (`t="array"`) and without mark (`cm`) is such a formula. Source: "Implicit intersection operator: @",
//! <https://support.microsoft.com/en-us/office/implicit-intersection-operator-ce3be07b-0101-4450-a24e-c1c999be2b34>.
//!
//! A place that wants one value is the formula as a whole, and from there on operands of arithmetic, comparison and
//! `&`, parentheses, what IF and its like choose from, and the arguments to which a function of ours is applied one by
//! one (`lifts`). Arguments such as those of SUM take ranges as they are, but what is calculated within them is one value:
//! `SUM(A1:A3*B1:B3)` is `SUM(@A1:A3*@B1:B3)`. Arguments that take arrays, such as those of SUMPRODUCT, are left alone
//! with all that is in them.

use quadrille_formula::{
    Area, BinaryOperator, Expression, Reference, SheetReference, Template, UnaryOperator, is_within_limits,
};
use quadrille_functions::{Lifts, lookup};
use quadrille_workbook::Workbook;

/// With `@` wherever Excel would show it; `None` when that is nowhere.
pub fn intersected(formula: &Template, workbook: &Workbook) -> Option<Template> {
    let with_sign = |leaf: &Expression| {
        let is_sought = is_several_cells(leaf, workbook);
        is_sought.then(|| Expression::Unary(UnaryOperator::ImplicitIntersection, Box::new(leaf.clone())))
    };
    // Too deep with the signs, it stays as it is: what is beyond the limits could not be sent.
    map(formula.expression(), Place::Value, &with_sign).filter(is_within_limits).map(Template::new)
}

/// Without each `@` that [`intersected`] would put back; `None` when there is none.
pub fn without_signs(formula: &Template, workbook: &Workbook) -> Option<Template> {
    let bare = |leaf: &Expression| match leaf {
        Expression::Unary(UnaryOperator::ImplicitIntersection, inner)
            if is_several_cells(inner, workbook) =>
        {
            Some((**inner).clone())
        }
        _ => None,
    };
    map(formula.expression(), Place::Value, &bare).map(Template::new)
}

/// What gives several values where one is wanted: a reference to more than one cell of one sheet, the name of one, a
/// range between computed corners, and functions that may yield several cells, by what they are given. Corners that
/// only differ in their dollar signs count as different: other cells share the formula.
fn is_several_cells(expression: &Expression, workbook: &Workbook) -> bool {
    let is_area = |reference: &Reference| {
        let is_of_one_sheet = matches!(reference.sheet, None | Some(SheetReference::Sheet(_)));
        is_of_one_sheet
            && match reference.area {
                Area::Cell(_) => false,
                Area::Cells(first, last) => first != last,
                Area::Rows(..) | Area::Columns(..) => true,
            }
    };
    match expression {
        Expression::Reference(reference) => is_area(reference),
        Expression::Name(name) => {
            let definition = workbook.name(name).map(Template::expression);
            matches!(definition, Some(Expression::Reference(reference)) if is_area(reference))
        }
        Expression::Binary(BinaryOperator::Range, ..) => true,
        Expression::Call { function, arguments } => match &**function {
            "INDIRECT" => true,
            "OFFSET" => arguments.len() > 3 || is_several_cells(&arguments[0], workbook),
            // A whole row or column.
            "INDEX" => arguments.iter().skip(1).take(2).any(is_nothing),
            "ROW" | "COLUMN" => {
                arguments.first().is_some_and(|argument| is_several_cells(argument, workbook))
            }
            "TRANSPOSE" | "MMULT" | "MINVERSE" | "MUNIT" | "FREQUENCY" | "LINEST" | "LOGEST" | "TREND"
            | "GROWTH" | "MODE.MULT" => true,
            _ => false,
        },
        _ => false,
    }
}

fn is_nothing(argument: &Expression) -> bool {
    matches!(argument, Expression::Missing) || *argument == Expression::Number(0.0)
}

/// What the surroundings of an expression do with several values.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Place {
    /// They want one.
    Value,
    /// They take a reference to several as it is, but of what is calculated one value.
    Reference,
    /// They take arrays.
    Array,
}

/// Replaces what stands where one value is wanted; `replace` yields `None` for what stays. `None` when all does.
fn map(
    expression: &Expression,
    place: Place,
    replace: &dyn Fn(&Expression) -> Option<Expression>,
) -> Option<Expression> {
    if place == Place::Array {
        return None;
    }
    if place == Place::Value
        && let Some(replaced) = replace(expression)
    {
        return Some(replaced);
    }
    match expression {
        Expression::Parenthesised(inner) => {
            map(inner, place, replace).map(|inner| Expression::Parenthesised(Box::new(inner)))
        }
        Expression::Unary(
            operator @ (UnaryOperator::Minus | UnaryOperator::Plus | UnaryOperator::Percent),
            inner,
        ) => map(inner, Place::Value, replace).map(|inner| Expression::Unary(*operator, Box::new(inner))),
        // Between references these make a reference.
        Expression::Binary(
            BinaryOperator::Range | BinaryOperator::Union | BinaryOperator::Intersection,
            ..,
        ) => None,
        Expression::Binary(operator, left, right) => {
            let (new_left, new_right) = (map(left, Place::Value, replace), map(right, Place::Value, replace));
            if new_left.is_none() && new_right.is_none() {
                return None;
            }
            let left = new_left.map_or_else(|| left.clone(), Box::new);
            let right = new_right.map_or_else(|| right.clone(), Box::new);
            Some(Expression::Binary(*operator, left, right))
        }
        Expression::Call { function, arguments } => {
            let new = |(index, argument)| map(argument, argument_position(function, index, place), replace);
            let arguments_new: Vec<Option<Expression>> = (0..).zip(arguments).map(new).collect();
            if arguments_new.iter().all(Option::is_none) {
                return None;
            }
            let arguments = arguments_new.into_iter().zip(arguments);
            let arguments = arguments.map(|(new, old)| new.unwrap_or_else(|| old.clone())).collect();
            Some(Expression::Call { function: function.clone(), arguments })
        }
        _ => None,
    }
}

/// What an argument of a function is a place for; `outside` is what the call itself is in.
fn argument_position(function: &str, argument: usize, outside: Place) -> Place {
    match function {
        // These hand on the reference that they choose.
        "IF" | "CHOOSE" if argument > 0 => outside,
        _ if wants_one_value(function, argument) => Place::Value,
        _ if takes_references(function, argument) => Place::Reference,
        _ => Place::Array,
    }
}

/// Whether the function, by its name in upper case, takes a reference there as it is, but no array unless it is in an array
/// formula: what the file format of Excel 97 calls an operand of the reference class (MS-XLS 2.2.2.1).
fn takes_references(function: &str, argument: usize) -> bool {
    match function {
        "SUM" | "AVERAGE" | "MIN" | "MAX" | "COUNT" | "COUNTA" | "PRODUCT" | "SUMSQ" | "STDEV"
        | "STDEV.S" | "STDEVP" | "STDEV.P" | "VAR" | "VAR.S" | "VARP" | "VAR.P" | "AVERAGEA" | "MINA"
        | "MAXA" | "STDEVA" | "STDEVPA" | "VARA" | "VARPA" | "MEDIAN" | "AVEDEV" | "DEVSQ" | "GEOMEAN"
        | "HARMEAN" | "KURT" | "SKEW" | "AND" | "OR" | "XOR" | "CONCAT" => true,
        "LARGE" | "SMALL" | "QUARTILE" | "QUARTILE.INC" | "QUARTILE.EXC" | "PERCENTILE"
        | "PERCENTILE.INC" | "PERCENTILE.EXC" | "PERCENTRANK" | "PERCENTRANK.INC" | "PERCENTRANK.EXC"
        | "TRIMMEAN" => argument == 0,
        "NPV" | "MATCH" => argument == 1,
        "TEXTJOIN" => argument > 1,
        _ => false,
    }
}

/// Whether the function, by its name in upper case, is applied to each element of an array that it gets there.
fn wants_one_value(function: &str, argument: usize) -> bool {
    match function {
        "IF" | "IFERROR" | "IFNA" | "IFS" | "SWITCH" | "CHOOSE" => true,
        // Applied one by one in ours, but Excel gives them the whole reference, of which they read the first cell.
        "N" | "T" | "PHONETIC" => false,
        _ => match lookup(function).map(|function| function.lifts) {
            Some(Lifts::Everything) => true,
            Some(Lifts::Arguments(arguments)) => arguments.contains(&argument),
            Some(Lifts::Nothing) | None => false,
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use quadrille_cell::{CellAddress, SheetId};
    use quadrille_formula::{Host, parse, print};

    #[test]
    fn functions_of_references_are_left_alone() {
        for function in [
            "ROW",
            "COLUMN",
            "ROWS",
            "COLUMNS",
            "AREAS",
            "ISREF",
            "ISFORMULA",
            "FORMULATEXT",
            "CELL",
            "OFFSET",
            "SUBTOTAL",
            "AGGREGATE",
            "N",
            "T",
            "PHONETIC",
            "TYPE",
            "SHEET",
            "SHEETS",
            "SUM",
            "SUMPRODUCT",
            "INDEX",
            "AND",
            "OR",
            "COUNTBLANK",
            "MMULT",
            "TRANSPOSE",
            "INDIRECT",
            "NPV",
            "IRR",
            "LET",
            "LAMBDA",
            "NOSUCH",
        ] {
            assert!((0..4).all(|argument| !wants_one_value(function, argument)), "{function}");
        }
        for (function, argument) in [
            ("MATCH", 1),
            ("LOOKUP", 1),
            ("LOOKUP", 2),
            ("VLOOKUP", 1),
            ("XLOOKUP", 1),
            ("XLOOKUP", 2),
            ("COUNTIF", 0),
            ("SUMIF", 0),
            ("SUMIF", 2),
            ("LARGE", 0),
            ("RANK", 1),
            ("NETWORKDAYS", 2),
        ] {
            assert!(!wants_one_value(function, argument), "{function} {argument}");
        }
    }

    #[test]
    fn removed_signs_come_back() {
        let mut workbook = Workbook::new();
        let host = Host { sheet: SheetId(1), cell: CellAddress::clamped(1, 2) };
        workbook.define_name("rates", Some(parse("$A$1:$A$3", host, &workbook)));
        for (with, without) in [
            ("@A1:A3", "A1:A3"),
            ("-@A:A%+(@rates)^2&@1:1", "-A:A%+(rates)^2&1:1"),
            ("IF(@A:A>1,@B:B,SUM(C:C))", "IF(A:A>1,B:B,SUM(C:C))"),
            ("SUM(@A1:A3*@B1:B3,C1:C3)", "SUM(A1:A3*B1:B3,C1:C3)"),
            ("MAX(IF(@A1:A3>1,B1:B3),ABS(@rates))", "MAX(IF(A1:A3>1,B1:B3),ABS(rates))"),
            ("MATCH(1,(@A1:A3=2)*(@B1:B3=3),0)", "MATCH(1,(A1:A3=2)*(B1:B3=3),0)"),
            ("1+@OFFSET(A1,0,0,3,1)", "1+OFFSET(A1,0,0,3,1)"),
            ("@INDIRECT(A1)&\"x\"", "INDIRECT(A1)&\"x\""),
            ("-@A1:INDEX(A:A,3)", "-A1:INDEX(A:A,3)"),
        ] {
            let shown = |template: &Template| print(template, host, &workbook);
            let formula = parse(with, host, &workbook);
            let bare = without_signs(&formula, &workbook).expect(with);
            assert_eq!(shown(&bare), without);
            assert_eq!(shown(&intersected(&bare, &workbook).expect(without)), with);
            assert_eq!(intersected(&formula, &workbook), None, "{with}");
        }
        // No place that wants one value, or no range: Excel would not put these back.
        for kept in ["SUM(@A1:A3)", "@A1", "@INDEX(A:A,3)", "A1#", "SUMPRODUCT(@A1:A3*B1)"] {
            assert_eq!(without_signs(&parse(kept, host, &workbook), &workbook), None, "{kept}");
        }
    }
}
