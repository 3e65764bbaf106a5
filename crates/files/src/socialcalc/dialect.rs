//! Functions that give other results in SocialCalc with the same arguments, and its quotes around names
//! of sheets: formulas are rewritten when a save is read, and back when it is written.
//! `docs/ethercalc.md` lists the functions.

use std::borrow::Cow;

use quadrille_cell::{CellAddress, SheetId};
use quadrille_formula::{
    Expression, Host, SheetNames, Template, map_operands, map_unknown_sheets, parse, print,
};
use quadrille_workbook::Workbook;

use super::absolute::absolute;
use crate::contents::OtherSheets;

/// Functions whose calls [`from_socialcalc`] may change.
const READ: [&str; 5] = ["LOG", "IF", "ROUND", "CEILING", "FLOOR"];

/// A formula of SocialCalc, without `=`, with the same results here: `LOG(A1)`, the natural logarithm, is
/// `LN(A1)`.
///
/// The sheet of `"sales.1"!A1` is in apostrophes here.
pub fn from_socialcalc(formula: &str) -> Cow<'_, str> {
    let formula = requoted(formula, '"', '\'');
    let upper = formula.to_ascii_uppercase();
    if !READ.iter().any(|name| upper.contains(name)) {
        return formula;
    }
    // Names of sheets and of cells are printed as they are read.
    let host = Host { sheet: SheetId(1), cell: CellAddress::default() };
    let names = Workbook::new();
    let template = parse(&formula, host, &names);
    match rewrite(template.expression(), &read_call) {
        Some(expression) => Cow::Owned(print(&Template::new(expression), host, &names)),
        None => formula,
    }
}

/// The definition of a name, `A1:B2` or `=A1*2`, in which references are absolute without `$`.
pub fn name_definition(definition: &str) -> String {
    match definition.strip_prefix('=') {
        Some(formula) => format!("={}", absolute(&from_socialcalc(formula))),
        None => absolute(definition),
    }
}

/// A formula of SocialCalc, as [`from_socialcalc`] gives it: names of other sheets than those of the
/// workbook are rooms, `rates!A1` is `'[rates]'!A1`.
pub fn parse_with_rooms(formula: &str, host: Host, names: &dyn SheetNames) -> Template {
    let template = parse(formula, host, names);
    map_unknown_sheets(&template, &mut |written| OtherSheets::Rooms.name(written)).unwrap_or(template)
}

/// The reverse of [`parse_with_rooms`]: `'[rates]'!A1` is `rates!A1`.
pub fn print_with_rooms(template: &Template, host: Host, names: &dyn SheetNames) -> String {
    let with_rooms = map_unknown_sheets(template, &mut |written| room(written).map(str::to_owned));
    print(with_rooms.as_ref().unwrap_or(template), host, names)
}

/// The text of a formula with the same results in SocialCalc.
pub fn to_socialcalc(template: &Template, host: Host, names: &dyn SheetNames) -> String {
    let printed = print_with_rooms(&Template::new(written(template)), host, names);
    requoted(&printed, '\'', '"').into_owned()
}

/// The room whose first sheet a name such as `[rates]` means.
pub(super) fn room(written: &str) -> Option<&str> {
    written.strip_prefix('[')?.strip_suffix(']').filter(|room| !room.contains(['[', ']']))
}

/// The formula with names of sheets in other quotes, which are doubled within a name. Texts stay as they
/// are. With `to` as quotation mark, names with a dot get it too: SocialCalc needs it.
fn requoted(formula: &str, from: char, to: char) -> Cow<'_, str> {
    if !formula.contains('!') {
        return Cow::Borrowed(formula);
    }
    let mut written = String::with_capacity(formula.len() + 2);
    let mut rest = formula;
    // Where a name without quotes begins.
    let mut plain = 0;
    while let Some(first) = rest.chars().next() {
        if first != '"' && first != '\'' {
            let is_plain = first.is_alphanumeric() || first == '_' || first == '.';
            if first == '!' && to == '"' && written[plain..].contains('.') {
                written.insert(plain, to);
                written.push(to);
            }
            written.push(first);
            rest = &rest[first.len_utf8()..];
            plain = if is_plain { plain } else { written.len() };
            continue;
        }
        let length = quoted_length(rest, first);
        let (quoted, behind) = rest.split_at(length);
        match quoted.strip_prefix(first).and_then(|name| name.strip_suffix(first)) {
            Some(name) if first == from && behind.starts_with('!') => {
                let name = name.replace(&from.to_string().repeat(2), &from.to_string());
                written.push(to);
                written.push_str(&name.replace(to, &to.to_string().repeat(2)));
                written.push(to);
            }
            _ => written.push_str(quoted),
        }
        rest = behind;
        plain = written.len();
    }
    Cow::Owned(written)
}

/// The bytes of a text or name that begins with `quote`, up to its end, in which quotes are doubled.
fn quoted_length(text: &str, quote: char) -> usize {
    let mut quotes = text.match_indices(quote).map(|(at, _)| at).skip(1).peekable();
    while let Some(at) = quotes.next() {
        match quotes.peek() {
            Some(next) if *next == at + 1 => _ = quotes.next(),
            _ => return at + 1,
        }
    }
    text.len()
}

/// The formula as it is written.
pub(super) fn written(template: &Template) -> Expression {
    rewrite(template.expression(), &written_call).unwrap_or_else(|| template.expression().clone())
}

