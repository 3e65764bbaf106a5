//! Parses random text as a formula: parsing ends within its limits, printing and parsing again
//! gives the same formula, and tokens are in order.

#![no_main]

use libfuzzer_sys::fuzz_target;
use quadrille_cell::{CellAddress, SheetId};
use quadrille_formula::{
    Expression, Host, SheetNames, close_parentheses, is_within_limits, parse, parse_r1c1, print, print_r1c1, tokens,
};

struct Sheets;

impl SheetNames for Sheets {
    fn sheet_id(&self, name: &str) -> Option<SheetId> {
        match name.to_lowercase().as_str() {
            "a" => Some(SheetId(1)),
            "it's" => Some(SheetId(2)),
            _ => None,
        }
    }

    fn sheet_name(&self, id: SheetId) -> Option<&str> {
        match id {
            SheetId(1) => Some("a"),
            SheetId(2) => Some("it's"),
            _ => None,
        }
    }
}

fuzz_target!(|text: &str| {
    let host = Host { sheet: SheetId(1), cell: CellAddress::clamped(4, 2) };
    let template = parse(text, host, &Sheets);
    assert!(is_within_limits(template.expression()));
    let printed = print(&template, host, &Sheets);
    match template.expression() {
        Expression::Invalid(source) => assert_eq!(&**source, text),
        // Printing can make a formula longer than the limit: `.1` becomes `0.1`.
        _ if printed.len() <= 8_192 => assert_eq!(parse(&printed, host, &Sheets), template, "{printed}"),
        _ => {}
    }
    print_r1c1(&template, host, &Sheets);
    assert!(is_within_limits(parse_r1c1(text, host, &Sheets).expression()));
    close_parentheses(text);

    let mut at = 0;
    for token in tokens(text) {
        assert!(at <= token.start && token.start < token.end && text.is_char_boundary(token.end));
        at = token.end;
    }
});
