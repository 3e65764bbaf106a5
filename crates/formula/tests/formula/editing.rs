//! Functions for editors: tokens of complete and incomplete formulas, closing of parentheses, R1C1
//! notation.

use quadrille_formula::{close_parentheses, print_r1c1, tokens};

use crate::notation::{Sheets, host, read};

/// Tokens as `kind:text`.
fn token_list(text: &str) -> String {
    let list: Vec<String> = tokens(text)
        .into_iter()
        .map(|token| format!("{:?}:{}", token.kind, &text[token.start..token.end]))
        .collect();
    list.join(" ")
}

#[test]
fn tokens_have_kinds() {
    for (text, expected) in [
        ("", ""),
        (
            "SUM(A1:B2, 'My Sheet'!$C$3)",
            "Function:SUM OpenParenthesis:( Reference:A1:B2 Separator:, Reference:'My Sheet'!$C$3 CloseParenthesis:)",
        ),
        ("1.5e3%+TRUE", "Number:1.5e3 Operator:% Operator:+ Boolean:TRUE"),
        ("\"a\"\"b\"&rate", "Text:\"a\"\"b\" Operator:& Name:rate"),
        ("{1;#N/A}", "OpenBrace:{ Number:1 Separator:; Error:#N/A CloseBrace:}"),
        ("@A:A<>Jan:Mar!3:5", "Operator:@ Reference:A:A Operator:<> Reference:Jan:Mar!3:5"),
        ("A1#", "Reference:A1 Operator:#"),
        // While typing:
        ("SUM(A", "Function:SUM OpenParenthesis:( Name:A"),
        ("SUM(A1:", "Function:SUM OpenParenthesis:( Reference:A1 Operator::"),
        ("\"abc", "Text:\"abc"),
        ("Sheet2!", "Unknown:Sheet2!"),
        ("A1 ~ ä", "Reference:A1 Unknown:~ Name:ä"),
        ("€5", "Unknown:€ Number:5"),
    ] {
        assert_eq!(token_list(text), expected, "{text}");
    }
}

#[test]
fn a_missing_quotation_mark_and_parentheses_are_appended() {
    for (typed, expected) in [
        ("SUM(A1:A3", "SUM(A1:A3)"),
        ("IF(A1,(B1+C1", "IF(A1,(B1+C1))"),
        ("SUM(A1)", "SUM(A1)"),
        ("A1)", "A1)"),
        ("A1)+(B1", "A1)+(B1"),
        ("F(\"(\"", "F(\"(\")"),
        ("F(\"", "F(\"\")"),
        ("\"a\"&\"b", "\"a\"&\"b\""),
        ("F(A1,(\"it \"\"", "F(A1,(\"it \"\"\"))"),
        ("'My sheet", "'My sheet"),
        ("1+", "1+"),
    ] {
        assert_eq!(close_parentheses(typed), expected);
    }
}

#[test]
fn r1c1_notation_is_the_relative_form() {
    for (formula, at, r1c1) in [
        ("A1", "A1", "RC"),
        ("A1", "C5", "R[-4]C[-2]"),
        ("$A$1", "C5", "R1C1"),
        ("$A6", "C5", "R[1]C1"),
        ("A$1:B2", "C5", "R1C[-2]:R[-3]C[-1]"),
        ("A:A", "C5", "C[-2]"),
        ("$A:C", "C5", "C1:C"),
        ("5:5", "C5", "R"),
        ("$3:6", "C5", "R3:R[1]"),
        ("'My Sheet'!B2*2", "B2", "'My Sheet'!RC*2"),
        ("SUM(Jan:Mar!A1,-x%)", "A1", "SUM(Jan:Mar!RC,-x%)"),
    ] {
        assert_eq!(print_r1c1(&read(formula, host(at)), host(at), &Sheets), r1c1, "{formula} in {at}");
    }
}

#[test]
fn references_outside_the_sheet_are_printed_as_ref_errors() {
    use crate::notation::write;
    let template = read("SUM(A1,B2:B9)+Sheet2!A4", host("B5"));
    assert_eq!(write(&template, host("B4")), "SUM(#REF!,B1:B8)+Sheet2!A3");
    assert_eq!(write(&template, host("A5")), "SUM(#REF!,A2:A9)+#REF!");
    assert_eq!(write(&template, host("B1")), "SUM(#REF!,#REF!)+#REF!");
    assert_eq!(print_r1c1(&template, host("B1"), &Sheets), "SUM(#REF!,#REF!)+#REF!");
}
