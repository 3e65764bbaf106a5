//! Formulas in the syntax of `.xlsx` files: newer functions and parameters have prefixes, and the
//! operators `@` and `#` are functions (rule F12), and structured references name their table and rows
//! (rule F22).

use std::collections::BTreeSet;

use quadrille_formula::{Host, Template, Token, TokenKind, optional_parameter, print, tokens, visit_names};
use quadrille_functions::file_prefix;
use quadrille_workbook::Workbook;

use crate::table_references::with_references_of_files;

/// The formula in the syntax of the file, without `=`.
pub fn file_text(template: &Template, host: Host, workbook: &Workbook) -> String {
    let in_file = with_references_of_files(template, workbook);
    let template = in_file.as_ref().unwrap_or(template);
    let text = print(template, host, workbook);
    let tokens = tokens(&text);
    let word = |token: &Token| text[token.start..token.end].to_uppercase();
    let has_parameters = tokens
        .iter()
        .any(|token| token.kind == TokenKind::Function && matches!(word(token).as_str(), "LET" | "LAMBDA"));
    let mut defined: BTreeSet<String> = BTreeSet::new();
    if has_parameters {
        visit_names(template, &mut |name| {
            defined.insert(name.to_uppercase());
        });
    }
    let mut written = String::with_capacity(text.len() + 16);
    let mut end = 0;
    let mut skipped: Option<usize> = None;
    for (index, token) in tokens.iter().enumerate() {
        written.push_str(&text[end..token.start]);
        end = token.end;
        if skipped.take_if(|skipped| *skipped == index).is_some() {
            continue;
        }
        let this = &text[token.start..token.end];
        let is = |at: usize, operator: &str| {
            tokens.get(at).is_some_and(|next| {
                next.kind == TokenKind::Operator && &text[next.start..next.end] == operator
            })
        };
        match token.kind {
            TokenKind::Function => {
                written.push_str(file_prefix(&word(token)));
                written.push_str(this);
            }
            TokenKind::Name if has_parameters && optional_parameter(this).is_some() => {
                written.push_str("_xlop.");
                written.push_str(this.trim_matches(['[', ']']));
            }
            TokenKind::Name if has_parameters && !defined.contains(&word(token)) => {
                written.push_str("_xlpm.");
                written.push_str(this);
            }
            TokenKind::Reference if is(index + 1, "#") => {
                written.push_str(&format!("_xlfn.ANCHORARRAY({this})"));
                skipped = Some(index + 1);
            }
            // `@` is written only before a cell, range or name; before a call it has no effect.
            TokenKind::Operator if this == "@" => match tokens.get(index + 1) {
                Some(next)
                    if next.kind == TokenKind::Reference
                        || next.kind == TokenKind::Name
                            && (!has_parameters || defined.contains(&word(next))) =>
                {
                    written.push_str(&format!("_xlfn.SINGLE({})", &text[next.start..next.end]));
                    skipped = Some(index + 1);
                }
                _ => {}
            },
            _ => written.push_str(this),
        }
    }
    written.push_str(&text[end..]);
    written
}

#[cfg(test)]
mod tests {
    use super::*;
    use quadrille_cell::{CellAddress, SheetId};
    use quadrille_formula::parse;

    #[test]
    fn functions_have_prefixes_in_excel_files() {
        let workbook = Workbook::new();
        let host = Host { sheet: SheetId(1), cell: CellAddress::clamped(9, 9) };
        for (formula, in_file) in [
            ("SUM(A1:A2)", "SUM(A1:A2)"),
            ("XLOOKUP(1,A:A,B:B)+IFS(A1,2)", "_xlfn.XLOOKUP(1,A:A,B:B)+_xlfn.IFS(A1,2)"),
            ("SORT(FILTER(A1:A9,B1:B9))", "_xlfn._xlws.SORT(_xlfn._xlws.FILTER(A1:A9,B1:B9))"),
            ("LET(x,rate,x*2)", "_xlfn.LET(_xlpm.x,rate,_xlpm.x*2)"),
            (
                "LAMBDA(x,[y],IF(ISOMITTED(y),x,y))(4)",
                "_xlfn.LAMBDA(_xlpm.x,_xlop.y,IF(_xlfn.ISOMITTED(_xlpm.y),_xlpm.x,_xlpm.y))(4)",
            ),
            ("SUM(A1#)", "SUM(_xlfn.ANCHORARRAY(A1))"),
            ("@A1:A9", "_xlfn.SINGLE(A1:A9)"),
            ("SUM(@rates)", "SUM(_xlfn.SINGLE(rates))"),
            ("\"XLOOKUP(\"&A1", "\"XLOOKUP(\"&A1"),
        ] {
            let template = parse(formula, host, &workbook);
            assert_eq!(file_text(&template, host, &workbook), in_file);
            // Reading the text again yields the same formula.
            let again = parse(in_file, host, &workbook);
            assert_eq!(print(&again, host, &workbook), formula);
        }
    }
}
