//! Implicit intersection: formulas written by programs without dynamic arrays (rules F13 and F14).
//!
//! Where such a formula has a range of several cells and a single value is required, Excel uses the
//! cell in the formula's own row or column and displays the operator `@`. Files do not contain the
//! operator: a formula that is neither an array formula (`t="array"`) nor marked as dynamic (`cm`)
//! is such a formula. Source: "Implicit intersection operator: @",
//! <https://support.microsoft.com/en-us/office/implicit-intersection-operator-ce3be07b-0101-4450-a24e-c1c999be2b34>.
//!
//! A single value is required of the formula as a whole, of the operands of arithmetic, comparison
//! and `&`, within parentheses, of the arguments from which IF and similar functions choose, and of
//! the arguments to which a function is applied element by element (`lifts`). Arguments such as
//! those of SUM accept references, but a single value of a calculation: `SUM(A1:A3*B1:B3)` is
//! `SUM(@A1:A3*@B1:B3)`. Arguments that accept arrays, such as those of SUMPRODUCT, are left alone
//! with everything in them.

use quadrille_formula::{
    Area, BinaryOperator, Expression, Reference, SheetReference, Template, UnaryOperator, is_within_limits,
};
use quadrille_functions::{Lifts, lookup};
use quadrille_workbook::Workbook;

/// Adds `@` wherever Excel displays it. Returns `None` if there is no such position.
pub fn with_implicit_intersection(formula: &Template, workbook: &Workbook) -> Option<Template> {
    let with_operator = |leaf: &Expression| {
        let applies = is_several_cells(leaf, workbook);
        applies.then(|| Expression::Unary(UnaryOperator::ImplicitIntersection, Box::new(leaf.clone())))
    };
    // A formula that would exceed the limits with the operators is left as it is, because it could
    // not be sent.
    map(formula.expression(), Context::Value, &with_operator).filter(is_within_limits).map(Template::new)
}

/// Removes every `@` that [`with_implicit_intersection`] would add again. Returns `None` if there
/// is none.
pub fn without_implicit_intersection(formula: &Template, workbook: &Workbook) -> Option<Template> {
    let bare = |leaf: &Expression| match leaf {
        Expression::Unary(UnaryOperator::ImplicitIntersection, inner)
            if is_several_cells(inner, workbook) =>
        {
            Some((**inner).clone())
        }
        _ => None,
    };
    map(formula.expression(), Context::Value, &bare).map(Template::new)
}

/// Whether an expression yields several cells: a reference to more than one cell of one sheet, the
/// name of such a reference, a range between computed corners, and calls that may yield several
/// cells for their arguments. Corners that differ only in their dollar signs count as different,
/// because other cells share the formula.
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
            // INDEX without a row or column index yields a whole column or row.
            "INDEX" => arguments.iter().skip(1).take(2).any(is_missing_or_zero),
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

fn is_missing_or_zero(argument: &Expression) -> bool {
    matches!(argument, Expression::Missing) || *argument == Expression::Number(0.0)
}

/// What the surroundings of an expression accept.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Context {
    /// A single value.
    Value,
    /// A reference to several cells, but a single value of a calculation.
    Reference,
    /// Arrays.
    Array,
}

/// Replaces expressions of which a single value is required. `replace` returns `None` for an
/// expression that remains; the result is `None` if all remain.
fn map(
    expression: &Expression,
    context: Context,
    replace: &dyn Fn(&Expression) -> Option<Expression>,
) -> Option<Expression> {
    if context == Context::Array {
        return None;
    }
    if context == Context::Value
        && let Some(replaced) = replace(expression)
    {
        return Some(replaced);
    }
    match expression {
        Expression::Parenthesised(inner) => {
            map(inner, context, replace).map(|inner| Expression::Parenthesised(Box::new(inner)))
        }
        Expression::Unary(
            operator @ (UnaryOperator::Minus | UnaryOperator::Plus | UnaryOperator::Percent),
            inner,
        ) => map(inner, Context::Value, replace).map(|inner| Expression::Unary(*operator, Box::new(inner))),
        // These operators combine references to a reference.
        Expression::Binary(
            BinaryOperator::Range | BinaryOperator::Union | BinaryOperator::Intersection,
            ..,
        ) => None,
        Expression::Binary(operator, left, right) => {
            let (new_left, new_right) =
                (map(left, Context::Value, replace), map(right, Context::Value, replace));
            if new_left.is_none() && new_right.is_none() {
                return None;
            }
            let left = new_left.map_or_else(|| left.clone(), Box::new);
            let right = new_right.map_or_else(|| right.clone(), Box::new);
            Some(Expression::Binary(*operator, left, right))
        }
        Expression::Call { function, arguments } => {
            let new = |(index, argument)| map(argument, argument_context(function, index, context), replace);
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

/// The context of an argument of a function; `outer` is the context of the call itself.
fn argument_context(function: &str, argument: usize, outer: Context) -> Context {
    match function {
        // These functions return the reference that they choose.
        "IF" | "CHOOSE" if argument > 0 => outer,
        _ if requires_value(function, argument) => Context::Value,
        _ if accepts_references(function, argument) => Context::Reference,
        _ => Context::Array,
    }
}

/// Whether an argument of a function, whose name is in upper case, accepts a reference but not an
/// array outside of array formulas: an operand of the reference class in the file format of Excel
/// 97 (MS-XLS 2.2.2.1).
fn accepts_references(function: &str, argument: usize) -> bool {
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

/// Whether a function, whose name is in upper case, is applied to each element of an array in this
/// argument.
fn requires_value(function: &str, argument: usize) -> bool {
    match function {
        "IF" | "IFERROR" | "IFNA" | "IFS" | "SWITCH" | "CHOOSE" => true,
        // Applied element by element in this library, but Excel passes the whole reference, of
        // which these read the first cell.
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
    fn reference_and_array_arguments_do_not_require_a_value() {
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
            assert!((0..4).all(|argument| !requires_value(function, argument)), "{function}");
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
            assert!(!requires_value(function, argument), "{function} {argument}");
        }
    }

    #[test]
    fn removed_operators_are_added_again() {
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
            let text = |template: &Template| print(template, host, &workbook);
            let formula = parse(with, host, &workbook);
            let bare = without_implicit_intersection(&formula, &workbook).expect(with);
            assert_eq!(text(&bare), without);
            assert_eq!(text(&with_implicit_intersection(&bare, &workbook).expect(without)), with);
            assert_eq!(with_implicit_intersection(&formula, &workbook), None, "{with}");
        }
        // No single value is required, or there is no range: Excel would not add these operators
        // again.
        for formula in ["SUM(@A1:A3)", "@A1", "@INDEX(A:A,3)", "A1#", "SUMPRODUCT(@A1:A3*B1)"] {
            let template = parse(formula, host, &workbook);
            assert_eq!(without_implicit_intersection(&template, &workbook), None, "{formula}");
        }
    }
}