fn read_call(function: &str, arguments: &[Expression]) -> Option<(&'static str, Vec<Expression>)> {
    let and = |last: Expression| [arguments, &[last]].concat();
    let zero = Expression::Number(0.0);
    match (function, arguments.len()) {
        ("LOG", 1) => Some(("LN", arguments.to_vec())),
        // FALSE in Excel.
        ("IF", 2) => Some(("IF", and(zero))),
        ("ROUND", 1) => Some(("ROUND", and(zero))),
        // Away from zero, and towards zero.
        ("CEILING", 1) => Some(("ROUNDUP", and(zero))),
        ("FLOOR", 1) => Some(("TRUNC", and(zero))),
        _ => None,
    }
}

fn written_call(function: &str, arguments: &[Expression]) -> Option<(&'static str, Vec<Expression>)> {
    let and = |last: Expression| [arguments, &[last]].concat();
    let name = match (function, arguments.len()) {
        ("LOG", 1) => "LOG10",
        ("IF", 2) => return Some(("IF", and(Expression::Boolean(false)))),
        ("ROUNDUP", 2) if arguments[1] == Expression::Number(0.0) => {
            return Some(("CEILING", arguments[..1].to_vec()));
        }
        ("TRUNC", 1) => return Some(("TRUNC", and(Expression::Number(0.0)))),
        ("LEFT", 1) => return Some(("LEFT", and(Expression::Number(1.0)))),
        ("STDEV.S", _) => "STDEV",
        ("STDEV.P", _) => "STDEVP",
        ("VAR.S", _) => "VAR",
        ("VAR.P", _) => "VARP",
        _ => return None,
    };
    Some((name, arguments.to_vec()))
}

/// The function and the arguments that replace a call; `None` leaves it as it is.
type Replacement<'a> = dyn Fn(&str, &[Expression]) -> Option<(&'static str, Vec<Expression>)> + 'a;

/// Replaces calls. Returns `None` if there is nothing to replace.
fn rewrite(expression: &Expression, replace: &Replacement<'_>) -> Option<Expression> {
    let changed = map_operands(expression, &mut |operand| rewrite(operand, replace));
    let Expression::Call { function, arguments } = changed.as_ref().unwrap_or(expression) else {
        return changed;
    };
    match replace(function.text(), arguments) {
        Some((name, arguments)) => Some(Expression::Call { function: name.into(), arguments }),
        None => changed,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn formulas_are_rewritten_and_back() {
        let host = Host { sheet: SheetId(1), cell: CellAddress::default() };
        let names = Workbook::new();
        for (theirs, ours, again) in [
            ("LOG(A1)+1", "LN(A1)+1", "LN(A1)+1"),
            ("LOG(8,2)", "LOG(8,2)", "LOG(8,2)"),
            ("if(A1>1,log(Rates!A1))", "IF(A1>1,LN(Rates!A1),0)", "IF(A1>1,LN(Rates!A1),0)"),
            ("-(ROUND(A1))%", "-(ROUND(A1,0))%", "-(ROUND(A1,0))%"),
            ("CEILING(A1)", "ROUNDUP(A1,0)", "CEILING(A1)"),
            ("FLOOR(A1)", "TRUNC(A1,0)", "TRUNC(A1,0)"),
            ("FLOOR(A1,2)", "FLOOR(A1,2)", "FLOOR(A1,2)"),
            ("\"LOG(1)\"&A1", "\"LOG(1)\"&A1", "\"LOG(1)\"&A1"),
            ("\"sales.1\"!A1*2", "'sales.1'!A1*2", "\"sales.1\"!A1*2"),
            ("\"it's\"!A1&\"it's!\"", "'it''s'!A1&\"it's!\"", "\"it's\"!A1&\"it's!\""),
        ] {
            let read = from_socialcalc(theirs);
            assert_eq!(read, ours, "{theirs}");
            assert_eq!(to_socialcalc(&parse(&read, host, &names), host, &names), again, "{theirs}");
        }
        for (ours, theirs) in [
            ("LOG(A1)", "LOG10(A1)"),
            ("IF(A1,2)", "IF(A1,2,FALSE)"),
            ("LEFT(TRUNC(A1))", "LEFT(TRUNC(A1,0),1)"),
            ("STDEV.S(A1:A3)+VAR.P(A1:A3)", "STDEV(A1:A3)+VARP(A1:A3)"),
        ] {
            assert_eq!(to_socialcalc(&parse(ours, host, &names), host, &names), theirs, "{ours}");
        }
    }

    #[test]
    fn other_sheets_are_rooms() {
        let host = Host { sheet: SheetId(1), cell: CellAddress::default() };
        let names = Workbook::new();
        for (theirs, ours) in [
            ("rates!A1*2", "'[rates]'!A1*2"),
            ("SUM(\"rates.2\"!$A$1:B2)", "SUM('[rates.2]'!$A$1:B2)"),
            ("Sheet1!A1", "Sheet1!A1"),
        ] {
            let read = parse_with_rooms(&from_socialcalc(theirs), host, &names);
            assert_eq!(print(&read, host, &names), ours, "{theirs}");
            assert_eq!(to_socialcalc(&read, host, &names), theirs, "{ours}");
        }
        let of_sheet = parse("[rates]Q1!A1", host, &names);
        assert_eq!(to_socialcalc(&of_sheet, host, &names), "\"[rates]Q1\"!A1");
    }

    #[test]
    fn names_are_absolute() {
        for (theirs, ours) in
            [("a1:B12", "$A$1:$B$12"), ("=A1*2", "=$A$1*2"), ("=LOG(A1)&\"B2\"", "=LN($A$1)&\"B2\"")]
        {
            assert_eq!(name_definition(theirs), ours, "{theirs}");
        }
    }

    #[test]
    fn what_is_no_formula_is_unchanged() {
        for text in ["", "IF(", "LOG(1", "IF(A1,,)", "#REF!+LOG"] {
            assert_eq!(from_socialcalc(text), text);
        }
    }
}
